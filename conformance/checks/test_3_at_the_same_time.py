"""Clauses 3, 4.1 and 4.2: creations, readings and deletions at the same time as others.

A check blames simultaneous calls only if the same calls are answered correctly one after another: see `_right_alone`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import inf

import pytest

from conformance.checks.marks import Observe, first, requirement, traces
from conformance.facts.answers import accepted
from conformance.facts.ranges import Doubt
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.errors import NotDecided, RequirementViolated, answer_of, describe, in_words, not_applicable
from conformance.model.exchange import Exchange, Operation, is_missing, request_id_of
from conformance.model.identity import Created
from conformance.model.probe import Probe, must_answer
from conformance.model.text import shorten
from conformance.rules import expect
from conformance.rules.run import Run
from conformance.rules.server_errors import is_server_error
from conformance.scenarios.limit_result import LimitResult
from conformance.scenarios.parallel_result import (
    CONTROLS,
    Control,
    ParallelResult,
    answered,
    difference,
    has_404,
    ids_of,
    is_created,
    is_ok,
    is_whole,
)

_ALONE = f"{CONTROLS} times one after another the response was correct."


@pytest.fixture
def alone(parallel: ParallelResult, one_by_one_or_reason: Control | NotDecided | None) -> Alone:
    """The same calls one after another."""
    return Alone(parallel, one_by_one_or_reason)


@first
@requirement("3-removed-in-parallel")
@traces("""
         parallel.removals[0].created: POST [a]      -> 200 r1
         | parallel.removals[0].deletions: DELETE r1 -> 200 OK
         | parallel.removals[0].deletions: DELETE r1 -> 404
    FAIL parallel.removals[0].after: GET r1          -> 200
    PASS parallel.removals[0].after: GET r1          -> 404
         one_by_one = null
""")
def test_deletions_at_the_same_time_remove_the_request(
    run: Run, parallel: ParallelResult, limit_or_reason: LimitResult | NotDecided, alone: Alone
) -> None:
    """Each answers 200 with OK or 404, at least one answers 200, and afterwards the request no longer exists."""
    _right_alone(_answered(_at_the_limit(limit_or_reason).undeleted), has_404)
    for removal in parallel.removals:
        _answered(removal.deletions)
        if wrong := parallel.wrong_deletions(removal):
            alone.assert_deleted(run)
            alone.assert_gone()
            what = "One of several deletions of a request at the same time"
            raise _broken(wrong, "200 with OK, or 404", what, removal.deletions)
        if parallel.is_unconfirmed(removal):
            alone.assert_deleted(run)
            raise _broken(removal.deletions, "200 with OK for at least one", "Each of several deletions of a request")
        if any(map(is_ok, removal.deletions)) and not _is_missing(removal.after):
            alone.assert_gone()
            raise expect.violated(
                "A request was read, and several calls at the same time had deleted it "
                f"({_statuses(removal.deletions)}). The service answered {answer_of(removal.after).status} instead of "
                f"404; {_ALONE}",
                "status 404",
                removal.after,
                *removal.deletions,
                probe=must_answer(404),
            )


@first
@requirement("3-parallel-deletions")
def test_several_deletions_may_be_confirmed(parallel: ParallelResult, observe: Observe) -> None:
    """Shows the responses to simultaneous deletions of one request."""
    for removal in parallel.removals:
        observe(
            f"Deletions of one request at the same time were answered {_statuses(removal.deletions)}.",
            *removal.deletions,
        )


@first
@requirement("4.2-answers-while-deleted")
@traces("""
         parallel.removals[0].created: POST [a, b]   -> 200 r1
         | parallel.removals[0].deletions: DELETE r1 -> 200 OK
    FAIL | parallel.removals[0].reads: GET r1        -> 200 {"dataRequested": []}
    PASS | parallel.removals[0].reads: GET r1        -> 200
         parallel.removals[0].after: GET r1          -> 404
         one_by_one = null
""")
def test_reading_meanwhile_shows_the_whole_request_or_nothing(
    run: Run, parallel: ParallelResult, limit_or_reason: LimitResult | NotDecided, alone: Alone
) -> None:
    """During a deletion, reading the request answers 200 with the whole request, or 404."""
    before = _at_the_limit(limit_or_reason)
    made = {one.request_id: one for one in before.held}
    reads = [(made[request_id_of(read)], read) for read in _answered(before.reads) if request_id_of(read) in made]
    _whole_alone([(created, read) for created, read in reads if not is_missing(read)])
    _right_alone(_answered(before.undeleted), has_404)
    for removal in parallel.removals:
        _answered(removal.reads)
        for read in parallel.judged_reads(run, removal):
            if answer_of(read).status not in (200, 404):
                alone.assert_read()
                raise _broken([read], "200 or 404", "Reading a request while it was being deleted")
            if answer_of(read).status == 200 and not is_whole(removal.created, read):
                alone.assert_read()
                raise expect.violated(
                    "Reading a request while it was being deleted showed it in part: "
                    f"{difference(removal.created, read)}; {_ALONE}",
                    "the request as it was created, or 404",
                    *(read, removal.created.exchange, *removal.deletions),
                )
    if not any(parallel.judged_reads(run, each) for each in parallel.removals):
        raise NotDecided("The service itself answered no reading of a request while it was being deleted.")


@first
@requirement("4.1-creates-in-parallel")
@traces("""
    FAIL | parallel.creations: POST [a] -> 200 r1
    FAIL | parallel.creations: POST [a] -> 200 r1
    PASS | parallel.creations: POST [a] -> 200 r1
    PASS | parallel.creations: POST [a] -> 200 r2
         one_by_one = null
""")
def test_creations_at_the_same_time_each_make_a_request(run: Run, parallel: ParallelResult, alone: Alone) -> None:
    """With room for all of them, each creation answers 200 with its own request, which exists."""
    if parallel.limit == 1:
        raise not_applicable("limit-of-one", "maxNumberOfRequests is 1: there is no room for several creations.")
    creations = _answered(parallel.creations)
    wrong = parallel.not_created
    # Server errors at the same time may have made requests; that these filled the limit is no reason for the errors.
    refusals = [each for each in wrong if run.may_be_limit_refusal(each) and not is_server_error(each)]
    if wrong and refusals == wrong:
        raise run.why_not_created(wrong[0])
    if wrong:
        alone.assert_created(run)
        raise _broken(wrong, "200 with a request", "One of several creations at the same time", parallel.creations)
    if (refused := parallel.refused) and not all(map(accepted, parallel.room)):
        raise run.why_not_created(refused[0])
    if refused:
        alone.assert_created(run)
        raise RequirementViolated(
            f"The service refused {len(refused)} of {len(creations)} creations at the same time with "
            "MaximumAmountOfRequestsReached, though there was room: right after them it accepted as many.",
            expected=f"status 200 to all {len(creations)}",
            actual=f"statuses {_statuses(creations)}, then {_statuses(parallel.room)} one after another",
            exchanges=[*refused, *parallel.room],
            probe=must_answer(200),
        )
    ids = parallel.ids
    if len(set(ids)) < len(ids):
        alone.assert_created(run)
        if alone.repeats_an_id(run):
            raise NotDecided("The service gives the same requestId to creations one after another as well.")
        raise RequirementViolated(
            f"Creations at the same time got the same requestId {max(ids, key=ids.count)}, although each creates a "
            f"request; {_ALONE}",
            expected="a different requestId for each creation",
            actual=", ".join(ids),
            exchanges=creations,
            probe=Probe(kind="new-id"),
        )
    if parallel.lost:
        alone.assert_deleted(run)
        raise expect.violated(
            f"{len(parallel.lost)} of {len(ids)} requests created at the same time did not exist right afterwards: "
            f"reading and deleting answered 404; {_ALONE}",
            "every request that a creation returned exists",
            *(*parallel.lost, *creations),
            probe=must_answer(200),
        )
    if not ids:
        raise NotDecided("None of the creations at the same time made a request.", exchanges=creations)


class Alone:
    """The same calls one after another, and those that the run had made so before."""

    def __init__(self, parallel: ParallelResult, result: Control | NotDecided | None) -> None:
        """`result` is None where simultaneous calls look right."""
        self._parallel = parallel
        self._result = result

    @property
    def control(self) -> Control:
        """The calls; raises NotDecided if they could not be made."""
        if isinstance(self._result, NotDecided):
            raise self._result
        return self._result or Control()

    def assert_created(self, run: Run) -> None:
        """Raise NotDecided if creations one after another are answered wrongly as well."""
        _right_alone(self.control.creations + self._before(run, Operation.CREATE), is_created)

    def assert_deleted(self, run: Run) -> None:
        """Raise NotDecided if deletions one after another are answered wrongly as well."""
        _right_alone(self.control.deletions + self._before(run, Operation.DELETE), is_ok)

    def assert_gone(self) -> None:
        """Raise NotDecided if requests that were deleted one after another still exist."""
        _right_alone(self.control.afterwards, has_404)

    def assert_read(self) -> None:
        """Raise NotDecided if readings one after another do not show the whole request, or show a deleted one."""
        _whole_alone(zip(self.control.created, self.control.reads, strict=True))
        self.assert_gone()

    def repeats_an_id(self, run: Run) -> bool:
        """Tell whether creations one after another got the same identifier."""
        control = self.control
        made = {each.id: each for each in (*self._before(run, Operation.CREATE), *control.creations, *control.further)}
        ids = ids_of(made.values())
        return len(set(ids)) < len(ids)

    def _before(self, run: Run, operation: Operation) -> list[Exchange]:
        """Return the creations, or the deletions of existing requests, that the run made one after another before."""
        meant = {Operation.CREATE: "known types", Operation.DELETE: "existing"}[operation]
        control = self.control
        afterwards = control.afterwards or [each.after for each in self._parallel.removals]
        last = afterwards[-1].number if afterwards else inf
        return [
            exchange
            for exchange in run.record.answered(operation)
            if (exchange.intent.request or exchange.intent.body) == meant
            and exchange.number <= last
            and exchange.request.credential in KNOWN_CREDENTIALS
            and not (exchange.beside or exchange.intent.racing or exchange.intent.open)
            and not run.may_be_limit_refusal(exchange)
        ]


def _may_be_completed(read: Exchange) -> NotDecided:
    """Return why a reading that finds nothing, without another call at the same time, does not show a whole request."""
    message = (
        f"{describe(read)} was answered {in_words(read)}. The request may have completed: completed requests need "
        "not be readable."
    )
    return NotDecided(message, remedy=Doubt.COMPLETED.remedy, exchanges=[read])


def _is_missing(exchange: Exchange) -> bool:
    return answer_of(exchange).status == 404


def _answered(exchanges: list[Exchange]) -> list[Exchange]:
    """Return the exchanges with an answer other than to retry later; raise NotDecided if there are none."""
    if exchanges and not answered(exchanges):
        answer_of(exchanges[0])
    return answered(exchanges)


def _at_the_limit(limit: LimitResult | NotDecided) -> LimitResult:
    """Return the result of the limit scenario, or an empty one if it was not decided."""
    return LimitResult(0) if isinstance(limit, NotDecided) else limit


def _whole_alone(reads: Iterable[tuple[Created, Exchange]]) -> None:
    """Raise NotDecided if readings without other calls differ from the creation as well."""
    for created, read in reads:
        if not is_whole(created, read):
            what = difference(created, read) or f"answered {in_words(read)}"
            raise _may_be_completed(read) if is_missing(read) else _wrong_alone(read, what)


def _right_alone(alone: list[Exchange], right: Callable[[Exchange], bool]) -> None:
    """Raise NotDecided if calls one after another are answered wrongly as well: other requirements judge these."""
    for exchange in alone:
        if not right(exchange):
            raise _wrong_alone(exchange, expect.received(exchange))


def _wrong_alone(exchange: Exchange, what: str) -> NotDecided:
    return NotDecided(
        f"The answer to {describe(exchange)} is wrong without a call at the same time as well ({what}).",
        remedy="Correct the failures of clauses 3 and 4 first.",
        exchanges=[exchange],
    )


def _broken(wrong: list[Exchange], expected: str, what: str, beside: Sequence[Exchange] = ()) -> RequirementViolated:
    """Return the finding on the wrong answers, with the calls that were made at the same time."""
    answer = answer_of(wrong[0])
    return RequirementViolated(
        f"{what} was answered {answer.status} with {shorten(answer.text, 80) or 'an empty body'} "
        f"instead of {expected}; {_ALONE}",
        expected=expected,
        actual=f"statuses {_statuses(wrong)}, body {shorten(answer.text) or 'empty'}",
        exchanges=[*wrong, *(each for each in beside if each not in wrong)],
    )


def _statuses(exchanges: Iterable[Exchange]) -> str:
    return ", ".join(str(each.response.status if each.response else "nothing") for each in exchanges)
