"""Causes of findings that lie in the tokens of a run: a missing right, and a token that is refused or has expired."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from conformance.model.error_table import (
    KNOWN_CREDENTIALS,
    MORE_RIGHTS,
    ON_DATA_REQUESTS,
    must_be_refused,
    names_a_missing_right,
)
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.findings import Finding
from conformance.model.requirements import Requirement
from conformance.model.verdict import Blame
from conformance.rules.run_context import RunContext, blames_the_token

_ON_FORM: Final = ("0", "2.4")
"""Clauses on the form of a response with any status."""

_OTHER_TOKEN: Final = {
    user: f"Use a token that outlives the run, or {option} with a command that prints a new one each time; run again."
    for user, option in (("user", "--token-command"), ("other user", "--other-token-command"))
}


@dataclass(frozen=True)
class TokenCauses:
    """Facts about the tokens of a run that can explain findings of single checks."""

    known: RunContext
    alive: Mapping[str, Sequence[Exchange]]
    """For each token of a known user, as it was sent, the exchanges on data requests in which it was accepted."""
    barred: frozenset[tuple[str, Operation]]
    """Tokens, with an operation that answered 403 to each call that a user with every right may make."""
    unchecked: Mapping[Operation, str]
    """Operations that did not answer 401 to a token of another kind, each with the requirement that it violates."""

    @classmethod
    def of(cls, exchanges: Sequence[Exchange], known: RunContext) -> TokenCauses:
        """Gather the causes that `exchanges` show."""
        return cls(known, _accepted(exchanges), frozenset(_barred(exchanges)), dict(_unchecked(exchanges)))

    def explain(self, finding: Finding[Exchange], row: Requirement) -> NotDecided | None:
        """Return why a violation with exchanges decides nothing, or None."""
        return (
            self._right_missing(finding, row)
            or self._token_refused(finding, row)
            or self._token_expired(finding)
            or self._other_tokens_accepted(finding, row)
        )

    def _right_missing(self, finding: Finding[Exchange], row: Requirement) -> NotDecided | None:
        """The service does not let this token do this: which rights a token needs is not shown (5.5)."""
        shown = next(filter(_is_forbidden, (finding.exchanges[0], finding.exchanges[-1])), None)
        if shown is None or shown.operation is None or row.clause in _ON_FORM:
            return None
        if not names_a_missing_right(shown) and (_token_of(shown), shown.operation) not in self.barred:
            return None  # the token has the right, so the 403 stands in place of another answer
        return NotDecided(
            f"The service answers 403 to this token for {shown.operation.call}, so this was not tested: "
            f"{finding.message}",
            remedy=MORE_RIGHTS,
            blame=Blame.CREDENTIAL,
        )

    def _token_refused(self, finding: Finding[Exchange], row: Requirement) -> NotDecided | None:
        """The service refused a known token, which only requirement 5.1 judges."""
        shown = next((each for each in (finding.exchanges[-1], finding.exchanges[0]) if _is_refused(each)), None)
        if row.clause == "5.1" or shown is None or shown.operation not in ON_DATA_REQUESTS:
            return None
        if not blames_the_token(shown, self.known):
            return None
        message = f"The service refused the token here, so this was not tested: {finding.message}"
        remedy = f"See 5.1-accepts-bearer. If the token has expired: {_OTHER_TOKEN[shown.request.credential]}"
        return NotDecided(message, remedy=remedy, blame=Blame.CREDENTIAL)

    def _token_expired(self, finding: Finding[Exchange]) -> NotDecided | None:
        """The service refused a token and did not accept it again: an expired token is no fault of the service."""
        refused = [shown for shown in finding.exchanges if _is_refused(shown)]
        alive = (
            _is_asked_after(accepted, shown) for shown in refused for accepted in self.alive.get(_token_of(shown), ())
        )
        if not refused or any(alive):
            return None
        return NotDecided(
            f"{finding.message} The service did not accept the token again: it may have expired during the run.",
            remedy=_OTHER_TOKEN[refused[0].request.credential],
            blame=Blame.CREDENTIAL,
        )

    def _other_tokens_accepted(self, finding: Finding[Exchange], row: Requirement) -> NotDecided | None:
        """The operation does not answer 401 to other tokens either, so its letter case shows nothing more."""
        operation = finding.exchanges[0].operation
        violated = self.unchecked.get(operation) if operation is not None else None
        if row.id != "5.3-letter-case" or violated is None:
            return None
        return NotDecided(
            f"{finding.message} The operation does not answer 401 to entirely different tokens either.",
            remedy=f"See {violated}.",
        )


def _is_forbidden(exchange: Exchange) -> bool:
    forbidden = exchange.response is not None and exchange.response.status == 403
    known_user = exchange.request.credential in KNOWN_CREDENTIALS
    return forbidden and known_user and exchange.operation in ON_DATA_REQUESTS and exchange.intent.limit != "reached"


def _barred(exchanges: Sequence[Exchange]) -> set[tuple[str, Operation]]:
    statuses: dict[tuple[str, Operation], set[bool]] = defaultdict(set)
    for each in filter(_is_usual, exchanges):
        if each.operation is not None and each.response is not None and each.request.credential in KNOWN_CREDENTIALS:
            statuses[_token_of(each), each.operation].add(_is_forbidden(each))
    return {key for key, forbidden in statuses.items() if forbidden == {True}}


def _unchecked(exchanges: Sequence[Exchange]) -> Iterator[tuple[Operation, str]]:
    for each in exchanges:
        refusal = must_be_refused(each)
        if refusal is None or each.operation is None or each.response is None:
            continue
        requirement, status = refusal
        if requirement.endswith("-with-bad-token") and each.response.status != status:
            yield each.operation, requirement


def _is_usual(exchange: Exchange) -> bool:
    """Tell whether a call is one that the service has to accept from a user with every right."""
    return (exchange.intent.request or exchange.intent.body) in ("existing", "clean-up", "known types", "omitted")


def _is_refused(exchange: Exchange) -> bool:
    refused = exchange.response is not None and exchange.response.status == 401 and not exchange.renewed
    return refused and exchange.request.credential in KNOWN_CREDENTIALS


def _token_of(exchange: Exchange) -> str:
    """Return a key for one token of the run: a command may have given a user several."""
    return f"{exchange.request.credential} {header(exchange.request.headers, 'authorization')}"


def _is_asked_after(later: Exchange, earlier: Exchange) -> bool:
    """Tell whether one call was sent after the response to the other; background calls may finish late."""
    return later.is_after(earlier) and later.started.timestamp() >= earlier.started.timestamp() + earlier.seconds


def _accepted(exchanges: Sequence[Exchange]) -> Mapping[str, Sequence[Exchange]]:
    accepted: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in exchanges:
        known_user = exchange.operation in ON_DATA_REQUESTS and exchange.request.credential in KNOWN_CREDENTIALS
        if known_user and exchange.response is not None and exchange.response.status not in (401, 403):
            accepted[_token_of(exchange)].append(exchange)
    return accepted
