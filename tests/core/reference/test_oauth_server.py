"""The service of `serve --oauth`, called as a client of an OAuth server calls it."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs

import httpx
import pytest

from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.in_process import InProcessTransport
from conformance.reference.oauth_server import OAuthService

CALLBACK = "client.example://callback"
USERS = (User("alice.example", "alice-token"), User("bob.example", "bob-token"))


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    transport = InProcessTransport(build_app(ReferenceConfig(users=USERS), OAuthService))
    with httpx.Client(transport=transport, base_url="http://127.0.0.1:8000/api/v1") as opened:
        yield opened


def code_of(answer: httpx.Response) -> str:
    """Return the code in the address to which the browser is sent back."""
    address = answer.headers["location"]
    assert answer.status_code == 302
    assert address.startswith(CALLBACK)
    return parse_qs(address.removeprefix(CALLBACK).removeprefix("?"))["code"][0]


CHALLENGE = {"code_challenge": "a-challenge-of-forty-three-characters-or-more"}


@pytest.mark.parametrize(
    ("asked", "brought"),
    [
        ({**CHALLENGE, "code_challenge_method": "S256"}, {"code_verifier": CHALLENGE["code_challenge"]}),
        (CHALLENGE, {"code_verifier": "another"}),
        (CHALLENGE, {}),
        ({"client_id": "a"}, {"client_id": "b"}),
        ({}, {"redirect_uri": "client.example://elsewhere"}),
        ({}, {"code": "made-up"}),
    ],
)
def test_a_code_is_redeemed_by_the_client_that_asked_for_it_alone(
    client: httpx.Client, asked: dict[str, str], brought: dict[str, str]
) -> None:
    """The logins of `tests/login` are those that are accepted."""
    code = code_of(client.get("/oauth/authorize", params={"redirect_uri": CALLBACK, **asked}))

    answer = client.post("/oauth/token", data={"grant_type": "authorization_code", "code": code, **brought})

    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")
