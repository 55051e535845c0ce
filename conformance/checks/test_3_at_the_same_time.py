"""Clauses 3, 4.1 and 4.2: creations, readings and deletions at the same time as others.

A check blames simultaneous calls only if the same calls are answered correctly one after another: see `_right_alone`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from conformance.checks.marks import Observe, first, requirement
from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.facts.ranges import Doubt
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.errors import NotDecided, RequirementViolated, answer_of, describe, in_words, not_applicable
from conformance.model.exchange import Exchange, Operation, is_missing, request_id_of
from conformance.model.identity import Created
from conformance.model.probe import Probe, must_answer
from conformance.model.text import in_json, shorten
from conformance.rules import expect
from conformance.rules.consistency import LASTING, disagreements
from conformance.rules.judge import not_ok
from conformance.rules.server_errors import is_server_error
from conformance.scenarios.limit import limit
from conformance.scenarios.limit_result import LimitResult
from conformance.scenarios.parallel import CONTROLS, ParallelResult, answered, one_by_one

_ALONE = f"{CONTROLS} times one after another the response was correct."


@first
@requirement("3-removed-in-parallel")
def test_deletions_at_the_same_time_remove_the_request(service: UserClient, parallel: ParallelResult) -> None:
    """Each answers 200 with OK or 404, at least one answers 200, and afterwards the request no longer exists."""
    _right_alone(answered(_at_the_limit(service).undeleted), _is_missing)
    shown_again = _fails_again(removal.deletions for removal in parallel.removals)
    for removal in parallel.removals:
        deletions = [each for each in answered(removal.deletions) if shown_again or not is_server_error(each)]
        wrong = [each for each in deletions if not _is_ok(each) and not _is_missing(each)]
        if wrong:
            _deleted_alone(service)
            _gone_alone(service)
            what = "One of several deletions of a request at the same time"
            raise _broken(wrong, "200 with OK, or 404", what, removal.deletions)
        if deletions == removal.deletions and not any(map(_is_ok, deletions)):
            _deleted_alone(service)
            raise _broken(deletions, "200 with OK for at least one", "Each of several deletions of a request")
        if any(map(_is_ok, deletions)) and not _is_missing(removal.after):
            _gone_alone(service)
            raise expect.violated(
                f"A request was read, and several calls at the same time had deleted it ({_statuses(deletions)}). The "
                f"service answered {answer_of(removal.after).status} instead of 404; {_ALONE}",
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
def test_reading_meanwhile_shows_the_whole_request_or_nothing(service: UserClient, parallel: ParallelResult) -> None:
    """During a deletion, reading the request answers 200 with the whole request, or 404."""
    before = _at_the_limit(service)
    made = {one.request_id: one for one in before.held}
    reads = [(made[request_id_of(read)], read) for read in answered(before.reads) if request_id_of(read) in made]
    _whole_alone([(created, read) for created, read in reads if not is_missing(read)])
    _right_alone(answered(before.undeleted), _is_missing)
    shown_again = _fails_again(removal.reads for removal in parallel.removals)
    for removal in parallel.removals:
        for read in answered(removal.reads):
            if (is_server_error(read) and not shown_again) or _gone_as_completed(service, read):
                continue
            if answer_of(read).status not in (200, 404):
                _reads_right_alone(service)
                raise _broken([read], "200 or 404", "Reading a request while it was being deleted")
            if answer_of(read).status == 200 and (difference := _difference(removal.created, read)):
                _reads_right_alone(service)
                raise expect.violated(
                    f"Reading a request while it was being deleted showed it in part: {difference}; {_ALONE}",
                    "the request as it was created, or 404",
                    *(read, removal.created.exchange, *removal.deletions),
                )


def _fails_again(rounds: Iterable[list[Exchange]]) -> bool:
    """Tell whether more than one round of simultaneous calls has a server error: one alone may come now and then."""
    return sum(any(map(is_server_error, calls)) for calls in rounds) > 1


def _reads_right_alone(service: UserClient) -> None:
    _whole_alone(one_by_one.result(service).reads)
    _gone_alone(service)


def _is_whole(created: Created, read: Exchange) -> bool:
    return answer_of(read).status == 200 and not _difference(created, read)


def _difference(made: Created, read: Exchange) -> str:
    """Return the difference between a reading and the creation, in words."""
    created, value = made.document, answer_of(read).document.value
    if not isinstance(value, dict):
        return f"the body is {shorten(answer_of(read).text, 80) or 'empty'}"
    missing = [name for name in LASTING if name in created and name not in value]
    if missing:
        return f"there is no {' and no '.join(missing)}"
    for name, then, now in disagreements(created, value):
        return f"{name} is {in_json(now, 80)}, not {in_json(then, 80)}"
    return ""


@first
@requirement("4.1-creates-in-parallel")
def test_creations_at_the_same_time_each_make_a_request(service: UserClient, parallel: ParallelResult) -> None:
    """With room for all of them, each creation answers 200 with its own request, which exists."""
    if service.limit() == 1:
        raise not_applicable("limit-of-one", "maxNumberOfRequests is 1: there is no room for several creations.")
    creations = answered(parallel.creations)
    wrong = [each for each in creations if not _is_created(each) and not is_limit_refusal(each)]
    if wrong and all(map(service.may_be_limit_refusal, wrong)):
        raise service.why_not_created(wrong[0])
    if wrong:
        _created_alone(service)
        raise _broken(wrong, "200 with a request", "One of several creations at the same time", parallel.creations)
    refused = [each for each in creations if is_limit_refusal(each)]
    if refused and not all(map(accepted, parallel.room)):
        raise service.why_not_created(refused[0])
    if refused:
        _created_alone(service)
        raise RequirementViolated(
            f"The service refused {len(refused)} of {len(creations)} creations at the same time with "
            "MaximumAmountOfRequestsReached, though there was room: right after them it accepted as many.",
            expected=f"status 200 to all {len(creations)}",
            actual=f"statuses {_statuses(creations)}, then {_statuses(parallel.room)} one after another",
            exchanges=[*refused, *parallel.room],
            probe=must_answer(200),
        )
    ids = [answer_of(each).document.value["requestId"].lower() for each in creations]
    if len(set(ids)) < len(ids):
        _created_alone(service)
        control = one_by_one.result(service)
        made = {each.id: each for each in (*_before(service, Operation.CREATE), *control.creations, *control.further)}
        alone = [expect.member(each, "requestId").lower() for each in made.values() if _is_created(each)]
        if len(set(alone)) < len(alone):
            message = "The service gives the same requestId to creations one after another as well."
            raise NotDecided(message)
        raise RequirementViolated(
            f"Creations at the same time got the same requestId {max(ids, key=ids.count)}, although each creates a "
            f"request; {_ALONE}",
            expected="a different requestId for each creation",
            actual=", ".join(ids),
            exchanges=creations,
            probe=Probe(kind="new-id"),
        )
    if parallel.lost:
        _deleted_alone(service)
        raise expect.violated(
            f"{len(parallel.lost)} of {len(ids)} requests created at the same time did not exist right afterwards: "
            f"reading and deleting answered 404; {_ALONE}",
            "every request that a creation returned exists",
            *(*parallel.lost, *creations),
            probe=must_answer(200),
        )


def _may_be_completed(read: Exchange) -> NotDecided:
    """Return why a reading that finds nothing, without another call at the same time, does not show a whole request."""
    message = (
        f"{describe(read)} was answered {in_words(read)}. The request may have completed: completed requests need "
        "not be readable."
    )
    return NotDecided(message, remedy=Doubt.COMPLETED.remedy, exchanges=[read])


def _gone_as_completed(service: UserClient, read: Exchange) -> bool:
    """Tell whether a reading answered 410, as readings of existing requests do without a call at the same time."""
    gone = service.record.answered(Operation.READ, 410) if answer_of(read).status == 410 else []
    return any(each.intent.request == "existing" and not each.intent.racing for each in gone)


def _is_ok(exchange: Exchange) -> bool:
    answer = answer_of(exchange)
    return answer.status == 200 and not not_ok(exchange, answer)


def _is_missing(exchange: Exchange) -> bool:
    return answer_of(exchange).status == 404


def _is_created(exchange: Exchange) -> bool:
    return answer_of(exchange).status == 200 and isinstance(expect.member(exchange, "requestId"), str)


def _at_the_limit(service: UserClient) -> LimitResult:
    """Return the result of the limit scenario, or an empty one if it was not decided."""
    try:
        return limit.result(service)
    except NotDecided:
        return LimitResult(0)


def _created_alone(service: UserClient) -> None:
    _right_alone(one_by_one.result(service).creations + _before(service, Operation.CREATE), _is_created)


def _deleted_alone(service: UserClient) -> None:
    _right_alone(one_by_one.result(service).deletions + _before(service, Operation.DELETE), _is_ok)


def _gone_alone(service: UserClient) -> None:
    _right_alone(one_by_one.result(service).afterwards, _is_missing)


def _before(service: UserClient, operation: Operation) -> list[Exchange]:
    """Return the creations, or the deletions of existing requests, that the run made one after another."""
    meant = {Operation.CREATE: "known types", Operation.DELETE: "existing"}[operation]
    return [
        exchange
        for exchange in service.record.answered(operation)
        if (exchange.intent.request or exchange.intent.body) == meant
        and exchange.request.credential in KNOWN_CREDENTIALS
        and not (exchange.beside or exchange.intent.racing or exchange.intent.open or exchange.intent.limit)
        and not is_limit_refusal(exchange)
    ]


def _whole_alone(reads: Iterable[tuple[Created, Exchange]]) -> None:
    """Raise NotDecided if readings without other calls differ from the creation as well."""
    for created, read in reads:
        if not _is_whole(created, read):
            what = _difference(created, read) or f"answered {in_words(read)}"
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
