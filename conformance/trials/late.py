"""The late scenario: one request is kept from early in the run and read again at its end, perhaps completed (3, 8)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, state_of
from conformance.model.identity import USER, Created, Identity

_KEPT: Final = "early request"
_PAUSE: Final = 0.5
"""Seconds between two readings of a request that the run waits for."""
_FEW: Final = 10
"""The highest limit that is filled once more."""


@dataclass
class LateResult:
    """What became of the early request; `refused` and what follows only where it was seen completed."""

    created: Created
    read: Exchange
    held: list[Created] = field(default_factory=list)
    """Requests created beside it, up to the limit."""
    refused: Exchange | None = None
    """A creation that was refused for the limit with fewer than the limit in progress."""
    deleted: Exchange | None = None
    """The deletion of the early request."""
    again: Exchange | None = None
    """The creation right after that deletion, where it followed a refusal."""

    @property
    def completed(self) -> bool:
        """Whether the early request was read as completed."""
        return state_of(self.read) is True


def keep_early_request(service: UserClient, caller: Identity) -> None:
    """Create a request that is kept until the end of the run; do nothing where it cannot be made, or one is kept."""
    memory = service.session.memory
    if _KEPT in memory or caller.label not in service.session.credentials:
        return
    try:
        made = service.created_if_possible(service.post(service.first_types(1), caller))
    except NotDecided:
        return
    if made is not None:
        memory[_KEPT] = made
        service.session.kept.add(made.request_id)


def keep_beside_others(service: UserClient, places: int) -> None:
    """Keep a request of the user where so many places leave room for all that is asked side by side."""
    if places > service.session.target.budget.concurrency:
        keep_early_request(service, USER)


def is_kept_for(service: UserClient, caller: Identity) -> bool:
    """Tell whether a request of `caller` is kept, which takes one place."""
    made: Created | None = service.session.memory.get(_KEPT)
    return made is not None and made.owner == caller and made.request_id in service.session.kept


def early_request_id(service: UserClient) -> str:
    """Return the identifier of the early request; "" where there is none."""
    made: Created | None = service.session.memory.get(_KEPT)
    return made.request_id if made is not None else ""


def late(service: UserClient) -> LateResult | None:
    """Read the early request, once for the run; return None where none was kept, and the run does not wait."""
    return service.once("late", lambda: _read_late(service))


def _read_late(service: UserClient) -> LateResult | None:
    session = service.session
    wait = session.target.budget.completion_wait
    if _KEPT not in session.memory and wait:
        keep_early_request(service, USER)
    made: Created | None = session.memory.get(_KEPT)
    if made is None:
        return None
    # Where the time of the run is over before the wait is, the clean-up after the check deletes the request.
    session.kept.discard(made.request_id)
    result = LateResult(made, service.read(made.request_id, made.owner))
    while wait > 0 and state_of(result.read) is False:
        session.clock.sleep(min(_PAUSE, wait))
        wait -= _PAUSE
        result.read = service.read(made.request_id, made.owner)
    if result.completed:
        _fill_beside(service, result)
    if result.deleted is None:
        result.deleted = service.delete(made.request_id, made.owner)
    return result


def _fill_beside(service: UserClient, result: LateResult) -> None:
    """Create up to the limit beside the completed request; where that is refused, delete it and create once more."""
    limit, owner = service.limit(), result.created.owner
    types = service.first_types(1)
    if not 0 < limit <= _FEW:
        return
    while len(result.held) < limit:
        creation = service.post(types, owner, limit="freed")
        if accepted(creation):
            result.held.append(service.created(creation))
            continue
        if is_limit_refusal(creation):
            result.refused = creation
            result.deleted = service.delete(result.created.request_id, owner)
            result.again = service.post(types, owner, limit="freed")
        break
    session = service.session
    for one in result.held:
        session.remove(one.request_id)
