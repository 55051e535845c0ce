"""Controls: whether a refusal comes from something in front of the service."""

from __future__ import annotations

from functools import partial
from typing import Any

import httpx
import pytest
from hand_made import ONE, SETTINGS, Scripted, Waits, created, json_answer, session_with

from conformance.http.session import Session
from conformance.model.errors import answer_of
from conformance.model.exchange import CONTROL, ErrorKind, Exchange, Intent, Operation

settings = json_answer(200, SETTINGS)
VALID = Intent(body="omitted")
CREATE, GET_SETTINGS = "POST /requests", "GET /settings"


def page(status: int, text: str = "<h1>Blocked</h1>", **headers: str) -> Any:
    """Return an answer with a page, which is none of the service's own."""
    return lambda: httpx.Response(status, text=text, headers={"content-type": "text/html", **headers})


def ready(*answers: Any, waits: Waits | None = None) -> tuple[Session, Scripted]:
    """Return a session whose GET /settings was answered, and its transport, which gives `answers` next."""
    transport = Scripted(settings, *answers)
    session = session_with(transport, clock=Waits() if waits is None else waits)
    session.send("GET", "/settings")
    return session, transport


def create(session: Session, intent: Intent = VALID) -> Exchange:
    return session.send("POST", "/requests", credential="user", intent=intent)


def calls(session: Session) -> list[str]:
    """Return the calls after the first, in their order."""
    return [f"{each.request.method} {each.path}" for each in session.record.in_order()[1:]]


def test_a_refusal_that_get_settings_gets_as_well_is_waited_for() -> None:
    waits = Waits()
    session, _ = ready(page(403), page(403), created(), waits=waits)

    exchange = create(session)

    assert calls(session) == [CREATE, GET_SETTINGS, CREATE]
    assert waits == [0.5]
    assert exchange.error is None
    assert exchange.response is not None
    assert exchange.response.status == 200
    refused, control = session.record.in_order()[1:3]
    assert (control.intent, control.repeats, exchange.repeats) == (CONTROL, refused.id, control.id)
    assert {refused.error, control.error} == {ErrorKind.UNAVAILABLE}


def test_an_outage_that_lasts_decides_nothing() -> None:
    session, transport = ready(page(302, location="https://status.example/"))

    exchange = create(session)

    assert exchange.error is ErrorKind.UNAVAILABLE
    assert "as to GET /settings" in exchange.error_detail
    assert len(transport.sent) == 1 + 2 * 4


def test_a_single_refusal_decides_nothing() -> None:
    session, _ = ready(page(403), settings, created())

    exchange = create(session)

    refused = session.record.in_order()[1]
    assert calls(session) == [CREATE, GET_SETTINGS, CREATE]
    assert exchange.response is not None
    assert exchange.response.status == 200
    assert (refused.error, refused.error_detail) == (
        ErrorKind.UNAVAILABLE,
        "status 403, but 200 when it was repeated at once",
    )


def test_the_services_own_refusal_stands_and_is_controlled_twice_at_most() -> None:
    session, transport = ready(*[page(403), settings, page(403)] * 2, page(403))

    refused = [create(session) for _ in range(3)]

    assert calls(session) == [CREATE, GET_SETTINGS, CREATE] * 2 + [CREATE]
    assert [each.error for each in refused] == [None] * 3
    assert len(transport.sent) == 8


def test_refusals_in_a_row_decide_although_their_pages_differ_and_the_same_calls_are_accepted() -> None:
    session, _ = ready(*(each for ray in range(5) for each in (page(403, f"<h1>Ray {ray}</h1>"), settings, created())))

    for _ in range(5):
        create(session)

    refused = [each for each in session.record.in_order() if each.response is not None and each.response.status == 403]
    assert [each.error for each in refused] == [ErrorKind.UNAVAILABLE] * 2 + [None] * 3


def test_one_refusal_of_many_calls_decides_nothing() -> None:
    turns = [[created()] * 39 + [page(403), settings, created()]] * 4
    session, _ = ready(*(each for turn in turns for each in turn))

    for _ in range(160):
        create(session)

    refused = [each for each in session.record.in_order() if each.response is not None and each.response.status == 403]
    assert [each.error for each in refused] == [ErrorKind.UNAVAILABLE] * 4


@pytest.mark.parametrize(("each", "excused"), [(50, 6), (20, 4)])
def test_few_refusals_of_all_operations_allow_more_of_each(each: int, excused: int) -> None:
    turns = [[created()] * (each - 1) + [page(403, f"<h1>Ray {ray}</h1>"), settings, created()] for ray in range(6)]
    session, _ = ready(*(one for turn in turns for one in turn))

    for turn in range(6):
        for _ in range(each - 1):
            session.send("GET", f"/requests/{ONE}", credential="user", intent=Intent(open=True))
        if turn in (1, 4):
            session.send("GET", f"/requests/{ONE}", credential="user", intent=Intent(request="existing"))
        else:
            create(session)

    refused = [one for one in session.record.in_order() if one.response is not None and one.response.status == 403]
    assert len([one for one in refused if one.error is ErrorKind.UNAVAILABLE]) == excused


def test_a_tabled_error_is_the_services_own() -> None:
    session, _ = ready(json_answer(400, {"error": "InvalidDataTypes", "message": "-"}))

    create(session)

    assert calls(session) == [CREATE]


def test_a_refusal_before_get_settings_was_answered_needs_no_control() -> None:
    session = session_with(Scripted(page(403)), clock=Waits())

    create(session)

    assert [each.operation for each in session.record.in_order()] == [Operation.CREATE]


def test_a_redirect_within_the_service_is_its_own() -> None:
    session, _ = ready(page(303, location=f"/requests/{ONE}"))

    create(session)

    assert calls(session) == [CREATE]


def test_a_deletion_that_a_refusal_carried_out_stays_one() -> None:
    gone = json_answer(404, {"error": "Not Found", "message": "Could not find a data request with this id."})
    session, _ = ready(page(403), settings, gone)

    exchange = session.send("DELETE", f"/requests/{ONE}", credential="user", intent=Intent(request="existing"))

    refused = session.record.in_order()[1]
    assert refused.error is None
    assert exchange.error is ErrorKind.UNAVAILABLE


RACING = Intent(body="omitted", racing=True)


def test_a_single_refusal_in_a_race_decides_nothing() -> None:
    session, _ = ready(page(403), settings, created())

    exchange = create(session, RACING)

    _, refused, control, again = session.record.in_order()
    assert (exchange, again.repeats) == (again, control.id)
    assert (refused.error, again.error) == (ErrorKind.UNAVAILABLE, None)


@pytest.mark.parametrize(("calls_between", "shown_again"), [(37, True), (38, False)])
def test_a_second_refusal_in_a_race_soon_afterwards_stands(calls_between: int, shown_again: bool) -> None:
    between = [created()] * calls_between
    session, _ = ready(page(403), settings, created(), *between, page(403, "<h1>Ray 2</h1>"), settings, created())
    for _ in range(1 + calls_between):
        create(session, RACING)

    exchange = create(session, RACING)

    assert exchange.response is not None
    assert (exchange.response.status, exchange.error) == (403 if shown_again else 200, None)


def test_the_refusals_of_one_race_decide_nothing() -> None:
    session, _ = ready(page(403), settings, created(), page(403, "<h1>Ray 2</h1>"), settings, created())

    exchanges = session.parallel([partial(create, session, RACING)] * 2, at_most=1)

    assert [answer_of(each).status for each in exchanges] == [200, 200]


def test_a_refusal_in_a_race_of_another_operation_decides_nothing() -> None:
    session, _ = ready(page(403), settings, created(), page(403), settings, json_answer(200, "OK"))
    create(session, RACING)

    intent = Intent(request="existing", racing=True)
    exchange = session.send("DELETE", f"/requests/{ONE}", credential="user", intent=intent)

    assert answer_of(exchange).status == 200


def test_a_deletion_in_a_race_need_not_find_the_request_after_a_refusal() -> None:
    gone = json_answer(404, {"error": "Not Found", "message": "Could not find a data request with this id."})
    session, _ = ready(page(403), settings, gone)

    intent = Intent(request="existing", racing=True)
    exchange = session.send("DELETE", f"/requests/{ONE}", credential="user", intent=intent)

    assert session.record.in_order()[1].error is ErrorKind.UNAVAILABLE
    assert exchange.error is None


def test_simultaneous_calls_in_an_outage_are_controlled_but_not_repeated() -> None:
    session, _ = ready(page(403))

    exchange = create(session, RACING)

    assert calls(session) == [CREATE, GET_SETTINGS]
    assert exchange.error is ErrorKind.UNAVAILABLE
