"""The code of a reproduction script: what meets a probe, what deviates, and what can be tested at all."""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from forward_proxy import ForwardProxy
from raw_server import RawServer, always, answer, once
from raw_server import answer as whole
from whole_runs import config, session_over

from conformance.model import credential_forms
from conformance.model.credential_forms import FORMS
from conformance.reference.config import User
from conformance.reports.scripts import answers, runtime, wire
from conformance.reports.scripts import plan as plans
from conformance.reports.scripts.answers import Answer, NotTested, deviates
from conformance.scenarios.api import Api
from conformance.scenarios.credentials import no_tokens

TYPES = b'[{"type": "a", "isErasable": true}, {"type": "b"}]'


def judged(
    kind: str, body: bytes, pointer: str = "", values: tuple[str, ...] = (), *, status: int = 200, **plan: Any
) -> bool:
    probe = {"kind": kind, "pointer": pointer, "values": list(values), "optional": False}
    headers = {"content-type": "Application/JSON ; charset=utf-8", "date": "Thu, 26 Nov 2026 10:00:00 GMT"}
    decisive = {"name": "e1", "who": "user", "status": plan.pop("recorded", status)}
    answers = {"e1": Answer(status, headers, body)}
    return deviates({"calls": [decisive], "probe": probe, "needs_room": False, **plan}, answers, [])


@pytest.mark.parametrize(
    ("kind", "body", "pointer", "values", "deviating"),
    [
        ("status", b"", "", ("2xx", "404"), False),
        ("other-status", b"", "", ("200",), True),
        ("media-type", b"", "", ("application/json", ""), False),
        ("media-type", b"", "", ("*+json",), True),
        ("text", b"OK\r\n", "", ("OK",), False),
        ("text", b"Okay", "", ("OK",), True),
        ("json", b'{"a": 1e999}', "", (), False),
        ("json", b'{"a": 1,}', "", (), True),
        ("type", b'{"a": 1.0}', "/a", ("integer",), False),
        ("type", b'{"a": true}', "/a", ("integer", "number"), True),
        ("type", TYPES, "/0/isErasable", ("boolean",), True),  # the second one has none
        ("type", b"[1]", "", ("object",), True),
        ("format", b'{"a": "2026-02-03T04:05:06Z"}', "/a", ("date-time",), False),
        ("format", b'{"a": 1770091506}', "/a", ("date-time",), True),
        ("equals", b'{"error": "a\\u00e9"}', "/error", ("a\u00e9",), False),
        ("equals", b'{"error": "a"}', "/error", ("b",), True),
        ("absent", b'{"a": null}', "/a", (), True),
        ("among", b'{"a": ["x", "y"]}', "/a", ("x", "y", "z"), False),
        ("among", b'{"a": ["x", 1]}', "/a", ("x", "1"), True),
        ("set", b'{"a": ["y", "x", "x"]}', "/a", ("x", "y"), False),
        ("set", b'{"a": ["x"]}', "/a", ("x", "y"), True),
        ("recent", b'{"a": "2026-11-26T11:00:59.5+01:00"}', "/a", ("60",), False),
        ("recent", b'{"a": "2026-11-26T09:58:00Z"}', "/a", ("60",), True),
    ],
)
def test_a_probe_is_met_or_not(kind: str, body: bytes, pointer: str, values: tuple[str, ...], deviating: bool) -> None:
    assert judged(kind, body, pointer, values) is deviating


@pytest.mark.parametrize(
    ("kind", "body", "pointer", "values", "plan", "reason"),
    [
        ("status", b"", "", ("200",), {"status": 401, "recorded": 404}, "token was not accepted"),
        ("json", b'"MaximumAmountOfRequestsReached"', "", (), {"status": 400, "needs_room": True}, "no room"),
        ("json", b"", "", (), {"status": 500, "recorded": 200}, "answered 500"),
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


@pytest.mark.parametrize("module", [credential_forms, plans, answers, wire, runtime])
def test_the_code_of_a_script_is_python_3_9(module: ModuleType) -> None:
    ast.parse(Path(str(module.__file__)).read_text("utf-8"), feature_version=(3, 9))


@pytest.mark.parametrize(
    "token", ["5d8e2f907c41ab36e0d94f7a1b62c83d", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl"]
)
def test_a_script_makes_each_credential_that_must_be_refused_as_the_run_did(token: str) -> None:
    with session_over(config(users=(User("alice.example", token),))) as session:
        callers = list(no_tokens(Api(session)))
    altered = {each.label: each.authorization for each in callers if "a token" in each.label}

    assert {each.label for each in callers} <= {*FORMS, *runtime.WITHOUT_HEADER}
    made = {label: runtime.credential_of(label, {"user": token}) for label in altered}
    fixed = ("made-up", "empty", "as a token")
    assert {label: words for label, words in made.items() if not any(each in label for each in fixed)} == {
        label: words for label, words in altered.items() if not any(each in label for each in fixed)
    }


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], runtime.Service]:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    return lambda url: runtime.Service(url, {"user": "x"})


@pytest.mark.parametrize(
    ("who", "answered", "said"),
    [
        ("user", b"", "Perhaps left behind"),  # the connection is closed
        ("user", whole(b"{}"), "Perhaps left behind"),
        ("user", whole(b"", status="500 Internal Server Error"), "Perhaps left behind"),
        ("user", whole(b"", "Location: /api/requests/12", status="303 See Other"), "Left behind: /requests/12"),
        ("user", whole(b"{}", status="400 Bad Request"), ""),
        ("no token", whole(b"", "Location: /login", status="302 Found"), ""),
    ],
)
def test_a_creation_without_a_clear_refusal_is_deleted_or_named(
    who: str,
    answered: bytes,
    said: str,
    service: Callable[[str], runtime.Service],
    capsys: pytest.CaptureFixture[str],
) -> None:
    with RawServer(always(answered) if answered else once(b"")) as server:
        made = service(f"{server.url}api")
        with suppress(NotTested):
            made.send({"method": "POST", "who": who}, "/requests")
        made.delete_created()

    assert capsys.readouterr().err.partition(":")[0] == said.partition(":")[0]
    assert any(b"DELETE /api/requests/12 " in each for each in server.requests) is ("12" in said)


@pytest.mark.parametrize("password", ["p%3Aw", "wrong"])
def test_a_script_of_a_run_through_a_proxy_uses_that_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, password: str
) -> None:
    with RawServer(always(answer(b"{}", "Content-Type: application/json"))) as server, ForwardProxy("bob:p:w") as proxy:
        monkeypatch.setenv("HTTP_PROXY", f"http://bob:{password}@127.0.0.1:{proxy.port}")
        service = runtime.Service(server.url, {"user": "x"}, [["X-Api-Key", "k3y"]], proxied=True)
        if password == "wrong":
            with pytest.raises(runtime.NotTested, match="407"):
                service.send({"method": "GET", "who": "no token"}, "/settings")
            return
        assert service.send({"method": "GET", "who": "no token"}, "/settings").is_json
        assert proxy.requests[0].startswith(f"GET {server.url}settings".encode())
        assert b"X-Api-Key: k3y" in server.requests[0]
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert service.send({"method": "GET", "who": "no token"}, "/settings").is_json
        assert len(proxy.requests) == 1


@pytest.mark.usefixtures("service")
@pytest.mark.parametrize("address", ["http://bob:top/secret@p:1", "http://[topsecret"])
def test_a_script_quotes_no_part_of_the_address_of_a_proxy(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", address)
    made = runtime.Service("http://service.example", {"user": "x"}, proxied=True)
    with pytest.raises(runtime.NotTested) as caught:
        made.send({"method": "GET", "who": "no token"}, "/settings")
    assert "top" not in str(caught.value)


@pytest.mark.usefixtures("service")
def test_what_a_service_says_instead_of_http_cannot_control_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call = {"name": "e1", "method": "GET", "who": "no token", "path": "/settings"}
    with RawServer(once(b"HTTP/\x1b[31mX 200 OK\r\n\r\n")) as server:
        monkeypatch.setattr("sys.argv", ["script", server.url])
        assert runtime.repeat({"base_url": server.url, "tokens": {}, "calls": [call], "rounds": 1, "start": ""}) == 2
    assert "\x1b" not in capsys.readouterr().err


def test_a_script_sends_no_token_to_an_address_that_only_the_record_names(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The bundle that a script was made of may be anybody's."""
    monkeypatch.setenv("DRSI_TOKEN", "secret-of-a-user")
    monkeypatch.delenv("BASE_URL", raising=False)
    monkeypatch.setattr("sys.argv", ["script"])
    plan = {"tokens": {"user": "DRSI_TOKEN"}, "calls": [], "rounds": 1, "start": ""}
    for elsewhere in ("http://service.example", "http://127.0.0.1.example", "http://localhost@service.example"):
        assert runtime.repeat({**plan, "base_url": elsewhere}) == 2
        assert f"tokens go to an address that you name, such as: {elsewhere}" in capsys.readouterr().err


def test_a_script_reads_the_answer_behind_interim_ones_unless_they_do_not_end() -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
    with RawServer(always(hints + b"HTTP/1.1 102 Processing\r\n\r\n" + whole(b"OK"))) as server:
        answer = wire.received("GET", server.url, [], b"")

    assert (answer.status, answer.body) == (200, b"OK")
    assert "link" not in answer.headers
    with RawServer(always(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 99)) as server, pytest.raises(NotTested, match="103"):
        wire.received("GET", server.url, [], b"")
