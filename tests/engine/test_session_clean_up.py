from __future__ import annotations

from typing import Any

import httpx
from hand_made import (
    ONE,
    OTHER_TOKEN,
    SETTINGS,
    THREE,
    TOKEN,
    TWO,
    Scripted,
    created,
    data_request,
    json_answer,
    session_with,
)

from conformance.service import Service
from conformance.session import Session
from conformance.wire.trouble import NoAnswer, Trouble

settings = json_answer(200, SETTINGS)


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


def test_clean_up_deletes_everything_that_lives_with_the_token_of_its_owner() -> None:
    session, transport = holding(lambda _: httpx.Response(200, text="OK"))

    session.clean_up()

    asked = {
        request.url.path.rpartition("/")[2]: request.headers["Authorization"]
        for request in transport.sent
        if request.method == "DELETE"
    }
    mine, theirs = f"Bearer {TOKEN}", f"Bearer {OTHER_TOKEN}"
    assert asked == {ONE: mine, TWO: mine, THREE: theirs}
    assert session.journal.left_behind == 0
    assert session.journal.deleted == 3


def test_clean_up_goes_on_where_one_deletion_fails() -> None:
    def answer(request: httpx.Request) -> Any:
        if request.url.path.endswith(ONE):
            return NoAnswer(Trouble.DEADLINE, "30 s are over")
        return httpx.Response(500 if request.url.path.endswith(TWO) else 200, text="OK")

    session, _ = holding(answer)

    session.clean_up()

    assert set(session.journal.live) == {ONE, TWO}
    assert session.journal.left_behind == 2


def test_clean_up_again_asks_nothing() -> None:
    session, transport = holding(lambda _: httpx.Response(404))
    session.clean_up()
    count = len(transport.sent)

    session.clean_up()

    assert len(transport.sent) == count
    assert session.journal.left_behind == 0


def test_clean_up_never_sends_an_identifier_that_is_none() -> None:
    transport = Scripted(json_answer(200, data_request(requestId="..")))
    session = session_with(transport)
    session.send("POST", "/requests", credential="user")

    session.clean_up()

    assert transport.methods == ["POST"]
    assert session.journal.left_behind == 1


def test_what_was_created_without_a_token_is_cleaned_up_as_the_user() -> None:
    transport = Scripted(by=lambda request: created()() if request.method == "POST" else httpx.Response(200))
    session = session_with(transport)
    session.send("POST", "/requests")

    session.clean_up()

    assert transport.sent[-1].headers["Authorization"] == f"Bearer {TOKEN}"
    assert session.journal.left_behind == 0


def test_a_reading_that_a_deletion_overtook_does_not_bring_the_request_back() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            Service(session).delete(ONE)
            return json_answer(200, data_request(requestId=ONE))()
        return created(ONE)() if request.method == "POST" else httpx.Response(200, text="OK")

    session = session_with(Scripted(by=answer))
    Service(session).post(["orders"])

    read = Service(session).read(ONE)

    assert read.answer is not None
    assert read.answer.status == 200
    assert (session.journal.live, session.journal.gone) == ({}, {ONE})


def test_a_request_that_is_read_after_its_deletion_is_deleted_again() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return json_answer(200, data_request(requestId=ONE))()
        return created(ONE)() if request.method == "POST" else httpx.Response(200, text="OK")

    session = session_with(Scripted(by=answer))
    Service(session).post(["orders"])
    Service(session).delete(ONE)

    Service(session).read(ONE)

    assert session.journal.live == {ONE: "user"}
