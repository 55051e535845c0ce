"""The table of errors (section 7): each condition with its status, error and message."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.traffic.exchange import Exchange, Operation


@dataclass(frozen=True, slots=True)
class Condition:
    """One row of the table; `slug` is what its requirements are called after the clause."""

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

KNOWN_CREDENTIALS = ("user", "other user")
"""The labels of the tokens that the run was given."""

ON_DATA_REQUESTS = (Operation.CREATE, Operation.READ, Operation.DELETE)


def is_due_a_request(exchange: Exchange) -> bool:
    """Tell whether a creation was asked for that the service has to accept, as far as is known (4.1)."""
    facts = exchange.facts
    return (
        exchange.question.credential in KNOWN_CREDENTIALS
        and facts.get("body") in ("known types", "omitted")
        and facts.get("limit") != "reached"
    )


def condition_of(exchange: Exchange) -> Condition | None:
    """Return the row of the table that an answered exchange falls under, or None.

    An answer falls under a row by what was asked (`facts`), or because it names the row's error itself.
    """
    answer = exchange.answer
    if answer is None or exchange.operation is None:
        return None
    if answer.status == 401 and exchange.operation in ON_DATA_REQUESTS:
        return UNAUTHORIZED
    if answer.status == 404 and exchange.operation in (Operation.READ, Operation.DELETE):
        beaten = exchange.facts.get("racing") and exchange.operation is Operation.DELETE
        return NOT_FOUND if beaten or exchange.facts.get("request") in ("unknown", "deleted") else None
    if exchange.facts.get("redirected_from"):
        return None
    with_known_token = exchange.question.credential in KNOWN_CREDENTIALS
    if answer.status == 400 and (exchange.operation is Operation.DATA or with_known_token):
        return _named(exchange) or _asked(exchange)
    return None


def _named(exchange: Exchange) -> Condition | None:
    body = exchange.answer.document.value if exchange.answer else None
    error = body.get("error") if isinstance(body, dict) else None
    possible = {
        Operation.CREATE: (LIMIT_REACHED, INVALID_DATA_TYPES),
        Operation.DATA: (LANGUAGE_NOT_SUPPORTED,),
    }
    rows = possible.get(exchange.operation, ()) if exchange.operation else ()
    return next((row for row in rows if row.error == error), None)


def _asked(exchange: Exchange) -> Condition | None:
    if exchange.operation is Operation.CREATE:
        if exchange.facts.get("limit") == "reached":
            # Of several types there may be too many as well: sizes are not shown (8), nor what they are refused with.
            return None if len(exchange.facts.get("types", ())) > 1 else LIMIT_REACHED
        if exchange.facts.get("body") == "unknown type":
            return INVALID_DATA_TYPES
    if exchange.operation is Operation.DATA and exchange.facts.get("language") == "unsupported":
        return LANGUAGE_NOT_SUPPORTED
    return None
