"""The run context: what the whole record shows, which no single exchange shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from conformance.facts.assumptions import document_of
from conformance.facts.due import Facts
from conformance.facts.ledger import Ledger
from conformance.model.bodies import Content
from conformance.model.error_table import KNOWN_CREDENTIALS, ON_DATA_REQUESTS
from conformance.model.exchange import CONFLICTS, Exchange, Operation, Response, header, request_id_of
from conformance.model.identity import ANONYMOUS, USER
from conformance.spec.kinds import State


@dataclass
class RunContext(Facts):
    """What the whole record shows about data types and data requests."""

    types: frozenset[str] | None = None
    """Types that at least one list names."""
    lasting_types: frozenset[str] | None = None
    """Types that every list names; others appeared or disappeared during the run."""
    ledger: Ledger = field(default_factory=Ledger)
    """Which requests exist."""
    conflicts: frozenset[str] = frozenset()
    """The ids of the responses 409 that simultaneous calls of the suite itself provoked."""

    def lists_sometimes(self, creation: Exchange, /) -> bool:
        """Tell whether a creation names only types that were listed, but one that was not listed all the time."""
        listed, ever, always = creation.intent.types, self.types, self.lasting_types
        if creation.operation is not Operation.CREATE or not isinstance(listed, list) or ever is None or always is None:
            return False
        return ever.issuperset(listed) and not always.issuperset(listed)

    def room(self, creation: Exchange, /) -> State:
        """Return whether the account has room for a creation."""
        return self.ledger.room(creation)

    def refuses_when_full(self, answer: Response, /) -> bool:
        """Tell whether the service answers like this beyond the limit, each time without the stated error."""
        return (answer.status, answer.content) in self.ledger.refusals_when_full

    def request(self, exchange: Exchange, /) -> State:
        """Return the state of the request that a reading or a deletion names."""
        state, life = super().request(exchange), self.ledger.life(request_id_of(exchange))
        if state not in (State.EXISTING, State.DELETED) or life is None:
            return state
        if self.ledger.is_ambiguous(exchange):
            return State.PERHAPS
        if state is State.DELETED:
            return state
        if exchange.operation is Operation.DELETE:
            if any(each.intent.racing for each in (*life.deleted, *life.suspects)):
                return State.PERHAPS  # one of the calls at the same time may have removed it
        elif any(each.is_after(exchange) for each in life.in_progress):
            return State.IN_PROGRESS
        return State.COMPLETED if life.completed else state

    @classmethod
    def of(cls, exchanges: list[Exchange]) -> RunContext:
        """Return the context of `exchanges`, in their order."""
        ledger = Ledger.of(exchanges)
        known = cls(
            bodiless=_bodiless(exchanges, ledger),
            pages=pages(exchanges),
            login=logins(exchanges),
            conflicts=frozenset(_conflicts(exchanges, ledger)),
            ledger=ledger,
        )
        lists: set[Content] = set()  # most lists are equal
        for exchange in exchanges:
            if exchange.response is None or not 200 <= exchange.response.status < 300:
                continue
            if exchange.operation is Operation.DATA and not _asks_for_a_language(exchange):
                value = exchange.response.document.value
                value = value if value == [] else document_of(value, list)[0]
                known.lists_plainly |= not (exchange.intent.selected or exchange.intent.unusual)
                if isinstance(value, list) and exchange.response.content not in lists:
                    lists.add(exchange.response.content)
                    named = frozenset(types_in(value))
                    known.types = (known.types or frozenset()) | named
                    known.lasting_types = named if known.lasting_types is None else known.lasting_types & named
        return known


def _asks_for_a_language(exchange: Exchange) -> bool:
    """Whether a call of GET /data asks for a language, also a generated call that states no intent."""
    return exchange.intent.language is not None or header(exchange.request.headers, "accept-language") is not None


def _bodiless(exchanges: Iterable[Exchange], ledger: Ledger) -> frozenset[Content]:
    """Return the answers 400 to an omitted body while there was room."""
    omitted = (each for each in exchanges if each.intent.body == "omitted")
    answers = (each.response for each in omitted if ledger.room(each) is State.ROOM)
    return frozenset(answer.content for answer in answers if answer is not None and answer.status == 400)


def _conflicts(exchanges: Sequence[Exchange], ledger: Ledger) -> Iterator[str]:
    """Yield the ids of responses 409 or 423 to one of several calls at the same time, where others like it differ.

    Clause 7 shows neither status; a service may refuse a call beside another one of the same user.
    """
    mine = [each for each in exchanges if _by_known_user(each) and each.response is not None]
    limited = (State.FULL, State.EITHER)  # the limit may be the reason
    racing = {each.id for each in mine if each.intent.racing or each.operation is not Operation.CREATE}
    mine = [each for each in mine if each.id in racing or ledger.room(each) not in limited]
    others = {_asked(each) for each in mine if each.response is not None and each.response.status not in CONFLICTS}
    for each in mine:
        if each.response is not None and each.response.status in CONFLICTS and each.beside and _asked(each) in others:
            yield each.id


def logins(exchanges: Iterable[Exchange]) -> frozenset[Operation]:
    """Return the operations that answered a user with 200, and no call without a token (5.4)."""
    callers = {
        (each.operation, each.request.credential)
        for each in exchanges
        if each.operation in (Operation.SETTINGS, Operation.DATA) and each.response and each.response.status == 200
    }
    of_users = {operation for operation, credential in callers if credential == USER.label}
    return frozenset(one for one in of_users if one is not None and (one, ANONYMOUS.label) not in callers)


def pages(exchanges: Iterable[Exchange]) -> frozenset[Content]:
    """Return what GET /data/me shows without a token in place of JSON (4.6)."""
    asked = (each for each in exchanges if each.operation is Operation.DATA_ME)
    answers = (each.response for each in asked if each.request.credential == ANONYMOUS.label)
    shown = (each for each in answers if each is not None and each.status == 200)
    return frozenset(each.content for each in shown if each.document.problem)


def _by_known_user(exchange: Exchange) -> bool:
    return exchange.operation in ON_DATA_REQUESTS and exchange.request.credential in KNOWN_CREDENTIALS


def _asked(exchange: Exchange) -> tuple[Operation, str]:
    """Return the operation of an exchange and what it asked for: "existing", "unknown type" and the like."""
    assert exchange.operation is not None
    meant = exchange.intent.request or exchange.intent.body or ""
    return exchange.operation, "existing" if meant == "clean-up" else str(meant)


def types_in(value: list[object]) -> list[str]:
    """Return the `type` strings of a data type list (2.2), in its order."""
    return [item["type"] for item in value if isinstance(item, dict) and isinstance(item.get("type"), str)]
