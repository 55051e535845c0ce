"""Personal values of the account are in no output, and every verdict is the same as without their replacement."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

import pytest
from hand_made import jwt
from platforms import POSIX_MODES
from whole_runs import USERS, Silent, bent, only, run_over, session_over

from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.service import Service
from conformance.run.check import check
from conformance.run.conclusion import FinishedRun
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
TOKEN = jwt(sub=SUBJECT, iss="https://login.example")

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


def run_of(*, keep: bool) -> FinishedRun:
    config = ReferenceConfig(users=(User("alice.example", TOKEN), USERS[1]), seed=1)
    return run_over(config, bent(Chatty), plan=only("4.3", "4.6", "5", "7-not-found"), keep_personal_data=keep)


@pytest.fixture(scope="module")
def replaced() -> FinishedRun:
    return run_of(keep=False)


def test_no_output_contains_a_personal_value(replaced: FinishedRun) -> None:
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


def test_verdicts_findings_and_exchanges_are_those_of_a_run_that_keeps_the_data(replaced: FinishedRun) -> None:
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
