"""The pages of audits: each with its runs, what the run before of the same service said, and those without a report."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

from conformance.fleet.site.writing import Site, in_parts

_ON_A_PAGE: Final = 500
"""Runs on a page."""


def write_audits(site: Site) -> None:
    """Write the page of each audit that has a run or reached a service in vain, and the list of them, latest first."""
    listed = list(_each(site))
    for page, some, place in in_parts("audits", listed, _ON_A_PAGE):
        site.write(page, "audits.html", audits=some, **place)
    site.data("data/audits.json", listed)


def _each(site: Site) -> Iterator[dict[str, Any]]:
    """Write the page of each audit; yield the audit and its numbers: runs, how many of them failed a requirement, and
    services of which it has no report.
    """
    unreported = {id: list(some) for id, some in groupby(site.store.unreported(), attrgetter("audit"))}
    known = {run.target for run in site.store.latest_runs()} if unreported else set()
    for audit in list(site.store.audits()):
        absent, name, total, failing = unreported.get(audit.id, []), f"audits/{audit.id}", 0, 0
        for page, runs, place in in_parts(name, site.store.audited_runs(audit.id), _ON_A_PAGE):
            if not runs and not absent:
                break
            total += len(runs)
            failing += sum(run.failed > 0 for run in runs)
            some = absent if place["number"] == 1 else []
            site.write(page, "audit.html", audit=audit, runs=runs, unreported=some, known=known, **place)
            site.data(f"{name}-{place['number']}.json", runs)
        else:
            site.data(f"{name}-unreported.json", absent)
            yield {"audit": audit, "runs": total, "failing": failing, "unreported": len(absent)}
