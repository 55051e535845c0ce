"""Clause 5: the operations on data requests require a valid token; settings and data types require none."""

from __future__ import annotations

from typing import Final

from conformance.checks.marks import each, requirement, traces
from conformance.facts.answers import finds_a_request, names_a_missing_right
from conformance.facts.headlines import wrong_status
from conformance.model.error_table import IN_QUERY, LIMIT_REACHED, MORE_RIGHTS, NOT_FOUND, ODD_BEARER
from conformance.model.errors import NotDecided, NothingToAdd, answer_of, describe
from conformance.model.exchange import Exchange, Operation
from conformance.model.probe import Probe, must_answer
from conformance.model.verdict import Blame
from conformance.rules import expect
from conformance.scenarios.credentials import Refusals

_WITH_BAD_TOKENS: Final = {
    "5.3-create-with-bad-token": Operation.CREATE,
    "5.3-read-with-bad-token": Operation.READ,
    "5.3-delete-with-bad-token": Operation.DELETE,
}


@each("operation", _WITH_BAD_TOKENS)
@traces(
    """
    FAIL refused_creations.bad: "a made-up token in the query" POST [a] -> 200 r1
    PASS refused_creations.bad: "a made-up token in the query" POST [a] -> 401
    """,
    of="5.3-create-with-bad-token",
)
@traces(
    """
    FAIL refused_requests[READ].bad: "a made-up token in the query" GET r1 -> 200
    PASS refused_requests[READ].bad: "a made-up token in the query" GET r1 -> 401
    """,
    of="5.3-read-with-bad-token",
)
@traces(
    """
    FAIL refused_requests[DELETE].bad: "a made-up token in the query" DELETE r1 -> 200 OK
    PASS refused_requests[DELETE].bad: "a made-up token in the query" DELETE r1 -> 401
    """,
    of="5.3-delete-with-bad-token",
)
def test_odd_credentials_are_not_handled(
    refused_creations_or_reason: Refusals | NotDecided,
    refused_requests_or_reason: dict[Operation, Refusals] | NotDecided,
    operation: Operation,
) -> None:
    """No credential that a server may refuse in its own words is taken for a user's."""
    if isinstance(refused_creations_or_reason, Refusals) and operation is Operation.CREATE:
        _assert_not_handled(refused_creations_or_reason)
    if isinstance(refused_requests_or_reason, dict) and operation is not Operation.CREATE:
        _assert_not_handled(refused_requests_or_reason[operation])
    raise NothingToAdd("No credential that a server may refuse in its own words was taken for a user's.")


def _assert_not_handled(refusals: Refusals) -> None:
    """Assert that a credential which a server may refuse in its own words is not taken for a user's.

    A text with a quote or an accented letter may not break the look-up either, each time with 500.

    RFC 6750 allows some characters in no token, and the specification shows no query: a server may also hang up. Where
    a call without a token is handled, so is one with a query, which shows nothing more.
    """
    open_to_all = any(each.response and finds_a_request(each, each.response) for each in refusals.without)
    for exchange in refusals.bad:
        answer, remedy = exchange.response, _REMEDIES.get(exchange.request.credential)
        if remedy is None or answer is None or not exchange.counts:
            continue
        handled = finds_a_request(exchange, answer) and not (open_to_all and exchange.request.credential == IN_QUERY)
        if exchange.request.credential == ODD_BEARER:
            shown = answer.status, *(expect.member(exchange, name) for name in ("error", "message"))
            handled = handled or shown in _OF_A_USER or (answer.status == 500 and exchange.repeats != "")
        if handled:
            # A script accepts every other refusal. Of several with 400 it cannot tell which is that of a user.
            probe = None if answer.status == 400 else Probe(kind="other-status", values=(str(answer.status),))
            message = wrong_status(exchange, answer.status, "401")
            raise expect.violated(message, "status 401", exchange, probe=probe, remedy=remedy)


_REMEDIES = {
    ODD_BEARER: "Give the token to SQL as a parameter, compare it as bytes, and answer 401 to every other text.",
    IN_QUERY: "Decide by the path without the query whether a call needs a token, and answer 401 without a valid one.",
}
_OF_A_USER = [(row.status, row.error, row.message) for row in (LIMIT_REACHED, NOT_FOUND)]
"""The refusals that only a user receives for known types, or for an existing request."""


@requirement("5.1-accepts-bearer")
@traces("""
    FAIL with_token[READ]: GET r1 -> 401
    PASS with_token[READ]: GET r1 -> 404
         POST [a]                 -> 200 r2
""")
def test_the_token_is_accepted_by_all_three_operations(with_token: dict[Operation, list[Exchange]]) -> None:
    """Creation, reading and deletion do not answer 401 to the token as Authorization: Bearer."""
    forbidden: list[Exchange] = []
    for answers in with_token.values():
        refused = [exchange for exchange in answers if answer_of(exchange).status in (401, 403)]
        if refused != answers:
            continue
        if answer_of(refused[-1]).status == 403:
            forbidden.append(refused[-1])
            continue
        message = f"{describe(refused[-1])} answered 401 with a token that other operations accept."
        raise expect.violated(message, "the service accepts the token", refused[-1], probe=must_answer(200))
    if forbidden and forbidden[0].intent.request == "unknown" and not names_a_missing_right(forbidden[0]):
        raise NotDecided(
            f"{describe(forbidden[0])} answered 403 where 404 is due, which need not concern the token.",
            exchanges=forbidden,
        )
    if forbidden:
        raise NotDecided(
            f"{describe(forbidden[0])} answered 403 with a token that other operations accept: this token may lack the "
            "right to it.",
            blame=Blame.CREDENTIAL,
            remedy=MORE_RIGHTS,
            exchanges=forbidden,
        )
