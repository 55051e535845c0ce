"""Clause 4.1: POST /requests creates a data request."""

from __future__ import annotations

import pytest

from conformance.checks.marks import Observe, last, requirement, traces
from conformance.facts.answers import accepted, refuses_form, remedy_of_a_refusal
from conformance.generation.generated import Generated
from conformance.model.errors import NotDecided, NothingToAdd, answer_of, describe, in_words
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.probe import must_answer
from conformance.rules import expect
from conformance.rules.requested import requested
from conformance.rules.run import Run
from conformance.rules.run_context import RunContext
from conformance.scenarios.basic import CreationAndReading
from conformance.scenarios.parallel_result import CONTROLS
from conformance.scenarios.two_users import BesideAnother


@requirement("4.1-answers-200")
def test_a_creation_answers_200(run: Run, for_one_type: CreationAndReading, for_all_types: CreationAndReading) -> None:
    """POST /requests answers 200, with a list of types and without a body."""
    for exchange in (for_one_type.creation, for_all_types.creation):
        if run.may_be_limit_refusal(exchange):
            raise run.why_not_created(exchange)
        expect.status(exchange, 200, remedy=remedy_of_a_refusal(exchange))


@requirement("4.1-object")
def test_a_creation_returns_the_request(run: Run, for_one_type: CreationAndReading) -> None:
    """The 200 of a creation is one data request object."""
    run.assert_holds(for_one_type.creation, "4.1-object")


@requirement("4.1-body-omitted")
def test_without_a_body_all_types_are_requested(run: Run, for_all_types: CreationAndReading) -> None:
    """dataRequested is, as a set, every available type when the body is omitted."""
    exchange = for_all_types.creation
    if not accepted(exchange) and not run.may_be_limit_refusal(exchange):
        expect.status(exchange, 200)
    given = run.created(exchange).document.get("dataRequested")
    if not isinstance(given, list):
        raise NotDecided("dataRequested is no array.", exchanges=[exchange])
    known = RunContext.of(run.record.in_order())
    if run.ever_listed is None:
        raise NotDecided("No data types are known.", exchanges=[exchange])
    expect.keeps(exchange, "4.1-body-omitted", requested(exchange, given, known))


@requirement("4.1-empty-body-labelled")
def test_no_content_under_a_label_is_an_omitted_body(
    run: Run, for_all_types: CreationAndReading, generated: Generated
) -> None:
    """A creation without content, but with the media type of JSON, answers 200 like one without the type."""
    plain = for_all_types.creation
    if run.may_be_limit_refusal(plain):
        raise run.why_not_created(plain)
    if answer_of(plain).status != 200:
        status = answer_of(plain).status
        message = (
            f"A creation without content and without a Content-Type answered {status}, so the label decides nothing."
        )
        raise NotDecided(message, exchanges=[plain])
    asked = [exchange for _, exchange in generated.asked if exchange.intent.label == "empty"]
    if not asked:
        raise generated.undecided or NotDecided("No data types are known.")
    for exchange in asked:
        if run.may_be_limit_refusal(exchange):
            raise run.why_not_created(exchange)
        expect.status(exchange, 200)


@requirement("4.1-creates-in-parallel")
@traces("""
         two_users[0].creation: POST [a]        -> 200 r1
    FAIL two_users[0].deleted: DELETE r1        -> 404
    FAIL two_users[0].by_other: other DELETE r1 -> 200 OK
    FAIL two_users_apart: DELETE r2             -> 200 OK
    PASS two_users[0].deleted: DELETE r1        -> 200 OK
    PASS two_users_apart = []
""")
def test_creations_of_two_users_at_the_same_time_are_kept_apart(
    two_users: list[BesideAnother], two_users_apart: list[Exchange]
) -> None:
    """A creation beside one of another user makes a request that its own user can delete."""
    if not two_users:
        raise NothingToAdd("No other user created a request at the same time.")
    one = next((each for each in two_users if each.is_misplaced), None)
    if one is None:
        return
    if not all(map(accepted, two_users_apart)):
        message = "Requests that were created one after another could not be deleted either."
        raise NotDecided(message, exchanges=two_users_apart[:1])
    assert one.by_other is not None
    other = "the other user could delete it" if accepted(one.by_other) else "the other user could not delete it"
    raise expect.violated(
        f"Two users created a request at the same time, and one of them could not delete it: {other}. "
        f"{CONTROLS} times one after another the response was correct.",
        "every request that a creation returned exists for its user",
        *(one.deleted, one.creation, one.by_other),
        probe=must_answer(200),
        remedy="Keep the user of a call in the call, not in a global variable or a field that calls share.",
    )


@last
@pytest.mark.usefixtures("user")
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
@pytest.mark.usefixtures("user")
@requirement("4.1-server-errors")
def test_server_errors_are_shown(run: Run, observe: Observe) -> None:
    """Shows which calls of the run caused a 5xx."""
    answered = [(each.response.status, each) for each in run.record.in_order() if each.response]
    failed = [(status, exchange) for status, exchange in answered if status >= 500]
    for status, exchange in failed[:5]:
        observe(f"{describe(exchange)} answered {status}.", exchange)
    if not failed:
        observe("The service answered no call of the run with a server error.")
