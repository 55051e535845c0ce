"""Clauses 2.4 and 7: the table of errors, with its statuses, codes and messages."""

from __future__ import annotations

from conformance.checks.marks import requirement, traces
from conformance.judge import expect
from conformance.judge.run import Run
from conformance.model.errors import RequirementViolated, must_answer
from conformance.model.exchange import RETRY_LATER, Exchange, Operation
from conformance.scenarios.languages import Choice
from conformance.scenarios.limit import LimitResult
from conformance.spec.kinds import State


@requirement("7-limit-reached")
@traces("""
         limit.held: POST [a]    -> 200 r1
    FAIL limit.refused: POST [a] -> 403 {"error": "TooMany"}
    PASS limit.refused: POST [a] -> 400 MaximumAmountOfRequestsReached
""")
def test_a_creation_beyond_the_limit_answers_400(run: Run, limit: LimitResult) -> None:
    """The creation beyond maxNumberOfRequests answers 400."""
    if limit.refused is None or (not limit.held and limit.limit > 0):
        raise run.limit_so_far().why_not_met()
    refusals = [limit.refused, *limit.later]
    for refused in refusals:
        if refused.counts and refused.status != 400 and limit.freed_a_place:
            # The service accepted a creation once a place was free, so the limit was the reason of the refusal.
            message = f"A creation beyond the limit answered {refused.status} instead of 400."
            raise expect.violated(message, "status 400", refused, probe=must_answer(400))
    if limit.freed_a_place and _only_the_limit_asks_to_retry(run, refusals):
        raise RequirementViolated(
            f"A creation beyond the limit answered {limit.refused.status} instead of 400, each time. The service asked "
            "to retry later nowhere else, and accepted a creation once a place was free, so the limit is the reason.",
            expected="status 400",
            actual=f"status {limit.refused.status}",
            exchanges=refusals,
            probe=must_answer(400),
        )
    if not (limit.refused.counts and limit.refused.status == 400):
        expect.status(limit.refused, 400)


def _only_the_limit_asks_to_retry(run: Run, refusals: list[Exchange]) -> bool:
    """Tell whether creations at the limit, and no other calls, were asked to retry later: the limit is the reason."""
    asked, ledger = [each for each in run.record.in_order() if each.superseded in RETRY_LATER], run.ledger_so_far()
    creations = all(each.operation is Operation.CREATE for each in asked)
    at_the_limit = creations and all(ledger.state_at(each.id) in (State.FULL, State.EITHER) for each in asked)
    return at_the_limit and all(each.superseded in RETRY_LATER for each in refusals)


@requirement("7-language-not-supported")
@traces("""
         language_choice = {"selector": {"kind": "header", "name": "Accept-Language"}, "unsupported": "eo"}
    FAIL unsupported_language: GET /data -> 404
    PASS unsupported_language: GET /data -> 400 LanguageNotSupported
""")
def test_an_unsupported_language_answers_400(language_choice: Choice, unsupported_language: list[Exchange]) -> None:
    """GET /data in a language that is not supported answers 400, also where the tag has a region."""
    for exchange in unsupported_language:
        expect.status(exchange, 400, asked=language_choice.selector.words_of(exchange.request))
