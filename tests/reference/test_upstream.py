"""The service of `serve --upstream`, called as the client of the interface's public ancestor calls it."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.in_process import InProcessTransport
from conformance.reference.upstream import LANGUAGE_SELECTOR, UpstreamService

CALLBACK = "aeon://odr-callback"
USERS = (User("alice.example", "alice-token"), User("bob.example", "bob-token"))


def over(**changes: object) -> httpx.Client:
    config = ReferenceConfig(users=USERS, language_selector=LANGUAGE_SELECTOR, **changes)  # type: ignore[arg-type]
    transport = InProcessTransport(build_app(config, UpstreamService))
    return httpx.Client(transport=transport, base_url="http://127.0.0.1:8000/api/v1")


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with over() as opened:
        yield opened


def code_of(answer: httpx.Response, name: str = "token") -> str:
    """Return what the ancestor's client reads from the address that its window is sent to."""
    address = answer.headers["location"]
    assert answer.status_code == 302
    assert address.startswith(CALLBACK)
    return parse_qs(address.removeprefix(CALLBACK).removeprefix("?"))[name][0]


def logged_in(client: httpx.Client, **more: str) -> dict[str, str]:
    """Log in as the ancestor's client does: no state, no PKCE, no grant_type."""
    code = code_of(client.get("/oauth/authorize", params={"redirect_uri": CALLBACK, **more}))
    token = client.post("/oauth/token", data={"code": code}).json()
    assert token["refresh_token"]
    return {"Authorization": f"Bearer {token['access_token']}"}


# ---------------------------------------------------------------------- the way of the client


def test_the_client_gets_from_a_login_to_the_files_of_an_archive() -> None:
    with over(complete_after=0) as client:
        headers = logged_in(client)
        assert client.get("/data/me", headers=headers).json()["account"] == "alice.example"
        request_id = client.post("/requests", headers=headers).json()["requestId"]
        assert client.get(f"/requests/{request_id}/complete", headers=headers).text == "1"
        archive = client.get(f"/requests/{request_id}/download", headers=headers)

    assert archive.headers["content-type"] == "application/zip"
    with closing(zipfile.ZipFile(io.BytesIO(archive.content))) as files:
        assert files.testzip() is None
        names = files.namelist()
        assert all(re.fullmatch(r"data/\d{3}\.json", name) for name in names)
        assert json.loads(files.read(names[0]))["account"] == "alice.example"


def test_the_client_waits_for_a_request_in_progress(client: httpx.Client) -> None:
    headers = logged_in(client)
    request_id = client.post("/requests", headers=headers).json()["requestId"]
    answer = client.get(f"/requests/{request_id}/complete", headers=headers)
    early = client.get(f"/requests/{request_id}/download", headers=headers)

    assert (answer.text, answer.headers["content-type"]) == ("0", "text/plain; charset=utf-8")
    assert early.status_code == 400
    assert early.json() == {
        "error": "Bad Request",
        "message": "The request you are trying to retrieve has not been completed yet",
    }


def test_serve_offers_all_of_it_on_a_socket() -> None:
    words = [sys.executable, "-m", "conformance", "serve", "--upstream", "--complete-after", "0", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            ready = json.loads(process.stdout.readline())
            with httpx.Client(base_url=ready["base_url"]) as client:
                headers = logged_in(client)
                made = client.post("/requests", headers=headers).json()["requestId"]
                listed = client.get("/requests", headers=headers).json()
                complete = client.get(f"/requests/{made}/complete", headers=headers).text
                content = client.get(f"/requests/{made}/download", headers=headers).content
                dutch = client.get("/data", params={"lang": "nl"}).json()[-1]["description"]
                issuer = client.get("/settings").json()["oAuthUrl"]
        finally:
            process.terminate()

    assert ready["upstream"] is True
    assert [each["requestId"] for each in listed] == [made]
    assert (complete, content[:4], dutch) == ("1", b"PK\x03\x04", "Bankrekening")
    assert issuer == ready["base_url"]


# ---------------------------------------------------------------------- requests


def test_the_list_has_the_requests_of_the_user_and_no_others(client: httpx.Client) -> None:
    alice, bob = logged_in(client), logged_in(client, login_hint="bob.example")
    made = [client.post("/requests", headers=headers).json()["requestId"] for headers in (alice, alice, bob)]

    assert [each["requestId"] for each in client.get("/requests", headers=alice).json()] == made[:2]
    assert [each["requestId"] for each in client.get("/requests", headers=bob).json()] == made[2:]
    client.delete(f"/requests/{made[0]}", headers=alice)
    assert [each["requestId"] for each in client.get("/requests", headers=alice).json()] == made[1:2]


@pytest.mark.parametrize("path", ["/requests", "/requests/{}/complete", "/requests/{}/download"])
def test_its_operations_need_a_token(client: httpx.Client, path: str) -> None:
    made = client.post("/requests", headers=logged_in(client)).json()["requestId"]
    refused = client.get(path.format(made))

    assert (refused.status_code, refused.json()["error"]) == (401, "Unauthorized")


@pytest.mark.parametrize("path", ["/requests/{}/complete", "/requests/{}/download"])
def test_no_user_learns_of_the_requests_of_another(client: httpx.Client, path: str) -> None:
    made = client.post("/requests", headers=logged_in(client)).json()["requestId"]
    headers = logged_in(client, login_hint="bob.example")
    for request_id in (made, "unknown"):
        assert client.get(path.format(request_id), headers=headers).status_code == 404


def test_the_interface_stays_as_it_is(client: httpx.Client) -> None:
    headers = logged_in(client)
    made = client.post("/requests", headers=headers).json()["requestId"]

    assert client.get(f"/requests/{made}", headers=headers).json()["requestId"] == made
    assert client.put("/requests", headers=headers).status_code == 405
    assert client.get("/data", params={"lang": "xx"}).json()["error"] == "LanguageNotSupported"
    assert client.get("/other", headers=headers).status_code == 404


def test_types_do_not_name_the_files_of_an_archive() -> None:
    from conformance.reference.config import DataType

    types = (DataType("../../x", {"en": "x"}), DataType("a\x00b", {"en": "x"}))
    with over(complete_after=0, data_types=types) as client:
        headers = logged_in(client)
        made = client.post("/requests", headers=headers).json()["requestId"]
        content = client.get(f"/requests/{made}/download", headers=headers).content

    assert zipfile.ZipFile(io.BytesIO(content)).namelist() == ["data/001.json", "data/002.json"]


# ---------------------------------------------------------------------- logins

VERIFIER = "a-verifier-of-forty-three-characters-or-more"
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()


def redeemed(client: httpx.Client, asked: dict[str, str], brought: dict[str, str]) -> httpx.Response:
    code = code_of(client.get("/oauth/authorize", params={"redirect_uri": CALLBACK, **asked}), "code")
    return client.post("/oauth/token", data={"grant_type": "authorization_code", "code": code, **brought})


@pytest.mark.parametrize(
    ("asked", "brought"),
    [
        ({"code_challenge": CHALLENGE, "code_challenge_method": "S256"}, {"code_verifier": VERIFIER}),
        ({"code_challenge": VERIFIER}, {"code_verifier": VERIFIER}),
        ({"client_id": "a"}, {"client_id": "a", "redirect_uri": CALLBACK}),
    ],
)
def test_a_code_is_redeemed_by_the_client_that_asked_for_it(
    client: httpx.Client, asked: dict[str, str], brought: dict[str, str]
) -> None:
    answer = redeemed(client, asked, brought)

    assert answer.status_code == 200
    assert (
        answer.json().items()
        >= {
            "access_token": "alice-token",
            "token_type": "Bearer",
            "scope": "open-data-request-api",
        }.items()
    )
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("asked", "brought"),
    [
        ({"code_challenge": CHALLENGE, "code_challenge_method": "S256"}, {}),
        ({"code_challenge": CHALLENGE, "code_challenge_method": "S256"}, {"code_verifier": "another"}),
        ({"code_challenge": VERIFIER}, {"code_verifier": f"{VERIFIER}x"}),
        ({"client_id": "a"}, {"client_id": "b"}),
        ({}, {"redirect_uri": "aeon://elsewhere"}),
        ({}, {"code": "made-up"}),
    ],
)
def test_a_code_is_not_redeemed_by_another(
    client: httpx.Client, asked: dict[str, str], brought: dict[str, str]
) -> None:
    answer = redeemed(client, asked, brought)

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


def test_a_code_is_redeemed_once_and_a_refresh_token_too(client: httpx.Client) -> None:
    code = code_of(client.get("/oauth/authorize", params={"redirect_uri": CALLBACK}))
    first = client.post("/oauth/token", data={"code": code}).json()
    assert client.post("/oauth/token", data={"code": code}).status_code == 400
    renewal = {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
    assert client.post("/oauth/token", data=renewal).json()["access_token"] == "alice-token"
    assert client.post("/oauth/token", data=renewal).status_code == 400


@pytest.mark.parametrize(
    "address",
    ["", "/relative", "javascript:alert(1)", "data:text/html,x", "https://x.example/#part", "http://[", "aeon://ü"],
)
def test_a_browser_is_sent_to_no_odd_address(client: httpx.Client, address: str) -> None:
    answer = client.get("/oauth/authorize", params={"redirect_uri": address})

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")


@pytest.mark.parametrize(
    ("asked", "error"),
    [({"login_hint": "mallory"}, "access_denied"), ({"code_challenge_method": "S512"}, "invalid_request")],
)
def test_the_browser_takes_the_error_back(client: httpx.Client, asked: dict[str, str], error: str) -> None:
    answer = client.get("/oauth/authorize", params={"redirect_uri": f"{CALLBACK}?a=1", "state": "s&t", **asked})
    query = parse_qs(urlsplit(answer.headers["location"]).query)

    assert (query["a"], query["state"], query["error"]) == (["1"], ["s&t"], [error])
    assert "code" not in query


@pytest.mark.parametrize("body", [b"", b"\xff=\xfe", b"grant_type=password", b"code=%ff&code_verifier=%ff"])
def test_bad_bodies_are_refused(client: httpx.Client, body: bytes) -> None:
    answer = client.post("/oauth/token", content=body)

    assert answer.status_code == 400
    assert answer.json()["error"] in ("invalid_grant", "unsupported_grant_type")


def test_the_metadata_names_endpoints_that_answer(client: httpx.Client) -> None:
    found = client.get("/.well-known/openid-configuration").json()

    assert found["issuer"] == client.get("/settings").json()["oAuthUrl"] == "http://127.0.0.1:8000/api/v1"
    assert found == client.get("/.well-known/oauth-authorization-server").json()
    for path in (found["authorization_endpoint"], "/authorization", "/oauth/authorized"):
        assert client.get(path, params={"redirect_uri": CALLBACK}).status_code == 302
    assert client.post(found["token_endpoint"]).status_code == 400
