"""What a call must be answered: the only place that says so (4, 5, 7).

The table of kinds (`spec/kinds.toml`) has the rows. What an answer says of itself, such as that the limit is the
reason, and the state of the world choose among them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from conformance.facts.answers import (
    finds_a_request,
    is_evident,
    is_too_long,
    names_a_tabled_error,
    names_the_limit,
    refuses_an_offered_token,
    says,
    wants_a_language,
)
from conformance.model.bodies import Content
from conformance.model.credential_forms import OTHER_LETTER_CASE
from conformance.model.error_table import (
    CONDITIONS,
    INVALID_DATA_TYPES,
    KNOWN_CREDENTIALS,
    LANGUAGE_NOT_SUPPORTED,
    LIMIT_REACHED,
    ON_DATA_REQUESTS,
    UNAUTHORIZED,
    Condition,
)
from conformance.model.exchange import Exchange, Operation, Response, header, request_id_of
from conformance.model.formats import is_uuid
from conformance.model.further_headers import is_marked
from conformance.model.identity import ANONYMOUS
from conformance.model.strict_json import as_strings, parse
from conformance.spec.kinds import WORDS, Row, State, row_of


@dataclass
class Facts:
    """What the run shows beside one exchange; this one knows nothing but what the calls state."""

    lists_plainly: bool = False
    """Whether GET /data listed types to a call without a language."""
    bodiless: frozenset[Content] = frozenset()
    """The answers 400 to an omitted body while there was room, so not because of the limit."""
    pages: frozenset[Content] = frozenset()
    """What GET /data/me shows without a token in place of JSON, such as the page of a login (4.6)."""

    login: frozenset[Operation] = frozenset()
    """The public operations that answer a user, and no call without a token: a redirect sends to a login (5.4)."""

    def room(self, _creation: Exchange, /) -> State:
        """Return whether the account has room for a creation."""
        return State.ROOM

    def refuses_when_full(self, _answer: Response, /) -> bool:
        """Tell whether the service answers like this beyond the limit, each time without the stated error."""
        return False

    def lists_sometimes(self, _creation: Exchange, /) -> bool:
        """Tell whether a creation names only types that were listed, but one that was not listed all the time."""
        return False

    def request(self, exchange: Exchange, /) -> State:
        """Return the state of the request that a reading or a deletion by its user names."""
        stated = {"existing": State.EXISTING, "clean-up": State.EXISTING, "deleted": State.DELETED}
        state = stated.get(str(exchange.intent.request), State.PERHAPS)
        return State.PERHAPS if state is State.EXISTING and not is_uuid(request_id_of(exchange)) else state


NO_FACTS: Final = Facts()


@dataclass(frozen=True, slots=True)
class Due:
    """What one call must be answered, as far as its answer leaves it open."""

    kind: str
    """What the call asks, such as "create.known"; "" for a call that is no operation of the interface."""
    state: State
    status: int | None
    """The status; None if the specification states none."""
    by: str
    """The requirement that another status than `status` violates; "" if this answer violates none."""
    kept: tuple[str, ...]
    """The requirements that the answer keeps, because its status is right."""
    row: Condition | None
    """The row of the table of errors that the answer has to agree with."""
    document: str
    """The schema of the document that an accepted call is answered with; "" for none."""
    must_be_error: bool
    """Whether the answer is a refusal that has to be an error object (2.4)."""
    must_be_json: bool
    """Whether the body of the answer has to be JSON (preamble, 4, 7)."""

    @property
    def is_open(self) -> bool:
        """Whether the status of this answer violates nothing."""
        return not self.by

    @property
    def must_accept(self) -> bool:
        """Whether the service has to accept the call."""
        return self.status == 200

    @property
    def must_refuse(self) -> bool:
        """Whether the table states a refusal of the call, which then has no effect."""
        return bool(self.by) and self.status is not None and self.status >= 400


def due(exchange: Exchange, facts: Facts = NO_FACTS) -> Due:
    """Return what a call must be answered, given its answer, if there is one, and what the run shows."""
    kind, state, answer = kind_of(exchange), state_of(exchange, facts), exchange.response
    row = row_of(kind, state)
    asked_openly = exchange.intent.open
    by = "" if asked_openly else row.by if answer is None else _by(exchange, answer, row, facts)
    error = None if answer is None else _error(exchange, answer, row, state)
    must_be_error = answer is not None and _must_be_error(exchange, answer, error)
    if answer is not None and exchange.intent.body == "omitted" and answer.content in facts.bodiless:
        error = None  # it refuses the want of a body
    return Due(
        kind=kind,
        state=state,
        status=None if exchange.intent.open else row.status,
        by="" if row.only_shown and answer is None else by,
        kept=() if asked_openly or answer is None else _kept(exchange, answer, kind, row),
        row=error,
        document=row.document,
        must_be_error=must_be_error,
        must_be_json=must_be_error
        or (answer is not None and row.document != "" and _must_be_document(exchange, answer, row, state, facts)),
    )


def kind_of(exchange: Exchange) -> str:
    """Return the kind of a call (`spec/kinds.toml`), from its operation, its credential and what it means.

    What an edited record states may be of any type, and is then of no known kind.
    """
    if exchange.operation is None:
        return ""
    without = exchange.operation in ON_DATA_REQUESTS and exchange.request.credential not in KNOWN_CREDENTIALS
    return f"{WORDS[exchange.operation]}.{_without_valid_token(exchange) if without else meaning_of(exchange)}"


def meaning_of(exchange: Exchange) -> str:
    """Return what a call asks, with any credential: the second part of the kind of a call with a valid token."""
    intent = exchange.intent
    if exchange.operation is Operation.CREATE:
        return _creation(exchange)
    if exchange.operation in ON_DATA_REQUESTS:
        return _of_a_request(exchange)
    if exchange.operation is Operation.SETTINGS and intent.language:
        return "language" if intent.language == "supported" and not intent.unusual else "odd"
    return str(intent.language or "plain")


def state_of(exchange: Exchange, facts: Facts = NO_FACTS) -> State:
    """Return the state of the world that counts for a call."""
    if exchange.operation is Operation.DATA:
        return State.LISTED if facts.lists_plainly else State.ANY
    if exchange.operation is Operation.CREATE:
        return State.SOMETIMES if facts.lists_sometimes(exchange) else facts.room(exchange)
    return facts.request(exchange) if exchange.operation in ON_DATA_REQUESTS else State.ANY


def _without_valid_token(exchange: Exchange) -> str:
    credential, sent = exchange.request.credential, header(exchange.request.headers, "authorization") or ""
    if is_marked("authorization", sent.lower()):
        return "gate"
    if credential == OTHER_LETTER_CASE:
        return "other-case"
    return "no-token" if credential == ANONYMOUS.label else "bad-token"


_BODIES: Final = {
    "known types": "known",
    "omitted": "omitted",
    "unknown type": "unknown",
    "unprintable type": "unprintable",
}


def _creation(exchange: Exchange) -> str:
    intent = exchange.intent
    body = _BODIES.get(str(intent.body), "odd")
    if intent.racing:
        return "racing"
    if body == "odd" or not intent.label or body == "unprintable":
        return body
    if intent.label == "empty":
        return "empty"
    return "unknown-labelled" if body == "unknown" else "labelled"


_PLAIN_IDENTIFIER: Final = re.compile(r"[0-9A-Za-z-]+")


def _has_plain_identifier(exchange: Exchange) -> bool:
    """Tell whether the identifier in the path has only letters, digits and hyphens, which no gateway changes."""
    return _PLAIN_IDENTIFIER.fullmatch(request_id_of(exchange)) is not None


def _of_a_request(exchange: Exchange) -> str:
    meant, request_id = str(exchange.intent.request), request_id_of(exchange)
    if exchange.intent.racing:
        return "racing"
    if meant == "unknown" and not is_uuid(request_id):
        # Other characters may stand for others in a path, or change it.
        underscored = _PLAIN_IDENTIFIER.fullmatch(request_id.replace("_", "-"))
        return "odd" if _has_plain_identifier(exchange) else "underscored" if underscored else "reserved"
    own = {"existing": "own", "clean-up": "own", "deleted": "own", "lost": "own"}
    return own.get(meant, meant or "unstated")


def _by(exchange: Exchange, answer: Response, row: Row, facts: Facts) -> str:
    """Return the requirement that a wrong status of the answer violates, or ""."""
    if refuses_an_offered_token(exchange):
        return ""
    if row.unauthorized and _refuses_the_token(exchange, answer, facts):
        return row.unauthorized
    if row.allows_status(answer.status):
        return ""
    if is_too_long(exchange) or _has_an_allowed_error(exchange, answer, row, facts):
        return ""
    if row.only_shown and not finds_a_request(exchange, answer):
        return ""
    return row.refused if row.refused and answer.status >= 400 else row.by


def _kept(exchange: Exchange, answer: Response, kind: str, row: Row) -> tuple[str, ...]:
    """Return the requirements that a status keeps; where the state leaves it open, the one of the kind is right too."""
    usual = row if row.by or row.error else row_of(kind, State.EXISTING)
    if answer.status != usual.status:
        return ()
    if row.error == UNAUTHORIZED.error and exchange.operation is not Operation.CREATE:
        return row.requirements if exchange.intent.request == "existing" else ()  # it may hand out what exists
    of_a_user = exchange.operation not in ON_DATA_REQUESTS and exchange.request.credential != ANONYMOUS.label
    return tuple(each for each in usual.requirements if not (of_a_user and each == usual.unauthorized))


def _has_an_allowed_error(exchange: Exchange, answer: Response, row: Row, facts: Facts) -> bool:
    """Tell whether an answer has an error of the table that is right beside the answer of the row."""
    if LANGUAGE_NOT_SUPPORTED.error in row.allows and wants_a_language(exchange):
        return True
    if LIMIT_REACHED.error not in row.allows:
        return False
    evident = names_the_limit(answer) or facts.refuses_when_full(answer)
    return says(exchange, LIMIT_REACHED) or (answer.status >= 400 and evident)


def _refuses_the_token(exchange: Exchange, answer: Response, facts: Facts) -> bool:
    if exchange.operation in ON_DATA_REQUESTS:
        return answer.status == 401
    refused = answer.status in (401, 403) or (300 <= answer.status < 400 and exchange.operation in facts.login)
    return refused and exchange.request.credential == ANONYMOUS.label


def _error(exchange: Exchange, answer: Response, row: Row, state: State) -> Condition | None:
    """Return the row of the table that an answer has to agree with: the one that it names, or else that of its kind."""
    possible = [
        each
        for each in CONDITIONS
        if each.error in row.names and each.status == answer.status and exchange.operation in each.operations
    ]
    if answer.status == 404 and not _has_plain_identifier(exchange):
        return None
    if answer.status != 400:
        return possible[0] if possible else None
    named = next((each for each in possible if says(exchange, each)), None)
    if named is not None:
        return None if named is INVALID_DATA_TYPES and exchange.intent.open and not _lists_types(exchange) else named
    if exchange.redirected_from:
        return None
    types = exchange.intent.types
    several = state is State.FULL and isinstance(types, list) and len(types) > 1  # it may be refused for its size (8)
    if exchange.intent.open or row.allows_status(answer.status) or is_too_long(exchange) or several:
        return None  # the service may refuse such a call for a reason of its own
    return next((each for each in possible if each.error == row.error), None)


def _lists_types(exchange: Exchange) -> bool:
    """Tell whether the body is an array of different strings, labelled as JSON: one may be no available type (7)."""
    as_json = header(exchange.request.headers, "content-type") == "application/json"
    listed = as_strings(parse(exchange.request.body).value) or []
    return as_json and 0 < len(set(listed)) == len(listed)


_SENT_BY_GATEWAYS: Final = frozenset({*range(405, 409), 413, 414, 417, 421, 425, 426, 429, 431})
"""Statuses that servers and gateways send, with bodies of their own."""

_CONTROL_CHARACTER: Final = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\\u00[01]")
"""A control character in a body, also as an escape."""


def _is_stopped_on_the_way(body: bytes) -> bool:
    """Tell whether a firewall may refuse a body, because of control characters or bytes that are not UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return True
    return _CONTROL_CHARACTER.search(body) is not None


def _must_be_error(exchange: Exchange, answer: Response, error: Condition | None) -> bool:
    """Tell whether an operation refused a call with an error that has to be a JSON object (2.4, 7).

    Calls with unusual headers, queries, identifiers or bytes are excluded: a gateway may have refused them. So are
    refusals of GET /data/me, which the specification does not show (4.6), and of public calls with a token (5, item 4).
    """
    operation = exchange.operation
    if exchange.intent.unusual:
        return False
    if error is not None:
        return True
    if operation in (None, Operation.DATA_ME) or not 400 <= answer.status < 500 or answer.status in _SENT_BY_GATEWAYS:
        return False
    if refuses_an_offered_token(exchange) or _is_stopped_on_the_way(exchange.request.body):
        return False
    label = header(exchange.request.headers, "content-type") or "application/json"
    if label != "application/json" and answer.status == 403 and answer.document.problem:
        return False  # a firewall may let fewer media types pass than the service reads
    return operation not in (Operation.READ, Operation.DELETE) or _has_plain_identifier(exchange)


def _must_be_document(exchange: Exchange, answer: Response, row: Row, state: State, facts: Facts) -> bool:
    """Tell whether the answer accepts the call, so that it has to be the document of the row."""
    if exchange.intent.open or (exchange.operation is Operation.DATA_ME and answer.content in facts.pages):
        return False
    may_refuse = exchange.operation in ON_DATA_REQUESTS and (row.status is None or state is State.EITHER)
    if may_refuse and names_a_tabled_error(answer):
        return False  # the calls that have to be refused show that the status is wrong
    return answer.status == 200 or is_evident(exchange)
