"""Personal values of the account are in no output, and every verdict is the same as without their replacement."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

import pytest
from hand_made import exchange
from platforms import POSIX_MODES
from whole_runs import USERS, Silent, bent, only, run_over, session_over

from conformance.http.secrets.personal import PersonalData
from conformance.http.secrets.redaction import Redactor
from conformance.model.exchange import Operation
from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.service import Service
from conformance.run.check import check
from conformance.run.conclusion import Run
from conformance.run.documents import Documents
from conformance.run.live_evidence import FILE, live_evidence

NAME, EMAIL, NUMBER, COOKIE, SUBJECT = (
    "Wilhelmina Österreich",
    "wilhelmina@mail.example",
    48213377,
    "sid7Qx81",
    "w-0815-x",
)
PICTURE = hashlib.md5(EMAIL.encode()).hexdigest()
CLAIMS = base64.urlsafe_b64encode(json.dumps({"sub": SUBJECT, "iss": "https://login.example"}).encode()).decode()
TOKEN = f"eyJhbGciOiJub25lIn0.{CLAIMS.rstrip('=')}.c2lnbmF0dXJl"

FRIEND, FRIENDS_MAIL = "Jorinde van Santvoort", "jorinde@post.example"
"""Names of members, in a map of the account."""


class Chatty(Service):
    """Tells of the user in every answer that this user gets."""

    ACCOUNT: ClassVar = {
        "name": NAME,
        "email": EMAIL,
        "number": NUMBER,
        "initials": "WÖ",
        "plan": "newsletter",
        "contacts": {FRIEND: [{FRIENDS_MAIL: {"1951-03-08": True}}]},
    }

    def data_me(self, call: Call) -> Any:
        return {
            "account": self.ACCOUNT | {"role": "user", "page": f"{EMAIL}/me"},
            "types": super().data_me(call)["types"],
        }

    def error(self, condition: ErrorCondition, call: Call) -> Any:
        return {
            **super().error(condition, call),
            "message": f"{NAME} ({NUMBER}, {SUBJECT}): no {TOKEN}.",
            FRIENDS_MAIL: {FRIEND: "is a friend"},
        }

    def new_id(self, call: Call) -> str:
        return f"{NUMBER}{super().new_id(call)[8:]}"

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        if reply.status == 404 and call.operation is Action.READ:
            page = f"<html><title>{html.escape(NAME)}</title><p>{EMAIL} has no {call.request_id}.</p></html>"
            reply = Reply(404, page.encode(), {"content-type": "text/html; charset=utf-8"})
        if call.user or call.operation is Action.DELETE:
            reply.headers |= {
                "x-user": quote(NAME),
                "x-friend": quote(FRIEND),
                "x-mail": base64.b64encode(EMAIL.encode()).decode(),
                "x-picture": f"/{PICTURE}.png",
            }
            reply.headers["set-cookie"] = f"session={COOKIE}; Path=/; HttpOnly"
        return reply


def canaries() -> Iterator[str]:
    for text in (NAME, EMAIL, COOKIE, SUBJECT, FRIEND, FRIENDS_MAIL, TOKEN):
        yield from (text, quote(text), json.dumps(text)[1:-1], base64.b64encode(text.encode()).decode().rstrip("="))
    yield from (str(NUMBER), NAME.split()[1], quote(NAME.split()[1]), PICTURE)


def run_of(*, keep: bool) -> Run:
    config = ReferenceConfig(users=(User("alice.example", TOKEN), USERS[1]), seed=1)
    return run_over(config, bent(Chatty), plan=only("4.3", "4.6", "5", "7-not-found"), keep_personal_data=keep)


@pytest.fixture(scope="module")
def replaced() -> Run:
    return run_of(keep=False)


def test_no_output_contains_a_personal_value(replaced: Run) -> None:
    written = json.dumps([Documents(replaced).data, Documents(replaced).evidence], ensure_ascii=False).lower()

    assert replaced.report.crashes == ()
    assert [each for each in canaries() if each.lower() in written] == []


@POSIX_MODES
def test_what_a_killed_run_leaves_contains_no_personal_value(tmp_path: Path) -> None:
    config = ReferenceConfig(users=(User("alice.example", TOKEN), USERS[1]), seed=1)
    with session_over(config, bent(Chatty), in_turn=False) as session, live_evidence(tmp_path, session, only("4.6")):
        check(session, only("4.2-object"), Silent())
        file = tmp_path / FILE
        text = file.read_text("utf-8").lower()
        assert file.stat().st_mode & 0o777 == 0o600
    assert [each for each in canaries() if each.lower() in text] == []
    assert text.count("\n") > 5


def test_verdicts_findings_and_exchanges_are_those_of_a_run_that_keeps_the_data(replaced: Run) -> None:
    kept = run_of(keep=True)

    assert NAME in json.dumps(Documents(kept).evidence, ensure_ascii=False)
    expected = Documents(replace(kept, redactor=replaced.redactor)).data
    for volatile in ("finished", "started", "digests"):
        assert expected.pop(volatile)
    data = Documents(replaced).data
    expected["run"]["pseudonym_key"] = data["run"]["pseudonym_key"]
    pairs = zip(data["requirements"], expected.pop("requirements"), strict=True)
    for one, other in pairs:
        assert one | {"seconds": 0} == other | {"seconds": 0}
    assert {name: data[name] for name in expected} == expected
    sizes = [
        [(each["_id"], each["response"]["content"]["size"]) for each in Documents(run).evidence["log"]["entries"]]
        for run in (kept, replaced)
    ]
    assert sizes[0] == sizes[1]


def test_a_value_in_an_identifier_is_replaced_unless_it_may_be_a_part_of_any_uuid() -> None:
    personal = personal_data()
    personal.of_body(b'{"account": ["Fabe", 48213377, 52003]}')

    assert replaced_by(personal) == {"48213377", "4821 3377", "52003"}
    redactor = Redactor((), personal.copies([]))
    shown = redactor.text("48213377-fabe-4a1b and 48213377fabe4a1b, but 52003 and a52003")
    assert re.fullmatch(r"(\d{8})-fabe-4a1b and \1fabe4a1b, but (?!52003)\d{5} and a52003", shown)
    assert "48213377" not in shown


def replaced_by(personal: PersonalData) -> set[str]:
    """Return the values that are replaced elsewhere, without digests."""
    return {each.value for each in personal.copies([]) if len(each.value) < 32}


def personal_data() -> PersonalData:
    return PersonalData(b"key", "http://localhost", lambda _: False)


ACCOUNTS = {
    "XML": "<?xml version='1.0'?><account><wilhelmina mail='{mail}'>{name}</wilhelmina><types>x</types></account>",
    "HTML": "<!DOCTYPE html><html><body class='a'><p>Dr <b>{name}</b>,<a href='/u?m={mail}'>you</a></body></html>",
    "CSV": 'name;mail;account\r\n"{name}";{mail};types',
    "lines": "name: {name}\nmail: '{mail}'\n",
    "names": '{{"account": {{"{name}": {{"{mail}": []}}}}, "types": [{{"type": "x"}}]}}',
    "names with escapes": '[{{"account": {{"{escaped}": 1}}, "types": {{"{mail}": 0}}}}]',
}


@pytest.mark.parametrize("form", ACCOUNTS.values(), ids=ACCOUNTS)
def test_the_values_of_an_account_in_any_format_are_known(form: str) -> None:
    personal = personal_data()
    name, mail = (personal._of(each) for each in (NAME, EMAIL))
    body = form.format(name=NAME, mail=EMAIL, escaped=json.dumps(NAME)[1:-1]).encode()

    shown = personal.of_body(body)
    redactor = Redactor((), personal.copies([]))

    assert len(shown) == len(body)
    assert redactor.text(f"<i>{NAME}</i> {EMAIL}") == f"<i>{name}</i> {mail}"
    assert not [each for each in (NAME, EMAIL, "wilhelmina") if each.lower() in shown.decode().lower()]
    kept = [word for word in ("account", "types", "<!DOCTYPE html><html><body class") if word in form]
    assert [word for word in kept if word not in shown.decode()] == []


@pytest.mark.parametrize("body", [b"null", b"true", b" false\n", b"12", b'"text"', b"[]", b"\xef\xbb\xbf{}"])
def test_a_json_body_stays_one(body: bytes) -> None:
    replaced = personal_data().of_body(body)
    kinds = [type(json.loads(each.decode("utf-8-sig"))) for each in (body, replaced)]
    assert kinds[0] is kinds[1]


@pytest.mark.parametrize("public", "123456789")
def test_names_of_members_stay_different(public: str) -> None:
    """A map may have short keys, and GET /settings may show everybody one of them, such as the limit."""
    personal = personal_data()
    shown = exchange(Operation.SETTINGS, 200, {"maxNumberOfRequests": int(public)}, credential="no token")
    assert shown.response
    personal.recorded(shown, shown.response)

    replaced = personal.of_body(json.dumps({"account": dict.fromkeys("123456789")}).encode())

    assert len(json.loads(replaced)["account"]) == 9


@pytest.fixture
def restless() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("restless")
def test_another_thread_may_learn_meanwhile() -> None:
    personal = personal_data()

    def learn(number: int) -> None:
        asked = exchange(Operation.READ, 404, request_id=f"{number}-of-a-thread")
        assert asked.response is not None
        personal.recorded(asked, asked.response)
        personal.of_body(b'{"account": {"name": "sandoval-%d"}}' % number)
        personal.copies([])

    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(learn, range(20))] == [None] * 20
    assert {"sandoval-0", "sandoval-19"} <= replaced_by(personal)


@pytest.mark.parametrize("body", [b"<!doctype" * 40_000, b'["' + rb"\"" * 150_000], ids=["markup", "JSON"])
def test_a_long_body_whose_parts_have_no_end_takes_seconds(body: bytes) -> None:
    began = time.process_time()
    personal_data().of_body(body)
    assert time.process_time() - began < 20  # if each part searched the rest for its end, it would be minutes


def test_a_string_without_an_end_takes_the_rest() -> None:
    personal = personal_data()
    shown = personal.of_body(b'["anna", "bertha \\"carla\\": true')

    assert len(shown) == 32
    assert not re.search(b"anna|bertha|carla", shown)
