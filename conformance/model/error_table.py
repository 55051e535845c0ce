"""The table of errors (7): each condition with its status, error and message."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from conformance.model.exchange import Exchange, Operation, Response, header, is_missing, request_id_of
from conformance.model.further_headers import is_marked
from conformance.model.strict_json import as_strings, parse


@dataclass(frozen=True, slots=True)
class Condition:
    """One row of the table; its requirements are `7-<slug>`, `7-<slug>-error` and `7-<slug>-message`."""

    slug: str
    status: int
    error: str
    message: str


LIMIT_REACHED = Condition(
    "limit-reached", 400, "MaximumAmountOfRequestsReached", "The maximum amount of requests has been reached."
)
INVALID_DATA_TYPES = Condition(
    "invalid-data-types",
    400,
    "InvalidDataTypes",
    "The data types that were specified do not match the available datatypes for this organisation.",
)
LANGUAGE_NOT_SUPPORTED = Condition(
    "language-not-supported",
    400,
    "LanguageNotSupported",
    "The language you are requesting is not supported by this organisation",
)
UNAUTHORIZED = Condition(
    "unauthorized",
    401,
    "Unauthorized",
    "You are not authorized. Generate authentication tokens via OAuth to access this resource.",
)
NOT_FOUND = Condition("not-found", 404, "Not Found", "Could not find a data request with this id.")

CONDITIONS = (LIMIT_REACHED, INVALID_DATA_TYPES, LANGUAGE_NOT_SUPPORTED, UNAUTHORIZED, NOT_FOUND)

KNOWN_CREDENTIALS: Final = {"user": "DRSI_TOKEN", "other user": "DRSI_OTHER_TOKEN"}
"""The labels of the tokens in the configuration, each with the variable that gives the token."""

REFUSED_CREDENTIALS: Final = {
    "an expired token": "DRSI_EXPIRED_TOKEN",
    "a token of another service": "DRSI_FOREIGN_TOKEN",
}
"""The labels of the real tokens that the service must not accept, each with the variable that gives the token."""

VERBS: Final = {Operation.CREATE: "create", Operation.READ: "read", Operation.DELETE: "delete"}
"""What each operation on data requests does."""

ON_DATA_REQUESTS = (Operation.CREATE, Operation.READ, Operation.DELETE)


MORE_RIGHTS: Final = "Give a token that may create, read and delete data requests, and run again."


def names_a_missing_right(exchange: Exchange) -> bool:
    """Whether a 403 says that the token lacks a right, as RFC 6750 names it."""
    answer = exchange.response
    if answer is None or answer.status != 403:
        return False
    return "insufficient_scope" in f"{answer.header('www-authenticate')} {answer.text}"


def is_due_a_request(exchange: Exchange) -> bool:
    """Whether the service has to accept this creation, as far as the suite knows (4.1)."""
    intent = exchange.intent
    return (
        exchange.request.credential in KNOWN_CREDENTIALS
        and intent.body in ("known types", "omitted")
        and intent.limit != "reached"
    )


_PLAIN_IDENTIFIER: Final = re.compile(r"[0-9A-Za-z-]+")

_UNRESERVED_IDENTIFIER: Final = re.compile(r"[0-9A-Za-z_-]+")

_CONTROL_CHARACTER: Final = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\\u00[01]")
"""A control character in a body, also as an escape."""

_SENT_BY_GATEWAYS: Final = frozenset({*range(405, 409), 413, 414, 417, 421, 425, 426, 429, 431})
"""Statuses that servers and gateways send, with bodies of their own."""


def has_plain_identifier(exchange: Exchange) -> bool:
    """Whether the identifier in the path has only letters, digits and hyphens, which no gateway changes."""
    return _PLAIN_IDENTIFIER.fullmatch(request_id_of(exchange)) is not None


def has_unreserved_identifier(exchange: Exchange) -> bool:
    """Whether the identifier in the path has no character that may stand for another in a path, or change it."""
    return _UNRESERVED_IDENTIFIER.fullmatch(request_id_of(exchange)) is not None


def _is_stopped_on_the_way(body: bytes) -> bool:
    """Whether a firewall may refuse a body, because of control characters or bytes that are not UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return True
    return _CONTROL_CHARACTER.search(body) is not None


def is_refusal(exchange: Exchange) -> bool:
    """Whether an operation refused a call with an error that has to be a JSON object (2.4, 7).

    Calls with unusual headers, queries, identifiers or bytes are excluded: a gateway may have refused them. So are
    refusals of GET /data/me, which the specification does not show (4.6), and of public calls with a token (5, item 4).
    """
    answer, operation = exchange.response, exchange.operation
    if answer is None or operation in (None, Operation.DATA_ME):
        return False
    if not 400 <= answer.status < 500 or answer.status in _SENT_BY_GATEWAYS:
        return False
    if exchange.intent.unusual or refuses_an_offered_token(exchange) or _is_stopped_on_the_way(exchange.request.body):
        return False
    label = header(exchange.request.headers, "content-type") or "application/json"
    if label != "application/json" and answer.status == 403 and answer.document.problem:
        return False  # a firewall may let fewer media types pass than the service reads
    return operation not in (Operation.READ, Operation.DELETE) or has_plain_identifier(exchange)


def refuses_an_offered_token(exchange: Exchange) -> bool:
    """Whether a public call was refused, or sent to a login, perhaps because of its token (5, item 4: open)."""
    status = 0 if exchange.response is None else exchange.response.status
    return exchange.intent.offered and (status in (400, 401, 403) or 300 <= status < 400)


_FEW_TYPES: Final = 10
"""A service may refuse more types than this for their number without saying so."""

_TABLED: Final = ("", *(each.error for each in CONDITIONS))

_OF_NUMBERS: Final = re.compile(r"many|few|max|most|limit|size|length|long|large|exceed|number|count|only", re.I)
"""Words of a refusal that is about number or length."""


def says(exchange: Exchange, row: Condition, name: str = "error") -> bool:
    """Whether the response has the error of a row of the table, or its message."""
    return exchange.response is not None and bool(exchange.response.member(name) == getattr(row, name))


def names_a_tabled_error(response: Response) -> bool:
    """Tell whether the body has the error or the message of a row of the table (7)."""
    named = response.member("error"), response.member("message")
    return any(each in (row.error, row.message) for each in named for row in CONDITIONS)


def shows_no_request(exchange: Exchange, response: Response) -> bool:
    """Tell whether an answer has an error of the table, as some frameworks send with 200, or shows no request.

    Frameworks send 204, null, a page, or an error of their own for what they refuse or do not find.
    """
    reads = exchange.operation is Operation.READ
    named = "requestId" in response.text or (reads and request_id_of(exchange) in response.text)
    nothing = exchange.operation in (Operation.CREATE, Operation.READ) and not named
    return nothing or names_a_tabled_error(response)


def names_the_limit(response: Response) -> bool:
    """Whether a response has the error or the message of LimitReached, wherever it stands."""
    return LIMIT_REACHED.error in response.text or LIMIT_REACHED.message in response.text


def is_too_long(exchange: Exchange) -> bool:
    """Whether a creation for several types was refused for their number or length, which clause 8 leaves open.

    If a type is unknown as well, the table (7) does not say which of the two a service looks at first.
    """
    listed, response = exchange.intent.types, exchange.response
    stated = exchange.intent.body in ("known types", "unknown type")
    if response is None or not stated or not isinstance(listed, list):
        return False
    error = response.member("error")
    named = error in (LIMIT_REACHED.error, INVALID_DATA_TYPES.error)
    # A service may refuse even a few types if its own words name their number.
    own = isinstance(error, str) and error not in _TABLED
    told = own and _OF_NUMBERS.search(response.text) is not None
    long = response.status == 413 or (response.status in (400, 422) and (told or len(listed) > _FEW_TYPES))
    return long and len(listed) > 1 and not named


def remedy_of_a_refusal(exchange: Exchange) -> str:
    """Return what to do where a service refuses listed types as unknown (4.1, 7); "" for any other response."""
    if not says(exchange, INVALID_DATA_TYPES) or exchange.intent.body != "known types":
        return ""
    return "Accept each type value that GET /data lists, spelled exactly as in the list, alone and with others."


def wants_a_language(exchange: Exchange) -> bool:
    """Whether GET /data answers a call without a language with LanguageNotSupported, exactly as in clause 7."""
    answer, row = exchange.response, LANGUAGE_NOT_SUPPORTED
    asked = exchange.operation is Operation.DATA and exchange.intent.language is None
    refused = asked and answer is not None and answer.status == row.status
    return refused and says(exchange, row) and says(exchange, row, "message")


OTHER_LETTER_CASE: Final = "a token with upper and lower case swapped"
"""The label of a credential that differs from the user's token in letter case only."""

NAME_OF_A_METHOD: Final = "the name of a method as a token"
"""The label of a credential that is a member of every object in JavaScript."""

ODD_BEARER: Final = "a made-up token with a quote and an accented letter"
"""The label of a credential with characters that RFC 6750 allows in no token."""

IN_QUERY: Final = "a made-up token in the query"
"""The label of a credential in a place that the specification does not mention."""

MADE_UP: Final = frozenset(
    {
        *("a made-up token", "a made-up token with the scheme bearer in lower case", "an empty token"),
        *("the word null as a token", NAME_OF_A_METHOD, "another scheme", ODD_BEARER, IN_QUERY),
    }
)
"""The labels of credentials that hold nothing of a real token: what was sent is no secret."""

REFUSED_IN_OWN_WORDS: Final = frozenset({ODD_BEARER, IN_QUERY})
"""The labels of credentials with which a server or gateway may refuse a call before it looks for a token."""


def without_valid_token(operation: Operation, exchange: Exchange) -> tuple[str, int] | None:
    """Return the requirement that an operation on data requests refuses a credential that is not valid, and 401 (5.3).

    None for the credential of a gate: the service may take it for that of a user.
    """
    credential, sent = exchange.request.credential, header(exchange.request.headers, "authorization") or ""
    if is_marked("authorization", sent.lower()):
        return None
    if credential == OTHER_LETTER_CASE:
        return "5.3-letter-case", UNAUTHORIZED.status
    kind = "without-token" if credential == "no token" else "with-bad-token"
    return f"5.3-{VERBS[operation]}-{kind}", UNAUTHORIZED.status


def must_be_refused(exchange: Exchange) -> tuple[str, int] | None:
    """Return the requirement and the status of a call that the table states a refusal for."""
    operation, intent = exchange.operation, exchange.intent
    if operation not in ON_DATA_REQUESTS or operation is None or intent.open or intent.unusual or intent.racing:
        return None
    if exchange.request.credential not in KNOWN_CREDENTIALS:
        return without_valid_token(operation, exchange)
    if operation is Operation.CREATE:
        stated = intent.body == "unknown type" and not intent.label
        return ("7-invalid-data-types", INVALID_DATA_TYPES.status) if stated else None
    return ("7-not-found", NOT_FOUND.status) if intent.request == "unknown" and has_plain_identifier(exchange) else None


def condition_of(exchange: Exchange) -> Condition | None:
    """Return the row of the table that applies to an exchange, or None.

    A row applies because of the call (its intent), or because the response names the error of the row.
    """
    answer, intent = exchange.response, exchange.intent
    if answer is None or exchange.operation is None:
        return None
    if answer.status == 401 and exchange.operation in ON_DATA_REQUESTS:
        return UNAUTHORIZED
    if answer.status == 404 and exchange.operation in (Operation.READ, Operation.DELETE):
        user = exchange.request.credential in KNOWN_CREDENTIALS
        # Another user's request exists, and one that may be completed too: what its 404 says is open.
        exists = may_be_hidden(exchange) or intent.request == "foreign"
        return NOT_FOUND if user and has_plain_identifier(exchange) and not exists else None
    if exchange.redirected_from or intent.language == "malformed":
        return None
    with_known_token = exchange.request.credential in KNOWN_CREDENTIALS
    if answer.status == 400 and (exchange.operation is Operation.DATA or with_known_token):
        return _named(exchange) or _asked(exchange)
    return None


def may_be_hidden(exchange: Exchange) -> bool:
    """Whether the reading of a request found none, perhaps because the request is completed (4.2)."""
    return exchange.operation is Operation.READ and exchange.intent.request == "existing" and is_missing(exchange)


def _named(exchange: Exchange) -> Condition | None:
    room = exchange.intent.limit == "room"
    possible = {
        Operation.CREATE: (INVALID_DATA_TYPES,) if room else (LIMIT_REACHED, INVALID_DATA_TYPES),
        Operation.DATA: (LANGUAGE_NOT_SUPPORTED,),
    }
    rows = possible.get(exchange.operation, ()) if exchange.operation else ()
    named = next((row for row in rows if says(exchange, row)), None)
    return None if named is INVALID_DATA_TYPES and exchange.intent.open and not _lists_types(exchange) else named


def _lists_types(exchange: Exchange) -> bool:
    """Whether the body is an array of different strings, labelled as JSON: one of them may be no available type (7)."""
    as_json = header(exchange.request.headers, "content-type") == "application/json"
    listed = as_strings(parse(exchange.request.body).value) or []
    return as_json and 0 < len(set(listed)) == len(listed)


def _asked(exchange: Exchange) -> Condition | None:
    if exchange.intent.open:
        return None  # the service may refuse such a call for a reason of its own
    if exchange.operation is Operation.CREATE:
        if exchange.intent.limit == "reached":
            if exchange.intent.types is None and says(exchange, INVALID_DATA_TYPES, "message"):
                return INVALID_DATA_TYPES  # it looks at the types first, and misnames the error
            # The service may refuse a list of several types for its size: clause 8 states no sizes and no error for it.
            return None if len(exchange.intent.types or ()) > 1 else LIMIT_REACHED
        if exchange.intent.body == "unknown type" and not is_too_long(exchange):
            # Of a full account the service may look at the limit first, and misname the error.
            full = exchange.intent.limit == "perhaps" and says(exchange, LIMIT_REACHED, "message")
            return LIMIT_REACHED if full else INVALID_DATA_TYPES
    if exchange.operation is Operation.DATA and exchange.intent.language == "unsupported":
        return LANGUAGE_NOT_SUPPORTED
    return None
