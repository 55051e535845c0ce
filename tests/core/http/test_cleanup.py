from __future__ import annotations

from typing import Any

import httpx
import pytest
from hand_made import (
    ONE,
    THREE,
    TWO,
    Scripted,
    created,
    json_answer,
    session_with,
)

from conformance.http.creations.cleanup import verify_deletions
from conformance.http.session import Session
from conformance.model.exchange import ErrorKind, Intent, TransportError


def holding(by: Any) -> tuple[Session, Scripted]:
    """Return a session that has created ONE and TWO as the user and THREE as the other; `by` answers deletions."""
    ids = iter((ONE, TWO, THREE))
    transport = Scripted(
        by=lambda request: created(next(ids))() if request.method == "POST" else by(request),
    )
    session = session_with(transport)
    for credential in ("user", "user", "other user"):
        session.send("POST", "/requests", credential=credential)
    return session, transport


@pytest.mark.parametrize(
    "body",
    [
        f'{{"requestId": "{ONE}", "createdAt": ""}}\n{{}}',
        f"{{'requestId': '{ONE}', 'createdAt': ''}}",
        f'{{"id": "{ONE}"}}',
        f'[{{"requestId": "{ONE}"}}]',
        f'{{"data": {{"attributes": {{"uuid": "{ONE}"}}}}}}',
    ],
)
def test_what_was_created_is_deleted_although_the_answer_is_odd(body: str) -> None:
    transport = Scripted(by=lambda each: httpx.Response(200, text=body if each.method == "POST" else "OK"))
    session = session_with(transport)
    session.send("POST", "/requests", credential="user")

    session.clean_up()

    assert transport.paths[-1].endswith(f"/requests/{ONE}")
    assert session.journal.left_behind == 0


def test_clean_up_goes_on_where_one_deletion_fails() -> None:
    def answer(request: httpx.Request) -> Any:
        if request.url.path.endswith(ONE):
            return TransportError(ErrorKind.DEADLINE, "30 s are over")
        return httpx.Response(500 if request.url.path.endswith(TWO) else 200, text="OK")

    session, _ = holding(answer)

    session.clean_up()

    assert set(session.journal.live) == {ONE, TWO}
    assert session.journal.left_behind == 2


@pytest.mark.parametrize(("most", "asked"), [(9, 3), (2, 3)], ids=["all are found", "the third is not"])
def test_an_identifier_is_deleted_as_often_as_creations_gave_it(most: int, asked: int) -> None:
    found = iter(range(most))

    def answer(request: httpx.Request) -> httpx.Response:
        return (
            created(ONE)() if request.method == "POST" else json_answer(404 if next(found, None) is None else 200, {})()
        )

    transport = Scripted(by=answer)
    session = session_with(transport)
    for _ in range(3):
        session.send("POST", "/requests", credential="user")
    session.kept.add(ONE)  # the run cannot keep one of them and delete the others

    session.clean_up()

    assert transport.methods.count("DELETE") == asked
    assert (session.journal.live, session.journal.created, session.journal.unknown) == ({}, 1, 0)


SHOWN = {"requestId": ONE}


def test_what_is_still_there_at_the_end_is_deleted_once_more() -> None:
    there = {ONE, TWO, THREE}
    overheard: set[str] = set()

    def answer(request: httpx.Request) -> httpx.Response:
        request_id = request.url.path.rpartition("/")[2]
        if request.method == "GET":
            return httpx.Response(200 if request_id in there else 404, text="Shown.")
        if request_id not in overheard:
            overheard.add(request_id)
            return httpx.Response(404, json={})
        there.remove(request_id)
        return httpx.Response(200, text="OK")

    session, _ = holding(answer)
    session.clean_up(insist=True)

    verify_deletions(session)

    assert there == set()
    assert (len(session.journal.gone), session.journal.left_behind) == (3, 0)


def test_deletions_that_were_confirmed_are_believed_until_one_was_seen_to_do_nothing() -> None:
    session, transport = holding(
        lambda each: httpx.Response(200, text="OK") if each.method == "DELETE" else httpx.Response(200, json=SHOWN)
    )
    session.clean_up(insist=True)
    before = len(transport.sent)

    verify_deletions(session)
    assert len(transport.sent) == before

    session.send("GET", f"/requests/{ONE[::-1]}", credential="user", intent=Intent(request="deleted"))
    verify_deletions(session)
    assert session.journal.left_behind == 3
