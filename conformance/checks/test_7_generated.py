"""Clauses 4 and 7: valid and invalid calls, generated from the OpenAPI document and the service's data types."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.checks.marks import Observe, each_requirement, last, requirement, traces
from conformance.facts.answers import succeeded
from conformance.generation.call import GeneratedCall
from conformance.generation.generated import Generated
from conformance.generation.meaning import alike
from conformance.model.errors import (
    NotDecided,
    RequirementViolated,
    answer_of,
    describe,
    in_words,
    not_applicable,
)
from conformance.model.exchange import Exchange, Operation, Superseded
from conformance.model.probe import Probe, must_answer
from conformance.model.text import count, in_json
from conformance.rules.expect import member, received
from conformance.rules.run import Run


@requirement("4.1-similar-type")
@traces("""
         generated.asked[0][0] = {"operation": "createRequest", "row": "4.1-similar-type", "types": ["A"]}
    FAIL generated.asked[0][1]: POST [A] -> 200 r1 {"dataRequested": ["a"]}
    PASS generated.asked[0][1]: POST [A] -> 400 InvalidDataTypes
""")
def test_a_string_that_resembles_a_type_is_no_type(generated: Generated) -> None:
    """No string that differs from a type in letter case, white space, Unicode form or notation is taken for it."""
    shown = [(call, exchange) for call, exchange in generated.asked if call.row == "4.1-similar-type"]
    if not shown:
        raise not_applicable("", "The run had no occasion for such a call.")
    for call, exchange in shown:
        if not succeeded(exchange):
            continue
        (sent,) = call.types or ("",)
        if not _is_taken_for_a_type(sent, member(exchange, "dataRequested")):
            raise NotDecided(
                f"{call.subject} was answered {answer_of(exchange).status}, and dataRequested names no type like it.",
                exchanges=[exchange],
            )
        raise RequirementViolated(
            f"{call.subject} is accepted as the type {in_json(member(exchange, 'dataRequested'), 60)}.",
            expected="status 400 with InvalidDataTypes",
            actual=received(exchange),
            exchanges=[exchange],
            probe=must_answer(400),
        )


def _is_taken_for_a_type(sent: str, requested: object) -> bool:
    """Tell whether dataRequested has the one type that a string resembles, and not the string itself."""
    if not isinstance(requested, list) or len(requested) != 1 or not isinstance(requested[0], str):
        return False
    # Another notation of a number has a zero before it.
    return requested[0] != sent and alike(requested[0]).lstrip("0") == alike(sent).lstrip("0")


@last
@requirement("0-odd-headers")
def test_unusual_readings_are_answered_somehow(
    unusual_readings: list[tuple[GeneratedCall, Exchange]], observe: Observe
) -> None:
    """Shows the responses to generated calls without a token, with and without additions that no clause names."""
    _observe_all(unusual_readings, "0-odd-headers", observe)


@last
@requirement("0-server-errors")
@traces("""
    FAIL GET /settings -> 500
    PASS GET /settings -> 200
         generated = {}
""")
def test_server_errors_are_reported(run: Run, generated: Generated, observe: Observe) -> None:
    """Shows the calls that the service answers with a server error; an alert if it does so now and then."""
    exchanges = run.record.in_order()
    for operation in Operation:
        calls = [each for each in exchanges if each.operation is operation and each.was_sent]
        failed = [each for each in calls if each.superseded is Superseded.PASSING and each.status >= 500]
        if failed:
            statuses = ", ".join(sorted({str(each.status) for each in failed}))
            observe(
                f"{len(failed)} of {count(len(calls), 'call')} of {operation.call} answered {statuses}, and the same "
                "calls did not when they came again: the service fails now and then.",
                *failed,
                alert=True,
            )
    failed = [each for each in exchanges if _is_server_error(each)]
    if failed:
        smallest = min(failed, key=lambda each: len(each.request.body) + len(each.request.url))
        raise RequirementViolated(
            f"{describe(smallest)} answered {answer_of(smallest).status}, a server error.",
            expected="a status below 500",
            actual=received(smallest),
            exchanges=[smallest],
            probe=Probe(kind="other-status", values=("5xx",)),
        )
    if generated.undecided is not None:  # after the errors, which may be the reason why no call could be generated
        raise generated.undecided


def _is_server_error(exchange: Exchange) -> bool:
    """Tell whether a response is a server error that refuses no method, version or network."""
    return exchange.failed and exchange.status not in (501, 505, 511)


@each_requirement(
    "4.1-malformed-body",
    "4.1-other-json",
    "4.1-empty-array",
    "4.1-repeated-type",
    "4.1-other-media-types",
    "4.2-odd-identifiers",
    "4.2-other-forms",
    "8-other-limits",
)
def test_open_calls_are_answered_somehow(generated: Generated, observe: Observe, requirement_id: str) -> None:
    """Shows the responses to calls that the specification leaves open."""
    _observe_all(generated.asked, requirement_id, observe)


def _observe_all(asked: Sequence[tuple[GeneratedCall, Exchange]], requirement_id: str, observe: Observe) -> None:
    """Observe the answers to the calls about an open requirement, equal answers to similar calls once."""
    shown = [(call, exchange) for call, exchange in asked if call.row == requirement_id]
    if not shown:
        raise not_applicable("", "The run had no occasion for such a call.")
    alike: dict[tuple[bool, str, str], list[tuple[GeneratedCall, Exchange]]] = {}
    for call, exchange in shown:
        own = "" if call.mode else call.subject  # each explicit call is made for one question
        alike.setdefault((bool(call.mode), own, f"{call.operation} {in_words(exchange)}"), []).append((call, exchange))
    for (is_generated, _, _), each in alike.items():
        call, exchange = min(each, key=lambda one: one[0].size)
        more = f" So it answered {count(len(each), 'generated call')} like this one." if is_generated else ""
        observe(f"{call.subject}: the service answered {in_words(exchange)}.{more}", *(one for _, one in each))
