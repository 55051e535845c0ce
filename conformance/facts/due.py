"""What a call must be answered: the only place that says so (4, 5, 7).

The table of kinds (`spec/kinds.toml`) has the rows. What an answer says of itself, such as that the limit is the
reason, and the state of the world choose among them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from conformance.facts.answers import (
    finds_a_request,
    is_evident,
    is_limit_refusal,
    is_too_long,
    names_a_tabled_error,
    says,
    wants_a_language,
)
from conformance.facts.kind import is_plain, kind_of
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
from conformance.model.exchange import Exchange, Intent, Operation, Request, Response, header
from conformance.model.identity import ANONYMOUS
from conformance.spec.kinds import Due, Row, State, row_of

NO_FACTS: Final = Facts()


def due(exchange: Exchange, facts: Facts = NO_FACTS) -> Due:
    """Return what a call must be answered, given its answer, if there is one, and what the run shows."""
    if (known := facts.dues.get(exchange.id)) is not None:
        return known
    kind, state, answer = kind_of(exchange), facts.state_of(exchange), exchange.response
    row, operation, request, intent = row_of(kind, state), exchange.operation, exchange.request, exchange.intent
    required = Due(row.status, "" if row.only_shown else row.by, document=row.document)
    if answer is not None:
        status, is_long = answer.status, is_too_long(intent, answer)
        # Whether a public call is refused for the token that it brings is open (5, item 4).
        token_is_open = intent.offered and (status in (400, 401, 403) or 300 <= status < 400)
        is_right = (
            *(row.allows_status(status), is_long, token_is_open),
            LANGUAGE_NOT_SUPPORTED.error in row.allows and wants_a_language(exchange),
            LIMIT_REACHED.error in row.allows and is_limit_refusal(answer),
            row.only_shown and not finds_a_request(operation, answer),
        )
        wants_a_token = not token_is_open and _wants_a_token(operation, request.credential, status, facts)
        # The service may refuse such a call for a reason of its own.
        is_own = row.allows_status(status) or is_long or _may_be_too_long(intent, state) or exchange.redirected_from
        plain = is_plain(exchange.request_id)
        error = _error(operation, answer, row, is_open=intent.open, is_own=bool(is_own), plain=plain)
        is_error = not intent.unusual and (
            error is not None or (plain and not token_is_open and _must_be_error(operation, request, answer))
        )
        is_document = not intent.open and _is_document(operation, answer, row, state, facts)
        required = replace(
            required,
            by=_by(row, status, is_right=any(is_right), wants_a_token=wants_a_token),
            kept=_kept(operation, request.credential, intent.request, status, kind, row),
            error=error,
            must_be_error=is_error,
            must_be_json=is_error or is_document,
        )
    if intent.open:
        required = replace(required, status=None, by="", kept=())
    if facts is not NO_FACTS:
        facts.dues[exchange.id] = required
    return required


def _by(row: Row, status: int, *, is_right: bool, wants_a_token: bool) -> str:
    """Return the requirement that a wrong status violates, or ""."""
    if row.unauthorized and wants_a_token:
        return row.unauthorized
    return "" if is_right else row.refused if row.refused and status >= 400 else row.by


def _wants_a_token(operation: Operation | None, caller: str, status: int, facts: Facts) -> bool:
    """Tell whether a call was refused for its token, or for want of one."""
    if operation in ON_DATA_REQUESTS:
        return status == 401
    to_a_login = 300 <= status < 400 and operation in facts.login
    return caller == ANONYMOUS.label and (status in (401, 403) or to_a_login)


def _kept(operation: Operation | None, caller: str, meant: str, status: int, kind: str, row: Row) -> tuple[str, ...]:
    """Return the requirements that a status keeps; where the state leaves it open, the one of the kind is right too."""
    usual = row if row.by or row.error else row_of(kind, State.EXISTING)
    if status != usual.status:
        return ()
    if row.error == UNAUTHORIZED.error and operation is not Operation.CREATE:
        return row.requirements if meant == "existing" else ()  # it may hand out what exists
    of_a_user = operation not in ON_DATA_REQUESTS and caller != ANONYMOUS.label
    return tuple(each for each in usual.requirements if not (of_a_user and each == usual.unauthorized))


def _error(
    operation: Operation | None,
    answer: Response,
    row: Row,
    *,
    is_open: bool,
    is_own: bool,
    plain: bool,
) -> Condition | None:
    """Return the row of the table that an answer has to agree with: the one that it names, or else that of its kind.

    `plain` says that no gateway changes the identifier in the path.
    """
    status = answer.status
    possible = [
        each
        for each in CONDITIONS
        if each.error in row.names and each.status == status and operation in each.operations
    ]
    if status != 400:
        return possible[0] if possible and (plain or status != 404) else None
    named = next((each for each in possible if says(answer, each)), None)
    if named is INVALID_DATA_TYPES and is_open:
        return None
    if named is not None or is_open or is_own:
        return named
    return next((each for each in possible if each.error == row.error), None)


def _may_be_too_long(intent: Intent, state: State) -> bool:
    """Tell whether a creation at the limit may be refused for the number of its types, which clause 8 leaves open."""
    return state is State.FULL and isinstance(intent.types, list) and len(intent.types) > 1


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


def _must_be_error(operation: Operation | None, request: Request, answer: Response) -> bool:
    """Tell whether an operation refused a call with an error that has to be a JSON object (2.4, 7).

    Refusals of bodies and labels that a gateway may not let pass are excluded. So are those of GET /data/me, which the
    specification does not show (4.6).
    """
    if operation in (None, Operation.DATA_ME) or not 400 <= answer.status < 500 or answer.status in _SENT_BY_GATEWAYS:
        return False
    if _is_stopped_on_the_way(request.body):
        return False
    label = header(request.headers, "content-type") or "application/json"
    # A firewall may let fewer media types pass than the service reads.
    return label == "application/json" or answer.status != 403 or not answer.document.problem


def _is_document(operation: Operation | None, answer: Response, row: Row, state: State, facts: Facts) -> bool:
    """Tell whether the answer accepts the call, so that it has to be the document of the row."""
    if row.document == "" or (operation is Operation.DATA_ME and answer.content in facts.pages):
        return False
    may_refuse = operation in ON_DATA_REQUESTS and (row.status is None or state is State.EITHER)
    if may_refuse and names_a_tabled_error(answer):
        return False  # the calls that have to be refused show that the status is wrong
    return answer.status == 200 or is_evident(operation, answer)
