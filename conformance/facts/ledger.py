"""The ledger: which data requests exist, and how many count against the limit, as the exchanges show it (3, 4, 8).

It enters each exchange into the life that it concerns (`_create`, `_read`, `_delete`) and counts lives into a range
(`held`). A request counts for certain if `Life.is_certainly_in_progress`. As long as `Life.at_most` leaves one, it
is else a width, for which `Life.doubt` has the reason. A wrong count is wrong in one of these.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from conformance.facts.answers import is_limit_refusal
from conformance.facts.assumptions import document_of, limit_of
from conformance.facts.creation import made_by
from conformance.facts.life import Doubt, Life, Range, Width, confirms, may_have_removed
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.exchange import LEFT, NEVER_ARRIVED, Exchange, Moment, Operation, Response, is_missing, state_of
from conformance.model.formats import is_uuid
from conformance.spec.kinds import State

USUAL: Final = ("known types", "omitted")
"""The bodies of creations that only the limit refuses."""

NO_LIMIT: Final = sys.maxsize
"""More requests than a run can make."""

NONE_HELD: Final = Range(0)


@dataclass(eq=False, slots=True)
class Creation:
    """A creation that is over: what it made, and what counts against the limit when it is answered."""

    exchange: Exchange
    user: str
    made: Life | None
    """The request that its answer names."""
    lowest: int = 0
    """The lowest limit that the settings show its user, at any time of the run: no answer says since when it holds."""
    highest: int = NO_LIMIT
    held: Range = NONE_HELD
    """How many requests of its user count, what it made included."""
    state: State = State.ROOM
    """Whether there was room, as far as requests of the run take it.

    FULL if as many requests of the user as the limit allows are certainly in progress; EITHER if as many may exist.
    """
    is_limit_refusal: bool = False
    """Whether it was refused with the error of the limit."""
    is_below_limit: bool | None = None
    """Whether fewer requests count than the limit allows: yes, no, or unknown (None), as others may hold some."""
    exceeds: bool = False
    """Whether more requests than the limit allows were certainly in progress."""


class Ledger:
    """The lives of all requests of a run, and the creations that may have made a request that no answer names."""

    def __init__(self, *, nothing_else_counts: bool = False) -> None:
        self.nothing_else_counts = nothing_else_counts
        """Whether nothing else counts against the limit (--empty-account)."""
        self.lives: dict[str, Life] = {}
        self.deletions: list[Exchange] = []
        """Every call that asks for a deletion, also one that names no request."""
        self.published: list[tuple[int, Exchange]] = []
        """The values of maxNumberOfRequests that answers to GET /settings show."""
        self.unnamed: list[Exchange] = []
        """The creations that may have made a request that no answer names, in their order."""
        self._creations: list[Creation] = []
        self._elsewhere: list[Life] = []
        """What an earlier run left and its user's token does not find: it is gone, or another user's."""

    @classmethod
    def of(cls, exchanges: Iterable[Exchange], *, empty: bool = False) -> Ledger:
        """Return the ledger of exchanges that are over, in their order; `empty` if nothing else counts."""
        ledger = cls(nothing_else_counts=empty)
        for each in exchanges:
            match each.operation:
                case Operation.CREATE:
                    ledger._create(each)
                case Operation.READ:
                    ledger._read(each)
                case Operation.DELETE:
                    ledger._delete(each)
                case Operation.SETTINGS if each.response is not None:
                    ledger._publish(each, each.response)
        return ledger

    @property
    def completed(self) -> list[Exchange]:
        """The answers that show a request completed."""
        return [one for life in self.lives.values() for one in life.completed]

    @cached_property
    def creations(self) -> Sequence[Creation]:
        """The creations, in their order, with what counts against the limit at each of them."""
        for each in self._creations:
            since, until = each.exchange.sent, each.exchange.over
            each.held = self.held(each.user, since, until)
            each.state = self._state_at(each.user, since, until, each.made)
            if limits := self.limits(each.user):
                each.lowest, each.highest = limits[0], limits[-1]
            each.is_below_limit = each.held.is_below(each.lowest)
            each.exceeds = each.held.certain > max(0, each.highest)
            each.is_limit_refusal = (
                each.made is None and each.exchange.counts and is_limit_refusal(each.exchange.response)
            )
        return self._creations

    @cached_property
    def by_id(self) -> Mapping[str, Creation]:
        """The creations by the ids of their exchanges."""
        return {each.exchange.id: each for each in self.creations}

    @property
    def types_of_earlier_runs(self) -> frozenset[str]:
        """The data types of what earlier runs left: they were listed then."""
        creations = (life.created[0] for life in self.lives.values() if life.is_of_an_earlier_run)
        listed = (each.member("dataRequested") for each in creations)
        return frozenset(each for one in listed if isinstance(one, list) for each in one if isinstance(each, str))

    def state_at(self, creation_id: str) -> State:
        """Return whether there was room when a creation was answered, as far as requests of the run take it."""
        known = self.by_id.get(creation_id)
        return State.ROOM if known is None else known.state

    def life(self, request_id: str) -> Life | None:
        """Return the life of the request with an identifier that a creation named, or None."""
        return self.lives.get(_key(request_id))

    def of_user(self, user: str) -> list[Life]:
        """Return the lives of the requests that a user created."""
        return [life for life in self.lives.values() if life.owner == user]

    def limits(self, user: str) -> Sequence[int]:
        """Return the values of maxNumberOfRequests that the settings showed to everybody and to a user, in order.

        If everybody was shown one number all the time, a lower one that the user's token shows is that of the user; one
        answer alone may be stale.
        """
        own = [number for number, shown in self.published if shown.request.credential == user]
        public = {number for number, shown in self.published if shown.request.credential not in KNOWN_CREDENTIALS}
        is_own = len(own) > 1 and len(public) == 1 and max(own) < min(public)
        return sorted({*own} if is_own else public.union(own))

    def held(self, user: str, since: Moment, until: Moment) -> Range:
        """Return how many requests count against the limit of a user when a call is answered, sent `since`.

        Certainly those of the user; possibly those of all users, until the exchanges show that users are apart.
        """
        certain = 0
        widths: list[Width] = [] if self.nothing_else_counts else [Width(Doubt.ACCOUNT, None)]
        for life in self.lives.values():
            of_another = _is_of_another(life.owner, user)
            if of_another and self.users_are_apart:
                continue
            if life.owner == user and life.is_certainly_in_progress(until):
                certain += 1
            elif most := life.at_most(since, until):
                widths.append(Width(Doubt.USERS, most) if of_another else life.doubt(until, most))
        widths += (Width(Doubt.UNNAMED, 1, each) for each in self.unnamed_at(user, until))
        widths += (Width(Doubt.USERS, 1, life.created[0]) for life in self._elsewhere if life.owner != user)
        return Range(certain, tuple(widths))

    def unnamed_at(self, user: str, until: Moment) -> list[Exchange]:
        """Return the other unnamed creations whose requests may count against a user's limit when a call is over."""
        mine = (each for each in self.unnamed if each.sent <= until and each.over != until)
        return [each for each in mine if not (_is_of_another(each.request.credential, user) and self.users_are_apart)]

    @property
    def may_stay_taken(self) -> Exchange | None:
        """A call after which a place may stay taken: its request has no name of its own, or no user can delete it."""
        for life in self.lives.values():
            if not life.is_told_apart or life.owner not in KNOWN_CREDENTIALS:
                return life.created[-1]
            if life.lost is not None or life.may_be_deleted:
                return life.lost or life.suspects[-1]
        return next(iter(self.unnamed), None)

    def completed_before(self, user: str, since: Moment, until: Moment) -> list[Life]:
        """Return the requests of a user that an answer had shown completed when a call was sent, and none deleted."""
        lasting = (life for life in self.of_user(user) if life.completed and not life.was_reopened)
        mine = (life for life in lasting if life.at_most(since, until))
        return [life for life in mine if life.is_told_apart and any(each.over < since for each in life.completed)]

    def unreadable_before(self, user: str, since: Moment, until: Moment) -> list[Life]:
        """Return the requests of a user that had completed unseen when a call was sent, and none deleted.

        Where the service confirms to delete what it does not have, a confirmed deletion does not show a request.
        """
        gone = [(life, read) for life in self.of_user(user) if (read := life.unreadable) is not None]
        absent = (each for each in self.deletions if each.intent.request in ("unknown", "deleted"))
        if gone and any(confirms(each) for each in absent):
            return []
        return [life for life, read in gone if read.over < since and life.at_most(since, until)]

    def is_ambiguous(self, exchange: Exchange) -> bool:
        """Tell whether the answer to a reading or deletion may be about another request with the same identifier."""
        asks = exchange.operation in (Operation.READ, Operation.DELETE)
        life = self.life(exchange.request_id) if asks else None
        if life is None or len(life.created) < 2:
            return False
        if is_missing(exchange):
            return True
        left = life.at_most(exchange.sent, exchange.over) + sum(each.sent <= exchange.over for each in self.unnamed)
        if exchange.intent.request == "deleted":
            return left > 0
        return exchange.operation is Operation.READ and left > 1

    @cached_property
    def users_are_apart(self) -> bool:
        """Whether one user filled the limit while another one held a request, so that each has a limit of his own."""
        limits = {user: max(self.limits(user), default=0) for user in KNOWN_CREDENTIALS}
        for moment in (each.exchange.over for each in self._creations if each.made is not None):
            held = {user: sum(life.is_certainly_in_progress(moment) for life in self.of_user(user)) for user in limits}
            if all(held.values()) and any(0 < limits[user] <= number for user, number in held.items()):
                return True
        return False

    def _state_at(self, user: str, since: Moment, until: Moment, made: Life | None) -> State:
        """Return whether there was room for a creation of a user that made `made`."""
        limits = self.limits(user)
        if user not in KNOWN_CREDENTIALS or not limits:
            return State.ROOM
        lives = [life for life in self.of_user(user) if life is not made]
        certain = [life.is_certainly_in_progress(until) for life in lives]
        if sum(certain) >= limits[-1]:
            return State.FULL
        most = sum(1 if sure else life.at_most(since, until) for life, sure in zip(lives, certain, strict=True))
        own = (each for each in self.unnamed if each.request.credential == user)
        most += sum(each.sent <= until and each.over != until for each in own)  # but for the creation itself
        return State.EITHER if most >= limits[0] else State.ROOM

    def _create(self, exchange: Exchange) -> None:
        if exchange.response is None and exchange.error in NEVER_ARRIVED:
            return
        user = exchange.request.credential
        full = exchange.status >= 500 and self._state_at(user, exchange.sent, exchange.over, None) is not State.ROOM
        made = made_by(exchange, full=full)
        life = None
        if made.request_id is not None:
            life = self.lives.setdefault(_key(made.request_id), Life(made.request_id))
            life.created.append(exchange)
            self._see(life, exchange)
        elif made.perhaps:
            self.unnamed.append(exchange)
        self._creations.append(Creation(exchange, user, life))

    def _read(self, exchange: Exchange) -> None:
        life = self.life(exchange.request_id)
        if life is None or not exchange.counts or exchange.request.credential != life.owner:
            return
        shown = exchange.member("requestId")
        if isinstance(shown, str) and _key(shown) != _key(life.request_id):
            return  # it shows another request, which says nothing about this one
        if is_missing(exchange):
            if exchange.request_id == life.request_id:  # another spelling of an identifier may find nothing (4.2)
                life.missing.append(exchange)
        elif not life.deleted or life.at_most(exchange.sent, exchange.over):  # what a deleted request shows is no state
            self._see(life, exchange)

    def _delete(self, exchange: Exchange) -> None:
        self.deletions.append(exchange)
        life = self.life(exchange.request_id)
        if life is None or (exchange.response is None and exchange.error in NEVER_ARRIVED):
            return
        own = exchange.request.credential == life.owner
        is_gone = life.may_be_deleted or exchange.intent.request == LEFT
        if own and (confirms(exchange) or (is_missing(exchange) and is_gone)):
            life.deleted.append(exchange)
            if is_missing(exchange) and exchange.intent.request == LEFT:
                self._elsewhere.append(life)
        elif own and is_missing(exchange) and not exchange.intent.racing and exchange.request_id == life.request_id:
            life.missing.append(exchange)
        elif may_have_removed(exchange):
            life.suspects.append(exchange)

    @staticmethod
    def _see(life: Life, exchange: Exchange) -> None:
        state = state_of(exchange)
        if state is not None:
            (life.completed if state else life.in_progress).append(exchange)
        elif exchange.response is not None and 200 <= exchange.response.status < 300:
            life.stateless.append(exchange)

    def _publish(self, exchange: Exchange, answer: Response) -> None:
        settings = document_of(answer.document.value, dict)[0]
        number = limit_of(settings)[0] if settings is not None else None
        if number is not None:
            # A number that Python cannot convert to an int exceeds every budget.
            self.published.append((number if isinstance(number, int) else NO_LIMIT, exchange))


def _is_of_another(credential: str, user: str) -> bool:
    """Tell whether a creation with a credential was made for another user; one with no known token may be anybody's."""
    return credential != user and credential in KNOWN_CREDENTIALS


def _key(request_id: str) -> str:
    """Return the form in which an identifier is looked up: UUIDs may be written in either case."""
    return request_id.lower() if is_uuid(request_id) else request_id
