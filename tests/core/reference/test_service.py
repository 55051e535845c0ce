from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from reference_samples import ANONYMOUS, BAD, CONFIG, USERS

from conformance.reference.app import MAX_BODY, build_app
from conformance.reference.config import ReferenceConfig, numbered
from conformance.reference.in_process import InProcessTransport

INVALID = {
    "error": "InvalidDataTypes",
    "message": "The data types that were specified do not match the available datatypes for this organisation.",
}
UNAUTHORIZED = {
    "error": "Unauthorized",
    "message": "You are not authorized. Generate authentication tokens via OAuth to access this resource.",
}
NOT_FOUND = {"error": "Not Found", "message": "Could not find a data request with this id."}


def _client(config: ReferenceConfig, token: str | None = USERS[0].token) -> httpx.Client:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    app = build_app(config)
    return httpx.Client(
        transport=InProcessTransport(app), base_url=f"http://reference{config.path_prefix}", headers=headers
    )


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with _client(CONFIG) as client:
        yield client


def _without_token(client: httpx.Client) -> None:
    del client.headers["Authorization"]


HOSTILE_BODIES = [
    b"[]",
    b"{}",
    b"5",
    b"null",
    b'"newsletter"',
    b'["newsletter", "unknown"]',
    b'["unknown", "newsletter"]',
    b"[[]]",
    b'[{"type": "newsletter"}]',
    b"[1]",
    b"[null]",
    b"[NaN]",
    b"NaN",
    b"[Infinity]",
    b"[",
    b" ",
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
    b"9" * 10_000,
    b"[" + b"9" * 5_000 + b"]",
    b"[1e99999]",
    b'["' + b"x" * 1_000_000 + b'"]',
    b"true" * 1000,
]


def test_a_body_that_does_not_match_is_refused_and_creates_nothing(client: httpx.Client) -> None:
    for body in HOSTILE_BODIES:
        response = client.post("/requests", content=body)
        assert (response.status_code, response.json()) == (400, INVALID), body[:20]

    assert [client.post("/requests").status_code for _ in range(4)] == [200, 200, 200, 400]


def test_a_body_beyond_what_memory_allows_is_refused(client: httpx.Client) -> None:
    assert client.post("/requests", content=b" " * (MAX_BODY + 1)).status_code == 413


@pytest.mark.parametrize("header", [*BAD, "", "Bearer", "bearer", "Bearer \xff", "Bearer a b", "\x7f", "Digest x=1"])
def test_whoever_is_not_authenticated_gets_401_whatever_is_asked(client: httpx.Client, header: str) -> None:
    request_id = client.post("/requests").json()["requestId"]
    _without_token(client)
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
        assert (response.status_code, response.json()) == (401, UNAUTHORIZED)
        assert response.headers["www-authenticate"] == "Bearer"
    client.headers["Authorization"] = f"bEARER  {USERS[0].token} "
    assert client.get(f"/requests/{request_id}").status_code == 200


@pytest.mark.parametrize(
    "odd",
    [
        "",
        "%2F",
        "a%2Fb",
        "..%2F..%2Fsettings",
        "%2e%2e",
        "%00",
        "%0d%0aX: 1",
        "%ff",
        "%",
        "{id}",
        "x" * 60_000,
        "%F0%9F%A7%BE",
    ],
)
def test_odd_identifiers_are_not_found(client: httpx.Client, odd: str) -> None:
    for method in ("GET", "DELETE"):
        response = client.request(method, f"/requests/{odd}")
        assert (response.status_code, response.json()) == (404, NOT_FOUND)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "HEAD", "get"])
def test_other_methods_are_refused_and_head_has_no_body(client: httpx.Client, method: str) -> None:
    for path in ("/settings", "/data", "/data/me", "/requests", f"/requests/{ANONYMOUS}"):
        response = client.request(method, path)

        assert response.status_code in (200, 404, 405)
        assert (method == "HEAD") == (response.content == b"")
        assert response.status_code != 405 or "allow" in response.headers


def test_a_configuration_survives_json() -> None:
    for config in (CONFIG, replace(CONFIG, data_types=numbered(3)), replace(CONFIG, data_types=7)):
        assert ReferenceConfig.from_json(config.as_json()) == config
