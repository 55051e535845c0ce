"""What the doctor says of tokens that expire, of plain http, of clocks and of an account that may be a person's."""

from __future__ import annotations

import base64
import json
import sys
from contextlib import closing
from typing import Any

import httpx
import pytest
from hand_made import Waits
from whole_runs import USERS, config, session_over, target_of

from conformance.http.renewed_tokens import CommandToken
from conformance.http.session import Session
from conformance.model.findings import Note
from conformance.model.verdict import Blame
from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig, User
from conformance.run import in_process
from conformance.run.doctor import examine
from conformance.run.explanations import ROWS
from conformance.run.preflight import Symptom

BEGINS = 1773480413
"""When the clock of the service starts, in seconds since 1970."""


def jwt(**claims: Any) -> str:
    parts = (json.dumps(part).encode() for part in ({"alg": "none"}, claims))
    return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), "c2lnbmF0dXJl"])


def examined(token: str = USERS[0].token, *, renewable: bool = False, **config: Any) -> list[Note]:
    """Return what the doctor finds where the user has a token."""
    users = (User("alice.example", token), USERS[1])
    with session_over(ReferenceConfig(users=users, seed=1, **config)) as session:
        if renewable:
            session.credentials["user"] = CommandToken(f'"{sys.executable}" -c "print(\'{token}\')"')
        return examine(session, needs_token=True).problems


def test_each_symptom_is_explained() -> None:
    assert set(ROWS) == set(Symptom)


@pytest.mark.parametrize(
    ("exp", "words"),
    [
        (BEGINS + 0.1, "expires in 0.1 s"),
        (BEGINS - 7200, "expired 2 h ago"),
    ],
)
def test_a_token_that_expires_soon_is_named(exp: float, words: str) -> None:
    (problem,) = examined(jwt(sub="alice", exp=exp))

    assert problem.message.startswith(f"The access token {words}")
    assert (problem.blame, problem.exit_code) == (Blame.CREDENTIAL, None)
    assert "--token-command" in problem.remedy


@pytest.mark.parametrize("behind", [3600.0, 86_400.0])
def test_a_token_expires_by_the_clock_of_the_service(behind: float) -> None:
    _clocks, problem = examined(jwt(sub="alice", exp=BEGINS + behind - 60), clock_offset=behind)

    assert problem.message.startswith("The access token expired 60 s ago")


@pytest.mark.parametrize("claims", [{"exp": BEGINS + 3600}, {}, {"exp": "soon"}, {"exp": None}])
def test_a_token_that_lasts_or_does_not_say_so_is_not_named(claims: dict[str, Any]) -> None:
    assert examined(jwt(sub="alice", **claims)) == []


@pytest.mark.parametrize(("offset", "words"), [(-61.0, "61 s"), (61.0, "61 s"), (86_400.0, "24 h")])
def test_clocks_that_differ_are_named(offset: float, words: str) -> None:
    (problem,) = examined(clock_offset=offset)

    assert problem.message.startswith(f"The clocks differ by {words}: the target says ")
    assert problem.exit_code is None


@pytest.mark.parametrize(
    ("base_url", "profile", "named"),
    [
        ("http://service.example/api", "full", True),
        ("http://service.example/api", "public", False),
        ("https://service.example/api", "full", False),
        ("http://127.0.0.7:8080/api", "full", False),
        ("http://localhost/api", "full", False),
    ],
)
def test_tokens_over_plain_http_are_named(base_url: str, profile: str, named: bool) -> None:
    answering = httpx.MockTransport(lambda _: httpx.Response(500, json={}))
    session = Session(target_of(base_url, tuple(user.token for user in USERS)), transport=answering, clock=Waits())

    if profile == "public":
        session.credentials.clear()

    problems = examine(session, needs_token=profile == "full").problems

    assert any("plain http" in problem.message for problem in problems) is named


@pytest.mark.parametrize(
    ("base_url", "addresses", "target", "named"),
    [
        ("https://service.example/api", ["198.51.100.7", "8.8.8.8"], {}, True),
        ("https://service.example/api", ["8.8.8.8"], {"account_is_for_testing": True}, False),
        ("https://service.example/api", ["10.1.2.3", "2606:4700::1111"], {}, True),
        ("https://service.example/api", [], {}, True),
        ("http://localhost/api", [], {}, False),
    ],
)
def test_an_account_elsewhere_that_may_be_a_persons_needs_a_confirmation(
    base_url: str, addresses: list[str], target: dict[str, Any], named: bool
) -> None:
    settings = config(path_prefix="/api")
    known = target_of(base_url, settings.tokens, **target)
    with closing(in_process.session_over(build_app(settings), known, seed=1, in_turn=True)) as session:
        session.peers.addresses = tuple(addresses)
        found = examine(session, needs_token=True)

    assert (found.fatal is not None and "may be a person's" in found.fatal.message) is named
