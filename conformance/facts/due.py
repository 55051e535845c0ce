"""What a call must be answered: the only place that says so (4, 5, 7).

The table of kinds (`spec/kinds.toml`) has the rows. What an answer says of itself, such as that the limit is the
reason, and the state of the world choose among them.
"""

from __future__ import annotations

import re
from typing import Final

from conformance.facts.answers import (
    finds_a_request,
    is_evident,
    is_too_long,
    names_a_tabled_error,
    refuses_an_offered_token,
    says,
    wants_a_language,
)
from conformance.facts.kind import has_plain_identifier, kind_of
from conformance.facts.world import Facts
from conformance.model.error_table import (
    CONDITIONS,
    INVALID_DATA_TYPES,
    LANGUAGE_NOT_SUPPORTED,
    LIMIT_REACHED,
    ON_DATA_REQUESTS,
    UNAUTHORIZED,
    Condition,
)
from conformance.model.exchange import Exchange, Operation, Response, header
from conformance.model.identity import ANONYMOUS
from conformance.model.strict_json import as_strings, parse
from conformance.spec.kinds import Due, Row, State, row_of

NO_FACTS: Final = Facts()


def due(exchange: Exchange, facts: Facts = NO_FACTS) -> Due:
    """Return what a call must be answered, given its answer, if there is one, and what the run shows."""
    known = facts.dues.get(exchange.id)
    if known is None:
        known = _due(exchange, facts)
        if facts is not NO_FACTS:
            facts.dues[exchange.id] = known
    return known


def _due(exchange: Exchange, facts: Facts) -> Due:
    kind, state, answer = kind_of(exchange), facts.state_of(exchange), exchange.response
    row, is_open = row_of(kind, state), exchange.intent.open
    status = None if is_open else row.status
    if answer is None:
        by = "" if is_open or row.only_shown else row.by
        return Due(kind, state, status, by, (), None, row.document, must_be_error=False, must_be_json=False)
    error = _error(exchange, answer, row, state)
    must_be_error = _must_be_error(exchange, answer, error)
    if exchange.intent.body == "omitted" and answer.content in facts.bodiless:
        error = None  # it refuses the want of a body
    return Due(
        kind,
        state,
        status,
        by="" if is_open else _by(exchange, answer, row, facts),
        kept=() if is_open else _kept(exchange, answer, kind, row),
        row=error,
        document=row.document,
        must_be_error=must_be_error,
        must_be_json=must_be_error or (row.document != "" and _must_be_document(exchange, answer, row, state, facts)),
    )


def _by(exchange: Exchange, answer: Response, row: Row, facts: Facts) -> str:
    """Return the requirement that a wrong status of the answer violates, or ""."""
    status, on_requests = answer.status, exchange.operation in ON_DATA_REQUESTS
    if refuses_an_offered_token(exchange):
        return ""
    if on_requests:
        refused = status == 401
    else:
        refused = status in (401, 403) or (300 <= status < 400 and exchange.operation in facts.login)
        refused = refused and exchange.request.credential == ANONYMOUS.label
    if row.unauthorized and refused:
        return row.unauthorized
    is_right = (
        row.allows_status(status)
        or is_too_long(exchange)
        or (LANGUAGE_NOT_SUPPORTED.error in row.allows and wants_a_language(exchange))
        or (LIMIT_REACHED.error in row.allows and facts.ledger.is_limit_refusal(exchange))
        or (row.only_shown and not finds_a_request(exchange, answer))
    )
    return "" if is_right else row.refused if row.refused and status >= 400 else row.by


def _kept(exchange: Exchange, answer: Response, kind: str, row: Row) -> tuple[str, ...]:
    """Return the requirements that a status keeps; where the state leaves it open, the one of the kind is right too."""
    usual = row if row.by or row.error else row_of(kind, State.EXISTING)
    if answer.status != usual.status:
        return ()
    if row.error == UNAUTHORIZED.error and exchange.operation is not Operation.CREATE:
        return row.requirements if exchange.intent.request == "existing" else ()  # it may hand out what exists
    of_a_user = exchange.operation not in ON_DATA_REQUESTS and exchange.request.credential != ANONYMOUS.label
    return tuple(each for each in usual.requirements if not (of_a_user and each == usual.unauthorized))


def _error(exchange: Exchange, answer: Response, row: Row, state: State) -> Condition | None:
    """Return the row of the table that an answer has to agree with: the one that it names, or else that of its kind."""
    possible = [
        each
        for each in CONDITIONS
        if each.error in row.names and each.status == answer.status and exchange.operation in each.operations
    ]
    if answer.status == 404 and not has_plain_identifier(exchange):
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
    return operation not in (Operation.READ, Operation.DELETE) or has_plain_identifier(exchange)


def _must_be_document(exchange: Exchange, answer: Response, row: Row, state: State, facts: Facts) -> bool:
    """Tell whether the answer accepts the call, so that it has to be the document of the row."""
    if exchange.intent.open or (exchange.operation is Operation.DATA_ME and answer.content in facts.pages):
        return False
    may_refuse = exchange.operation in ON_DATA_REQUESTS and (row.status is None or state is State.EITHER)
    if may_refuse and names_a_tabled_error(answer):
        return False  # the calls that have to be refused show that the status is wrong
    return answer.status == 200 or is_evident(exchange)
