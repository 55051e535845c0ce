"""What a run with `--profile upstream` observed of the public ancestor of the interface, beside the verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from conformance.model.verdict import Level, Verdict

PROFILE: Final = "upstream"
"""The profile that observes the rows; the rest of its run is that of the profile full."""


@dataclass(frozen=True, kw_only=True)
class UpstreamResult:
    """What a run observed about a row; `verdict` is observed, inconclusive or not-tested."""

    id: str
    place: str
    statement: str
    level: Level = Level.OPEN
    verdict: Verdict
    message: str
    """What was seen, or why nothing was."""
    exchanges: tuple[str, ...] = ()
    """The ids of the exchanges that show it."""
