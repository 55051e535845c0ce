"""Clause 5: the operations on data requests require a valid token; settings and data types require none."""

from __future__ import annotations

from conformance.checks.marks import each, requirement
from conformance.client import expect
from conformance.client.public import PublicClient
from conformance.client.user import UserClient
from conformance.model.error_table import (
    IN_QUERY,
    LIMIT_REACHED,
    MORE_RIGHTS,
    NOT_FOUND,
    ODD_BEARER,
    ON_DATA_REQUESTS,
    names_a_missing_right,
)
from conformance.model.errors import NotDecided, answer_of, describe, not_applicable
from conformance.model.exchange import Exchange, Operation
from conformance.model.headlines import wrong_status
from conformance.model.identity import ANONYMOUS, USER
from conformance.model.probe import Probe, must_answer
from conformance.model.verdict import Blame
from conformance.rules.statuses import finds_a_request
from conformance.scenarios.credentials import Refusals


@requirement("5.3-create-without-token")
def test_creating_without_a_token(refused_creations: Refusals) -> None:
    """Creation without a token answers 401, whether or not the rest of the call is correct."""
    for exchange in refused_creations.without:
        expect.status(exchange, 401)


@each("operation", {"5.3-read-without-token": Operation.READ, "5.3-delete-without-token": Operation.DELETE})
def test_without_a_token(refused_requests: dict[Operation, Refusals], operation: Operation) -> None:
    """The operation without a token answers 401, whether or not the rest of the call is correct."""
    for exchange in refused_requests[operation].without:
        expect.status(exchange, 401)


@requirement("5.3-create-with-bad-token")
def test_creating_with_a_token_that_is_not_accepted(refused_creations: Refusals) -> None:
    """Creation answers 401 to every credential that is not the token of a user."""
    for exchange in refused_creations.other_tokens:
        expect.status(exchange, 401)
    _assert_not_handled(refused_creations)


@each("operation", {"5.3-read-with-bad-token": Operation.READ, "5.3-delete-with-bad-token": Operation.DELETE})
def test_with_a_token_that_is_not_accepted(refused_requests: dict[Operation, Refusals], operation: Operation) -> None:
    """The operation answers 401 to every credential that is not the token of a user."""
    for exchange in refused_requests[operation].other_tokens:
        expect.status(exchange, 401)
    _assert_not_handled(refused_requests[operation])


def _assert_not_handled(refusals: Refusals) -> None:
    """Assert that a credential which a server may refuse in its own words is not taken for a user's.

    A text with a quote or an accented letter may not break the look-up either, each time with 500.

    RFC 6750 allows some characters in no token, and the specification shows no query: a server may also hang up. Where
    a call without a token is handled, so is one with a query, which shows nothing more.
    """
    open_to_all = any(each.response and finds_a_request(each, each.response) for each in refusals.without)
    for exchange in refusals.bad:
        answer, remedy = exchange.response, _REMEDIES.get(exchange.request.credential)
        if remedy is None or answer is None or exchange.error is not None:
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


@requirement("5.3-letter-case")
def test_the_token_in_the_other_letter_case_is_another_token(
    refused_creations: Refusals, refused_requests: dict[Operation, Refusals]
) -> None:
    """No operation accepts the user's token with upper and lower case swapped."""
    answers = [each for one in (refused_creations, *refused_requests.values()) for each in one.in_other_case]
    if not answers:
        raise not_applicable("token-without-letters", "The user's token has no letters.")
    for exchange in answers:
        expect.status(exchange, 401)


@requirement("5.1-accepts-bearer")
def test_the_token_is_accepted_by_all_three_operations(service: UserClient) -> None:
    """Creation, reading and deletion do not answer 401 to the token as Authorization: Bearer."""
    heard = {operation: _of_user(service, operation) for operation in ON_DATA_REQUESTS}
    if not all(heard.values()):
        creation = service.post(service.first_types(1))
        created = service.created_if_possible(creation)
        request_id = created.request_id if created else service.some_uuid()
        heard[Operation.CREATE].append(creation)
        heard[Operation.READ].append(service.read(request_id))
        heard[Operation.DELETE].append(service.delete(request_id))

    forbidden: list[Exchange] = []
    for answers in heard.values():
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
            remedy="See 7-not-found.",
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


def _of_user(service: UserClient, operation: Operation) -> list[Exchange]:
    """Return the answered calls of the user that the service should accept."""
    good = ("existing", "clean-up", "known types", "omitted")
    return [
        exchange
        for exchange in service.record.answered(operation)
        if exchange.request.credential == USER.label and (exchange.intent.request or exchange.intent.body) in good
    ]


@requirement("5.4-settings-without-token")
def test_settings_need_no_token(public_client: PublicClient) -> None:
    """GET /settings does not require a token."""
    _is_open(public_client, _asked(public_client, Operation.SETTINGS) or public_client.settings())


@requirement("5.4-data-without-token")
def test_data_needs_no_token(public_client: PublicClient) -> None:
    """GET /data does not require a token."""
    _is_open(public_client, _asked(public_client, Operation.DATA) or public_client.data())


def _asked(public_client: PublicClient, operation: Operation) -> Exchange | None:
    """Return the latest answered call of the run without token and language, if there is one."""
    for exchange in reversed(public_client.record.answered(operation)):
        if (
            exchange.request.credential == ANONYMOUS.label
            and exchange.intent.language is None
            and not exchange.redirected_to
        ):
            return exchange
    return None


def _is_open(public_client: PublicClient, exchange: Exchange) -> None:
    status = answer_of(exchange).status
    if public_client.asks_for_a_token(exchange):
        expect.status(exchange, 200)
    expect.assert_in_some_language(exchange)
    if status != 200:
        raise NotDecided(
            f"{describe(exchange)} answered {status}, for another reason than the token.",
            remedy=f"See {'4.4' if exchange.operation is Operation.SETTINGS else '4.5'}-answers-200.",
            exchanges=[exchange],
        )
