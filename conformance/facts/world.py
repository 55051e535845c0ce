"""The facts of a run: what all its exchanges show together, which no single exchange shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.facts.assumptions import document_of
from conformance.facts.ledger import Ledger
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.formats import is_uuid
from conformance.model.identity import ANONYMOUS, USER
from conformance.model.strict_json import Content
from conformance.spec.kinds import Due, State


@dataclass
class Facts:
    """What a run shows beside one exchange; by default nothing but what the calls state."""

    exchanges: Sequence[Exchange] = ()
    """All exchanges, in their order."""
    ledger: Ledger = field(default_factory=Ledger)
    """Which requests exist."""
    types: frozenset[str] | None = None
    """Types that at least one list names."""
    lasting_types: frozenset[str] | None = None
    """Types that every list names; others appeared or disappeared during the run."""
    lists_plainly: bool = False
    """Whether GET /data listed types to a call without a language."""
    pages: frozenset[Content] = frozenset()
    """What GET /data/me shows without a token in place of JSON, such as the page of a login (4.6)."""
    login: frozenset[Operation] = frozenset()
    """The public operations that answer a user, and no call without a token: a redirect sends to a login (5.4)."""
    dues: dict[str, Due] = field(default_factory=dict)
    """What each exchange had to be answered, by its id, once it was asked for."""

    @classmethod
    def of(cls, exchanges: Sequence[Exchange], *, empty: bool = False) -> Facts:
        """Return the facts of exchanges, in their order; `empty` if nothing else counts against the limit."""
        calls: Mapping[Operation | None, list[Exchange]] = defaultdict(list)
        for each in exchanges:
            if each.response is not None:
                calls[each.operation].append(each)
        ledger = Ledger.of(exchanges, empty=empty)
        known = cls(
            exchanges=exchanges,
            ledger=ledger,
            pages=_pages(calls[Operation.DATA_ME]),
            login=frozenset(each for each in (Operation.SETTINGS, Operation.DATA) if _wants_a_login(calls[each])),
        )
        known._list(calls[Operation.DATA])
        return known

    def _list(self, answers: Iterable[Exchange]) -> None:
        lists: set[Content] = set()  # most lists are equal
        for each in answers:
            # A generated call states no intent.
            asked = each.intent.language is not None or header(each.request.headers, "accept-language") is not None
            if each.response is None or not 200 <= each.status < 300 or asked:
                continue
            value = each.response.document.value
            value = value if value == [] else document_of(value, list)[0]
            self.lists_plainly |= not (each.intent.selected or each.intent.unusual)
            if isinstance(value, list) and each.response.content not in lists:
                lists.add(each.response.content)
                named = frozenset(types_in(value))
                self.types = (self.types or frozenset()) | named
                self.lasting_types = named if self.lasting_types is None else self.lasting_types & named
        if self.types is not None:
            self.types |= self.ledger.types_of_earlier_runs

    def state_of(self, exchange: Exchange) -> State:
        """Return the state of the world that counts for a call."""
        match exchange.operation:
            case Operation.DATA:
                return State.LISTED if self.lists_plainly else State.ANY
            case Operation.CREATE:
                sometimes = self.lists_sometimes(exchange.intent.types)
                return State.SOMETIMES if sometimes else self.ledger.state_at(exchange.id)
            case Operation.READ | Operation.DELETE:
                return self._request(exchange)
        return State.ANY

    def lists_sometimes(self, types: object) -> bool:
        """Tell whether a creation names only types that were listed, but one that was not listed all the time."""
        if not isinstance(types, list) or self.types is None or self.lasting_types is None:
            return False
        return self.types.issuperset(types) and not self.lasting_types.issuperset(types)

    def _request(self, exchange: Exchange) -> State:
        """Return the state of the request that a reading or a deletion names."""
        stated = {"existing": State.EXISTING, "clean-up": State.EXISTING, "deleted": State.DELETED}
        state, request_id = stated.get(str(exchange.intent.request), State.PERHAPS), exchange.request_id
        if state is State.EXISTING and not is_uuid(request_id):
            return State.PERHAPS
        life = self.ledger.life(request_id)
        if state is State.PERHAPS or life is None:
            return state
        if self.ledger.is_ambiguous(exchange):
            return State.PERHAPS
        if state is State.DELETED:
            return state
        if exchange.operation is Operation.DELETE:
            if any(each.intent.racing for each in (*life.deleted, *life.suspects)):
                return State.PERHAPS  # one of the calls at the same time may have removed it
        elif any(each.sent > exchange.over for each in life.in_progress):
            return State.IN_PROGRESS
        return State.COMPLETED if life.completed else state


def _wants_a_login(answers: Iterable[Exchange]) -> bool:
    """Tell whether an operation answered a user with 200, and no call without a token (5.4)."""
    callers = {each.request.credential for each in answers if each.status == 200}
    return USER.label in callers and ANONYMOUS.label not in callers


def _pages(answers: Iterable[Exchange]) -> frozenset[Content]:
    """Return what GET /data/me shows without a token in place of JSON (4.6)."""
    shown = (each.response for each in answers if each.status == 200 and each.request.credential == ANONYMOUS.label)
    return frozenset(each.content for each in shown if each is not None and each.document.problem)


def types_in(value: list[object]) -> list[str]:
    """Return the `type` strings of a data type list (2.2), in its order."""
    return [item["type"] for item in value if isinstance(item, dict) and isinstance(item.get("type"), str)]
