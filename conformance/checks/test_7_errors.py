"""Clauses 2.4 and 7: the table of errors, with its statuses, codes and messages."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from conformance.checks.marks import Observe, each, each_requirement, last, requirement
from conformance.generation.generated import Generated
from conformance.model.deviations import deviations
from conformance.model.error_table import (
    KNOWN_CREDENTIALS,
    LANGUAGE_NOT_SUPPORTED,
    LIMIT_REACHED,
    ON_DATA_REQUESTS,
    UNAUTHORIZED,
    Condition,
)
from conformance.model.errors import NotDecided, RequirementViolated, answer_of, describe
from conformance.model.exchange import RETRY_LATER, Exchange, Operation
from conformance.model.probe import Probe, must_answer
from conformance.model.text import shorten
from conformance.rules import expect
from conformance.rules.expect import json_body
from conformance.rules.judge import wrong_error
from conformance.rules.limit import limit_so_far
from conformance.rules.run import Run
from conformance.scenarios.language_choice import Choice
from conformance.scenarios.languages import assert_no_token_required, in_language
from conformance.scenarios.limit_result import LimitResult
from conformance.spec.kinds import State


@last
@pytest.mark.usefixtures("user")
@requirement("7-other-errors")
def test_other_errors_are_shown(run: Run, observe: Observe) -> None:
    """Shows which statuses of the run are not in the table of errors."""
    seen = {each.response.status: each for each in run.record.in_order() if each.response}
    others = sorted((status, exchange) for status, exchange in seen.items() if status not in (200, 400, 401, 404))
    for status, exchange in others:
        observe(f"{describe(exchange)} answered {status}.", exchange)
    if not others:
        observe("Every status of the run was 200, 400, 401 or 404.")


def _assert_says_so(exchange: Exchange, row: Condition, requirement_id: str) -> None:
    json_body(exchange)
    expect.keeps(exchange, requirement_id, wrong_error(exchange, answer_of(exchange), row))


@pytest.fixture
def limit_refusal(run: Run, limit: LimitResult) -> Exchange:
    """The answer to a creation beyond the limit."""
    if limit.refused is None or (not limit.held and limit.limit > 0):
        raise limit_so_far(run).why_not_met()
    return limit.refused


@requirement("7-limit-reached")
def test_a_creation_beyond_the_limit_answers_400(run: Run, limit: LimitResult, limit_refusal: Exchange) -> None:
    """The creation beyond maxNumberOfRequests answers 400."""
    made = {
        _size(each)
        for each in run.record.answered(Operation.CREATE, 200)
        if each.request.credential in KNOWN_CREDENTIALS
    }
    later = [each for each in limit.later if _size(each) in made and each.error is None]
    for refused in (limit_refusal, *later):
        answer = refused.response
        if answer and refused.error is None and answer.status != 400 and limit.freed_a_place:
            # The service accepted a creation once a place was free, so the limit was the reason of the refusal.
            message = f"A creation beyond the limit answered {answer.status} instead of 400."
            raise expect.violated(message, "status 400", refused, probe=must_answer(400))
    if _only_the_limit_asks_to_retry(run, limit):
        status = limit_refusal.response.status if limit_refusal.response else 0
        raise RequirementViolated(
            f"A creation beyond the limit answered {status} instead of 400, each time. The service asked to retry "
            "later nowhere else, and accepted a creation once a place was free, so the limit is the reason.",
            expected="status 400",
            actual=f"status {status}",
            exchanges=[limit_refusal, *limit.later],
            probe=must_answer(400),
        )
    expect.status(limit_refusal, 400)


def _only_the_limit_asks_to_retry(run: Run, found: LimitResult) -> bool:
    """Tell whether creations at the limit, and no other calls, were asked to retry later: the limit is the reason."""
    if found.refused is None or not found.freed_a_place:
        return False
    asked, ledger = [each for each in run.record.in_order() if each.error in RETRY_LATER], limit_so_far(run).ledger
    creations = all(each.operation is Operation.CREATE for each in asked)
    at_the_limit = creations and all(ledger.room(each) in (State.FULL, State.EITHER) for each in asked)
    return at_the_limit and all(each.error in RETRY_LATER for each in (found.refused, *found.later))


def _size(creation: Exchange) -> tuple[object, ...]:
    """Return the kind of a body and the number of its types: the specification states no sizes (8)."""
    return creation.intent.body, creation.intent.label, len(creation.intent.types or ())


@each_requirement("7-limit-reached-error", "7-limit-reached-message")
def test_the_refusal_beyond_the_limit_says_so(limit_refusal: Exchange, requirement_id: str) -> None:
    """error and message of the refusal beyond the limit are those of the table."""
    _assert_says_so(limit_refusal, LIMIT_REACHED, requirement_id)


@requirement("7-language-not-supported")
def test_an_unsupported_language_answers_400(
    run: Run, language_choice: Choice, unsupported_language: list[Exchange], spoken_now: bool
) -> None:
    """GET /data in a language that is not supported answers 400, also where the tag has a region."""
    for exchange in unsupported_language:
        assert_no_token_required(run, exchange)
        if answer_of(exchange).status == 200:
            if spoken_now:
                asked = language_choice.unsupported
                message = f"supportedLanaguages contains {asked} now, which it did not earlier in the run."
                raise NotDecided(message, remedy="Run again while the list stays the same.", exchanges=[exchange])
            if language_choice.elsewhere is not None:
                raise _kept_by_address(exchange, language_choice)
        expect.status(exchange, 400, asked=in_language(language_choice, exchange))


def _kept_by_address(exchange: Exchange, chosen: Choice) -> RequirementViolated:
    """Return the finding that the answer does not follow the language of the call but the address."""
    assert chosen.elsewhere is not None
    query = urlsplit(chosen.elsewhere.request.url).query
    return expect.violated(
        f"{describe(exchange)}{in_language(chosen, exchange)} answered 200 instead of 400, although the same call with "
        f"the unused parameter {query} answers 400 LanguageNotSupported.",
        "status 400",
        exchange,
        chosen.elsewhere,
        probe=must_answer(400),
    )


@each_requirement("7-language-not-supported-error", "7-language-not-supported-message")
def test_the_refusal_of_a_language_says_so(unsupported_language: list[Exchange], requirement_id: str) -> None:
    """error and message for an unsupported language are those of the table; this message has no full stop."""
    refused = [each for each in unsupported_language if answer_of(each).status not in (200, 401, 403)]
    if not refused:
        raise NotDecided("The service did not refuse the language.")
    for exchange in refused:
        _assert_says_so(exchange, LANGUAGE_NOT_SUPPORTED, requirement_id)


@each_requirement("7-unauthorized-error", "7-unauthorized-message")
def test_a_401_says_so(without_token: list[Exchange], requirement_id: str) -> None:
    """error and message of a 401 are those of the table, for all three operations."""
    refused = [exchange for exchange in without_token if answer_of(exchange).status in (401, 403)]
    if not refused:
        raise NotDecided("The service refused no call without a token.", exchanges=without_token)
    for exchange in refused:
        _assert_says_so(exchange, UNAUTHORIZED, requirement_id)


@each("name", {"2.4-object": None, "2.4-error": "error", "2.4-message": "message"})
def test_an_error_is_an_object_with_two_strings(
    without_token: list[Exchange], generated: Generated, name: str | None
) -> None:
    """Errors of the table are objects with the strings error and message."""
    stated = [each for _, each in generated.asked if each.operation in ON_DATA_REQUESTS and each.error is None]
    asked = without_token + [each for each in stated if not (each.intent.open or each.intent.unusual)]
    refused = [exchange for exchange in asked if answer_of(exchange).status in (400, 401, 404)]
    if not refused:
        raise NotDecided("The service sent no error of the table.", exchanges=asked)
    for exchange in sorted(refused, key=deviations):
        expect.assert_read(exchange)
        is_object = isinstance(answer_of(exchange).document.value, dict) and not answer_of(exchange).document.problem
        if name is None and not is_object:
            raise _not(exchange, "an object", Probe(kind="type", values=("object",)))
        if name is not None and not isinstance(json_body(exchange), dict):
            raise NotDecided("The error is no object.", exchanges=[exchange])
        if name is not None and not isinstance(expect.member(exchange, name), str):
            raise _not(
                exchange,
                f"an object with {name} as a string",
                Probe(kind="type", pointer=f"/{name}", values=("string",)),
            )


def _not(exchange: Exchange, expected: str, probe: Probe) -> RequirementViolated:
    came = shorten(answer_of(exchange).text) or "empty"
    message = f"The body of the error response to {describe(exchange)} is not {expected}: it is {came}."
    return expect.violated(message, expected, exchange, probe=probe)
