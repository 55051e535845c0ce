"""Clause 5: what the service does with every form of a credential, and how tokens travel."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.checks.marks import Observe, last, needs, requirement, traces
from conformance.facts.answers import finds_a_request
from conformance.model.error_table import IN_QUERY, ON_DATA_REQUESTS, SESSION_COOKIE, TOKEN_IN_QUERY
from conformance.model.errors import answer_of, not_applicable
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.identity import ANONYMOUS, USER
from conformance.rules import expect
from conformance.rules.run import Run


@last
@needs("refused_creations_or_reason", "refused_requests_or_reason", "doubtful_credentials")
@requirement("5-token-in-query")
@traces("""
         anonymous POST [a] -> 401
    FAIL "the token in the query" POST [a]  -> 200 r1
    PASS "the token in the query" POST [a]  -> 401
         "the token in the query" GET r1    -> 401
         "the token in the query" DELETE r1 -> 401
""")
def test_a_token_in_the_query_may_be_accepted(run: Run, observe: Observe) -> None:
    """Raises an alert if the service accepts a token in the query."""
    answers = [each for each in run.record.in_order() if each.request.credential == TOKEN_IN_QUERY]
    statuses = [answer_of(exchange).status for exchange in answers]
    told = ", ".join(map(str, statuses))
    open_to_all = _open_to_all(run)
    # Where any query opens an operation, it is not the token that does.
    made_up = (each for each in run.record.in_order() if each.request.credential == IN_QUERY and each.response)
    open_to_all |= {each.operation for each in made_up if answer_of(each).status not in (401, 403)}
    in_query = _accepting(run, answers, _FOR_A_USER)
    refused = [each for each in answers if answer_of(each).status in (401, 403)]
    shown = [each for each in in_query if each.operation not in open_to_all]
    shown.sort(key=lambda each: each.operation is not Operation.READ)  # the report shows how to repeat the first one
    # Other statuses do not show whether the token was accepted: the service may refuse every query parameter.
    if shown and len(in_query) + len(refused) == len(answers):
        observe(
            f"The service accepts a token in the query (access_token): {told} for creation, reading and deletion, with "
            "an unknown type and requests that do not exist, and 401 without a token. Logs and browser histories keep "
            "URLs and with them the token.",
            *shown,
            alert=True,
        )
    elif len(refused) == len(answers):
        observe(f"The service accepts no token in the query: {told} for creation, reading and deletion.", *answers)
    else:
        observe(f"With the token in the query, creation, reading and deletion answer {told}.", *answers)


@last
@needs("refused_creations_or_reason", "refused_requests_or_reason", "session_cookie")
@requirement("5-session-cookie")
@traces("""
         anonymous GET r1 -> 401
         "the session cookie in place of a token" POST [x]  -> 401
    FAIL "the session cookie in place of a token" GET r1    -> 200
    PASS "the session cookie in place of a token" GET r1    -> 401
         "the session cookie in place of a token" DELETE r1 -> 401
""")
def test_a_session_cookie_may_replace_the_token(run: Run, observe: Observe) -> None:
    """Raises an alert if cookies that the service sets open an operation without a token."""
    with_cookie = [each for each in run.record.in_order() if each.request.credential == SESSION_COOKIE]
    if not with_cookie:
        observe("The service sets no cookie for the user that could name a session.")
        return
    open_to_all = _open_to_all(run)
    opened = _accepting(run, with_cookie, ((200, 400), (200,), (200,)))
    opened = [each for each in opened if each.operation not in open_to_all]
    told = ", ".join(str(answer_of(each).status) for each in with_cookie)
    if opened:
        observe(
            f"The service accepts a cookie that it set in place of the token: {told} for creation of an unknown type, "
            "reading and deletion, and 401 without both. A browser sends it also when another site makes the call.",
            *opened,
            alert=True,
        )
    else:
        message = f"The service accepts no cookie in place of the token: {told} for creation, reading and deletion."
        observe(message, *with_cookie)


def _open_to_all(run: Run) -> set[Operation | None]:
    """Return the operations that are not refused to each usual call without a token."""
    made = [each for operation in ON_DATA_REQUESTS for each in run.record.answered(operation)]
    usual = [each for each in made if each.request.credential == ANONYMOUS.label and not each.intent.generated]
    handled = {each.operation for each in usual if answer_of(each).status != 401}
    refused = {each.operation for each in usual} - handled
    return {each for each in ON_DATA_REQUESTS if each not in refused}


def _accepting(run: Run, answers: list[Exchange], statuses: Sequence[tuple[int, ...]]) -> list[Exchange]:
    """Return the calls that were answered as a user is: with success, or as a call with the header was."""
    made = (each for operation in ON_DATA_REQUESTS for each in run.record.answered(operation))
    given = [each for each in made if header(each.request.headers, "authorization") and expect.member(each, "error")]
    of_service = set(map(expect.refusal, given))
    usual = [each for each, of_users in zip(answers, statuses, strict=True) if answer_of(each).status in of_users]
    return [each for each in usual if finds_a_request(each, answer_of(each)) or expect.refusal(each) in of_service]


_FOR_A_USER = ((200, 400), (200, 404), (200, 404))
"""The statuses of creation, reading and deletion for a user, with an unknown type or a request that does not exist."""


@needs("user")
@requirement("5-token-over-http")
@traces("""
    FAIL --base-url http://service.test/api
         POST [a] -> 200 r1
""")
def test_tokens_may_travel_without_encryption(run: Run, observe: Observe) -> None:
    """Raises an alert if tokens are sent over plain http to another machine."""
    target = run.target
    sent = [exchange for exchange in run.record.in_order() if exchange.request.credential == USER.label]
    if not sent:
        raise not_applicable("", "The run sent no token.")
    if target.is_https:
        observe("The tokens are sent over https.", *sent[:1])
    elif target.is_loopback:
        observe("The tokens are sent over http; the service runs on this machine.", *sent[:1])
    else:
        message = "The tokens are sent over plain http: everyone on the network path can read and use them."
        observe(message, *sent[:1], alert=True)
