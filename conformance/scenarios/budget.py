"""The budget of creations, which a scenario asks before it begins."""

from __future__ import annotations

from typing import Final

from conformance.client.api import Api
from conformance.model.errors import NotDecided
from conformance.model.target import FARTHEST
from conformance.model.verdict import Blame

REST: Final = 40
"""Creations that the other checks of a run need."""


def within_budget(service: Api, creations: int, why: str, *, rest: int = REST) -> None:
    """Raise NotDecided if the budget of creations is too small, with `rest` left for the other checks."""
    budget = service.session.target.budget
    left = budget.max_created - service.session.journal.spent
    if creations + rest <= left:
        return
    if creations > FARTHEST:
        raise NotDecided(
            f"{why} takes {creations} creations, which is more than a run makes.",
            blame=Blame.CONFIGURATION,
            remedy="Check an instance of the service that sets a lower maxNumberOfRequests, such as 10.",
        )
    raise NotDecided(
        f"{why} takes {creations} creations; the run's budget has {left} left"
        f"{f', of which the other checks need {rest}' if rest else ''}.",
        blame=Blame.CONFIGURATION,
        remedy=budget.to_create_more(service.limit()),
    )
