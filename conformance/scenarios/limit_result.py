"""The result of the limit scenario."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.client.user import accepted
from conformance.model.exchange import Exchange, is_missing, request_id_of, state_of
from conformance.model.formats import is_uuid
from conformance.model.identity import Created, Identity


@dataclass
class LimitResult:
    """The calls of one user who creates up to the limit, replaces one request, and tries more."""

    limit: int
    held: list[Created] = field(default_factory=list)
    replacements: list[tuple[Exchange, Exchange]] = field(default_factory=list)
    """Deletions at the limit, before any refusal: of the oldest and the newest, each with the creation after it."""
    undeleted: list[Exchange] = field(default_factory=list)
    """Readings of the requests that were deleted, after their deletion: 404 if the deletion worked."""
    refused: Exchange | None = None
    """The first refusal, or None if one more than the limit was accepted."""
    reads: list[Exchange] = field(default_factory=list)
    """Two readings of every request, right after `refused`, or after one more than the limit was accepted."""
    read_by: dict[str, Identity] = field(default_factory=dict)
    """The caller of the second reading, by the identifier of the request."""
    later: list[Exchange] = field(default_factory=list)
    """Creations after the readings, with the same requests; empty if there was no first refusal."""
    deleted: Exchange | None = None
    """A deletion after the refusals: of a completed request if there is one."""
    after_deletion: Exchange | None = None
    """The creation right after that deletion."""

    @property
    def completed(self) -> list[Created]:
        """The requests that a creation or a reading showed as completed."""
        seen = {request_id_of(read) for read in self.reads if state_of(read) is True}
        return [one for one in self.held if one.completed or one.request_id in seen]

    @property
    def stay_completed(self) -> list[Created]:
        """The completed requests that nothing showed in progress later: the service may reopen a request."""
        again = {request_id_of(read) for read in self.in_progress}
        return [one for one in self.completed if one.request_id not in again]

    @property
    def unread(self) -> list[Exchange]:
        """Readings that found nothing although nothing had shown the request as completed."""
        completed = {one.request_id for one in self.completed}
        missing = filter(is_missing, self.reads)
        return [read for read in missing if is_uuid(request_id_of(read)) and request_id_of(read) not in completed]

    @property
    def in_progress(self) -> list[Exchange]:
        """The last reading of each request that shows it in progress."""
        last = {read.path: read for read in self.reads}
        return [read for read in last.values() if state_of(read) is False and not _shows_another(read)]

    @property
    def held_when_refused(self) -> int:
        """Number of requests at the first refusal, without those accepted later."""
        return len(self.held) - sum(map(accepted, self.later))

    @property
    def stayed_full(self) -> bool:
        """Whether all requests still counted against the limit after the readings."""
        return bool(self.later) and not any(map(accepted, self.later))

    @property
    def freed_a_place(self) -> bool:
        """Whether the service accepted a creation after the deletion, and refused one before it."""
        return self.after_deletion is not None and accepted(self.after_deletion)

    @property
    def is_enforced(self) -> bool:
        """Whether the limit refused creations one after another until a deletion freed a place."""
        return self.refused is not None and bool(self.held) and self.stayed_full and self.freed_a_place


def _shows_another(read: Exchange) -> bool:
    """Whether a reading shows another request than the one in its path, which says nothing about that one."""
    shown = read.response.member("requestId") if read.response else None
    return isinstance(shown, str) and shown.lower() != request_id_of(read).lower()
