"""The page of each service: verdicts, findings, statements, its runs and what changed; and the matrix of all."""

from __future__ import annotations

from collections.abc import Collection, Container
from dataclasses import asdict
from itertools import groupby, zip_longest
from operator import attrgetter
from typing import Final

from conformance.fleet.site import names
from conformance.fleet.site.writing import Site, in_parts
from conformance.fleet.store.rows import LatestRun, StoredRun, StoredVerdict, StoreFault, Unreported
from conformance.model.requirements import catalogue
from conformance.model.verdict import Verdict
from conformance.reports import comparison, comparison_views
from conformance.reports.comparison import Comparison

_IN_A_MATRIX: Final = 50
"""Services on a page of the matrix."""
_RUNS_SHOWN: Final = 50
"""Runs on the page of a service; the data beside it have all."""


def write_services(site: Site, known: Collection[str]) -> None:
    """Write the page of each service, and the matrix of all. `known` are the requirements that have a page."""
    absent = {each.target: each for each in site.store.unreported_since()}
    runs = site.store.latest_runs()
    services = ((run.target, _service(site, run, known, absent.get(run.target))) for run in runs)
    for page, some, place in in_parts("matrix", services, _IN_A_MATRIX):
        site.write(page, "matrix.html", services=some, rows=catalogue().rows.values(), **place)


def _service(
    site: Site, run: LatestRun, known: Collection[str], unreported: Unreported | None
) -> dict[str, StoredVerdict]:
    """Write the page of a service; return the verdicts of its latest run, by requirement."""
    store, name = site.store, names.of_service(run.target)
    runs = list(store.runs(run.target))
    verdicts, findings = list(store.verdicts(run.id)), list(store.findings(run.id))
    found = {id: list(some) for id, some in groupby(findings, attrgetter("requirement"))}
    statements = list(store.statements(run.id))
    changed = store.changes(run.target) if len(runs) > 1 else ()
    changes = {number: list(some) for number, some in groupby(changed, attrgetter("run"))}
    compared = _compared(site, name, runs) if run.id in changes else None
    site.write(
        f"services/{name}.html",
        "service.html",
        run=run,
        unreported=unreported,
        timeline=list(zip_longest(runs[:_RUNS_SHOWN], runs[1 : _RUNS_SHOWN + 1])),
        changes=changes,
        compared=compared,
        verdict_of=comparison_views.verdict,
        shown=sorted((each for each in verdicts if not _is_plain(each, found)), key=_severity),
        plain=[each for each in verdicts if _is_plain(each, found)],
        findings=found,
        statements=statements,
        known=known,
        today=site.built[:10],
        report=_report(site, name, run.id),
    )
    content = {"runs": runs, "changes": changes, "verdicts": verdicts, "findings": findings, "statements": statements}
    of_two_runs = {} if compared is None else {"comparison": asdict(compared)}
    site.data(f"services/{name}.json", {"target": run.target, **content, **of_two_runs})
    return {each.requirement: each for each in verdicts}


def _compared(site: Site, name: str, runs: list[StoredRun]) -> Comparison | None:
    """Write the comparison of the latest run with the one before, and return it; None if the evidence is not there."""
    try:
        after, before = (site.store.report(run.id) for run in runs[:2])
    except StoreFault:
        return None
    found = comparison.compare(before, after)
    site.put(f"services/{name}.changes.html", comparison_views.html(found).encode())
    return found


def _report(site: Site, name: str, run: int) -> str:
    """Write the report of a run, if the site has reports, and return its name; empty if there is none."""
    if not site.reports:
        return ""
    try:
        text = site.store.page(run, site.copy)
    except StoreFault:
        return ""
    site.put(f"services/{name}.report.html", text.encode())
    return f"{name}.report.html"


def _is_plain(row: StoredVerdict, found: Container[str]) -> bool:
    """Tell whether a verdict asks for no attention, and has no finding to read."""
    return row.verdict in (Verdict.PASS, Verdict.NOT_APPLICABLE, Verdict.NOT_TESTED) and row.requirement not in found


def _severity(row: StoredVerdict) -> tuple[bool, int]:
    return (not row.alert and row.verdict is not Verdict.FAIL, _BY_SEVERITY.index(row.verdict))


_BY_SEVERITY: Final = tuple(Verdict)
