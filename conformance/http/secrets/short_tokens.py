"""Tokens that no search can remove from a record: the configuration may not have them, unless the tester allows it."""

from __future__ import annotations

from typing import Final

from conformance.http.secrets.words import why_short
from conformance.model.errors import ConfigurationFault

_REMEDY: Final = (
    "Use a token that is long and random, as an OAuth server issues it. If there is none, give --allow-short-token: "
    "then the record shows the token in clear wherever it is not sent as a credential."
)


class ShortToken(ConfigurationFault):
    """A token that no search can remove from a record."""

    def __init__(self, what: str, reason: str) -> None:
        """`what` names the source of the token, `reason` is a clause."""
        super().__init__(f"{what} cannot be removed from the record of a run: {reason}.", remedy=_REMEDY)


def demand_long(token: str, what: str) -> None:
    """Raise ShortToken for a token that no search can remove; `what` names its source."""
    if reason := why_short(token):
        raise ShortToken(what, reason)
