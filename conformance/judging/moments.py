"""Moments that cannot be what they say, though each by itself might."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from conformance.expect import answer_of
from conformance.formats import is_date_time, parse_date_time
from conformance.traffic.exchange import Exchange

_APART: Final = timedelta(seconds=2)
"""No clock stands still for so long and tells parts of a second: who keeps a moment for all waits a second at most."""
_OFTEN: Final = 3
_ALWAYS: Final = 16

_FINE: Final = re.compile(r"\.[0-9]{3}")


def repeated_moment(creations: Sequence[Exchange]) -> tuple[str, list[Exchange]] | None:
    """Return a createdAt, with its requests, that several have which were made seconds apart; or None.

    It has to be told to the millisecond and not to be a whole second: then it has not been cut to a day or a minute.
    And the clock has to be seen to go on: by a request in between with another moment, or it is the same in all.
    """
    dated = [(given, each) for each in creations if (given := _created_at(each)) is not None]
    same: dict[datetime, list[Exchange]] = defaultdict(list)
    for given, each in dated:
        same[parse_date_time(given)].append(each)
    for moment, exchanges in same.items():
        first, final = exchanges[0], exchanges[-1]
        if len(exchanges) < _OFTEN or not moment.microsecond or final.started - first.started < _APART:
            continue
        given = next(given for given, each in dated if each is first)
        goes_on = any(
            each.is_after(first) and final.is_after(each) for other, each in dated if parse_date_time(other) != moment
        )
        if _FINE.search(given) and (goes_on or len(exchanges) == len(dated) >= _ALWAYS):
            return given, exchanges
    return None


def _created_at(creation: Exchange) -> str | None:
    value = answer_of(creation).document.value
    given = value.get("createdAt") if isinstance(value, dict) else None
    if not isinstance(given, str) or not is_date_time(given):
        return None
    try:
        parse_date_time(given)
    except ValueError:  # a year that Python cannot hold
        return None
    return given
