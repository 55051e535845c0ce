"""Calls that something in front of the service refuses for a while."""

from __future__ import annotations

from hand_made import exchange

from conformance.model.exchange import Exchange, Operation
from conformance.rules.judge import judge
from conformance.rules.outages import outages
from conformance.rules.run_context import RunContext

PAGE = b"<h1>Blocked</h1>"


def calls(*made: tuple[Operation, int, bytes]) -> list[Exchange]:
    """Return valid calls in their order, each with the status and the body of its response."""
    return [
        exchange(operation, status, body, number=number, request="existing", body="omitted", limit="room")
        for number, (operation, status, body) in enumerate(made, 1)
    ]


def refused(*operations: Operation, status: int = 403, body: bytes = PAGE) -> list[tuple[Operation, int, bytes]]:
    return [(each, status, body) for each in operations]


READ, DELETE, CREATE, SETTINGS, DATA = (
    Operation.READ,
    Operation.DELETE,
    Operation.CREATE,
    Operation.SETTINGS,
    Operation.DATA,
)
ANSWERED = [(each, 200, b"{}") for each in (READ, DELETE, CREATE, SETTINGS, DATA)]


def test_calls_of_several_operations_with_one_page_are_an_outage() -> None:
    run = calls(*ANSWERED, *refused(READ, CREATE), *ANSWERED)

    assert outages(run) == {"e6", "e7"}
    assert [judge(each, RunContext.of(run)) for each in run[5:7]] == [(), ()]


def test_the_same_page_at_another_time_is_part_of_it() -> None:
    assert outages(calls(*refused(READ), *ANSWERED, *refused(CREATE, DATA), *ANSWERED)) == {"e1", "e7", "e8"}


def test_an_outage_in_which_the_run_ends_concerns_calls_without_a_token_as_well() -> None:
    assert outages(calls(*ANSWERED, *refused(READ, SETTINGS))) == {"e6", "e7"}
    assert outages(calls(*ANSWERED, *refused(READ, CREATE))) == set()  # the token may have expired


def test_what_the_service_itself_may_answer_is_no_outage() -> None:
    for run in (
        refused(READ),  # a single call
        refused(CREATE, CREATE),  # one operation
        refused(READ, DELETE, status=404),  # a request that is lost
        refused(SETTINGS, DATA),  # a token that is demanded
        refused(READ, CREATE, body=b'{"error": "Forbidden"}'),  # an error object
        [*refused(READ), *refused(CREATE, body=b"another page")],
    ):
        assert outages(calls(*ANSWERED, *run, *ANSWERED)) == set()


def test_operations_that_are_never_answered_are_no_outage() -> None:
    others = [each for each in ANSWERED if each[0] is not CREATE]

    assert outages(calls(*others, *refused(READ, CREATE), *others)) == set()
