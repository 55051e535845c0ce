"""The completion scenarios: whether this service completes requests, and whether completed ones count (3, 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.facts.answers import names_a_tabled_error
from conformance.model.errors import ConfigurationFault, NotDecided, answer_of, describe, in_words, not_applicable
from conformance.model.exchange import MISSING, Exchange, Operation, is_missing, request_id_of, state_of
from conformance.model.formats import is_uuid
from conformance.model.identity import USER, Created
from conformance.model.target import Completion
from conformance.model.verdict import Blame
from conformance.rules.limit import limit_so_far
from conformance.scenarios.basic import created_and_read, for_one_type
from conformance.scenarios.budget import within_budget
from conformance.scenarios.limit import completed_of, keep_early_request, limit
from conformance.scenarios.places import places
from conformance.scenarios.registry import scenario

A_MOMENT: Final = 0.15
"""Seconds after which a request is read again, if the run saw none completed."""

LONG_ENOUGH: Final = 1.0
"""Seconds in progress after which this reading is unnecessary."""

SOME: Final = 3
"""Number of requests of which one should complete."""

PAUSES: Final = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between readings of a request that may complete soon, as others did."""


def completed_requests(service: UserClient, alone: LeftAlone) -> list[Created]:
    """Return a completed request, and those created with it; raise not-applicable if none is, also a moment later."""
    created, read = created_and_read(service, for_one_type.result(service))
    at_once = created.completed or state_of(read) is True
    if at_once or completes_some(service, alone):
        # A request need not complete as soon as an earlier one did.
        made = service.session.parallel([service.create] * min(SOME, places(service)))
        completed = _first_completed(service, made, pauses=(0.0,) if at_once else PAUSES)
        if completed is not None:
            return [completed, *(one for one in made if one is not completed)]
    raise none_completes(service)


def none_completes(service: UserClient) -> NotDecided:
    """Return that the run saw no completed request, or that an answer did not show whether one is completed."""
    reads = service.record.answered(Operation.READ)
    own = [each for each in reads if each.request.credential == USER.label and each.intent.request == "existing"]
    for each in (*service.creations(), *own):
        answer = answer_of(each)
        silent = each.intent.open or each.intent.racing or answer.status in MISSING or names_a_tabled_error(answer)
        if state_of(each) is None and not each.redirected_to and not silent:
            why = ", without true or false as isCompleted" if answer.status == 200 else ""
            return NotDecided(
                f"The run cannot tell whether requests complete: {describe(each)} was answered {in_words(each)}{why}.",
                exchanges=[each],
            )
    return not_applicable("none-completes", "The run saw no completed request.")


def completes_some(service: UserClient, alone: LeftAlone) -> bool:
    """Tell whether the run saw a request completed, including the one left alone for a moment."""
    if alone.undecided is not None:
        raise alone.undecided
    return alone.completed or _has_seen_some(service)


@dataclass(frozen=True)
class LeftAlone:
    """The state of a request that was left alone for a moment."""

    completed: bool = False
    undecided: NotDecided | None = None
    """Why the state is unknown."""


@scenario(calls=3, parallel=True)
def left_alone(service: UserClient) -> LeftAlone:
    """Reads a request a moment after its creation, unless the limit scenario shows the result."""
    found = limit.so_far(service)
    lives = limit_so_far(service).ledger.lives.values() if found is not None else ()
    if any(life.is_completed or life.in_progress_for >= LONG_ENOUGH for life in lives):
        return LeftAlone()
    try:
        created = service.create()
        completed = _first_completed(service, [created], pauses=(A_MOMENT,)) is not None
        service.session.remove(created.request_id)
    except NotDecided as error:
        return LeftAlone(undecided=error)
    return LeftAlone(completed)


def _has_seen_some(service: UserClient) -> bool:
    seen = service.record.answered(Operation.CREATE, 200) + service.record.answered(Operation.READ, 200)
    creation = service.session.results.early_creation
    # The request completes late, which says nothing about short-lived ones.
    early = service.created(creation).request_id if creation is not None else ""
    return any(state_of(each) for each in seen if each.operation is Operation.CREATE or request_id_of(each) != early)


def _first_completed(service: UserClient, some: Sequence[Created], *, pauses: Sequence[float]) -> Created | None:
    """Return the first request that completes, at its creation or after one of some pauses (s)."""
    for created in some:
        if created.completed:
            return created
    for pause in pauses:
        service.session.clock.sleep(pause)
        for created in some:
            if state_of(service.read(created.request_id)):
                return created
    return None


def _refuse_with_all_completed(service: UserClient, result: BesideCompleted) -> None:
    """Create up to the limit, wait until all requests complete, and create more; after refusals delete one, and again.

    The oldest is deleted: the creation after it shows whether it took a place.
    """
    number = service.limit()
    times = service.repeats // 3
    within_budget(service, number + times + 2, "Reaching the limit again", rest=0)
    held, full = _fill(service, number)
    result.creations += [created.exchange for created in held]
    if not full or not held or _first_completed(service, held[-1:], pauses=PAUSES) is None:
        return
    result.reads += [service.read(created.request_id) for created in held]
    later = [service.post(service.first_types(1)) for _ in range(times)]
    result.creations += later
    if all(map(is_limit_refusal, later)):
        service.delete(held[0].request_id)
        result.creations.append(service.post(service.first_types(1)))


def _fill(service: UserClient, number: int) -> tuple[list[Created], bool]:
    """Return the accepted ones of one creation more than the limit, and whether the limit refused the last."""
    held: list[Created] = []
    while len(held) <= number:
        exchange = service.post(service.first_types(1))
        if not accepted(exchange):
            return held, is_limit_refusal(exchange)
        held.append(service.created(exchange))
    return held, False


_PAUSE: Final = 0.5
"""Seconds between two readings of a request that the run waits for."""
_AFTER_A_COMMAND: Final = 10.0
"""Seconds in which a request completes after the tester's command to complete it, at least."""
_FEW: Final = 10
"""The highest limit up to which this scenario creates."""


@dataclass
class LateResult:
    """The result of the early request; `refused` and later fields only if it completed."""

    created: Created
    read: Exchange
    held: list[Created] = field(default_factory=list)
    """Requests created in addition, up to the limit."""
    unfilled: NotDecided | None = None
    """Why nothing was created in addition, where the budget is too small for it."""
    refused: Exchange | None = None
    """A creation that was refused for the limit with fewer than the limit in progress."""
    deleted: Exchange | None = None
    """The deletion of the early request."""
    again: Exchange | None = None
    """The creation right after that deletion, if a refusal preceded it."""
    by_command: bool = False
    """Whether the tester's command completed the early request."""

    @property
    def completed(self) -> bool:
        """Whether the early request is completed: by its reading, or by the command if it can no longer be read."""
        return state_of(self.read) is True or (self.by_command and is_missing(self.read))


@scenario(calls=2)
def late(service: UserClient) -> LateResult | None:
    """Reads the early request at the end of the run; None if there is none, and if the run does not wait."""
    session = service.session
    wait = session.target.budget.completion_wait
    if session.results.early_creation is None and (wait or session.target.completion is not None):
        keep_early_request(service, USER)
    if session.results.early_creation is None:
        return None
    made = service.created(session.results.early_creation)
    # If the time of the run ends before the wait, the clean-up after the check deletes the request.
    session.kept.discard(made.request_id)
    if session.target.completion is not None:
        _complete(session.target.completion, made)
        wait = max(wait, _AFTER_A_COMMAND)
    patience = wait
    read = service.read(made.request_id, made.owner)
    result = LateResult(made, read, by_command=session.target.completion is not None)
    while wait > 0 and state_of(result.read) is False:
        session.clock.sleep(min(_PAUSE, wait))
        wait -= _PAUSE
        result.read = service.read(made.request_id, made.owner)
    if result.by_command and state_of(result.read) is False:
        raise NotDecided(
            "The command of --complete-command ended with exit code 0, but the request was still in progress "
            f"{patience:g} s later.",
            blame=Blame.CONFIGURATION,
            remedy="Let the command complete the request that it is given, or raise --await-completion.",
            exchanges=[result.read],
        )
    if result.completed:
        _fill_beside(service, result)
    if result.deleted is None:
        result.deleted = service.delete(made.request_id, made.owner)
    return result


def _complete(completion: Completion, made: Created) -> None:
    """Make the service complete a request; raise NotDecided if that fails."""
    if not is_uuid(made.request_id):
        # The identifier becomes an argument of the tester's command, which may take another text for an option.
        raise NotDecided("The command of --complete-command was not run: the requestId is not a UUID.")
    try:
        completion.complete(made.request_id)
    except ConfigurationFault as fault:
        raise NotDecided(str(fault), blame=Blame.CONFIGURATION, remedy=fault.remedy) from None


def _fill_beside(service: UserClient, result: LateResult) -> None:
    """Create up to the limit beside the completed request; after a refusal, delete it and create once more."""
    number, owner = service.limit(), result.created.owner
    types = service.first_types(1)
    if number <= 0:
        return
    if number > _FEW:
        try:
            within_budget(service, number + 1, "Reaching the limit again", rest=0)
        except NotDecided as reason:
            result.unfilled = reason
            return
    while len(result.held) < number:
        creation = service.post(types, owner)
        if accepted(creation):
            result.held.append(service.created(creation))
            continue
        if is_limit_refusal(creation):
            result.refused = creation
            result.deleted = service.delete(result.created.request_id, owner)
            result.again = service.post(types, owner)
        break
    session = service.session
    for one in result.held:
        session.remove(one.request_id)


@dataclass
class BesideCompleted:
    """Creations beside completed requests."""

    early: LateResult | None = None
    """The early request, if it completed, with the creations beside it."""
    creations: list[Exchange] = field(default_factory=list)
    """Creations up to the limit, and more when all of these had completed."""
    reads: list[Exchange] = field(default_factory=list)
    """Readings in between that show the requests completed."""


@scenario(calls=20)
def completed_at_the_limit(service: UserClient) -> BesideCompleted:
    """Creates beside completed requests: the early one, or as many as the limit allows, if requests complete soon."""
    met, result = limit.so_far(service), BesideCompleted()
    if met is not None and completed_of(service, met):
        return result
    kept = late.result(service)
    if kept is not None and kept.completed:
        if kept.unfilled is not None:
            raise kept.unfilled
        result.early = kept
        return result
    if not completes_some(service, left_alone.result(service)):
        raise none_completes(service)
    _refuse_with_all_completed(service, result)
    return result
