"""Guards: the one way to excuse an answer. Each saves a conforming service from an accusation.

A guard says of one exchange that its answer does not show what it seems to show, from what the run shows besides. A
failure excuses no other failure: the catalogue folds what follows from a failure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from conformance.facts.answers import names_a_missing_right
from conformance.facts.due import due
from conformance.facts.world import Facts
from conformance.model.error_table import KNOWN_CREDENTIALS, MORE_RIGHTS, ON_DATA_REQUESTS
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.findings import Finding
from conformance.model.requirements import Requirement
from conformance.model.verdict import Blame, Verdict
from conformance.spec.kinds import State


@dataclass(frozen=True)
class Run:
    """What guards ask of a run, computed once."""

    facts: Facts

    @cached_property
    def accepted(self) -> Mapping[str, Sequence[Exchange]]:
        """For each token of a user, as it was sent, the exchanges on data requests in which it was accepted."""
        accepted: dict[str, list[Exchange]] = defaultdict(list)
        for each in filter(_is_of_a_user, self.facts.exchanges):
            if each.response is not None and each.response.status < 500 and each.response.status not in (401, 403):
                accepted[_token_of(each)].append(each)
        return accepted

    @cached_property
    def barred(self) -> frozenset[tuple[str, Operation | None]]:
        """Tokens, with an operation that answered 403 to each call that a user with every right may make."""
        statuses: dict[tuple[str, Operation | None], set[bool]] = defaultdict(set)
        for each in self.facts.exchanges:
            if each.response is not None and _is_of_a_user(each) and due(each, self.facts).must_accept:
                statuses[_token_of(each), each.operation].add(each.response.status == 403)
        return frozenset(key for key, forbidden in statuses.items() if forbidden == {True})


@dataclass(frozen=True)
class Guard:
    """A guard; without it the suite accuses the conforming service that `saves` names."""

    status: int
    """The status of an operation on data requests, with a token of the configuration, that it may explain."""
    saves: str
    explain: Callable[[Run, Exchange], NotDecided | None]


_OF_ANY_ANSWER: Final = ("0", "2.4")
"""Clauses on the form of an answer with any status, which no guard explains."""


def doubt(shown: Exchange, run: Run) -> NotDecided | None:
    """Return why an answer does not show what it seems to show; None if no guard explains it."""
    if shown.response is None or not _is_of_a_user(shown):
        return None
    doubts = (each.explain(run, shown) for each in GUARDS.values() if each.status == shown.response.status)
    return next((each for each in doubts if each is not None), None)


def explained(finding: Finding[Exchange], row: Requirement, run: Run) -> Finding[Exchange]:
    """Return a finding that accuses the service, made inconclusive if a guard explains one of its exchanges."""
    if finding.verdict not in (Verdict.FAIL, Verdict.WARN) or row.clause in _OF_ANY_ANSWER:
        return finding
    cause = next((each for shown in finding.exchanges if (each := doubt(shown, run)) is not None), None)
    if cause is None:
        return finding
    return Finding(
        verdict=Verdict.INCONCLUSIVE,
        blame=cause.blame,
        message=f"{finding.message} {cause.message}",
        remedy=cause.remedy,
        exchanges=finding.exchanges,
    )


def token_expired(run: Run, shown: Exchange) -> NotDecided | None:
    """A token that the service does not accept again may have expired (5.5)."""
    again = (each for each in run.accepted.get(_token_of(shown), ()) if each.is_after(shown))
    if any(again):
        return None
    option = {"user": "--token-command", "other user": "--other-token-command"}[shown.request.credential]
    return NotDecided(
        "The service did not accept the token again: it may have expired during the run.",
        blame=Blame.CREDENTIAL,
        remedy=f"Use a token that outlives the run, or {option} with a command that prints a new one each time; run "
        "again.",
    )


def right_missing(run: Run, shown: Exchange) -> NotDecided | None:
    """A token that may not make a call lacks a right; the specification shows no rights (5.5)."""
    at_the_limit = shown.operation is Operation.CREATE and run.facts.ledger.room(shown) is State.FULL
    if at_the_limit or shown.operation is None:
        return None
    if not names_a_missing_right(shown) and (_token_of(shown), shown.operation) not in run.barred:
        return None  # the token has the right, so the 403 stands in place of another answer
    reason = f"The service answers 403 to this token for {shown.operation.call}, so this was not tested."
    return NotDecided(reason, blame=Blame.CREDENTIAL, remedy=MORE_RIGHTS)


def _is_of_a_user(exchange: Exchange) -> bool:
    return exchange.operation in ON_DATA_REQUESTS and exchange.request.credential in KNOWN_CREDENTIALS


def _token_of(exchange: Exchange) -> str:
    """Return a key for one token of the run: a command may have given a user several."""
    return f"{exchange.request.credential} {header(exchange.request.headers, 'authorization')}"


GUARDS: Final = {
    "token_expired": Guard(401, "one-token-expires", token_expired),
    "right_missing": Guard(403, "create-wants-another-scope", right_missing),
}
"""All guards by name; each saves a twin of the calibration."""
