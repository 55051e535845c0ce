"""The ledger: which data requests exist, and how many count against the limit, as the exchanges show it (3, 4, 8).

It enters each exchange into the life that it concerns (`_create`, `_read`, `_delete`) and counts lives into a range
(`_counted`). A request counts for certain if `Life.is_certainly_in_progress`. As long as `Life.at_most` leaves one, it
is else a width, for which `Life.doubt` has the reason. A wrong count is wrong in one of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from conformance.facts.answers import is_limit_refusal, names_the_limit, says
from conformance.facts.assumptions import document_of, limit_of
from conformance.facts.creation import made_by
from conformance.facts.life import Life, confirms, may_have_removed
from conformance.facts.ranges import Doubt, Range, Width
from conformance.model.bodies import Content
from conformance.model.error_table import KNOWN_CREDENTIALS, LIMIT_REACHED
from conformance.model.exchange import NEVER_ARRIVED, Exchange, Operation, is_missing, request_id_of, state_of
from conformance.model.formats import is_uuid
from conformance.spec.kinds import State

USUAL: Final = ("known types", "omitted")
"""The bodies of creations that only the limit refuses."""


class Ledger:
    """The lives of all requests of a run, and the creations that may have made a request that no answer names."""

    def __init__(self) -> None:
        self.lives: dict[str, Life] = {}
        self.unnamed: list[Exchange] = []
        """The creations that may have made a request that no answer names, in their order."""
        self.is_complete = False
        """Whether nothing else counts against the limit (--empty-account)."""
        self.accepted: list[Exchange] = []
        """The creations that made a request, in their order."""
        self.made: dict[str, Life] = {}
        """What each of them made, by its id."""
        self.refused: list[Exchange] = []
        """The creations that made none."""
        self.deletions: list[Exchange] = []
        """Every call that asks for a deletion, also one that names no request."""
        self._limits: dict[str, list[int]] = {}
        self._separate: bool | None = None
        self._rooms: dict[str, State] = {}
        self._refusals: frozenset[tuple[int, Content]] | None = None

    @classmethod
    def of(cls, exchanges: Iterable[Exchange], *, empty: bool = False) -> Ledger:
        """Return the ledger of exchanges in their order; `empty` if nothing else counts against the limit."""
        ledger = cls()
        ledger.is_complete = empty
        for each in exchanges:
            ledger.add(each)
        return ledger

    def add(self, exchange: Exchange) -> None:
        """Add an exchange that is over; all those before are there."""
        self._rooms.clear()
        self._separate = self._refusals = None
        match exchange.operation:
            case Operation.CREATE:
                self._create(exchange)
            case Operation.READ:
                self._read(exchange)
            case Operation.DELETE:
                self._delete(exchange)
            case Operation.SETTINGS if exchange.response is not None:
                self._publish(exchange)

    def life(self, request_id: str) -> Life | None:
        """Return the life of the request with an identifier that a creation named, or None."""
        return self.lives.get(_key(request_id))

    def of_user(self, user: str) -> list[Life]:
        """Return the lives of the requests that a user created."""
        return [life for life in self.lives.values() if life.owner == user]

    def limits(self, user: str) -> Sequence[int]:
        """Return the values of maxNumberOfRequests that the settings showed to everybody and to a user."""
        shown = [number for caller, numbers in self._limits.items() for number in numbers if caller in ("", user)]
        return sorted(set(shown))

    def lowest(self, creation: Exchange) -> int:
        """Return the lowest limit that was in force for a caller; 0 if the settings showed none."""
        return max(0, min(self.limits(creation.request.credential), default=0))

    def highest(self, creation: Exchange) -> int:
        """Return the highest limit that was in force for a caller."""
        return max(0, max(self.limits(creation.request.credential), default=NO_LIMIT))

    def room(self, creation: Exchange) -> State:
        """Return whether there was room when a creation was answered, as far as requests of the run take it.

        FULL if as many requests of the user as the limit allows are certainly in progress; EITHER if as many may exist.
        """
        if creation.id not in self._rooms:
            self._rooms[creation.id] = self._room(creation)
        return self._rooms[creation.id]

    @property
    def refusals_when_full(self) -> frozenset[tuple[int, Content]]:
        """Status and body of the refusals of a full account, where none of them has the error of clause 7.

        A service without this error refuses like that whenever the account is full. Lists of known types decide about
        the error where there are some: it may refuse an omitted body for another reason.
        """
        if self._refusals is None:
            usual = (each for each in (*self.refused, *self.unnamed) if each.intent.body in USUAL)
            refused = [each for each in usual if each.response is not None and each.response.status >= 400]
            full = [each for each in refused if self.room(each) is State.FULL]
            deciding = [each for each in full if each.intent.body == "known types"] or full
            stated = any(says(each, LIMIT_REACHED) for each in deciding)
            answers = [each.response for each in full if each.response is not None and not stated]
            self._refusals = frozenset((answer.status, answer.content) for answer in answers)
        return self._refusals

    def may_be_limit_refusal(self, creation: Exchange) -> bool:
        """Tell whether the limit may be the reason of a refused creation, also without the error of the table."""
        answer = creation.response
        if answer is None or answer.status < 400 or creation.operation is not Operation.CREATE:
            return is_limit_refusal(creation)
        alike = (answer.status, answer.content) in self.refusals_when_full
        return alike or names_the_limit(answer) or self.room(creation) in (State.FULL, State.EITHER)

    def held(self, user: str, at: Exchange) -> Range:
        """Return how many requests count against the limit of a user when `at` is answered.

        Certainly those of the user; possibly those of all users, until the exchanges show that users are apart.
        """
        return self._counted(user, at, self.lives_during(at))

    def _counted(self, user: str, at: Exchange, lives: Iterable[Life]) -> Range:
        """Return how many of `lives`, and of the unnamed creations, count for a user when `at` is answered."""
        certain = 0
        widths: list[Width] = [] if self.is_complete else [Width(Doubt.ACCOUNT, None)]
        for life in lives:
            of_another = _is_of_another(life.owner, user)
            if of_another and self.users_are_apart:
                continue
            if life.owner == user and life.is_certainly_in_progress(at.finished):
                certain += 1
            elif most := life.at_most(at):
                widths.append(Width(Doubt.USERS, most) if of_another else life.doubt(at, most))
        widths += (Width(Doubt.UNNAMED, 1, each) for each in self.unnamed_at(user, at))
        return Range(certain, tuple(widths))

    def unnamed_at(self, user: str, at: Exchange) -> list[Exchange]:
        """Return the unnamed creations whose requests may count against the limit of a user when `at` is answered."""
        mine = (each for each in self.unnamed if each.began <= at.finished and each is not at)
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

    @property
    def lost_alone(self) -> Exchange | None:
        """A deletion that did not find a request which no other call can have removed or misplaced.

        Its creation had none beside it, and only its user asked to delete it. So the service does not find each request
        that exists: what another deletion does not find may exist as well.
        """
        named = [(self.life(request_id_of(each)), each.request.credential) for each in self.deletions]
        by_others = [life for life, caller in named if life is not None and caller != life.owner]
        alone = (each for each in self.lives.values() if not each.created[0].intent.racing and each not in by_others)
        return next((each.lost for each in alone if each.lost is not None), None)

    @property
    def changes(self) -> list[Exchange]:
        """The calls that may change which requests exist: creations and deletions."""
        return [*self.accepted, *self.refused, *self.unnamed, *self.deletions]

    def completed_before(self, user: str, at: Exchange) -> list[Life]:
        """Return the requests of a user that an answer had shown completed when `at` began, and none deleted."""
        mine = (life for life in self.of_user(user) if life.completed and life.at_most(at))
        return [life for life in mine if life.is_told_apart and any(at.is_after(each) for each in life.completed)]

    def unreadable_before(self, user: str, at: Exchange) -> list[Life]:
        """Return the requests of a user that had completed unseen when `at` began, and none deleted.

        Where the service confirms to delete what it does not have, a confirmed deletion does not show a request.
        """
        absent = (each for each in self.deletions if each.intent.request in ("unknown", "deleted"))
        if any(confirms(each) for each in absent):
            return []
        gone = ((life, life.unreadable) for life in self.of_user(user))
        return [life for life, read in gone if read is not None and at.is_after(read) and life.at_most(at)]

    def is_ambiguous(self, exchange: Exchange) -> bool:
        """Tell whether the answer to a reading or deletion may be about another request with the same identifier."""
        asks = exchange.operation in (Operation.READ, Operation.DELETE)
        life = self.life(request_id_of(exchange)) if asks else None
        if life is None or len(life.created) < 2:
            return False
        if is_missing(exchange):
            return True
        left = life.at_most(exchange) + sum(not each.is_after(exchange) for each in self.unnamed)
        if exchange.intent.request == "deleted":
            return left > 0
        return exchange.operation is Operation.READ and left > 1

    @property
    def users_are_apart(self) -> bool:
        """Whether one user filled the limit while another one held a request, so that each has a limit of his own."""
        if self._separate is None:
            self._separate = any(map(self._shows_users_apart, self.accepted))
        return self._separate

    def _room(self, creation: Exchange) -> State:
        user = creation.request.credential
        if user not in KNOWN_CREDENTIALS or not self.limits(user):
            return State.ROOM
        held = self._held_beside(creation)
        if held.certain >= self.highest(creation):
            return State.FULL
        return State.EITHER if held.own >= self.lowest(creation) else State.ROOM

    def _held_beside(self, creation: Exchange) -> Range:
        """Return how many requests count beside the one that a creation made."""
        made = self.made.get(creation.id)
        lives = (life for life in self.lives_during(creation) if life is not made)
        return self._counted(creation.request.credential, creation, lives)

    def lives_during(self, at: Exchange) -> Iterator[Life]:
        """Return the lives of the requests that may exist while a call goes on."""
        since, until = at.began, at.finished
        return (life for life in self.lives.values() if life.may_exist(since, until))

    def _shows_users_apart(self, creation: Exchange) -> bool:
        held = dict.fromkeys(KNOWN_CREDENTIALS, 0)
        for user in held:
            held[user] = sum(life.is_certainly_in_progress(creation.finished) for life in self.of_user(user))
        full = [user for user, number in held.items() if 0 < max(self.limits(user), default=0) <= number]
        return bool(full) and sum(number > 0 for number in held.values()) > 1

    def _create(self, exchange: Exchange) -> None:
        if exchange.response is None and exchange.error in NEVER_ARRIVED:
            return
        failed = exchange.response is not None and exchange.response.status >= 500
        made = made_by(exchange, full=failed and self._room(exchange) is not State.ROOM)
        if made.request_id is not None:
            life = self.lives.setdefault(_key(made.request_id), Life(made.request_id))
            life.created.append(exchange)
            self.accepted.append(exchange)
            self.made[exchange.id] = life
            self._see(life, exchange)
        elif made.perhaps:
            self.unnamed.append(exchange)
        else:
            self.refused.append(exchange)

    def _read(self, exchange: Exchange) -> None:
        life = self.life(request_id_of(exchange))
        if life is None or not exchange.counts or exchange.request.credential != life.owner:
            return
        answer = exchange.response
        shown = answer.member("requestId") if answer is not None else None
        if isinstance(shown, str) and _key(shown) != _key(life.request_id):
            return  # it shows another request, which says nothing about this one
        if is_missing(exchange):
            life.missing.append(exchange)
        elif not life.deleted or life.at_most(exchange):  # what a deleted request shows is no state
            self._see(life, exchange)

    def _delete(self, exchange: Exchange) -> None:
        self.deletions.append(exchange)
        life = self.life(request_id_of(exchange))
        if life is None or (exchange.response is None and exchange.error in NEVER_ARRIVED):
            return
        own = exchange.request.credential == life.owner
        if own and (confirms(exchange) or (is_missing(exchange) and life.may_be_deleted)):
            life.delete(exchange)
        elif own and is_missing(exchange) and not exchange.intent.racing:
            life.missing.append(exchange)
        elif may_have_removed(exchange):
            life.suspects.append(exchange)

    @staticmethod
    def _see(life: Life, exchange: Exchange) -> None:
        state = state_of(exchange)
        if state is not None:
            life.show(exchange, completed=state)
        elif exchange.response is not None and 200 <= exchange.response.status < 300:
            life.stateless.append(exchange)

    def _publish(self, exchange: Exchange) -> None:
        value = exchange.response.document.value if exchange.response is not None else None
        settings = document_of(value, dict)[0]
        number = limit_of(settings)[0] if settings is not None else None
        if number is not None:
            user = exchange.request.credential
            # A number that Python cannot convert to an int exceeds every budget.
            shown = number if isinstance(number, int) else NO_LIMIT
            self._limits.setdefault(user if user in KNOWN_CREDENTIALS else "", []).append(shown)


NO_LIMIT: Final = 2**63
"""More requests than a run can make."""


def _is_of_another(credential: str, user: str) -> bool:
    """Tell whether a creation with a credential was made for another user; one with no known token may be anybody's."""
    return credential != user and credential in KNOWN_CREDENTIALS


def _key(request_id: str) -> str:
    """Return the form in which an identifier is looked up: UUIDs may be written in either case."""
    return request_id.lower() if is_uuid(request_id) else request_id
