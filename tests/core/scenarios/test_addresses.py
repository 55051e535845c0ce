from __future__ import annotations

from typing import Any

import httpx
import pytest
from hand_made import BASE, ONE, SETTINGS, Scripted, json_answer, session_with

from conformance.model.error_table import NOT_FOUND
from conformance.model.errors import NotDecided
from conformance.model.exchange import Operation
from conformance.model.identity import segment
from conformance.model.verdict import Blame
from conformance.scenarios.api import Api

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
