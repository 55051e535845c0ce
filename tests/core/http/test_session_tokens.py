from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import httpx
import pytest
from hand_made import BASE, ONE, OTHER_TOKEN, SETTINGS, TOKEN, Scripted, created, json_answer, session_with
from renewing import renewing

from conformance.http.renewed_tokens import CommandToken
from conformance.http.session import Session
from conformance.model.exchange import Superseded
from conformance.model.target import Target, Token

settings = json_answer(200, SETTINGS)


@pytest.fixture
def command(tmp_path: Path) -> str:
    """A command that prints another token each time it is run: token-no-1, token-no-2 …"""
    return renewing(tmp_path, "token-no-")


def accepting(*tokens: str) -> Scripted:
    def answer(request: httpx.Request) -> httpx.Response:
        known = request.headers.get("Authorization") in [f"Bearer {token}" for token in tokens]
        return created()() if known else json_answer(401, {"error": "Unauthorized"})()

    return Scripted(by=answer)


def sent_tokens(transport: Scripted) -> list[str]:
    return [request.headers["Authorization"].removeprefix("Bearer ") for request in transport.sent]


def test_a_new_token_that_is_refused_as_well_is_not_followed_by_a_third(command: str) -> None:
    transport = accepting()
    session = session_with(transport, token=CommandToken(command))

    exchange = session.send("GET", f"/requests/{ONE}", credential="user")

    assert sent_tokens(transport) == ["token-no-1", "token-no-2"]
    assert exchange.status == 401
    assert renewals(session) == [False, False]


def renewals(session: Session) -> list[object]:
    return [each.superseded is Superseded.EXPIRED for each in session.record.in_order()]


def test_calls_that_are_refused_at_the_same_time_have_the_token_renewed_once(command: str) -> None:
    all_refused = threading.Barrier(4)

    def answer(request: httpx.Request) -> httpx.Response:
        # An issuer revokes the tokens before the one it issues: a third would make an end of the second.
        if request.headers["Authorization"] == "Bearer token-no-2":
            return created()()
        all_refused.wait(120)
        return json_answer(401, {})()

    transport = Scripted(by=answer)
    session = session_with(transport, token=CommandToken(command))

    exchanges = session.race([partial(session.send, "POST", "/requests", credential="user")] * 4)

    assert [each.response.status for each in exchanges if each.response] == [200] * 4
    assert sorted(sent_tokens(transport)) == ["token-no-1"] * 4 + ["token-no-2"] * 4


def test_no_token_shows_in_any_representation(command: str) -> None:
    renewable = CommandToken(command)
    values = [TOKEN, OTHER_TOKEN, renewable.current()]
    target = Target(base_url=BASE, user=Token(TOKEN), other=renewable)
    session = session_with(Scripted(settings))

    shown = f"{target!r} {target} {renewable!r} {session!r} {session.credentials!r} {vars(session)!r}"

    assert [value for value in values if value in shown] == []
