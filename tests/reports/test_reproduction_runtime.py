"""The code of a reproduction script: what meets a probe, what deviates, and what can be tested at all."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from whole_runs import config, session_over

from conformance.client.user import UserClient
from conformance.reference.config import User
from conformance.reports import scripts
from conformance.reports.scripts import runtime
from conformance.reports.scripts.answers import Answer, NotTested, deviates
from conformance.reports.scripts.runtime import CREDENTIALS
from conformance.scenarios.tokens import no_tokens

TYPES = b'[{"type": "a", "isErasable": true}, {"type": "b"}]'


def judged(
    kind: str, body: bytes, pointer: str = "", values: tuple[str, ...] = (), *, status: int = 200, **plan: Any
) -> bool:
    probe = {"kind": kind, "pointer": pointer, "values": list(values), "optional": plan.pop("optional", False)}
    headers = {"content-type": "Application/JSON ; charset=utf-8", "date": "Thu, 26 Nov 2026 10:00:00 GMT"}
    answers = {"e1": Answer(status, headers, body), **plan.pop("answers", {})}
    needs = {"needs_token": False, "needs_room": False}
    return deviates({"decisive": "e1", "probe": probe, **needs, **plan}, answers, plan.pop("ids", []))


@pytest.mark.parametrize(
    ("kind", "body", "pointer", "values", "deviating"),
    [
        ("status", b"", "", ("2xx", "404"), False),
        ("status", b"", "", ("4xx",), True),
        ("other-status", b"", "", ("5xx",), False),
        ("other-status", b"", "", ("200",), True),
        ("media-type", b"", "", ("application/json", ""), False),
        ("media-type", b"", "", ("*+json",), True),
        ("text", b"OK\r\n", "", ("OK",), False),
        ("text", b"Okay", "", ("OK",), True),
        ("json", b'{"a": 1e999}', "", (), False),
        ("json", b'{"a": 1,}', "", (), True),
        ("json", b"[NaN]", "", (), True),
        ("json", b'"\xff"', "", (), True),
        ("type", b"[]", "", ("object",), True),
        ("type", b'{"a": 1.0}', "/a", ("integer",), False),
        ("type", b'{"a": true}', "/a", ("integer", "number"), True),
        ("type", b"{}", "/a", ("string",), True),
        ("type", TYPES, "/1/type", ("string",), False),
        ("type", TYPES, "/0/isErasable", ("boolean",), True),  # the second one has none
        ("type", b"[1]", "", ("object",), True),
        ("type", b"[{}, 7]", "/1", ("object",), True),
        ("format", b'{"a": "2026-02-03T04:05:06Z"}', "/a", ("date-time",), False),
        ("format", b'{"a": 1770091506}', "/a", ("date-time",), True),
        ("format", b'{"a": "/privacy"}', "/a", ("iri",), True),
        ("equals", b'{"error": "a\\u00e9"}', "/error", ("a\u00e9",), False),
        ("equals", b'{"error": "a"}', "/error", ("b",), True),
        ("absent", b'{"a": null}', "/a", (), True),
        ("absent", b"{}", "/a", (), False),
        ("among", b'{"a": ["x", "y"]}', "/a", ("x", "y", "z"), False),
        ("among", b'{"a": ["x", 1]}', "/a", ("x", "1"), True),
        ("includes", b'{"a": ["x"]}', "/a", ("x", "y"), True),
        ("set", b'{"a": ["y", "x", "x"]}', "/a", ("x", "y"), False),
        ("set", b'{"a": ["x"]}', "/a", ("x", "y"), True),
        ("recent", b'{"a": "2026-11-26T11:00:59.5+01:00"}', "/a", ("60",), False),
        ("recent", b'{"a": "2026-11-26T09:58:00Z"}', "/a", ("60",), True),
    ],
)
def test_a_probe_is_met_or_not(kind: str, body: bytes, pointer: str, values: tuple[str, ...], deviating: bool) -> None:
    assert judged(kind, body, pointer, values) is deviating


def test_a_value_that_may_be_absent_deviates_only_where_it_is() -> None:
    assert not judged("type", TYPES, "/0/isErasable", ("boolean",), optional=True)
    assert judged("type", TYPES, "/0/isErasable", ("string",), optional=True)


@pytest.mark.parametrize(
    ("later", "deviating"),
    [
        (b'{"a": ["Y", "x"], "b": "2026-01-01T12:00:00Z"}', False),
        (b'{"a": ["x"], "b": "2026-01-01T12:00:00Z"}', True),
        (b'{"a": ["x", "y"], "b": "2026-01-01T13:00:01+01:00"}', True),
    ],
)
def test_a_value_of_the_creation_may_be_written_otherwise(later: bytes, deviating: bool) -> None:
    made = {"e0": Answer(200, {}, b'{"a": ["x", "y"], "b": "2026-01-01T13:00:00+01:00"}')}
    found = [judged("as-created", later, pointer, creation="e0", answers=made) for pointer in ("/a", "/b")]
    assert any(found) is deviating


def test_of_calls_at_the_same_time_all_count() -> None:
    others = {"e2": Answer(400, {}, b""), "e3": Answer(200, {}, b"")}
    group = {"group": ["e1", "e2", "e3"], "answers": others}
    assert judged("status", b"", "", ("4xx",), **group)  # two were accepted
    assert not judged("status", b"", "", ("4xx",), group=["e1", "e2"], answers=others)
    assert judged("status", b"", "", ("200",), **group)


@pytest.mark.parametrize(
    ("kind", "body", "pointer", "values", "plan", "reason"),
    [
        ("status", b"", "", ("200",), {"status": 401, "needs_token": True}, "token was not accepted"),
        ("json", b'"MaximumAmountOfRequestsReached"', "", (), {"status": 400, "needs_room": True}, "no room"),
        ("json", b"", "", (), {"status": 500, "answered": 2}, "answered 500"),
        ("type", b"x", "/a", ("string",), {}, "not JSON"),
        ("type", b"[]", "/a", ("string",), {}, "not an object"),
        ("among", b"{}", "/a", ("x",), {}, "no array /a"),
        ("recent", b'{"a": "yesterday"}', "/a", ("60",), {}, "no such date-time"),
        ("json", b"[" * 100_000, "", (), {}, "nested too deep"),
    ],
)
def test_what_cannot_be_tested_is_said(
    kind: str, body: bytes, pointer: str, values: tuple[str, ...], plan: dict[str, Any], reason: str
) -> None:
    with pytest.raises(NotTested, match=reason):
        judged(kind, body, pointer, values, **plan)


@pytest.mark.parametrize("name", ["plan.py", "answers.py", "runtime.py"])
def test_the_code_of_a_script_is_python_3_9(name: str) -> None:
    ast.parse((Path(scripts.__file__).parent / name).read_text("utf-8"), feature_version=(3, 9))


def test_a_script_can_make_the_call_of_each_credential_that_must_be_refused() -> None:
    with session_over(config()) as session:
        labels = {each.label for each in no_tokens(UserClient(session))}

    assert labels <= set(CREDENTIALS)


@pytest.mark.parametrize(
    "token",
    [
        "5d8e2f907c41ab36e0d94f7a1b62c83d",
        "first_Qm7xT2vKp9RzW4nL",
        "Alice-0123456789abcdefghij==",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl",
    ],
)
def test_a_script_alters_a_token_as_the_run_did(token: str) -> None:
    with session_over(config(users=(User("alice.example", token),))) as session:
        altered = {each.label: each.authorization for each in no_tokens(UserClient(session)) if "a token" in each.label}

    made = {label: CREDENTIALS[label](token) for label in altered}
    fixed = ("made-up", "empty", "as a token")
    assert {label: words for label, words in made.items() if not any(each in label for each in fixed)} == {
        label: words for label, words in altered.items() if not any(each in label for each in fixed)
    }


def test_a_request_that_is_never_completed_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class InProgress:
        interrupted = False

        def send(self, *_: object) -> Answer:
            return Answer(200, {}, b'{"isCompleted": false}')

    monkeypatch.setattr(runtime, "PATIENCE", -1)
    calls: list[Any] = [{"name": "e1", "method": "GET", "path": "/requests/x", "who": "user", "completed": True}]
    with pytest.raises(NotTested, match="not completed within"):
        runtime.make(InProgress(), calls)  # type: ignore[arg-type]  # what the calls need of a service


def test_a_body_is_sent_in_pieces_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    assert [*runtime._parts(b"abcde", 3)] == [b"abc", b"de"]
    assert [*runtime._parts(b"abcde", 0)] == [b"abcde"]


def test_a_number_of_any_size_has_a_type() -> None:
    plan: Any = {
        "probe": {"kind": "type", "pointer": "/legalEntity", "values": ["string"], "optional": False},
        "decisive": "e1",
        "needs_token": False,
        "needs_room": False,
    }
    assert deviates(plan, {"e1": Answer(200, {}, b'{"legalEntity": 1%s}' % (b"0" * 398))}, [])


def test_without_a_date_an_answer_has_the_moment_at_which_it_came() -> None:
    assert Answer(200, {}, b"", 12.5).moment == 12.5
    assert Answer(200, {"date": "Thu, 01 Jan 1970 00:00:20 GMT"}, b"", 12.5).moment == 20


@pytest.mark.parametrize(("cause", "said"), [(OSError(), "Perhaps left behind"), (ConnectionRefusedError(), "")])
def test_a_creation_without_an_answer_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], cause: OSError, said: str
) -> None:
    def broken(*_: object) -> None:
        raise cause

    monkeypatch.setattr("http.client.HTTPConnection.connect", broken)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    service = runtime.Service("http://localhost/api", {"user": "x"})
    with pytest.raises(NotTested):
        service.send({"method": "POST", "who": "user"}, "/requests")
    service.delete_created()

    assert capsys.readouterr().err[: len("Perhaps left behind")] == said
