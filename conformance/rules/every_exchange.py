"""The findings of all recorded exchanges: violations that single exchanges show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from conformance.facts.due import due
from conformance.facts.ledger import began, ended
from conformance.model.deviations import deviations
from conformance.model.errors import describe
from conformance.model.exchange import ErrorKind, Exchange, Operation, request_id_of
from conformance.model.findings import Crashes
from conformance.model.probe import must_answer
from conformance.model.requirements import all_testable, catalogue
from conformance.rules.guards import Run, doubt
from conformance.rules.judge import judge
from conformance.schema.violations import Violation


def deleted(exchanges: Iterable[Exchange]) -> frozenset[str]:
    """Return the identifiers of the requests whose deletion the service confirmed."""
    return frozenset(
        request_id_of(each)
        for each in exchanges
        if each.operation is Operation.DELETE and each.response is not None and each.response.status < 300
    )


EVERY_EXCHANGE = "every exchange of the run"
"""The name of the check of these findings."""

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

Shown = tuple[Violation, list[Exchange]]
"""A violation, with the exchanges that show it."""


def of_every_exchange(run: Run, crashes: Crashes) -> list[Shown]:
    """Return the violations that single exchanges show, each kind of violation once, the plainest call first."""
    found: dict[tuple[str, str, tuple[object, ...]], Shown] = {}
    known = run.known
    for exchange in run.exchanges:
        violations: tuple[Violation, ...] = ()
        with crashes.noted(EVERY_EXCHANGE, _judged(exchange.operation)):
            violations = judge(exchange, known)
        for violation in violations:
            what = f"{exchange.operation} {violation.path} {violation.actual}"
            # An answer that something else may explain takes nothing from those that it does not explain.
            shape = violation.requirement, what, (doubt(exchange, run),)
            known_violation, shown = found.get(shape, (violation, []))
            plainer = not shown or deviations(exchange) < deviations(shown[0])
            found[shape] = (violation, [exchange, *shown]) if plainer else (known_violation, [*shown, exchange])
    return list(found.values())


def of_silences(exchanges: Sequence[Exchange]) -> list[Shown]:
    """Return the violations by calls that have to be refused, and to which the service closes the connection twice.

    The second time is on a connection of its own. The service answers other calls between two of these closures, and
    closes the connection to no valid call beside them: otherwise it was out of service.
    """
    by_id = {each.id: each for each in exchanges}
    found: dict[str, tuple[int, list[Exchange]]] = {}
    for again in exchanges:
        first, required = by_id.get(again.repeats), due(again)
        if first is None or not (_is_silent(first) and _is_silent(again)) or not required.must_refuse:
            continue
        if required.status is not None and not _out_of_service(first, again, exchanges):
            found.setdefault(required.by, (required.status, []))[1].extend((again, first))
    return [
        (_silence(requirement, status, shown[0]), shown)
        for requirement, (status, shown) in found.items()
        if _answers_between(shown, exchanges)
    ]


def _silence(requirement: str, status: int, again: Exchange) -> Violation:
    return Violation(
        requirement,
        "",
        f"The service closes the connection without an answer to {describe(again)}, again on a connection of its "
        f"own, and answers other calls: {status} is due.",
        f"status {status}",
        "no answer: the connection was closed twice",
        must_answer(status),
    )


def _is_silent(exchange: Exchange) -> bool:
    return exchange.error is ErrorKind.CLOSED and exchange.response is None


def _out_of_service(first: Exchange, again: Exchange, exchanges: Sequence[Exchange]) -> bool:
    """Tell whether a valid call was closed too, with no answer to any call between it and these two."""
    answers = [ended(each) for each in exchanges if each.response is not None]
    since = max((end for end in answers if end <= began(first)), default=float("-inf"))
    until = min((end for end in answers if end >= ended(again)), default=float("inf"))
    return any(_is_silent(each) and due(each).must_accept and since <= ended(each) <= until for each in exchanges)


def _answers_between(silences: Sequence[Exchange], exchanges: Sequence[Exchange]) -> bool:
    """Tell whether the service answered a call between two of these closures."""
    first, last = min(map(ended, silences)), max(map(began, silences))
    return any(each.response is not None and first <= began(each) and ended(each) <= last for each in exchanges)


@cache
def _judged(operation: Operation | None) -> frozenset[str]:
    """Return the testable requirements that a single exchange of `operation` can violate."""
    clauses = JUDGED[operation] if operation else ()
    return all_testable() & frozenset[str]().union(*map(catalogue().select, clauses))
