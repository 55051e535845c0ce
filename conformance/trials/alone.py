"""What was seen once at the limit, seen again: another client of the same account may have taken the place (3, 4.1, 8).

Where nobody vouches for the account, one observation says nothing of the target; the same several times does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from conformance.expect import Undecided
from conformance.service import Service, is_limit_refusal
from conformance.traffic.exchange import Exchange
from conformance.trials.chance import why_not_again
from conformance.trials.limit import LONGEST_COMPLETION, Trial, accepted, fill_up, still_holds, trial_so_far
from conformance.verdict import Blame

_AGAIN: Final = 2
"""So many more times the same has to be seen."""

_IN_A_ROW: Final = 3
"""Deletions with nothing made between them: who holds one request at a time takes the place of one of them only."""


def demand_no_other_client(service: Service, shows: Callable[[], bool], *shown: Exchange, times: int = _AGAIN) -> None:
    """Raise Undecided unless the account is vouched for, or `shows` says that it is so again, each of several times.

    A limit that the organisation has lowered meanwhile leaves less room, whoever asks.
    """
    found = trial_so_far(service)
    if found is not None:
        still_holds(service, found.limit)
    if service.session.target.account_is_empty or _most_are_lost(service):
        return
    if why := why_not_again(service, shows, times):
        raise Undecided(
            f"There was no room for a creation where some is due. {why} Another client of the account may have taken "
            "the place.",
            blame=Blame.CONFIGURATION,
            remedy="See that nobody else makes requests, say so with --empty-account, and run again.",
            exchanges=shown,
        )


def _most_are_lost(service: Service) -> bool:
    """Tell whether the places of several requests are gone, which the run held and deleted: nobody takes so many."""
    found = trial_so_far(service)
    if found is None:
        return False
    before = found.limit if found.swaps else min(len(found.held), found.limit)
    service.session.clean_up()
    return before >= _AGAIN and before - room(service) >= min(_IN_A_ROW, before)


def demand_none_is_freed(service: Service, place: int, *shown: Exchange, beyond: int = 0) -> None:
    """Raise Undecided unless deletions in a row at `place` of what is held make no room, after so many refusals."""
    demand_no_other_client(service, partial(_frees_none, service, place, beyond), *shown, times=1)


def _frees_none(service: Service, place: int, beyond: int) -> bool:
    types = service.types()[:1] or None
    held = _filled(service).held
    if len(held) < _AGAIN:
        raise Undecided(f"Only {len(held)} could be held.")
    for _ in range(beyond):
        service.post(types, limit="reached")
    for _ in range(min(_IN_A_ROW, len(held))):
        deleted = service.delete(held.pop(place).request_id)
        if not accepted(deleted) or not is_limit_refusal(service.post(types, limit="freed")):
            return False
    return True


def room(service: Service) -> int:
    """Return how many requests can be held now."""
    held = len(_filled(service).held)
    service.session.clean_up()
    return held


def _filled(service: Service) -> Trial:
    full = Trial(service.limit())
    fill_up(service, full)
    if full.refused is not None:
        # What was deleted last may take its place a while longer, which is the very thing to be seen.
        service.session.clean_up()
        service.session.clock.sleep(LONGEST_COMPLETION)
        full = Trial(service.limit())
        fill_up(service, full)
    return full
