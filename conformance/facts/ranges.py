"""Ranges: a number of requests as far as a run shows it, and the doubts that make it one (8)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from conformance.model.errors import describe, in_words
from conformance.model.exchange import Exchange
from conformance.model.verdict import Blame


class Doubt(Enum):
    """Why more requests may count than certainly do: in words, what to do, and whose it is."""

    ACCOUNT = (
        "The run cannot tell whether requests that it did not make count as well: older ones of the account, or those "
        "of others.",
        "confirm with --empty-account that nothing else counts, and run again.",
        Blame.CONFIGURATION,
    )
    UNNAMED = (
        "A creation may have made a request that counts, although no answer names it: {}.",
        "Find out why: no answer, an answer without a requestId, or an error of the service or of a gateway. Delete "
        "what it left, and run again.",
        Blame.TARGET,
    )
    TOKEN = (
        "A creation was accepted with a token that the service has to refuse, and its request may count: {}.",
        "Refuse creations without a valid token, then run again.",
        Blame.TARGET,
    )
    IDENTIFIER = (
        "Requests cannot be told apart, because they share an identifier or have one that is no UUID: {}.",
        "Give each request a UUID of its own, then run again.",
        Blame.TARGET,
    )
    DELETION = (
        "A deletion that was not certainly refused may have removed a request: {}.",
        "Answer each deletion with 200 and OK, or let the request remain, then run again.",
        Blame.TARGET,
    )
    COMPLETED = (
        "A request may be completed, and completed requests do not count: {}.",
        "Configure the service so that requests stay in progress during the run, or so that completed requests can be "
        "read, then run again.",
        Blame.TARGET,
    )
    USERS = (
        "The limit may be one for all users, and requests of the other user may count.",
        "Run again with one token.",
        Blame.TARGET,
    )

    def __init__(self, reason: str, remedy: str, blame: Blame) -> None:
        self.reason = reason
        self.remedy = remedy
        self.blame = blame


_OF_A_NAMED_REQUEST: Final = (Doubt.IDENTIFIER, Doubt.DELETION, Doubt.COMPLETED)
"""The doubts of a request that a creation of the user made, and that an answer names."""


@dataclass(frozen=True, slots=True)
class Width:
    """One doubt of a range, with the requests that it adds and the call that it is about."""

    doubt: Doubt
    adds: int | None
    """How many more requests may count because of it, at least 1; None leaves them without bound."""
    exchange: Exchange | None = None

    @property
    def reason(self) -> str:
        """The doubt in a sentence."""
        call = "" if self.exchange is None else f"{describe(self.exchange)} was answered {in_words(self.exchange)}"
        return self.doubt.reason.format(call)


@dataclass(frozen=True, slots=True)
class Range:
    """A number of requests: those that certainly count, and those that its widths add."""

    certain: int
    widths: tuple[Width, ...] = ()

    @property
    def possible(self) -> int | None:
        """How many may count at most, which None leaves without bound."""
        added = [each.adds for each in self.widths if each.adds is not None]
        return None if len(added) < len(self.widths) else self.certain + sum(added)

    @property
    def own(self) -> int:
        """How many of these at most the run made for the user, and an answer names."""
        return self.certain + sum(each.adds or 0 for each in self.widths if each.doubt in _OF_A_NAMED_REQUEST)

    def is_below(self, number: int) -> bool | None:
        """Whether it is less than `number`: yes, no, or unknown (None)."""
        if self.certain >= number:
            return False
        most = self.possible
        return True if most is not None and most < number else None
