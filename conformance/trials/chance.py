"""What was seen once of a request that is missing, seen again: it may have ended by itself, at any moment (3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from conformance.expect import Undecided
from conformance.service import Service
from conformance.traffic.exchange import Exchange

_AGAIN: Final = 3
"""So many more times a request has to be missing."""


def demand_missing_again(service: Service, shows: Callable[[], bool], *shown: Exchange) -> None:
    """Raise Undecided unless `shows` says each time that a request is missing once more."""
    if why := why_not_again(service, shows, _AGAIN):
        raise Undecided(
            f"A request was missing that nobody had deleted. {why} It may have been completed, and how long a "
            "completed one is kept is not stated.",
            remedy="Let requests live for as long as a run lasts, and run again.",
            exchanges=shown,
        )


def why_not_again(service: Service, shows: Callable[[], bool], times: int) -> str:
    """Return why what was seen once was not seen again so many times, in a sentence; "" where it was.

    Each time begins and ends with nothing left of the run's requests.
    """
    try:
        again = all(_left_nothing(service, shows) for _ in range(times))
    except Undecided as error:
        return f"The same could not be done again: {error.message}"
    return "" if again else "It was not so when the same was done again."


def _left_nothing(service: Service, shows: Callable[[], bool]) -> bool:
    service.session.clean_up()
    try:
        return shows()
    finally:
        service.session.clean_up()
