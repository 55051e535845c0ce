"""Guards: the one way to excuse an answer. Each saves a conforming service from an accusation.

A guard says of one exchange that its answer does not show what it seems to show, from what the run shows besides. A
failure excuses no other failure: the catalogue folds what follows from a failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from conformance.facts.answers import names_a_missing_right, names_a_tabled_error
from conformance.facts.due import due
from conformance.facts.world import Facts
from conformance.model.error_table import KNOWN_CREDENTIALS, MORE_RIGHTS, ON_DATA_REQUESTS
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.findings import Finding, finding_of
from conformance.model.requirements import Requirement
from conformance.model.target import SEVERAL
from conformance.model.verdict import Blame, Verdict
from conformance.spec.kinds import State

_OF_ANY_ANSWER: Final = ("0", "2.4")
"""Clauses on the form of an answer with any status: only a page that is not of the service is no violation of them."""


def doubt(shown: Exchange, facts: Facts, clause: str = "") -> NotDecided | None:
    """Return why an answer does not show what it seems to show of a clause; None if no guard explains it."""
    if shown.response is None or shown.operation is None:
        return None
    is_plain = shown.operation in ON_DATA_REQUESTS and clause not in _OF_ANY_ANSWER
    guards = (each for each in GUARDS if is_plain or each is turned_away)
    return next((reason for guard in guards if (reason := guard(facts, shown)) is not None), None)


def explained(finding: Finding[Exchange], row: Requirement, facts: Facts) -> Finding[Exchange]:
    """Return a finding that accuses the service, made inconclusive if a guard explains one of its exchanges."""
    if finding.verdict not in (Verdict.FAIL, Verdict.WARN):
        return finding
    reasons = (doubt(shown, facts, row.clause) for shown in finding.exchanges)
    cause = next((each for each in reasons if each is not None), None)
    if cause is None:
        return finding
    return finding_of(replace(cause, message=f"{finding.message} {cause.message}", exchanges=finding.exchanges), row)


def token_expired(facts: Facts, shown: Exchange) -> NotDecided | None:
    """A token that the service does not accept again may have expired (5.5)."""
    if shown.status != 401 or shown.request.credential not in KNOWN_CREDENTIALS:
        return None
    accepted = (each for each in _with_its_token(facts, shown) if each.status < 500 and each.status not in (401, 403))
    if any(each.sent > shown.over for each in accepted):
        return None
    option = {"user": "--token-command", "other user": "--other-token-command"}[shown.request.credential]
    return NotDecided(
        "The service did not accept the token again: it may have expired during the run.",
        blame=Blame.CREDENTIAL,
        remedy=f"Use a token that outlives the run, or {option} with a command that prints a new one each time; run "
        "again.",
    )


def right_missing(facts: Facts, shown: Exchange) -> NotDecided | None:
    """A token that may not make a call lacks a right; the specification shows no rights (5.5)."""
    at_the_limit = shown.operation is Operation.CREATE and facts.ledger.state_at(shown.id) is State.FULL
    is_of_user = shown.status == 403 and shown.request.credential in KNOWN_CREDENTIALS
    if at_the_limit or not is_of_user or shown.operation is None:
        return None
    alike = (each for each in _with_its_token(facts, shown) if each.operation is shown.operation)
    accepts = [each.status != 403 for each in alike if due(each, facts).must_accept]
    named = shown.response is not None and names_a_missing_right(shown.response)
    if not named and (any(accepts) or not accepts):
        return None  # the token has the right, so the 403 stands in place of another answer
    reason = f"The service answers 403 to this token for {shown.operation.call}, so this was not tested."
    return NotDecided(reason, blame=Blame.CREDENTIAL, remedy=MORE_RIGHTS)


def turned_away(facts: Facts, shown: Exchange) -> NotDecided | None:
    """A stretch of refusals of all kinds of calls is of what stands before the service, and does not serve this client.

    Among them are valid calls of an operation that the service had accepted; a fault refuses no other calls beside it.
    """
    answered = [each for each in facts.exchanges if each.response is not None] if _foreign(shown) else []
    for scope, about in ((tuple(Operation), ""), (ON_DATA_REQUESTS, " on data requests")):
        calls = [each for each in answered if each.operation in scope]
        alike = _stretch(shown, calls)
        worked = {each.operation for each in calls if each.status == 200 and each.sent < alike[0].sent}
        valid = any(each.operation in worked and due(each, facts).must_accept for each in alike)
        if valid and len(alike) >= 2 * SEVERAL and len({each.operation for each in alike}) > 1:
            return NotDecided(
                f"From {alike[0].id} to {alike[-1].id}, all {len(alike)} calls{about} were answered {shown.status} "
                "alike, with any token: something before the service did not serve this client.",
                blame=Blame.NETWORK,
                remedy="Let what stands before the service pass the calls of this machine on, also many, and after "
                "calls with invalid tokens; then run again.",
            )
    return None


def _stretch(shown: Exchange, calls: Sequence[Exchange]) -> list[Exchange]:
    """Return the refusals alike around one, between which no call was certainly answered otherwise.

    A call at the same time as one of them may have reached the service before or after it.
    """
    stretch: list[Exchange] = []
    others: list[Exchange] = []
    for each in sorted(calls, key=lambda each: each.sent):
        if _foreign(each) != _foreign(shown):
            others.append(each)
            continue
        if stretch and any(stretch[-1].over < other.sent and other.over < each.sent for other in others):
            if shown in stretch:
                break
            stretch = []
        stretch.append(each)
        others = []  # since this one
    return stretch if shown in stretch else [shown]


def _foreign(exchange: Exchange) -> tuple[int, bool] | None:
    """Return what is alike in refusals of a gateway: 403 or 404, and no error of the table; None for other answers."""
    answer = exchange.response
    if answer is None or answer.status not in (403, 404) or names_a_tabled_error(answer):
        return None
    return answer.status, bool(answer.document.problem)


def _with_its_token(facts: Facts, shown: Exchange) -> Iterator[Exchange]:
    """Yield the answered calls on data requests with the token of a call: a command may have given a user several."""
    token, user = header(shown.request.headers, "authorization"), shown.request.credential
    for each in facts.exchanges:
        of_user = each.operation in ON_DATA_REQUESTS and each.request.credential == user and each.response is not None
        if of_user and header(each.request.headers, "authorization") == token:
            yield each


GUARDS: Final = (token_expired, right_missing, turned_away)
"""Each may explain an answer to an operation on data requests, and the last one any."""
