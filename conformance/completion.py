"""A second trial of the limit, where requests are completed, but none was while the run first met it (8)."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.caller import Created
from conformance.exchange import Exchange
from conformance.limit import accepted, within_budget
from conformance.service import PAUSES, Service, is_limit_refusal, shows_completed


@dataclass
class AllCompleted:
    """What happened when the user had filled up to the limit, and everything held had been completed since."""

    reads: list[Exchange]
    """A reading of each request held, all of which show it completed."""
    later: list[Exchange]
    """Creations asked for then, all of them refused because of the limit."""
    deleted: Exchange
    """The deletion of the oldest."""
    again: Exchange
    """The creation right after that deletion."""


def refused_with_all_completed(service: Service) -> AllCompleted | None:
    """Fill up, wait until all of it is completed, and ask for more; None where the limit is not in the way then."""
    limit = service.limit()
    within_budget(service, limit + service.repeats + 1, "Meeting the limit again", rest=0)
    held, full = _fill(service, limit)
    if not full or not held or not service.completes(held[-1], pauses=PAUSES):
        return None
    reads = [service.read(created.request_id) for created in held]
    later = [service.post(_types(service), limit="reached") for _ in range(service.repeats - 1)]
    if not all(map(shows_completed, reads)) or not all(map(is_limit_refusal, later)):
        return None
    deleted = service.delete(held[0].request_id)
    return AllCompleted(reads, later, deleted, service.post(_types(service), limit="freed"))


def _fill(service: Service, limit: int) -> tuple[list[Created], bool]:
    """Return what was accepted of one more than the limit, and whether the last was refused because of it."""
    held: list[Created] = []
    while len(held) <= limit:
        exchange = service.post(_types(service), limit="reached")
        if not accepted(exchange):
            return held, is_limit_refusal(exchange)
        held.append(service.created(exchange))
    return held, False


def _types(service: Service) -> list[str] | None:
    return service.types()[:1] or None
