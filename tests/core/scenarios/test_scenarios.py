"""What scenarios make of a service: what they keep and delete, when they decide nothing, and the addresses of calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from typing import Any, get_args, get_type_hints

import httpx
import pytest
from hand_made import BASE, ONE, SETTINGS, Scripted, created, json_answer, jwt, session_with
from platforms import POSIX_COMMANDS
from whole_runs import USERS, config, differences, notes_of, only, problem_of, row_of, run_over, session_over

from conformance.facts.answers import accepted
from conformance.http.commands import CompletionCommand
from conformance.http.session import Session
from conformance.model.error_table import KNOWN_CREDENTIALS, NOT_FOUND
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.identity import CHUNKED, USER, Created, segment
from conformance.model.target import Budget, LanguageSelector, Token
from conformance.model.verdict import Blame, Verdict
from conformance.reference.config import ReferenceConfig, User
from conformance.run.check import CannotBegin
from conformance.scenarios.api import Api
from conformance.scenarios.completion import completion
from conformance.scenarios.credentials import doubtful_credentials, refused_requests
from conformance.scenarios.languages import language_choice
from conformance.scenarios.limit import limit
from conformance.scenarios.registry import result_types


def test_the_other_users_request_is_kept_until_the_end_and_then_deleted() -> None:
    with session_over(config()) as session:
        service = Api(session)
        limit.result(service)
        (kept,) = session.kept
        assert session.journal.live == {kept: "other user"}

        with pytest.raises(NotDecided, match="saw no completed request"):
            completion.result(service)

    assert (session.kept, session.journal.live) == (set(), {})
    assert kept in session.journal.gone


def test_the_request_is_deleted_where_the_time_of_the_run_ends_the_wait() -> None:
    with session_over(config(), budget=Budget(await_completion=30.0, max_time=10.0)) as session:
        service = Api(session)
        limit.result(service)

        with pytest.raises(NotDecided, match="The time of the run, 10 s, "):
            completion.result(service)
        session.clean_up()

    assert (session.kept, session.journal.live) == (set(), {})


LATE = ("2.1-completedAt-value", "3-deletes-completed", "8-completed-do-not-count")


@POSIX_COMMANDS
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("sh -c 'kill -9 $$' {requestId}", "--complete-command: the command "),
        ("true {requestId}", "still in progress 10 s later"),
    ],
)
def test_a_command_that_fails_or_completes_nothing_is_a_configuration_finding(command: str, said: str) -> None:
    run = run_over(plan=only(*LATE), in_turn=False, completion=CompletionCommand(command))

    rows = [row_of(run.report, each) for each in LATE]
    assert [row.verdict for row in rows] == [Verdict.INCONCLUSIVE] * 3
    for finding in (row.findings[0] for row in rows):
        assert said in finding.message
        assert (finding.blame, bool(finding.remedy)) == (Blame.CONFIGURATION, True)
    assert run.report.summary.left_behind == 0
    assert differences(run) == []


@pytest.mark.parametrize(
    ("languages", "unsupported"),
    [
        (("en-GB", "zh-Hant-TW", "nl_NL"), "eo"),
        (("eng", "nld", "epo"), "qaa"),
        (("en", "qaa-x-ours"), "qtz"),
    ],
)
def test_what_is_asked_for_in_vain_is_called_by_no_other_name_in_the_list(
    languages: tuple[str, ...], unsupported: str
) -> None:
    with session_over(config(languages=languages)) as session:
        assert language_choice.result(Api(session)).unsupported == unsupported


@pytest.mark.parametrize(
    ("selector", "said"), [("header:Accept-Language", "header:Accept-Language has an effect"), (None, "")]
)
def test_a_selector_that_the_tester_denied_is_used_and_said(selector: str | None, said: str) -> None:
    none = LanguageSelector("none", "")

    run = run_over(config(language_selector=selector), plan=only("4.5-supported-languages"), language_selector=none)

    notes = [each for each in notes_of(run) if "--language-selector none confirms" in each.message]
    assert [(said in each.message, each.blame) for each in notes] == [(True, Blame.CONFIGURATION)] * bool(said)
    expected = Verdict.PASS if said else Verdict.NOT_APPLICABLE
    assert row_of(run.report, "4.5-supported-languages").verdict is expected
    assert differences(run) == []


ROWS = tuple(f"5.3-{operation}-with-bad-token" for operation in ("create", "read", "delete"))


def _expiring(seconds: float) -> str:
    """Return a token that expires some seconds after the start of the run, or before it."""
    with session_over() as session:
        return jwt(sub="alice", exp=session.clock.now().timestamp() + seconds)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"expired": USERS[0].token}, "DRSI_EXPIRED_TOKEN is the token of a user of the run"),
        ({"foreign": USERS[1].token}, "DRSI_FOREIGN_TOKEN is the token of a user of the run"),
        ({"expired": _expiring(900)}, "DRSI_EXPIRED_TOKEN expires in"),
        ({"expired": _expiring(-60)}, "DRSI_EXPIRED_TOKEN expired only"),
    ],
)
def test_no_run_begins_with_a_token_that_the_service_may_accept(given: Mapping[str, str], words: str) -> None:
    with pytest.raises(CannotBegin) as caught:
        run_over(plan=only(*ROWS), **{name: Token(value) for name, value in given.items()})

    assert words in problem_of(caught.value).message


def test_neither_refusal_of_a_chunked_body_decides_anything() -> None:
    refusals = [json_answer(400, {"error": "Bad Request", "message": "Chunks are not read."})() for _ in range(2)]
    # The connection carried a refused body before, so the transport sends the call again on another one.
    refusals[0].extensions["after_refused_body"] = True
    with closing(session_with(Scripted(*refusals, created(ONE)))) as session:
        made = Api(session).post(["name"], replace(USER, variation=CHUNKED))
        exchanges = session.record.in_order()

    assert accepted(made.response)
    assert [bool(each.repeats) for each in exchanges] == [False, True, False]
    assert [each.intent.open for each in exchanges] == [True, True, False]


DATA_REQUESTS = (Operation.CREATE, Operation.READ, Operation.DELETE)


def credential(exchange: Exchange) -> str:
    return (header(exchange.request.headers, "authorization") or "").partition(" ")[2]


def refused(session: Session) -> dict[Operation, list[Exchange]]:
    """Return the calls without the token of a user, by their operation."""
    made = [each for each in session.record.in_order() if each.request.credential not in KNOWN_CREDENTIALS]
    return {operation: [each for each in made if each.operation is operation] for operation in DATA_REQUESTS}


@pytest.mark.parametrize(
    "token",
    [
        "aaaa.bbbbbbbb.cccccccccccc",
        "abcdefgh.ijklmn.",
        "0f8c6f2e-6d0b-4b1c-9a63-1d2fa0c4e9b7",
        "493027",
        "Zz",
        "~.~",
        "null",
        "constructor",
    ],
)
def test_no_bad_credential_is_the_token_in_disguise(token: str) -> None:
    config = ReferenceConfig(users=(User("alice.example", token), USERS[1]), seed=1)
    with session_over(config) as session:
        refused_requests.result(Api(session))
        bad = refused(session)[Operation.READ]

    altered = [credential(each) for each in bad if each.request.credential == "a token altered in its middle"]
    assert token not in [credential(each) for each in bad]
    assert [len(each) for each in altered] == [len(token)]
    # The last character of a part of a JWT may have bits that decode to nothing.
    changed = next(place for place in range(len(token)) if altered[0][place] != token[place])
    assert changed == 0 or token[changed + 1].isalnum()


def test_forms_that_are_open_make_and_remove_nothing() -> None:
    with session_over() as session:
        service = Api(session)
        held = service.create().request_id
        doubtful_credentials.result(service)
        assert {each for each, made in refused(session).items() if made} == set(DATA_REQUESTS)
        assert (session.journal.created, list(session.journal.live)) == (1, [held])


RESULTS_OF_ALL_BUILDS = """
    ByAnother.absent ByAnother.after ByAnother.deleted ByAnother.read ByAnother.released Choice.selector
    Choice.unsupported DataMe.best DataMe.without_token LanguageSelector.kind LanguageSelector.name LimitRefill.final
    LimitRefill.held LimitRefill.refused LimitResult.limit NotDecided.message Removal.after Removal.created
    Removal.deletions Removal.reads
"""


def members_without_default(kind: Any) -> Iterator[str]:
    if is_dataclass(kind) and kind not in (Exchange, Created):
        yield from (f"{kind.__name__}.{each.name}" for each in fields(kind) if _has_no_default(each))
        yield from (name for inner in get_type_hints(kind).values() for name in members_without_default(inner))
    yield from (name for inner in get_args(kind) for name in members_without_default(inner))


def _has_no_default(member: Field[Any]) -> bool:
    return member.default is MISSING and member.default_factory is MISSING


def test_what_a_result_gets_later_has_a_default_because_runs_of_former_builds_lack_it() -> None:
    needed = {name for kind in result_types().values() for name in members_without_default(kind)}

    assert needed <= {*RESULTS_OF_ALL_BUILDS.split()}


settings = json_answer(200, SETTINGS)


@pytest.mark.parametrize(
    ("request_id", "path"),
    [
        (ONE, f"/api/requests/{ONE}"),
        ("../../admin", "/api/requests/..%2F..%2Fadmin"),
        ("x?y=1", "/api/requests/x%3Fy%3D1"),
        ("%2e%2e", "/api/requests/%252e%252e"),
        ("http://elsewhere.test/", "/api/requests/http%3A%2F%2Felsewhere.test%2F"),
        ("é\u202e", "/api/requests/%C3%A9%E2%80%AE"),
    ],
)
def test_an_identifier_is_one_segment_of_the_path(request_id: str, path: str) -> None:
    transport = Scripted(json_answer(404, {"error": NOT_FOUND.error, "message": NOT_FOUND.message}))

    exchange = Api(session_with(transport)).read(request_id)

    assert transport.paths == [path]
    assert exchange.operation is Operation.READ


@pytest.mark.parametrize("request_id", ["", ".", "..", "x" * 100_000, "a\r\nHost: b", "a\x00b", "a\x7f", "\ud800"])
def test_an_identifier_that_is_none_is_never_sent(request_id: str) -> None:
    transport = Scripted(settings)
    service = Api(session_with(transport))

    for call in (service.read, service.delete):
        with pytest.raises(NotDecided) as caught:
            call(request_id)
        assert caught.value.blame is Blame.TARGET
    with pytest.raises(NotDecided):
        segment(request_id)
    assert transport.sent == []


def moved(to: str, status: int = 302) -> Any:
    return lambda: httpx.Response(status, headers={"Location": to})


@pytest.mark.parametrize("status", [301, 308])
@pytest.mark.parametrize("to", [f"{BASE}/v2/settings", "/api/v2/settings", "v2/settings"])
def test_one_redirect_of_a_get_within_the_origin_is_followed_and_noted(status: int, to: str) -> None:
    transport = Scripted(moved(to, status), settings)
    session = session_with(transport)

    exchange = session.send("GET", "/settings")

    first, second = session.record.in_order()
    assert transport.paths == ["/api/settings", "/api/v2/settings"]
    assert exchange is second
    assert second.operation is Operation.SETTINGS
    assert (first.redirected_to, second.redirected_from) == (second.id, first.id)


def test_a_second_redirect_is_the_answer() -> None:
    transport = Scripted(moved("/api/a"), moved("/api/b"), settings)

    exchange = session_with(transport).send("GET", "/settings")

    assert len(transport.sent) == 2
    assert exchange.response is not None
    assert exchange.response.status == 302


@pytest.mark.parametrize(
    "to",
    [
        "http://elsewhere.test/settings",
        "https://service.test/api/settings",
        "http://service.test:81/api/settings",
        "file:///etc/passwd",
        "http://[bad",
        "http://service.test:99999999/",
        "/a\x00b",
        "//",
        "",
        f"{BASE}/settings",
    ],
)
def test_no_redirect_leads_out_of_the_origin_or_in_a_circle(to: str) -> None:
    transport = Scripted(moved(to), moved(to))

    exchange = session_with(transport).send("GET", "/settings", credential="user")

    assert {str(each.url) for each in transport.sent} == {f"{BASE}/settings"}
    assert exchange.response is not None
    assert exchange.response.status == 302


@pytest.mark.parametrize(
    ("method", "path", "credential"),
    [
        ("POST", "/requests", "user"),
        ("DELETE", f"/requests/{ONE}", "user"),
        ("GET", f"/requests/{ONE}", "a made-up token"),  # to a login, in place of a refusal
    ],
)
def test_redirects_of_other_methods_and_to_a_login_are_not_followed(method: str, path: str, credential: str) -> None:
    transport = Scripted(moved(f"{BASE}/elsewhere", 307), settings)

    session_with(transport).send(method, path, credential=credential, authorization="Bearer made-up")

    assert len(transport.sent) == 1
