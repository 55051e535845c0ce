"""The life of a data request: its creation, what showed it, and what deleted it or may have (3, 4).

How many requests count against the limit is a range, as far as a run shows it; doubts make it one (8).

Order is that of the clock of the run: a call is after another one if it began when that was answered; simultaneous
calls have both orders.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from conformance.facts.answers import accepted
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.exchange import EARLIER, Exchange, Moment, Operation
from conformance.model.formats import is_uuid
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
    LEFT = (
        "What an earlier run left on purpose takes a place: {}.",
        "Wait until it is completed, and go on with it again; 'drsi-conformance cleanup' deletes it.",
        Blame.CONFIGURATION,
    )
    COMPLETED = (
        "A request may have completed since it was shown last, and completed requests do not count: {}.",
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


_OF_A_NAMED_REQUEST: Final = (Doubt.IDENTIFIER, Doubt.DELETION, Doubt.COMPLETED, Doubt.LEFT)
"""The doubts of a request that a creation of the user made, and that an answer names."""


@dataclass(frozen=True, slots=True)
class Width:
    """One doubt of a range, with the requests that it adds and the call that it is about."""

    doubt: Doubt
    adds: int | None
    """How many more requests may count because of it, at least 1; None leaves them without bound."""
    exchange: Exchange | None = None


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


def confirms(deletion: Exchange) -> bool:
    """Tell whether the service said that it deleted a request; some services send each error with 200."""
    return deletion.counts and accepted(deletion.response)


def may_have_removed(deletion: Exchange) -> bool:
    """Tell whether a deletion may have removed its request, although no answer to its owner says so.

    The effect of a call of another user is open (5-isolation); of simultaneous calls each may have an effect.
    """
    refused = deletion.counts and 400 <= deletion.status < 500
    return not refused or deletion.intent.racing or deletion.intent.request == "foreign"


@dataclass(eq=False, slots=True)
class Life:
    """The request, or the requests, with one identifier."""

    request_id: str
    created: list[Exchange] = field(default_factory=list)
    """The creations that gave the identifier: more than one share it."""
    in_progress: list[Exchange] = field(default_factory=list)
    completed: list[Exchange] = field(default_factory=list)
    stateless: list[Exchange] = field(default_factory=list)
    """The answers to its owner that show it without isCompleted."""
    missing: list[Exchange] = field(default_factory=list)
    """The readings and deletions by its owner that find nothing."""
    deleted: list[Exchange] = field(default_factory=list)
    """The deletions by its owner that the service confirmed, or that found none although none before had removed it."""
    suspects: list[Exchange] = field(default_factory=list)
    """Other deletions that may have removed it: by another user, beside another one, or not certainly refused."""

    @property
    def documents(self) -> list[dict[str, Any]]:
        """What its creation and its first reading show; nothing where several requests share the identifier."""
        shows = (*self.in_progress, *self.completed, *self.stateless)
        known = (each for each in shows if each.intent.request == "existing" and each.check != EARLIER)
        first = sorted(known, key=lambda each: each.number)[:1]
        shown = [self.created[0], *first] if len(self.created) == 1 else []
        values = [each.response.document.value for each in shown if each.response is not None]
        return [value for value in values if isinstance(value, dict)]

    @property
    def may_be_deleted(self) -> bool:
        """Whether a deletion by its owner failed so that it may have removed it: if the next one finds none, it has."""
        return not self.deleted and any(each.request.credential == self.owner for each in self.suspects)

    @property
    def last_shown(self) -> Exchange:
        """The last answer to its owner that shows it."""
        return max((*self.created, *self.in_progress, *self.completed, *self.stateless), key=lambda each: each.over)

    @property
    def owner(self) -> str:
        """The credential of its creation."""
        return self.created[0].request.credential

    @property
    def is_of_an_earlier_run(self) -> bool:
        """Whether an earlier run made it, and left it on purpose."""
        return self.created[0].check == EARLIER

    @property
    def is_told_apart(self) -> bool:
        """Whether its identifier is a UUID that no other request has."""
        return len(self.created) == 1 and is_uuid(self.request_id)

    @property
    def was_reopened(self) -> bool:
        """Whether it was seen in progress after it was seen completed; how it moves between the states is open (3)."""
        return any(each.over < shown.sent for each in self.completed for shown in self.in_progress)

    @property
    def unreadable(self) -> Exchange | None:
        """A reading by its owner that found nothing, although its deletion found it later: it had completed (4.2)."""
        if not self.missing or not self.is_told_apart or not any(map(confirms, self.deleted)):
            return None
        unread = (each for each in self.missing if each.operation is Operation.READ)
        meanwhile = (each for each in unread if not (self._shown_since(each.sent) or self._deleted_until(each.sent)))
        return next(meanwhile, None)

    @property
    def lost(self) -> Exchange | None:
        """The first deletion by its owner that finds nothing, unless something may have removed the request before."""
        missing = next((each for each in self.missing if each.operation is Operation.DELETE), None)
        if missing is None or not self.is_told_apart:
            return None
        removing = (*self.deleted, *self.suspects)
        return None if any(each.sent <= missing.over for each in removing) else missing

    def is_certainly_in_progress(self, moment: Moment) -> bool:
        """Tell whether it was in progress at a moment: answered before, seen in progress after, and not deleted."""
        if self.created[0].over > moment or self._deleted_until(moment) or not self._shown_since(moment):
            return False
        return self.is_told_apart and not self.completed and self.owner in KNOWN_CREDENTIALS

    def _shown_since(self, moment: Moment) -> bool:
        """Tell whether a call that was sent at a moment or later shows it in progress."""
        return any(each.sent >= moment for each in self.in_progress)

    def _deleted_until(self, moment: Moment) -> bool:
        """Tell whether a confirmed deletion was sent until a moment."""
        return any(each.sent <= moment for each in self.deleted)

    def at_most(self, since: Moment, until: Moment) -> int:
        """Return how many requests with this identifier may exist when a call is answered.

        `since` is when the call was sent, `until` when it was over. Each confirmed deletion removes one.
        """
        return max(
            0, sum(each.sent <= until for each in self.created) - sum(each.over < since for each in self.deleted)
        )

    def doubt(self, until: Moment, adds: int) -> Width:
        """Return why `adds` requests may count at a moment, and do not certainly."""
        if self.owner not in KNOWN_CREDENTIALS:
            return Width(Doubt.TOKEN, adds, self.created[0])
        if not self.is_told_apart:
            return Width(Doubt.IDENTIFIER, adds, self.created[-1])
        removing = next((each for each in (*self.suspects, *self.deleted) if each.sent <= until), None)
        if removing is not None:
            return Width(Doubt.DELETION, adds, removing)
        if self.is_of_an_earlier_run and not self.completed:
            return Width(Doubt.LEFT, adds, self.created[0])
        return Width(Doubt.COMPLETED, adds, next(iter([*self.completed, *self.missing]), self.last_shown))
