"""What is known of a requirement: the demand, how it is read, what checks it, what breaks it."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Iterator
from importlib.resources import as_file, files
from inspect import getdoc

import pytest

from conformance.calibration.faults import FAULTS
from conformance.cli.failure import Failure
from conformance.model.requirements import Catalogue, Requirement, UnknownRequirement, catalogue
from conformance.reports.clauses import TITLES, heading_of
from conformance.runner.plugin import demand
from conformance.runner.quiet_pytest import MARKS, options

_LABEL = 10
_WIDTH = 100


def explain(wanted: str) -> Iterator[str]:
    """Yield a paragraph for each requirement that `wanted`, an id or a clause, names; raise Failure for neither."""
    every = catalogue()
    ids = _ids(wanted, every)
    if wanted in every.restated:
        yield textwrap.fill(
            f"Clause {wanted} says again what these demand: {', '.join(every.restated[wanted])}.", _WIDTH
        )
    checks = _checks()
    for row in every.rows.values():
        if row.id in ids:
            yield "\n".join(_lines(row, every, checks[row.id]))


def _ids(wanted: str, every: Catalogue) -> frozenset[str]:
    restated = frozenset(every.restated.get(wanted, ()))
    try:
        return every.select(wanted) | restated
    except UnknownRequirement as error:
        if restated:
            return restated
        raise Failure(str(error)) from None


def _lines(row: Requirement, every: Catalogue, checks: list[tuple[str, str]]) -> Iterator[str]:
    yield row.id
    yield _field("clause", f"{row.clause} {TITLES.get(heading_of(row.clause), '')}".strip())
    yield _field("level", row.level)
    yield _field("demand", row.statement)
    for label, text in (("reading", row.reading), ("remedy", row.remedy), ("untested", row.untestable)):
        if text:
            yield _field(label, text)
    if row.alert:
        yield _field("alert", f"a check may raise an alert; --fail-on {row.id} makes it count as a failure")
    for circumstance in row.not_applicable:
        yield _field("excused", f"not applicable where: {every.circumstances[circumstance]}")
    if again := [clause for clause, ids in every.restated.items() if row.id in ids]:
        yield _field("restated", f"in {', '.join(again)}")
    for name, meaning in checks:
        yield _field("check", f"{name}: {meaning}")
    for fault in FAULTS.values():
        if fault.requirement == row.id:
            yield _field("broken by", f"{fault.name}: {' '.join(fault.summary.split())}")


def _field(label: str, text: str) -> str:
    head = f"  {label:<{_LABEL}}"
    return textwrap.fill(text, _WIDTH, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False)


class _Collector:
    """Notes what pytest collects."""

    def __init__(self) -> None:
        self.checks: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)

    def pytest_configure(self, config: pytest.Config) -> None:
        for line in MARKS:
            config.addinivalue_line("markers", line)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            function = getattr(item, "function", None)
            meaning = (getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")
            self.checks[demand(item).id].append((item.nodeid.rpartition("/")[2], meaning))


def _checks() -> defaultdict[str, list[tuple[str, str]]]:
    """Return the checks of each requirement, name and meaning, as a run would collect them."""
    collector = _Collector()
    with as_file(files("conformance") / "checks") as checks:
        pytest.main(options(str(checks), str(checks / "pytest.ini"), ["--collect-only"]), plugins=[collector])
    return collector.checks
