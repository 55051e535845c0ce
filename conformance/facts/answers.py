"""What an answer says, by its status and its body."""

from __future__ import annotations

import re
from typing import Any, Final

from conformance.model.error_table import (
    CONDITIONS,
    INVALID_DATA_TYPES,
    LANGUAGE_NOT_SUPPORTED,
    LIMIT_REACHED,
    Condition,
)
from conformance.model.errors import answer_of
from conformance.model.exchange import ErrorKind, Exchange, Intent, Operation, Request, Response, header

ESSENTIAL: Final = ("maxNumberOfRequests", "oAuthUrl")
"""Fields of which settings have at least one."""

OF_A_REQUEST: Final = ("requestId", "dataRequested")
"""Fields that a data request has."""

FEW_TYPES: Final = 10
"""Types that services rarely refuse for their number; more they may refuse without saying so (8 states no sizes)."""

REFUSING: Final = frozenset({501, 505, 511})
"""Server errors by which a service refuses what it does not offer: a method, a version of HTTP or a network."""

_TABLED: Final = ("", *(each.error for each in CONDITIONS))
_WORDS_OF_THE_TABLE: Final = frozenset(text for each in CONDITIONS for text in (each.error, each.message))

_OF_NUMBERS: Final = re.compile(r"many|few|max|most|limit|size|length|long|large|exceed|number|count|only", re.I)
"""Words of a refusal that is about number or length."""


def names_a_missing_right(answer: Response) -> bool:
    """Whether a 403 says that the token lacks a right, as RFC 6750 names it."""
    return answer.status == 403 and "insufficient_scope" in f"{answer.header('www-authenticate')} {answer.text}"


def says(answer: Response | None, row: Condition, name: str = "error") -> bool:
    """Whether an answer has the error of a row of the table, or its message."""
    return answer is not None and bool(answer.member(name) == getattr(row, name))


def names_a_tabled_error(response: Response) -> bool:
    """Tell whether the body has the error or the message of a row of the table (7)."""
    named = response.member("error"), response.member("message")
    return any(isinstance(each, str) and each in _WORDS_OF_THE_TABLE for each in named)


def is_too_long(intent: Intent, answer: Response) -> bool:
    """Whether a creation for several types was refused for their number or length, which clause 8 leaves open.

    If a type is unknown as well, the table (7) does not say which of the two a service looks at first.
    """
    listed = intent.types
    if intent.body not in ("known types", "unknown type") or not isinstance(listed, list):
        return False
    error = answer.member("error")
    named = error in (LIMIT_REACHED.error, INVALID_DATA_TYPES.error)
    # A service may refuse even a few types if its own words name their number.
    own = isinstance(error, str) and error not in _TABLED
    told = own and _OF_NUMBERS.search(answer.text) is not None
    long = answer.status == 413 or (answer.status in (400, 422) and (told or len(listed) > FEW_TYPES))
    return long and len(listed) > 1 and not named


def wants_a_language(exchange: Exchange) -> bool:
    """Whether GET /data answers a call without a language with LanguageNotSupported, exactly as in clause 7."""
    answer, row = exchange.response, LANGUAGE_NOT_SUPPORTED
    asked = exchange.operation is Operation.DATA and exchange.intent.language is None
    refused = asked and answer is not None and answer.status == row.status
    return refused and says(answer, row) and says(answer, row, "message")


def finds_a_request(operation: Operation | None, response: Response) -> bool:
    """Tell whether a call is answered as by an existing request, or a created one (4.1, 4.2, 4.3)."""
    if response.status != 200:
        return False
    if operation is Operation.DELETE:
        return response.text.strip() == "OK"
    return isinstance(response.member("requestId"), str)


def is_document(value: Any, kind: type) -> bool:
    """Whether `value` itself is the settings (dict) or the data types (list)."""
    if kind is dict:
        return isinstance(value, dict) and any(each in value for each in ESSENTIAL)
    elements = value if isinstance(value, list) else []
    return bool(elements) and all(isinstance(each, dict) and isinstance(each.get("type"), str) for each in elements)


def is_evident(operation: Operation | None, answer: Response) -> bool:
    """Whether a response with another status than 200 contains the document nevertheless."""
    value = answer.document.value if 200 < answer.status < 300 else None
    if operation in (Operation.CREATE, Operation.READ):
        return isinstance(value, dict) and all(each in value for each in OF_A_REQUEST)
    if operation is Operation.SETTINGS:
        return is_document(value, dict)
    return operation is Operation.DATA and is_document(value, list)


_REFUSING_CHUNKS: Final = (400, 411, 413, 415, 501)
"""The statuses by which a service refuses a body in chunks."""


def form_of(request: Request) -> str:
    """Return the header field that asks for an unusual form of transfer of the body; "" without one."""
    return next((name for name in ("Transfer-Encoding", "Expect") if header(request.headers, name)), "")


def refuses_form(exchange: Exchange) -> bool:
    """Whether a creation was refused for the unusual form of its transfer, which a service need not know."""
    answer = exchange.response
    if form_of(exchange.request) == "Expect":
        return answer is not None and answer.status == 417
    if answer is None or not exchange.counts:
        return exchange.error in (ErrorKind.CLOSED, ErrorKind.NOT_HTTP)
    means_its_types = exchange.intent.body == "unknown type" and names_a_tabled_error(answer)
    return answer.status in _REFUSING_CHUNKS and not means_its_types and not is_limit_refusal(answer)


def is_limit_refusal(answer: Response | None) -> bool:
    """Whether an answer has the error of the limit (7)."""
    return says(answer, LIMIT_REACHED)


def accepted(answer: Response | None) -> bool:
    """Whether a creation or deletion was accepted; some services send each error with 200."""
    return answer is not None and 200 <= answer.status < 300 and not names_a_tabled_error(answer)


def succeeded(exchange: Exchange) -> bool:
    """Whether an accepted call had success: some services send errors, or the page of a login, with status 200."""
    answer = answer_of(exchange)
    page = exchange.operation is Operation.READ and answer.document.problem
    return accepted(answer) and not page and not isinstance(answer.member("error"), str)
