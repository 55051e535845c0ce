"""The pages of audits: each with its runs, and what the run before of the same service said."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Final

from conformance.site import names
from conformance.site.writing import Site, in_parts, neighbours
from conformance.store import Audit

_ON_A_PAGE: Final = 500
"""Runs on a page."""


def write_audits(site: Site) -> None:
    """Write the page of each audit that has a run, and the list of them, the latest first."""
    audits = {audit.id: audit for audit in site.store.audits()}
    listed = [*_each(site, audits)]
    for number, some, is_last in in_parts(listed, _ON_A_PAGE):
        links = neighbours("audits", number, is_last=is_last)
        site.write(names.of_part("audits", number), "audits.html", audits=some, number=number, **links)
    if not listed:
        site.write("audits.html", "audits.html", audits=[], number=1, before="", after="")
    site.data(
        "data/audits.json", [{"audit": audit, "runs": runs, "failing": failing} for audit, runs, failing in listed]
    )


def _each(site: Site, audits: dict[str, Audit]) -> Iterator[tuple[Audit, int, int]]:
    """Write the page of each audit; yield the audit, its number of runs, and how many of them failed a requirement."""
    for id, found in groupby(site.store.audited_runs(), attrgetter("audit")):
        audit, name, total, failing = audits[id], f"audits/{id}", 0, 0
        for number, runs, is_last in in_parts(found, _ON_A_PAGE):
            total += len(runs)
            failing += sum(run.failed > 0 for run in runs)
            links = neighbours(id, number, is_last=is_last)
            page = names.of_part(name, number)
            site.write(page, "audit.html", audit=audit, runs=runs, number=number, **links)
            site.data(f"{name}-{number}.json", runs)
        yield audit, total, failing
