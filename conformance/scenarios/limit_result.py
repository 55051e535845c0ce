"""The result of the limit scenario."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.client.user import accepted
from conformance.model.exchange import Exchange
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
    def freed_a_place(self) -> bool:
        """Whether the limit refused creations one after another, and the deletion then freed a place."""
        return self.after_deletion is not None and accepted(self.after_deletion)
