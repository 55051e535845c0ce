"""The run context: what the whole record shows, which no single exchange shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.facts.due import Facts
from conformance.model.bodies import Content
from conformance.model.error_table import KNOWN_CREDENTIALS, LIMIT_REACHED, ON_DATA_REQUESTS
from conformance.model.exchange import CONFLICTS, Exchange, Operation, header, request_id_of
from conformance.model.identity import ANONYMOUS
from conformance.rules.assumptions import document_of
from conformance.rules.server_errors import is_server_error, now_and_then
from conformance.rules.shared import uncertain
from conformance.spec.kinds import State


@dataclass
class RunContext(Facts):
    """What the whole record shows about data types and data requests."""

    types: frozenset[str] | None = None
    """Types that at least one list names."""
    lasting_types: frozenset[str] | None = None
    """Types that every list names; others appeared or disappeared during the run."""
    completed: set[str] = field(default_factory=set)
    creations: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The document of each creation by requestId; empty for an identifier given twice."""
    shared: frozenset[str] = frozenset()
    """Identifiers given to several requests."""
    uncertain: frozenset[str] = frozenset()
    """The ids of answers that may be about another request with the identifier in the path, see `shared`."""
    readings: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The document of the first reading by requestId, without identifiers given twice."""
    accepted: set[tuple[Operation, str]] = field(default_factory=set)
    """Kinds of calls for which a known token was accepted, see `_asked`."""
    raced: set[str] = field(default_factory=set)
    """Identifiers of requests that were deleted by several calls at the same time."""
    in_progress: dict[str, list[Exchange]] = field(default_factory=dict)
    """For each request the answers that showed it in progress."""
    conflicts: frozenset[str] = frozenset()
    """The ids of the responses 409 that simultaneous calls of the suite itself provoked."""
    passing_errors: frozenset[str] = frozenset()
    """The ids of server errors that came now and then, see `server_errors`."""

    @property
    def fleeting(self) -> frozenset[str]:
        """The types that appeared or disappeared during the run."""
        return frozenset() if self.types is None or self.lasting_types is None else self.types - self.lasting_types

    def lists_sometimes(self, creation: Exchange, /) -> bool:
        """Tell whether a creation names only types that were listed, but one that was not listed all the time."""
        listed = creation.intent.types
        if creation.operation is not Operation.CREATE or not isinstance(listed, list) or self.types is None:
            return False
        return self.types.issuperset(listed) and not self.fleeting.isdisjoint(listed)

    def request(self, exchange: Exchange, /) -> State:
        """Return the state of the request that a reading or a deletion names."""
        state, request_id = super().request(exchange), request_id_of(exchange)
        if state is not State.EXISTING:
            return state
        if exchange.operation is Operation.DELETE:
            if request_id in self.raced:
                return State.PERHAPS  # one of the calls at the same time may have removed it
        elif any(each.is_after(exchange) for each in self.in_progress.get(request_id, ())):
            return State.IN_PROGRESS
        return State.COMPLETED if request_id in self.completed else state

    def refuses_the_token(self, exchange: Exchange, /) -> bool:
        """Tell whether a 401 to a known token is about the token (5.1).

        It is about the call if the operation accepts the token for other kinds of calls, and never for this kind.
        """
        kind = _asked(exchange)
        return kind in self.accepted or not any(each[0] is kind[0] and each != kind for each in self.accepted)

    @classmethod
    def of(cls, exchanges: list[Exchange]) -> RunContext:
        """Return the context of `exchanges`, in their order."""
        known = cls(
            full=refusals_when_full(exchanges),
            bodiless=bodiless(exchanges),
            pages=pages(exchanges),
            passing_errors=now_and_then(exchanges),
            conflicts=frozenset(_conflicts(exchanges)),
        )
        lists: set[Content] = set()  # most lists are equal
        for exchange in exchanges:
            if exchange.operation is Operation.DELETE and exchange.intent.racing:
                known.raced.add(request_id_of(exchange))
            if exchange.response is None:
                continue
            if (
                _by_known_user(exchange)
                and exchange.response.status not in (401, 403)
                and not is_server_error(exchange)
            ):
                known.accepted.add(_asked(exchange))
            if not 200 <= exchange.response.status < 300:
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
            elif exchange.operation in (Operation.CREATE, Operation.READ) and exchange.intent.request != "foreign":
                value = exchange.response.document.value
                if isinstance(value, dict) and isinstance(value.get("requestId"), str):
                    if exchange.operation is Operation.CREATE:
                        again = value["requestId"] in known.creations
                        known.creations[value["requestId"]] = {} if again else value
                    elif exchange.intent.request == "existing":
                        known.readings.setdefault(request_id_of(exchange), value)
                    if value.get("isCompleted") is True:
                        known.completed.add(value["requestId"])
                    elif value.get("isCompleted") is False:
                        known.in_progress.setdefault(value["requestId"], []).append(exchange)
        known.shared = frozenset(request_id for request_id, made in known.creations.items() if not made)
        known.uncertain = frozenset(uncertain(exchanges, known.shared))
        known.readings = {id: value for id, value in known.readings.items() if known.creations.get(id)}
        return known


def _asks_for_a_language(exchange: Exchange) -> bool:
    """Whether a call of GET /data asks for a language, also a generated call that states no intent."""
    return exchange.intent.language is not None or header(exchange.request.headers, "accept-language") is not None


def refusals_when_full(exchanges: Iterable[Exchange]) -> frozenset[tuple[int, Content]]:
    """Return status and body of the refusals beyond the limit (8); none if one has the error of clause 7.

    A service without this error refuses like that whenever the account is full. Lists of known types decide about the
    error where there are some: another body may have it for another reason.
    """
    answers = [
        (each.intent.body, each.response)
        for each in exchanges
        if each.operation is Operation.CREATE and each.intent.limit == "reached" and each.response is not None
    ]
    refused = [(body, answer) for body, answer in answers if answer.status >= 400]
    values = [answer.document.value for body, answer in refused if body == "known types"]
    values = values or [answer.document.value for _, answer in refused]
    if any(isinstance(value, dict) and value.get("error") == LIMIT_REACHED.error for value in values):
        return frozenset()
    return frozenset((answer.status, answer.content) for _, answer in refused)


def bodiless(exchanges: Iterable[Exchange]) -> frozenset[Content]:
    """Return the answers 400 to an omitted body while there was room."""
    answers = (each.response for each in exchanges if each.intent.body == "omitted" and each.intent.limit is None)
    return frozenset(answer.content for answer in answers if answer is not None and answer.status == 400)


def _conflicts(exchanges: Sequence[Exchange]) -> Iterator[str]:
    """Yield the ids of responses 409 or 423 to one of several calls at the same time, where others like it differ.

    Clause 7 shows neither status; a service may refuse a call beside another one of the same user.
    """
    mine = [each for each in exchanges if _by_known_user(each) and each.response is not None]
    mine = [each for each in mine if each.intent.limit is None or each.intent.racing]  # the limit may be the reason
    others = {_asked(each) for each in mine if each.response is not None and each.response.status not in CONFLICTS}
    for each in mine:
        if each.response is not None and each.response.status in CONFLICTS and each.beside and _asked(each) in others:
            yield each.id


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
