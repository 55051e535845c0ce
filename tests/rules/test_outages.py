"""Calls that something in front of the service refuses for a while, as controls show."""

from __future__ import annotations

from hand_made import exchange

from conformance.model.exchange import CONTROL, ErrorKind, Exchange, Operation
from conformance.rules.judge import judge
from conformance.rules.outages import outages
from conformance.rules.run_context import RunContext

PAGE = b"<h1>Blocked</h1>"


def refused(number: int, body: bytes = PAGE, *, repeats: str = "") -> Exchange:
    """Return a valid creation that was refused with a page."""
    made = exchange(Operation.CREATE, 403, body, number=number, body="omitted", limit="room")
    made.repeats = repeats
    return made


def control(number: int, after: str, body: bytes = PAGE, *, alike: bool = True) -> Exchange:
    """Return the control of a refusal: refused alike, or answered."""
    made = exchange(Operation.SETTINGS, 403 if alike else 200, body if alike else b"{}", number=number)
    made.intent, made.repeats, made.error = CONTROL, after, ErrorKind.UNAVAILABLE if alike else None
    return made


def test_the_page_of_an_outage_is_part_of_it_everywhere() -> None:
    run = [refused(1), refused(2), control(3, "e2"), refused(4)]

    assert outages(run) == {"e1", "e2", "e3", "e4"}
    assert [judge(run[place], RunContext.of(run)) for place in (0, 3)] == [(), ()]


def test_another_page_is_none_of_the_outage() -> None:
    assert outages([refused(1), refused(2), control(3, "e2"), refused(4, b"another page")]) == {"e1", "e2", "e3"}


def test_a_page_that_the_service_gives_again_beside_a_control_is_its_own() -> None:
    run = [refused(1), control(2, "e1"), refused(3), control(4, "e3", alike=False), refused(5, repeats="e4")]

    assert outages(run) == set()


def test_a_page_that_no_control_concerns_is_the_services_own() -> None:
    assert outages([refused(1), refused(2)]) == set()


def test_an_error_object_is_no_page() -> None:
    body = b'{"error": "Forbidden"}'

    assert outages([refused(1, body), control(2, "e1", body), refused(3, body)]) == set()
