"""The pages of audits: each with its runs, what the run before of the same service said, and those without a report."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, Final

from conformance.fleet.site import names
from conformance.fleet.site.writing import Site, in_parts, neighbours

_ON_A_PAGE: Final = 500
"""Runs on a page."""


def write_audits(site: Site) -> None:
    """Write the page of each audit that has a run or reached a service in vain, and the list of them, latest first."""
    listed = sorted(_each(site), key=lambda each: each["audit"].started, reverse=True)
    for number, some, is_last in in_parts(listed, _ON_A_PAGE):
        links = neighbours("audits", number, is_last=is_last)
        site.write(names.of_part("audits", number), "audits.html", audits=some, number=number, **links)
    if not listed:
        site.write("audits.html", "audits.html", audits=[], number=1, before="", after="")
    site.data("data/audits.json", listed)


def _each(site: Site) -> Iterator[dict[str, Any]]:
    """Write the page of each audit; yield the audit and its numbers: runs, how many of them failed a requirement, and
    services of which it has no report.
    """
    audits = {audit.id: audit for audit in site.store.audits()}
    unreported = {id: list(some) for id, some in groupby(site.store.unreported(), attrgetter("audit"))}
    known = {run.target for run in site.store.latest_runs()} if unreported else set()
    for id, found in chain(
        groupby(site.store.audited_runs(), attrgetter("audit")),
        ((id, ()) for id in list(unreported)),  # those that are left after the ones with runs
    ):
        absent = unreported.pop(id, [])
        if not found and not absent:
            continue
        audit, name, total, failing = audits[id], f"audits/{id}", 0, 0
        for number, runs, is_last in in_parts(found, _ON_A_PAGE) if found else [(1, [], True)]:
            total += len(runs)
            failing += sum(run.failed > 0 for run in runs)
            links = neighbours(id, number, is_last=is_last)
            some = absent if number == 1 else []
            values = {"audit": audit, "runs": runs, "unreported": some, "known": known}
            site.write(names.of_part(name, number), "audit.html", number=number, **values, **links)
            site.data(f"{name}-{number}.json", runs)
        site.data(f"{name}-unreported.json", absent)
        yield {"audit": audit, "runs": total, "failing": failing, "unreported": len(absent)}
