"""What was seen once of a request that is missing, seen again: it may have ended by itself, at any moment (3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from conformance.exchange import Exchange
from conformance.expect import Undecided
from conformance.service import Service

_AGAIN: Final = 3
"""So many more times a request has to be missing."""


def demand_missing_again(service: Service, shows: Callable[[], bool], *shown: Exchange) -> None:
    """Raise Undecided unless `shows` says each time that a request is missing once more."""
    why = "None was missing when the same was done again."
    try:
        again = all(_left_nothing(service, shows) for _ in range(_AGAIN))
    except Undecided as error:
        again, why = False, f"The same could not be done again: {error.message}"
    if not again:
        raise Undecided(
            f"A request was missing that nobody had deleted. {why} It may have been completed, and how long a "
            "completed one is kept is not stated.",
            remedy="Let requests live for as long as a run lasts, and run again.",
            exchanges=shown,
        )


def _left_nothing(service: Service, shows: Callable[[], bool]) -> bool:
    service.session.clean_up()
    try:
        return shows()
    finally:
        service.session.clean_up()
