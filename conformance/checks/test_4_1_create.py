"""Clause 4.1: POST /requests creates a data request."""

from __future__ import annotations

from conformance.checks.marks import Observe, last, needs, requirement, traces
from conformance.facts.answers import accepted, refuses_form
from conformance.model.errors import NothingToAdd, describe, in_words
from conformance.model.exchange import Operation, header
from conformance.model.probe import must_answer
from conformance.rules import expect
from conformance.rules.run import Run
from conformance.scenarios.two_users import BesideAnother


@requirement("4.1-creates-in-parallel")
@traces("""
         two_users[0].creation: POST [a]        -> 200 r1
    FAIL two_users[0].deleted: DELETE r1        -> 404
    FAIL two_users[0].by_other: other DELETE r1 -> 200 OK
    PASS two_users[0].deleted: DELETE r1        -> 200 OK
""")
def test_creations_of_two_users_at_the_same_time_are_kept_apart(two_users: list[BesideAnother]) -> None:
    """A creation beside one of another user makes a request that its own user can delete."""
    if not two_users:
        raise NothingToAdd("No other user created a request at the same time.")
    one = next((each for each in two_users if each.is_misplaced), None)
    if one is None:
        return
    assert one.by_other is not None
    other = "the other user could delete it" if accepted(one.by_other) else "the other user could not delete it"
    raise expect.violated(
        f"Two users created a request at the same time, and one of them could not delete it: {other}.",
        "every request that a creation returned exists for its user",
        *(one.deleted, one.creation, one.by_other),
        probe=must_answer(200),
        remedy="Keep the user of a call in the call, not in a global variable or a field that calls share.",
    )


@last
@needs("user")
@requirement("4.1-transfer-forms")
def test_forms_of_transfer_are_shown(run: Run, observe: Observe) -> None:
    """Shows the answers to bodies that were sent in chunks, or announced with Expect."""
    creations = [each for each in run.record.in_order() if each.operation is Operation.CREATE and each.was_sent]
    for name in ("Transfer-Encoding", "Expect"):
        sent = [each for each in creations if header(each.request.headers, name)]
        refused = list(filter(refuses_form, sent))
        if refused:
            observe(f"The service refuses bodies with {name}: {in_words(refused[0])}.", *refused)
        elif sent:
            observe(f"The service accepts bodies with {name}.", *sent)
        else:
            observe(f"The run sent no body with {name}.")


@last
@needs("user")
@requirement("4.1-server-errors")
def test_server_errors_are_shown(run: Run, observe: Observe) -> None:
    """Shows which calls of the run caused a 5xx."""
    answered = [(each.response.status, each) for each in run.record.in_order() if each.response]
    failed = [(status, exchange) for status, exchange in answered if status >= 500]
    for status, exchange in failed[:5]:
        observe(f"{describe(exchange)} answered {status}.", exchange)
    if not failed:
        observe("The service answered no call of the run with a server error.")
