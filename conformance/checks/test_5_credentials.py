"""Clause 5: what the service does with every form of a credential, and how tokens travel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from conformance.checks.marks import Observe, by_requirement, last, needs, requirement, traces
from conformance.facts.answers import finds_a_request, names_a_missing_right
from conformance.facts.due import due
from conformance.judge import expect
from conformance.judge.run import Run
from conformance.model.error_table import IN_QUERY, MORE_RIGHTS, ON_DATA_REQUESTS, SESSION_COOKIE, TOKEN_IN_QUERY
from conformance.model.errors import NotDecided, answer_of, describe, must_answer, not_applicable
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.identity import ANONYMOUS, USER
from conformance.model.verdict import Blame


@needs("user", "creations_or_reason", "deletion_or_reason", "limit_or_reason", "without_creation")
@requirement("5.1-accepts-bearer")
@traces("""
    FAIL GET r1    -> 401
    PASS GET r1    -> 404
    PASS DELETE r1 -> 404
         POST [a]  -> 200 r2
""")
def test_the_token_is_accepted_by_all_three_operations(run: Run) -> None:
    """Creation, reading and deletion do not answer 401 to the token as Authorization: Bearer."""
    forbidden: list[Exchange] = []
    missing: list[str] = []
    for operation in ON_DATA_REQUESTS:
        own = [each for each in run.record.answered(operation) if each.request.credential == USER.label]
        answers = [each for each in own if due(each).must_accept] or own[-1:]
        if not answers:
            missing.append(operation.call)
        elif any(each.status not in (401, 403) for each in answers):
            continue
        elif answers[-1].status == 403:
            forbidden.append(answers[-1])
        else:
            message = f"{describe(answers[-1])} answered 401 with a token that other operations accept."
            raise expect.violated(message, "the service accepts the token", answers[-1], probe=must_answer(200))
    of_no_request = [each for each in forbidden[:1] if each.intent.request == "unknown"]
    if any(not names_a_missing_right(answer_of(each)) for each in of_no_request):
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
    if missing:
        raise NotDecided(f"The run has no answer to {' or '.join(missing)} with the token.")


class Place(NamedTuple):
    """A place for what tells the user that the specification does not mention."""

    credential: str
    words: str
    statuses: Sequence[tuple[int, ...]]
    """Those of creation, reading and deletion for a user: of the calls that are made so."""
    risk: str


_PLACES: Final = {
    # With an unknown type, and requests that do not exist.
    "5-token-in-query": Place(
        TOKEN_IN_QUERY,
        "a token in the query (access_token)",
        ((200, 400), (200, 404), (200, 404)),
        "Logs and browser histories keep URLs and with them the token.",
    ),
    # With an unknown type, and a request of the user.
    "5-session-cookie": Place(
        SESSION_COOKIE,
        "a cookie that it set in place of the token",
        ((200, 400), (200,), (200,)),
        "A browser sends it also when another site makes the call.",
    ),
}


@last
@needs("refused_creations_or_reason", "refused_requests_or_reason", "doubtful_credentials", "session_cookie")
@by_requirement("place", _PLACES)
@traces(
    """
         anonymous POST [a] -> 401
    FAIL "the token in the query" POST [a]  -> 200 r1
    PASS "the token in the query" POST [a]  -> 401
    """,
    of="5-token-in-query",
)
@traces(
    """
         anonymous GET r1 -> 401
    FAIL "the session cookie in place of a token" GET r1    -> 200
    PASS "the session cookie in place of a token" GET r1    -> 401
    """,
    of="5-session-cookie",
)
def test_what_tells_the_user_may_be_elsewhere(run: Run, observe: Observe, place: Place) -> None:
    """Raises an alert if the service accepts a token in the query, or a cookie that it sets in place of a token."""
    sent = [each for each in run.record.in_order() if each.request.credential == place.credential]
    followed = {before for each in sent for before in (each.repeats, each.redirected_from)}
    answers = [each for each in sent if each.id not in followed]
    if not answers:
        observe(f"The run had no occasion to send {place.words}.")
        return
    statuses = ", ".join(str(answer_of(exchange).status) for exchange in answers)
    told = f"{statuses} for creation of an unknown type, reading and deletion"
    accepting = _accepting(run, answers, place.statuses)
    refused = [each for each in answers if each.status in (401, 403)]
    shown = [each for each in accepting if each.operation not in _open_to_all(run)]
    shown.sort(key=lambda each: each.operation is not Operation.READ)  # the report shows how to repeat the first one
    # Other statuses do not show whether it was accepted: the service may refuse every query parameter.
    if shown and len(accepting) + len(refused) == len(answers):
        message = f"The service accepts {place.words}: {told}, and 401 without it. {place.risk}"
        observe(message, *shown, alert=True)
    elif len(refused) == len(answers):
        observe(f"The service does not accept {place.words}: {told}.", *answers)
    else:
        observe(f"With {place.words}, the service answers {told}.", *answers)


def _open_to_all(run: Run) -> set[Operation | None]:
    """Return the operations that are not refused to each usual call without a token, or that any query opens."""
    usual = [each for each in run.record.in_order() if each.operation in ON_DATA_REQUESTS and each.response]
    without = [each for each in usual if each.request.credential == ANONYMOUS.label and not each.intent.generated]
    refused = {each.operation for each in without if each.counts}
    refused -= {each.operation for each in without if each.counts and each.status != 401}
    by_any_query = {
        each.operation for each in usual if each.request.credential == IN_QUERY and each.status not in (401, 403)
    }
    return {*ON_DATA_REQUESTS} - refused | by_any_query


def _accepting(run: Run, answers: list[Exchange], statuses: Sequence[tuple[int, ...]]) -> list[Exchange]:
    """Return the calls that were answered as a user is: with success, or as a call with the header was."""
    of_service = set()
    for each in (each for operation in ON_DATA_REQUESTS for each in run.record.answered(operation)):
        answer = each.response
        if answer is not None and header(each.request.headers, "authorization") and answer.member("error"):
            of_service.add(expect.refusal(answer, each.request_id))
    of_users, accepting = dict(zip(ON_DATA_REQUESTS, statuses, strict=True)), []
    for each in answers:
        answer = answer_of(each)
        if each.operation and answer.status in of_users[each.operation]:
            as_a_user = expect.refusal(answer, each.request_id) in of_service
            accepting += [each] if as_a_user or finds_a_request(each.operation, answer) else []
    return accepting


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
