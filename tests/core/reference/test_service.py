from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from hand_made import error
from whole_runs import USERS, config

from conformance.model.error_table import INVALID_DATA_TYPES, NOT_FOUND, UNAUTHORIZED
from conformance.reference.app import MAX_BODY, build_app
from conformance.reference.config import ReferenceConfig, numbered
from conformance.reference.in_process import InProcessTransport

CONFIG = config()
ANONYMOUS = "00000000-0000-4000-8000-000000000000"
"""An identifier that no request has."""
OWN = USERS[0].token
BAD = ("Bearer made-up", f"Bearer {OWN.swapcase()}", f"Bearer {OWN}x", f"Bearer {OWN[:-9]}", f"Token {OWN}", "Bearer ")
"""Values of Authorization that are not accepted."""


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    transport = InProcessTransport(build_app(CONFIG))
    headers = {"Authorization": f"Bearer {OWN}"}
    with httpx.Client(transport=transport, base_url=f"http://reference{CONFIG.path_prefix}", headers=headers) as opened:
        yield opened


HOSTILE_BODIES = [
    b"[]",
    b"{}",
    b"5",
    b"null",
    b'"newsletter"',
    b'["newsletter", "unknown"]',
    b"[[]]",
    b"[null]",
    b"[NaN]",
    b"[",
    b"\x00",
    b"\xff\xfe",
    b'["\xff"]',
    b'["\\ud800"]',
    b'["newsletter"] trailing',
    b"\xef\xbb\xbf[]",
    '["newsletter"]'.encode("utf-16"),
    b"[" * 10_000 + b"]" * 10_000,
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"[" + b"9" * 5_000 + b"]",
    b"[1e99999]",
    b'["' + b"x" * 1_000_000 + b'"]',
]


def test_a_body_that_does_not_match_is_refused_and_creates_nothing(client: httpx.Client) -> None:
    for body in HOSTILE_BODIES:
        response = client.post("/requests", content=body)
        assert (response.status_code, response.json()) == (400, error(INVALID_DATA_TYPES)), body[:20]

    assert [client.post("/requests").status_code for _ in range(4)] == [200, 200, 200, 400]


def test_a_body_beyond_what_memory_allows_is_refused(client: httpx.Client) -> None:
    assert client.post("/requests", content=b" " * (MAX_BODY + 1)).status_code == 413


@pytest.mark.parametrize("header", [*BAD, "", "Bearer", "bearer", "Bearer \xff", "Bearer a b", "\x7f", "Digest x=1"])
def test_whoever_is_not_authenticated_gets_401_whatever_is_asked(client: httpx.Client, header: str) -> None:
    request_id = client.post("/requests").json()["requestId"]
    del client.headers["Authorization"]
    raw = {b"Authorization": header.encode("latin-1")}

    for method, path, content in (
        ("POST", "/requests", b""),
        ("POST", "/requests", b"[broken"),
        ("GET", f"/requests/{request_id}", b""),
        ("GET", f"/requests/{ANONYMOUS}", b""),
        ("DELETE", f"/requests/{ANONYMOUS}", b""),
        ("DELETE", f"/requests/{request_id}", b""),
    ):
        response = client.request(method, path, content=content, headers=raw)
        assert (response.status_code, response.json()) == (401, error(UNAUTHORIZED))
        assert response.headers["www-authenticate"] == "Bearer"
    client.headers["Authorization"] = f"bEARER  {OWN} "
    assert client.get(f"/requests/{request_id}").status_code == 200


@pytest.mark.parametrize(
    "odd",
    [
        "",
        "..%2F..%2Fsettings",
        "%00",
        "%0d%0aX: 1",
        "%ff",
        "x" * 60_000,
    ],
)
def test_odd_identifiers_are_not_found(client: httpx.Client, odd: str) -> None:
    for method in ("GET", "DELETE"):
        response = client.request(method, f"/requests/{odd}")
        assert (response.status_code, response.json()) == (404, error(NOT_FOUND))


def test_a_configuration_survives_json() -> None:
    for each in (CONFIG, replace(CONFIG, data_types=numbered(3)), replace(CONFIG, data_types=7)):
        assert ReferenceConfig.from_json(each.as_json()) == each
