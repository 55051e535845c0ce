"""The completion scenario: what becomes of requests that complete, and whether they count against the limit (3, 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, Final

from conformance.facts.answers import accepted, is_limit_refusal
from conformance.model.errors import ConfigurationFault, NotDecided, not_applicable
from conformance.model.exchange import LEFT, Exchange, is_missing, state_of
from conformance.model.formats import is_uuid
from conformance.model.identity import ANONYMOUS, OTHER_USER, USER, Created, Identity
from conformance.model.target import SEVERAL, Completion
from conformance.model.verdict import Blame
from conformance.scenarios.api import Api
from conformance.scenarios.credentials import no_tokens
from conformance.scenarios.limit import keep_early_request, within_budget
from conformance.scenarios.registry import scenario

_PAUSES: Final = (0.0, 0.15, 0.2, 0.4, 0.8)
"""Seconds between readings of a request that may complete soon, as others did; the first two if none did. Where the run
waits for a request, the last one comes again."""


@dataclass
class Completed:
    """The reading of a completed request, and deletions of some, each with the reading after it if it was accepted."""

    read: Exchange | None = None
    deletions: list[tuple[Exchange, Exchange | None]] = field(default_factory=list)
    unfilled: NotDecided | None = None
    """Why the run did not create up to the limit beside completed requests."""


@scenario()
def completion(service: Api) -> Completed:
    """Reads and deletes completed requests: the early one, or as many as the limit allows if requests complete soon.

    Before that it looks for what was deleted first: what gathers the data of a request may store it again.
    """
    deleted = {owner: request_id for request_id, owner in reversed(service.session.journal.gone.items())}
    for owner in service.users:
        if owner in deleted:
            service.read(deleted[owner], Identity(owner), request="deleted")
    earlier = service.session.results.left_creation
    if earlier is not None and (found := _of_an_earlier_run(service, service.created(earlier))) is not None:
        return found
    result, budget, command = Completed(), service.target.budget, service.target.completion
    if budget.completion_wait or command is not None:
        keep_early_request(service, USER)
    if (creation := service.session.results.early_creation) is not None:
        early = service.created(creation)
        # If the time of the run ends before the wait, the clean-up after the check deletes the request.
        service.session.kept.discard(early.request_id)
        if command is not None:
            _complete(command, early)
        result.read = _wait_for(service, early, by_command=command is not None)
        # What the command completed may no longer be readable.
        if state_of(result.read) or (command is not None and is_missing(result.read)):
            held, refused = _fill(service, early.owner, result, 1)
            if held:  # the deletion of another request removes no completed one
                service.delete(held[-1].request_id, early.owner)
            _delete(service, early, result)
            if refused:
                service.post(service.first_types(1), early.owner)
            return result
        service.delete(early.request_id, early.owner)
    seen = service.ledger_so_far().completed
    one = service.create()
    if not state_of(one.exchange) and not state_of(
        _read_until_completed(service, one, _PAUSES if seen else _PAUSES[:2])
    ):
        raise not_applicable("none-completes", "The run saw no completed request.")
    result.read = service.read(one.request_id)
    times = budget.repeats // 3
    held, refused = _fill(service, USER, result, times + 1)
    if refused and held:
        _replace(service, held, times)
    for each in [one, *held[-1:]]:
        _delete(service, each, result)
    return result


def _of_an_earlier_run(service: Api, left: Created) -> Completed | None:
    """Read and delete a request that an earlier run left, if it is completed since; None while it is in progress.

    Nothing states how long a service keeps a request, and the token may be of another user than that of the earlier
    run: what finds nothing is open.
    """
    read = service.read(left.request_id, left.owner, request=LEFT, open=True)
    is_shown = state_of(read)
    if is_shown is False:
        return None
    if not is_shown and not is_missing(read):
        raise NotDecided("The service does not show the request that an earlier run left.", exchanges=[read])
    result = Completed(read=service.read(left.request_id, left.owner) if is_shown else read)
    _, refused = _fill(service, left.owner, result, 1)
    _delete(service, left, result, **({} if is_shown else {"request": LEFT, "open": True}))
    if refused:
        service.post(service.first_types(1), left.owner)
    if not result.deletions:
        raise not_applicable("none-completes", "The service does not find the request that an earlier run left.", read)
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


def _wait_for(service: Api, made: Created, *, by_command: bool) -> Exchange:
    """Read a request until it is completed or the wait is over; raise NotDecided if a command did not complete it."""
    budget = service.target.budget
    # A command completes a request soon: the run waits for it as a thorough run does, unless the tester says otherwise.
    patience = replace(budget, thorough=budget.thorough or by_command).completion_wait
    read = _read_until_completed(service, made, (0.0, *[_PAUSES[-1]] * ceil(patience / _PAUSES[-1])))
    if by_command and state_of(read) is False:
        raise NotDecided(
            "The command of --complete-command ended with exit code 0, but the request was still in progress "
            f"{patience:g} s later.",
            blame=Blame.CONFIGURATION,
            remedy="Let the command complete the request that it is given, or raise --await-completion.",
            exchanges=[read],
        )
    return read


def _read_until_completed(service: Api, made: Created, pauses: Sequence[float]) -> Exchange:
    """Read a request after each pause (s) until it is no longer in progress; return the last reading."""
    for pause in pauses:
        service.session.clock.sleep(pause)
        read = service.read(made.request_id, made.owner)
        if state_of(read) is not False:
            break
    return read


def _fill(service: Api, owner: Identity, result: Completed, spare: int) -> tuple[list[Created], bool]:
    """Create until the limit refuses a creation, or one more than it allows; return the requests, and if it did.

    `spare` are the creations after that.
    """
    number, types, held = service.limit(), service.first_types(1), list[Created]()
    try:
        within_budget(service, number + 1 + spare, "Reaching the limit again")
    except NotDecided as reason:
        result.unfilled, number = reason, SEVERAL
    while accepted((creation := service.post(types, owner)).response) and len(held) < number:
        held.append(service.created(creation))
    return held, is_limit_refusal(creation.response)


def _replace(service: Api, held: list[Created], times: int) -> None:
    """At the limit, wait until the requests complete and create more; after refusals delete the oldest, and create.

    That creation shows whether the deleted request took a place.
    """
    if not state_of(_read_until_completed(service, held[-1], _PAUSES)):
        return
    for one in held:
        service.read(one.request_id)
    types = service.first_types(1)
    if all(is_limit_refusal(service.post(types).response) for _ in range(times)):
        service.delete(held.pop(0).request_id)
        service.post(types)


def _delete(service: Api, completed: Created, result: Completed, **meant: Any) -> None:
    """Delete a completed request, and read it after that; what is `meant` to be open shows nothing if it is refused."""
    if not meant:  # a completed request needs a token as any other
        for caller in (ANONYMOUS, no_tokens(service)[0]):
            service.read(completed.request_id, caller)
            service.delete(completed.request_id, caller)
        another = OTHER_USER if completed.owner == USER else USER
        if another.label in service.users:
            service.read(completed.request_id, another, request="foreign", open=True)
    deletion = service.delete(completed.request_id, completed.owner, **meant)
    if meant and not accepted(deletion.response):
        return
    after = (
        service.read(completed.request_id, completed.owner, request="deleted") if accepted(deletion.response) else None
    )
    result.deletions.append((deletion, after))
