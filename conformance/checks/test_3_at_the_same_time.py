"""Clauses 3, 4.1 and 4.2: what is stated of a creation, a reading and a deletion holds when others come meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from conformance.checks.marks import Observe, first, requirement
from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.errors import NotDecided, RequirementViolated, answer_of, describe, not_applicable
from conformance.model.exchange import Exchange, Intent, Operation, request_id_of
from conformance.model.identity import Created
from conformance.model.text import count, shorten
from conformance.model.verdict import Blame
from conformance.rules.consistency import LASTING, disagreements
from conformance.scenarios.limit import LimitResult, limit, never_met, still_holds
from conformance.scenarios.parallel import CONTROLS, ParallelResult, Removal, answered, one_by_one

_ALONE = f"{CONTROLS} times one after another the answer was right."


@first
@requirement("3-removed-in-parallel")
def test_deletions_at_the_same_time_remove_the_request(service: UserClient, parallel: ParallelResult) -> None:
    """Each answers 200 with OK or 404, one of them at least 200, and the request is gone when all have answered."""
    _were_deleted_right_before(service)
    for removal in parallel.removals:
        deletions = answered(removal.deletions)
        wrong = [each for each in deletions if not _is_ok(each) and not _is_missing(each)]
        if wrong:
            _right_alone(one_by_one.result(service).deletions + _before(service, Operation.DELETE), _is_ok)
            _right_alone(one_by_one.result(service).afterwards, _is_missing)
            raise _broken(wrong, "200 with OK, or 404", "One of several deletions of a request at the same time")
        if deletions == removal.deletions and not any(map(_is_ok, deletions)):
            _was_there(removal)
            _right_alone(one_by_one.result(service).deletions + _before(service, Operation.DELETE), _is_ok)
            raise _broken(deletions, "200 with OK to one at least", "Each deletion of a request, of several,")
        if any(map(_is_ok, deletions)) and not _is_missing(removal.after):
            _right_alone(one_by_one.result(service).afterwards, _is_missing)
            raise RequirementViolated(
                f"Reading a request that several calls at the same time had deleted was answered "
                f"{answer_of(removal.after).status} instead of 404; {_ALONE}",
                expected="status 404",
                actual=f"status {answer_of(removal.after).status}, after deletions that answered "
                f"{_statuses(removal.deletions)} while it was read",
                exchanges=[removal.after, *removal.deletions],
            )


@first
@requirement("3-parallel-deletions")
def test_several_deletions_may_be_confirmed(parallel: ParallelResult, observe: Observe) -> None:
    """Shows how deletions of one request at the same time are answered."""
    for removal in parallel.removals:
        observe(
            f"Deletions of one request at the same time were answered {_statuses(removal.deletions)}.",
            *removal.deletions,
        )


@first
@requirement("4.2-answers-while-deleted")
def test_reading_meanwhile_shows_the_whole_request_or_nothing(service: UserClient, parallel: ParallelResult) -> None:
    """While a request is being deleted, reading it answers 200 with the whole of it, or 404."""
    _were_read_right_before(service)
    _were_deleted_right_before(service)
    for removal in parallel.removals:
        for read in answered(removal.reads):
            if answer_of(read).status not in (200, 404):
                _reads_right_alone(service)
                raise _broken([read], "200 or 404", "Reading a request while it was being deleted")
            if answer_of(read).status == 200 and (torn := _torn(removal.created, read)):
                _reads_right_alone(service)
                raise RequirementViolated(
                    f"Reading a request while it was being deleted showed it in part: {torn}; {_ALONE}",
                    expected="the request as it was created, or 404",
                    actual=shorten(answer_of(read).text),
                    exchanges=[read, removal.created.exchange, *removal.deletions],
                )


def _torn(made: Created, read: Exchange) -> str:
    """Return in words what a reading lacks of the request, or shows otherwise than creation did."""
    created, value = made.document, answer_of(read).document.value
    if not isinstance(value, dict):
        return f"the body is {shorten(answer_of(read).text, 80) or 'empty'}"
    missing = [name for name in LASTING if name in created and name not in value]
    if missing:
        return f"there is no {' and no '.join(missing)}"
    return next(
        (
            f"{name} is {shorten(repr(now), 80)}, not {shorten(repr(then), 80)}"
            for name, then, now in disagreements(created, value)
        ),
        "",
    )


@first
@requirement("4.1-creates-in-parallel")
def test_creations_at_the_same_time_each_make_a_request(service: UserClient, parallel: ParallelResult) -> None:
    """With room for all of them, each answers 200 with a request of its own, which exists."""
    if service.limit() == 1:
        raise not_applicable("limit-of-one", "maxNumberOfRequests is 1: there is no room for several creations.")
    creations = answered(parallel.creations)
    wrong = [each for each in creations if not _is_created(each) and not is_limit_refusal(each)]
    if wrong and all(map(service.may_be_limit_refusal, wrong)):
        raise service.why_not_created(wrong[0])
    if wrong:
        _right_alone(one_by_one.result(service).creations + _before(service, Operation.CREATE), _is_created)
        raise _broken(wrong, "200 with a request", "One of several creations at the same time")
    refused = [each for each in creations if is_limit_refusal(each)]
    if refused and not _no_room(parallel):
        raise NotDecided(
            "There was no room for creations at the same time: one after another they were refused as well.",
            blame=Blame.CONFIGURATION,
            remedy="Use an account without any requests, and run again.",
            exchanges=refused,
        )
    if refused:
        _right_alone(one_by_one.result(service).creations + _before(service, Operation.CREATE), _is_created)
        _limit_is_the_same(service)
        raise RequirementViolated(
            f"{len(refused)} of {len(creations)} creations at the same time were refused with "
            f"MaximumAmountOfRequestsReached, though there was room: right after them as many were accepted.",
            expected=f"status 200 to all {len(creations)}",
            actual=f"statuses {_statuses(creations)}, then {_statuses(parallel.room)} one after another",
            exchanges=[*refused, *parallel.room],
        )
    ids = [answer_of(each).document.value["requestId"].lower() for each in creations]
    if len(set(ids)) < len(ids):
        _differ_alone(_before(service, Operation.CREATE))
        _right_alone(one_by_one.result(service).creations + _before(service, Operation.CREATE), _is_created)
        raise RequirementViolated(
            f"Creations at the same time were answered with the same requestId {max(ids, key=ids.count)}: "
            f"each is a request of its own; {_ALONE}",
            expected="a requestId of its own for each creation",
            actual=", ".join(ids),
            exchanges=creations,
        )
    if parallel.lost:
        _right_alone(one_by_one.result(service).deletions + _before(service, Operation.DELETE), _is_ok)
        raise RequirementViolated(
            f"{len(parallel.lost)} of {len(ids)} requests created at the same time did not exist right afterwards: "
            f"reading and deleting answered 404; {_ALONE}",
            expected="every request that a creation returned exists",
            actual="status 404 to reading and to deleting",
            exchanges=[*parallel.lost, *creations],
        )


@first
@requirement("3-frees-the-limit-in-parallel")
def test_deletions_at_the_same_time_free_one_place(
    service: UserClient, limit: LimitResult, parallel: ParallelResult
) -> None:
    """At the limit, one creation is accepted after several deletions of one request at the same time, and no second."""
    refill = parallel.refill
    if parallel.beyond_budget is not None:
        raise parallel.beyond_budget
    if refill is None:
        raise never_met(service, limit)
    again, beyond = refill.exchanges
    if is_limit_refusal(again):
        still_holds(service, limit.limit)
        raise RequirementViolated(
            "After several deletions of one request at the same time the user could not submit a new request: the next "
            f"creation answered {answer_of(again).status}. After one deletion alone there was room.",
            expected="200, right after the deletions",
            actual=f"status {answer_of(again).status}, body {shorten(answer_of(again).text)}",
            exchanges=[again, *parallel.removals[0].deletions],
        )
    if accepted(again) and accepted(beyond) and refill.in_progress > limit.limit:
        still_holds(service, limit.limit)
        raise RequirementViolated(
            "Deletions of one request at the same time freed more than its place: "
            f"{count(refill.in_progress, 'request')} in progress, and maxNumberOfRequests is {limit.limit}. "
            "One deletion alone freed one place.",
            expected=f"at most {count(limit.limit, 'request')} in progress",
            actual=f"{count(refill.in_progress, 'request')} read as in progress",
            exchanges=[beyond, again, *parallel.removals[0].deletions],
        )


def _limit_is_the_same(service: UserClient) -> None:
    found = limit.so_far(service)
    if found is not None:
        still_holds(service, found.limit)


def _no_room(found: ParallelResult) -> bool:
    """Tell whether creations at the same time were refused, for whom there was room when they came one by one."""
    return any(map(is_limit_refusal, found.creations)) and all(map(accepted, found.room))


def _is_ok(exchange: Exchange) -> bool:
    answer = answer_of(exchange)
    return answer.status == 200 and answer.text.rstrip("\r\n") == "OK"


def _is_missing(exchange: Exchange) -> bool:
    return answer_of(exchange).status == 404


def _is_created(exchange: Exchange) -> bool:
    value = answer_of(exchange).document.value
    made = isinstance(value, dict) and isinstance(value.get("requestId"), str)
    return answer_of(exchange).status == 200 and made


def _was_there(removal: Removal) -> None:
    """Raise NotDecided when nothing shows that the request existed: deleting another one may have removed it."""
    if not any(read.response is not None and read.response.status == 200 for read in removal.reads):
        raise NotDecided(
            "A request that was to be deleted by several calls at the same time was not there.",
            remedy="See 3-deletes-no-other.",
            exchanges=removal.deletions,
        )


def _were_read_right_before(service: UserClient) -> None:
    """Raise NotDecided when what was held at the limit was not read as it was created, with nothing else under way."""
    try:
        found = limit.result(service)
    except NotDecided:
        return
    made = {one.request_id: one for one in found.held}
    mine = {read.id: made[request_id_of(read)] for read in found.reads if request_id_of(read) in made}

    def right(read: Exchange) -> bool:
        return _is_missing(read) or (answer_of(read).status == 200 and not _torn(mine[read.id], read))

    _right_alone([read for read in answered(found.reads) if read.id in mine], right)


def _were_deleted_right_before(service: UserClient) -> None:
    """Raise NotDecided when at the limit, with no other deletion under way, one left its request where it was."""
    try:
        found = limit.result(service)
    except NotDecided:
        return
    _right_alone(answered(found.undeleted), _is_missing)


def _reads_right_alone(service: UserClient) -> None:
    done = one_by_one.result(service)
    whole = {read.id for created, read in done.reads if answer_of(read).status == 200 and not _torn(created, read)}
    _right_alone([read for _, read in done.reads], lambda read: read.id in whole)
    _right_alone(done.afterwards, _is_missing)


def _before(service: UserClient, operation: Operation) -> list[Exchange]:
    """Return the creations, or the deletions of what was there, that the run made one after another."""
    meant = {Operation.CREATE: Intent(body="known types"), Operation.DELETE: Intent(request="existing")}[operation]
    return [
        exchange
        for exchange in service.record.answered(operation)
        if (exchange.intent.body, exchange.intent.request) == (meant.body, meant.request)
        and exchange.request.credential in KNOWN_CREDENTIALS
        and not (exchange.beside or exchange.intent.racing or exchange.intent.open or exchange.intent.limit)
        and not is_limit_refusal(exchange)
    ]


def _differ_alone(alone: list[Exchange]) -> None:
    """Raise NotDecided when creations one after another were given one identifier as well."""
    ids = [answer_of(each).document.value["requestId"].lower() for each in alone if _is_created(each)]
    if len(set(ids)) < len(ids):
        raise NotDecided(
            "Creations one after another are given the same requestId as well, so those at the same time show nothing "
            "more.",
            remedy="See 2.1-requestId-unique.",
        )


def _right_alone(alone: list[Exchange], right: Callable[[Exchange], bool]) -> None:
    """Raise NotDecided when the same goes wrong one after another as well: then other requirements are about it."""
    wrong = [exchange for exchange in alone if not right(exchange)]
    if wrong:
        raise NotDecided(
            f"{describe(wrong[0])} is not answered as stated one after another either, so calls at the same time show "
            "nothing more.",
            remedy="See clauses 3 and 4.",
            exchanges=wrong[:1],
        )


def _broken(wrong: list[Exchange], expected: str, what: str) -> RequirementViolated:
    answer = answer_of(wrong[0])
    return RequirementViolated(
        f"{what} was answered {answer.status} with {shorten(answer.text, 80) or 'an empty body'} "
        f"instead of {expected}; {_ALONE}",
        expected=expected,
        actual=f"statuses {_statuses(wrong)}, body {shorten(answer.text) or 'empty'}",
        exchanges=wrong,
    )


def _statuses(exchanges: Iterable[Exchange]) -> str:
    return ", ".join(str(each.response.status if each.response else "nothing") for each in exchanges)
