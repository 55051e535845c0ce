"""The findings of all recorded exchanges, whichever check caused them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from conformance.model.crashes import Crashes
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.findings import CheckResult, Finding
from conformance.model.requirements import catalogue
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Blame
from conformance.rules.judge import judge
from conformance.rules.lost_requests import Loss, violations_of
from conformance.rules.run_context import RunContext
from conformance.schema.violations import Violation

EVERY_EXCHANGE = "every exchange of the run"
"""Stands in place of a check where judging all exchanges shows a violation that no check reported."""

_OF_REQUESTS = ("0", "2.1", "2.4", "3", "5", "7")
JUDGED = {
    Operation.SETTINGS: ("0", "1.4", "2.3", "4.4", "5.4"),
    Operation.DATA: ("0", "2.2", "2.4", "4.5", "5.4", "7", "9"),
    Operation.DATA_ME: ("0", "4.6"),
    Operation.CREATE: (*_OF_REQUESTS, "4.1"),
    Operation.READ: (*_OF_REQUESTS, "4.2"),
    Operation.DELETE: (*_OF_REQUESTS, "4.3"),
}
"""The clauses whose requirements a single exchange of an operation can violate."""

Found = dict[tuple[str, str], tuple[Violation, list[Exchange]]]
"""Violations with the exchanges that show them, by requirement and by what is alike about them."""


def of_every_exchange(
    exchanges: list[Exchange], selected: frozenset[str], known: RunContext, crashes: Crashes
) -> list[CheckResult]:
    """Return the violations that single exchanges show, one result for each kind of violation."""
    found: Found = {}
    for exchange in exchanges:
        if exchange.intent.smaller:
            continue  # sent to make an example smaller: the finding that it belongs to reports it already
        violations: tuple[Violation, ...] = ()
        with crashes.noted(EVERY_EXCHANGE, _judged(exchange.operation, selected)):
            violations = judge(exchange, known)
        for violation in violations:
            if violation.requirement in selected and violation.requirement not in exchange.told:
                shape = (violation.requirement, f"{exchange.operation} {violation.path} {violation.actual}")
                known_violation, shown = found.get(shape, (violation, []))
                plainer = not shown or _is_plainer(exchange, shown[0])
                # The plainest call is the example: what it does not need is not what the finding is about.
                found[shape] = (violation, [exchange, *shown]) if plainer else (known_violation, [*shown, exchange])
    return _results_of(found)


def _is_plainer(exchange: Exchange, other: Exchange) -> bool:
    """Tell whether a call names no language, where another one does."""
    return _names_language(other) and not _names_language(exchange)


def _names_language(exchange: Exchange) -> bool:
    return header(exchange.request.headers, "accept-language") is not None


def of_losses(found: Sequence[Loss], selected: frozenset[str]) -> list[CheckResult]:
    """Return the violations that lost requests show."""
    by_requirement: Found = {}
    for violation, missing in violations_of(found):
        if violation.requirement in selected:
            by_requirement.setdefault((violation.requirement, ""), (violation, []))[1].append(missing)
    return _results_of(by_requirement)


def _results_of(found: Found) -> list[CheckResult]:
    gathered = []
    for (requirement_id, _), (violation, shown) in found.items():
        row = catalogue()[requirement_id]
        verdict = VERDICT_WHEN_BROKEN[row.level]
        finding = Finding(
            verdict=verdict,
            blame=Blame.TARGET,
            message=violation.message,
            expected=violation.expected,
            actual=violation.actual,
            remedy=row.remedy,
            exchanges=tuple(shown),
        )
        gathered.append(CheckResult(row, EVERY_EXCHANGE, verdict, [finding]))
    return gathered


@lru_cache(maxsize=len(JUDGED) + 1)
def _judged(operation: Operation | None, selected: frozenset[str]) -> list[str]:
    """Return the selected requirements that judging an exchange of `operation` by itself may find broken."""
    clauses = JUDGED[operation] if operation else ()
    return [
        one for one in selected if any(f"{catalogue()[one].clause}.".startswith(f"{clause}.") for clause in clauses)
    ]
