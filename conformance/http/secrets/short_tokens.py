"""Tokens that no search can remove from a record: short ones, and words that the interface or the suite uses."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from conformance.http.secrets.forms import DISTINCTIVE
from conformance.http.secrets.own_words import own_words
from conformance.model.errors import ConfigurationFault

_MOMENTS: Final = "0000-00-00t00:00:00.000000+00:00 00:00:00z 00:00:00.000z 00:00:00+00:00"
"""Date-times, with 0 for each digit."""

_REMEDY: Final = (
    "Use a token that is long and random, as an OAuth server issues it. If there is none, give --allow-short-token: "
    "then the record shows the token in clear wherever it is not sent as a credential."
)


@lru_cache(maxsize=256)
def why_short(token: str) -> str:
    """Return why a search for a token would change what a record says, as a clause; "" for a token that is unlike it.

    A rule reads the changed record, so that another verdict would come of it.
    """
    if len(token) < DISTINCTIVE:
        return f"it has fewer than {DISTINCTIVE} characters"
    if re.sub(r"\d", "0", token.lower()) in _MOMENTS:
        return "it may be part of a date or a time"
    return "it is a word, or part of a word, of the interface or of this suite" if token.lower() in own_words() else ""


class ShortToken(ConfigurationFault):
    """A token that no search can remove from a record."""

    def __init__(self, what: str, reason: str) -> None:
        """`what` names the source of the token, `reason` is a clause."""
        super().__init__(f"{what} cannot be removed from the record of a run: {reason}.", remedy=_REMEDY)


def demand_long(token: str, what: str) -> None:
    """Raise ShortToken for a token that no search can remove; `what` names its source."""
    if reason := why_short(token):
        raise ShortToken(what, reason)
