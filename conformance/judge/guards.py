"""Guards: the one way to excuse an answer. Each saves a conforming service from an accusation.

A guard says of one exchange that its answer does not show what it seems to show, from what the run shows besides. A
failure excuses no other failure: the catalogue folds what follows from a failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from conformance.facts.answers import names_a_missing_right
from conformance.facts.due import due
from conformance.facts.world import Facts
from conformance.model.error_table import KNOWN_CREDENTIALS, MORE_RIGHTS, ON_DATA_REQUESTS
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.findings import Finding, finding_of
from conformance.model.requirements import Requirement
from conformance.model.verdict import Blame, Verdict
from conformance.spec.kinds import State

_OF_ANY_ANSWER: Final = ("0", "2.4")
"""Clauses on the form of an answer with any status, which no guard explains."""


def doubt(shown: Exchange, facts: Facts) -> NotDecided | None:
    """Return why an answer does not show what it seems to show; None if no guard explains it."""
    if shown.response is None or not _is_of_a_user(shown):
        return None
    guard = GUARDS.get(shown.response.status)
    return guard(facts, shown) if guard is not None else None


def explained(finding: Finding[Exchange], row: Requirement, facts: Facts) -> Finding[Exchange]:
    """Return a finding that accuses the service, made inconclusive if a guard explains one of its exchanges."""
    if finding.verdict not in (Verdict.FAIL, Verdict.WARN) or row.clause in _OF_ANY_ANSWER:
        return finding
    cause = next((each for shown in finding.exchanges if (each := doubt(shown, facts)) is not None), None)
    if cause is None:
        return finding
    return finding_of(replace(cause, message=f"{finding.message} {cause.message}", exchanges=finding.exchanges), row)


def token_expired(facts: Facts, shown: Exchange) -> NotDecided | None:
    """A token that the service does not accept again may have expired (5.5)."""
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
    at_the_limit = shown.operation is Operation.CREATE and facts.ledger.room(shown.id) is State.FULL
    if at_the_limit or shown.operation is None:
        return None
    alike = (each for each in _with_its_token(facts, shown) if each.operation is shown.operation)
    accepts = [each.status != 403 for each in alike if due(each, facts).must_accept]
    named = shown.response is not None and names_a_missing_right(shown.response)
    if not named and (any(accepts) or not accepts):
        return None  # the token has the right, so the 403 stands in place of another answer
    reason = f"The service answers 403 to this token for {shown.operation.call}, so this was not tested."
    return NotDecided(reason, blame=Blame.CREDENTIAL, remedy=MORE_RIGHTS)


def _is_of_a_user(exchange: Exchange) -> bool:
    return exchange.operation in ON_DATA_REQUESTS and exchange.request.credential in KNOWN_CREDENTIALS


def _with_its_token(facts: Facts, shown: Exchange) -> Iterator[Exchange]:
    """Yield the answered calls on data requests with the token of a call: a command may have given a user several."""
    token, user = header(shown.request.headers, "authorization"), shown.request.credential
    for each in facts.exchanges:
        of_user = each.operation in ON_DATA_REQUESTS and each.request.credential == user and each.response is not None
        if of_user and header(each.request.headers, "authorization") == token:
            yield each


GUARDS: Final = {401: token_expired, 403: right_missing}
"""Each guard by the status of an operation on data requests, with a token of the configuration, that it may explain."""
