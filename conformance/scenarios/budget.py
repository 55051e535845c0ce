"""Whether the remaining budget of creations is enough for a scenario."""

from __future__ import annotations

from typing import Final

from conformance.client.user import UserClient
from conformance.model.errors import NotDecided
from conformance.model.verdict import Blame

REST: Final = 40
"""Creations that the other checks of a run need."""

_FARTHEST: Final = 5_000
"""Nobody is advised to let a run create more in one go: over a network that takes the better part of an hour."""


def within_budget(service: UserClient, creations: int, why: str, *, rest: int = REST) -> None:
    """Raise NotDecided when the budget of creations does not reach, with `rest` left for the other checks."""
    left = service.session.target.budget.max_created - service.session.journal.spent
    if creations + rest > left and creations > _FARTHEST:
        raise NotDecided(
            f"{why} takes {creations} creations, which is beyond what a run can try.",
            blame=Blame.CONFIGURATION,
            remedy="Check an instance of the service that sets a lower maxNumberOfRequests, such as 10.",
        )
    if creations + rest > left:
        raise NotDecided(
            f"{why} takes {creations} creations; the run's budget has {left} left"
            f"{f', of which the other checks need {rest}' if rest else ''}.",
            blame=Blame.CONFIGURATION,
            remedy=f"Raise --max-created to {_enough(service)}, and run again.",
        )


def _enough(service: UserClient) -> int:
    """Return a budget with which every check of the run can meet the limit, some of them twice."""
    return 4 * service.limit() + 100
