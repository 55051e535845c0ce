"""The ledger: which data requests exist, and how many count against the limit, as the exchanges show it (3, 4, 8).

A request has a life: its creation, what showed it, and what deleted it or may have. Order is that of the clock of the
run: a call is after another one if it began when that was answered; simultaneous calls have both orders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from conformance.facts.answers import accepted, is_limit_refusal, names_the_limit, says
from conformance.facts.assumptions import document_of, limit_of
from conformance.facts.creation import made_by
from conformance.facts.ranges import Doubt, Range, Width
from conformance.model.bodies import Content
from conformance.model.error_table import KNOWN_CREDENTIALS, LIMIT_REACHED
from conformance.model.exchange import NEVER_ARRIVED, Exchange, Operation, is_missing, request_id_of, state_of
from conformance.model.formats import is_uuid
from conformance.spec.kinds import State

USUAL: Final = ("known types", "omitted")
"""The bodies of creations that only the limit refuses."""


def began(exchange: Exchange) -> float:
    """Return when a call began, in seconds."""
    return exchange.started.timestamp()


def ended(exchange: Exchange) -> float:
    """Return when a call was over, in seconds."""
    return exchange.started.timestamp() + exchange.seconds


def is_before(one: Exchange, other: Exchange) -> bool:
    """Tell whether a call was over when another one began."""
    return (ended(one), one.number) < (began(other), other.number)


def confirms(deletion: Exchange) -> bool:
    """Tell whether the service said that it deleted a request; some services send each error with 200."""
    return deletion.counts and accepted(deletion)


def _may_have_removed(deletion: Exchange) -> bool:
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
    """The deletions by its owner that the service confirmed, or that found none after one of unknown effect."""
    suspects: list[Exchange] = field(default_factory=list)
    """Other deletions that may have removed it: by another user, beside another one, or not certainly refused."""
    _seen_until: float = float("-inf")
    """When the last call began that shows it in progress."""
    _deleted_from: float = float("inf")
    """When the first confirmed deletion began."""
    _deleted_until: float = float("inf")
    """When a confirmed deletion was over first."""

    def show(self, exchange: Exchange, *, completed: bool) -> None:
        """Add an answer that shows its state."""
        (self.completed if completed else self.in_progress).append(exchange)
        if not completed:
            self._seen_until = max(self._seen_until, began(exchange))

    def delete(self, exchange: Exchange) -> None:
        """Add a deletion that the service confirmed."""
        self.deleted.append(exchange)
        self._deleted_from = min(self._deleted_from, began(exchange))
        self._deleted_until = min(self._deleted_until, ended(exchange))

    def may_exist(self, since: float, until: float) -> bool:
        """Tell whether it may exist at some moment of a span."""
        return (self._deleted_until >= since or len(self.created) > 1) and began(self.created[0]) <= until

    @property
    def documents(self) -> list[dict[str, Any]]:
        """What its creation and its first reading show; nothing where several requests share the identifier."""
        read = [each for each in (*self.in_progress, *self.completed, *self.stateless) if each is not self.created[0]]
        first = sorted((each for each in read if each.intent.request == "existing"), key=lambda each: each.number)[:1]
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
        return max((*self.created, *self.in_progress, *self.completed, *self.stateless), key=ended)

    @property
    def is_completed(self) -> bool:
        """Whether an answer shows it completed, and none in progress later; a service may reopen a request."""
        return bool(self.completed) and self._seen_until <= began(self.completed[-1])

    @property
    def in_progress_for(self) -> float:
        """The seconds from its creation to the last call that shows it in progress; 0 or less if none does."""
        return self._seen_until - ended(self.created[0])

    @property
    def owner(self) -> str:
        """The credential of its creation."""
        return self.created[0].request.credential

    @property
    def is_told_apart(self) -> bool:
        """Whether its identifier is a UUID that no other request has."""
        return len(self.created) == 1 and is_uuid(self.request_id)

    @property
    def unreadable(self) -> Exchange | None:
        """A reading by its owner that found nothing, although its deletion found it later: it had completed (4.2)."""
        if not self.deleted or not self.is_told_apart:
            return None
        unread = (each for each in self.missing if each.operation is Operation.READ)
        return next((each for each in unread if self._seen_until < began(each) < self._deleted_from), None)

    @property
    def lost(self) -> Exchange | None:
        """The first deletion by its owner that finds nothing, unless something may have removed the request before."""
        missing = next((each for each in self.missing if each.operation is Operation.DELETE), None)
        if missing is None or not self.is_told_apart:
            return None
        removing = (*self.deleted, *self.suspects)
        return None if any(not is_before(missing, each) for each in removing) else missing

    def is_certainly_in_progress(self, moment: float) -> bool:
        """Tell whether it was in progress at a moment: answered before, seen in progress after, and not deleted."""
        if ended(self.created[0]) > moment or self._seen_until < moment or self._deleted_from <= moment:
            return False
        return self.is_told_apart and not self.completed and self.owner in KNOWN_CREDENTIALS

    def seeming(self, at: Exchange) -> int:
        """Return how many were answered before `at` was, as far as nothing shows them completed or removed by then.

        What is completed later may have been completed then, unseen.
        """
        if self.completed or self.unreadable is not None or any(began(each) <= ended(at) for each in self.missing):
            return 0
        there = sum((ended(each), each.number) < (ended(at), at.number) for each in self.created)
        return max(0, there - sum(began(each) <= ended(at) for each in (*self.suspects, *self.deleted)))

    def at_most(self, at: Exchange) -> int:
        """Return how many requests with this identifier may exist when the service answers `at`.

        Each confirmed deletion removes one; of several at the same time only the first.
        """
        if began(self.created[0]) > ended(at):
            return 0
        if len(self.created) == 1:
            return not any(each is not at and is_before(each, at) for each in self.deleted)
        changes = [(ended(each), 1) for each in self.created if began(each) <= ended(at)]
        until = float("-inf")
        for each in self.deleted:
            if began(each) < until:
                continue
            until = ended(each)
            if each is not at and is_before(each, at):
                changes.append((began(each), -1))
        left = 0
        for _, change in sorted(changes):
            left = max(0, left + change)
        return left

    def doubt(self, at: Exchange, adds: int) -> Width:
        """Return why `adds` requests may count when `at` is answered, and do not certainly."""
        if self.owner not in KNOWN_CREDENTIALS:
            return Width(Doubt.TOKEN, adds, self.created[0])
        if not self.is_told_apart:
            return Width(Doubt.IDENTIFIER, adds, self.created[-1])
        removing = next((each for each in (*self.suspects, *self.deleted) if began(each) <= ended(at)), None)
        if removing is not None:
            return Width(Doubt.DELETION, adds, removing)
        return Width(Doubt.COMPLETED, adds, next(iter([*self.completed, *self.missing]), self.created[0]))


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
        self.given: Counter[str] = Counter()
        """How often creations gave each requestId, the empty one too."""
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

        FULL if as many requests of the user as the limit allows seem to be in progress; EITHER if as many may exist;
        EMPTIED if an accepted creation before it had lost its place again, and the next one was accepted.
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

    def taken(self, creation: Exchange) -> int:
        """Return how many requests of the run may count against the limit of its caller beside a creation.

        Which user a request was made for that was created with another token is unknown: it counts for each of them.
        """
        user = creation.request.credential
        own = (life for life in self.beside(creation) if not _is_of_another(life.owner, user))
        number = sum(life.at_most(creation) - (creation in life.created) for life in own)
        return number + sum(began(each) <= ended(creation) for each in self.unnamed if each is not creation)

    def held(self, user: str, at: Exchange) -> Range:
        """Return how many requests count against the limit of a user when `at` is answered.

        Certainly those of the user; possibly those of all users, until the exchanges show that users are apart.
        """
        moment, certain = ended(at), 0
        widths: list[Width] = [] if self.is_complete else [Width(Doubt.ACCOUNT, None)]
        for life in self.beside(at):
            of_another = _is_of_another(life.owner, user)
            if of_another and self.users_are_apart:
                continue
            if life.owner == user and life.is_certainly_in_progress(moment):
                certain += 1
            elif most := life.at_most(at):
                widths.append(Width(Doubt.USERS, most) if of_another else life.doubt(at, most))
        widths += (Width(Doubt.UNNAMED, 1, each) for each in self.unnamed_at(user, at))
        if beside := self._refused_beside(user, at):
            widths.append(Width(Doubt.BESIDE, beside))
        return Range(certain, tuple(widths))

    def unnamed_at(self, user: str, at: Exchange) -> list[Exchange]:
        """Return the unnamed creations whose requests may count against the limit of a user when `at` is answered."""
        mine = (each for each in self.unnamed if began(each) <= ended(at) and each is not at)
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
    def vanished(self) -> Exchange | None:
        """A deletion that finds nothing of a request, with no other deletion since an answer showed the request."""
        for life in self.lives.values():
            if (missing := life.lost) is None:
                continue
            others = (each for each in self.deletions if each is not missing)
            if all(is_before(each, life.last_shown) or is_before(missing, each) for each in others):
                return missing
        return None

    def live(self, user: str) -> list[Life]:
        """Return the requests of a user that none of his deletions removed, or missed."""
        left = (life for life in self.of_user(user) if len(life.deleted) < len(life.created))
        return [life for life in left if not any(each.operation is Operation.DELETE for each in life.missing)]

    @property
    def changes(self) -> list[Exchange]:
        """The calls that may change which requests exist: creations and deletions."""
        return [*self.accepted, *self.refused, *self.unnamed, *self.deletions]

    def deleted_since(self, life: Life) -> bool:
        """Tell whether a call asked for a deletion of another request after the last answer that shows this one."""
        others = (each for each in self.deletions if _key(request_id_of(each)) != _key(life.request_id))
        return any(is_before(life.last_shown, each) for each in others)

    def exceeded_since(self, life: Life) -> bool:
        """Tell whether a creation beyond the limit was accepted from the owner after the last answer that shows it."""
        mine = (each for each in self.accepted if each.request.credential == life.owner)
        return any(is_before(life.last_shown, each) and self.room(each) is State.FULL for each in mine)

    def unread(self, reads: Iterable[Exchange]) -> list[Exchange]:
        """Return the readings that found nothing, of requests that no answer shows completed."""
        lives = ((read, self.life(request_id_of(read))) for read in reads if is_missing(read))
        return [read for read, life in lives if life is not None and life.is_told_apart and not life.completed]

    def completed_at(self, user: str, at: Exchange) -> list[Life]:
        """Return the requests of a user that an answer had shown completed when `at` began, and none deleted."""
        mine = (life for life in self.of_user(user) if life.completed and life.at_most(at))
        return [life for life in mine if life.is_told_apart and any(is_before(each, at) for each in life.completed)]

    def unreadable_at(self, user: str, at: Exchange) -> list[Life]:
        """Return the requests of a user that had completed unseen when `at` began, and none deleted."""
        gone = ((life, life.unreadable) for life in self.of_user(user))
        return [life for life, read in gone if read is not None and is_before(read, at) and life.at_most(at)]

    def is_open(self, exchange: Exchange) -> bool:
        """Tell whether the answer to a reading or deletion may be about another request with the same identifier.

        What finds nothing is certain if no deletion, and no creation of another user, came since the last creation.
        """
        asks = exchange.operation in (Operation.READ, Operation.DELETE)
        life = self.life(request_id_of(exchange)) if asks else None
        if life is None or len(life.created) < 2:
            return False
        if is_missing(exchange):
            user = exchange.request.credential
            mine = [each for each in life.created if each.request.credential == user and is_before(each, exchange)]
            others = [each for each in life.created if each.request.credential != user]
            changes = (each for each in (*others, *life.deleted, *life.suspects) if each is not exchange)
            return not mine or any(not is_before(each, mine[-1]) and not is_before(exchange, each) for each in changes)
        unnamed = sum(not is_before(exchange, each) for each in self.unnamed)
        left = life.at_most(exchange) + unnamed
        return left > (
            0 if exchange.intent.request == "deleted" else 1 if exchange.operation is Operation.READ else left
        )

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
        mine = (life for life in self.beside(creation) if life.owner == user)
        if sum(life.seeming(creation) for life in mine) >= self.highest(creation):
            return State.FULL
        if self.taken(creation) >= self.lowest(creation):
            return State.EITHER
        return State.EMPTIED if creation.intent.body not in USUAL and self._is_emptied(creation) else State.ROOM

    def beside(self, at: Exchange) -> Iterator[Life]:
        """Return the lives of the requests that may exist while a call goes on."""
        since, until = began(at), ended(at)
        return (life for life in self.lives.values() if life.may_exist(since, until))

    def _is_emptied(self, creation: Exchange) -> bool:
        """Tell whether the creation before had lost its place again, and the next one was accepted.

        Nothing was deleted between the two of them and this one, so both show that there was room.
        """
        mine = [each for each in self.accepted if each.request.credential == creation.request.credential]
        before = max((each for each in mine if is_before(each, creation)), key=ended, default=None)
        after = min((each for each in mine if is_before(creation, each)), key=began, default=None)
        if before is None or after is None:
            return False
        if not any(is_before(each, creation) for each in self.made[before.id].deleted):
            return False
        return all(is_before(each, creation) or is_before(after, each) for each in self.deletions)

    def _shows_users_apart(self, creation: Exchange) -> bool:
        held = dict.fromkeys(KNOWN_CREDENTIALS, 0)
        for user in held:
            held[user] = sum(life.is_certainly_in_progress(ended(creation)) for life in self.of_user(user))
        full = [user for user, number in held.items() if 0 < max(self.limits(user), default=0) <= number]
        return bool(full) and sum(number > 0 for number in held.values()) > 1

    def _refused_beside(self, user: str, at: Exchange) -> int:
        """Return how many refused creations at the same time as `at` may have held a place for a moment."""
        since, until = (began(at), at.number), (ended(at), at.number)
        mine = (each for each in self.refused if each is not at and each.request.credential == user)
        return sum((ended(each), each.number) >= since and (began(each), each.number) <= until for each in mine)

    def _create(self, exchange: Exchange) -> None:
        if exchange.response is None and exchange.error in NEVER_ARRIVED:
            return
        failed = exchange.response is not None and exchange.response.status >= 500
        made = made_by(exchange, full=failed and self._room(exchange) is State.FULL)
        given = exchange.response.member("requestId") if exchange.response is not None else None
        if isinstance(given, str) and exchange.response is not None and 200 <= exchange.response.status < 300:
            self.given[given] += 1
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
        elif _may_have_removed(exchange):
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
