"""The completion scenarios: what becomes of requests that complete, and whether they count against the limit (3, 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from conformance.client.api import Api
from conformance.facts.answers import accepted, is_limit_refusal
from conformance.model.errors import ConfigurationFault, NotDecided, not_applicable
from conformance.model.exchange import Exchange, is_missing, state_of
from conformance.model.formats import is_uuid
from conformance.model.identity import USER, Created
from conformance.model.target import Completion
from conformance.model.verdict import Blame
from conformance.rules.limit import limit_so_far
from conformance.scenarios.budget import within_budget
from conformance.scenarios.limit import keep_early_request
from conformance.scenarios.registry import scenario

_A_MOMENT: Final = 0.15
"""Seconds after which a request is read again, if the run saw none completed."""
_SOME: Final = 3
"""Number of requests of which one should complete, where the budget does not reach to the limit."""
_PAUSES: Final = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds between readings of a request that may complete soon, as others did."""
_PAUSE: Final = 0.5
"""Seconds between two readings of a request that the run waits for."""
_AFTER_A_COMMAND: Final = 10.0
"""Seconds in which a request completes after the tester's command to complete it, at least."""


@dataclass
class LateResult:
    """The reading of the early request at the end of the run, and its deletion."""

    created: Created
    read: Exchange
    unfilled: NotDecided | None = None
    """Why nothing was created beside it, where it completed and the budget is too small for that."""
    deleted: Exchange | None = None
    by_command: bool = False
    """Whether the tester's command completed the early request."""

    @property
    def completed(self) -> bool:
        """Whether the early request is completed: by its reading, or by the command if it can no longer be read."""
        return state_of(self.read) is True or (self.by_command and is_missing(self.read))


@scenario()
def late(service: Api) -> LateResult | None:
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


def _fill_beside(service: Api, result: LateResult) -> None:
    """Create up to the limit beside the completed request; after a refusal, delete it and create once more."""
    number, owner, held = service.limit(), result.created.owner, list[Created]()
    types = service.first_types(1)
    try:
        within_budget(service, number + 1, "Reaching the limit again", rest=0)
    except NotDecided as reason:
        result.unfilled = reason
        return
    while len(held) < number:
        creation = service.post(types, owner)
        if accepted(creation):
            held.append(service.created(creation))
            continue
        if is_limit_refusal(creation):
            result.deleted = service.delete(result.created.request_id, owner)
            service.post(types, owner)
        break
    for one in held:
        service.session.remove(one.request_id)


@dataclass
class Completed:
    """The reading of a completed request, and deletions of some, each with the reading after it if it was accepted."""

    read: Exchange | None = None
    deletions: list[tuple[Exchange, Exchange | None]] = field(default_factory=list)
    unfilled: NotDecided | None = None
    """Why the run did not create up to the limit beside completed requests."""


@scenario()
def completion(service: Api) -> Completed:
    """Reads and deletes completed requests: the early one, or as many as the limit allows if requests complete soon."""
    early = late.result(service)
    if early is not None and early.completed and early.deleted is not None:
        deletion = early.deleted, _looked_for(service, early.created, early.deleted)
        return Completed(early.read, [deletion], early.unfilled)
    seen = any(life.completed for life in limit_so_far(service).ledger.lives.values())
    one = service.create()
    if not (one.completed or _completes(service, one, _PAUSES if seen else (0.0, _A_MOMENT))):
        raise not_applicable("none-completes", "The run saw no completed request.")
    result = Completed(service.read(one.request_id))
    held = [one, *_fill(service, result)]
    result.deletions += [_deleted(service, each) for each in (held[0], held[-1])]
    return result


def _completes(service: Api, created: Created, pauses: Sequence[float]) -> bool:
    """Tell whether a request completes after one of some pauses (s)."""
    for pause in pauses:
        service.session.clock.sleep(pause)
        if state_of(service.read(created.request_id)):
            return True
    return False


def _fill(service: Api, result: Completed) -> list[Created]:
    """Create beyond the limit, wait until all requests complete, and create more; after refusals delete one, and again.

    The oldest is deleted: the creation after it shows whether it took a place.
    """
    number, times, types = service.limit(), service.repeats // 3, service.first_types(1)
    try:
        within_budget(service, number + times + 2, "Reaching the limit again", rest=0)
    except NotDecided as reason:
        result.unfilled, number = reason, _SOME
    held: list[Created] = []
    creation = service.post(types)
    while accepted(creation) and len(held) < number:
        held.append(service.created(creation))
        creation = service.post(types)
    if not held or not is_limit_refusal(creation) or not _completes(service, held[-1], _PAUSES):
        return held
    for one in held:
        service.read(one.request_id)
    if all(is_limit_refusal(service.post(types)) for _ in range(times)):
        service.delete(held.pop(0).request_id)
        service.post(types)
    return held


def _deleted(service: Api, completed: Created) -> tuple[Exchange, Exchange | None]:
    deletion = service.delete(completed.request_id, completed.owner)
    return deletion, _looked_for(service, completed, deletion)


def _looked_for(service: Api, completed: Created, deletion: Exchange) -> Exchange | None:
    if not accepted(deletion):
        return None
    return service.read(completed.request_id, completed.owner, request="deleted")
