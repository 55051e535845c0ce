"""How a site is built: from what a store says now, row by row, into a folder that takes its place at the end."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

import msgspec

from conformance.fleet.site import names
from conformance.fleet.site.pages import CARDS, STYLE, brief, file
from conformance.fleet.site.services import write_services
from conformance.fleet.site.writing import KIND, MARK, Site, in_parts, replacing
from conformance.fleet.store.rows import FailingRequirement, LatestRun, Regression
from conformance.fleet.store.store import Store
from conformance.model.requirements import catalogue
from conformance.model.specification import Specification
from conformance.reports.language import ENGLISH, day, gettext
from conformance.reports.outcome import OUTCOME_WORDS

SCRIPT: Final = "site.js"
ROWS: Final = "data/overview.js"
"""All rows of the overview, which its script filters and sorts. A page that was opened from a disk can load a script,
and no other data."""

_ON_A_PAGE: Final = 500
"""Services of the overview, or runs of an audit, on a page: about 200 KB."""
_FAILING_SHOWN: Final = 1_000
"""Services on the page of a requirement; the data beside it have all."""
_IN_THE_FEED: Final = 100


@dataclass(frozen=True)
class Built:
    """What a site shows."""

    services: int
    failing: int
    """Services that fail a requirement."""
    unreported: int
    """Services of which the latest audit has no report."""
    regressions: int


def build(
    store: Store,
    output: Path,
    built: str,
    *,
    reports: bool = False,
    languages: Sequence[str] = (ENGLISH,),
    copy: Specification | None = None,
) -> Built:
    """Build the site of a store in a folder, of the moment `built` (RFC 3339, UTC), and return what it shows.

    It quotes `copy`, a reader's copy of the specification, or else the words that runs in the store keep.
    With `reports` it has the report of the latest run of each service, made again from the evidence. Raise
    ModuleNotFoundError for `languages` other than English without Babel.
    The folder is new, empty, or a site, which is replaced when the new one is complete. Raise StoreFault for another
    folder, and OSError if it cannot be written.
    """
    with replacing(output, KIND) as folder:
        quoted = store.words() if copy is None else copy.words
        site = Site(
            store=store, folder=folder, built=built, reports=reports, languages=languages, quoted=quoted, copy=copy
        )
        for name in (STYLE, CARDS, SCRIPT):
            site.put(name, file(name))
        worse = Counter(each.target for each in store.regressions())
        known = {run.target for run in store.latest_runs()}
        found = Built(*_overview(site, worse, known), worse.total())
        write_services(site, _requirements(site))
        _audits(site, known)
        _feed(site)
        site.data(MARK, {"kind": KIND, "built": built, **asdict(found)})
    return found


def _overview(site: Site, worse: Counter[str], known: Collection[str]) -> tuple[int, int, int]:
    """Write the table of the latest runs; return how many there are, how many of them fail, and of how many services
    the latest audit has no report.

    `worse` is the number of regressions of each service that has one.
    """
    services = failing = 0
    absent = list(site.store.unreported_since())
    site.data("data/unreported.json", absent)
    rows: defaultdict[str, list[bytes]] = defaultdict(list)
    for page, runs, place in in_parts("index", site.store.latest_runs(worst_first=True), _ON_A_PAGE):
        services += len(runs)
        failing += sum(run.failed > 0 for run in runs)
        for home in site.each_language():
            rows[home] += _of_script(runs, worse)
        some = absent[:_ON_A_PAGE] if place["number"] == 1 else []
        own = {"runs": runs, "worse": worse, "cells": _cells, "texts": _texts}
        site.write(page, "overview.html", unreported=some, known=known, **own, **place)
        site.data(f"data/overview-{place['number']}.json", runs)
    for home, lines in rows.items():
        site.put(home + ROWS, b"services([" + b"".join(lines) + b"]);\n")
    return services, failing, len(absent)


def _texts() -> dict[str, str]:
    """Return the texts of the script, which puts numbers in the places of the names in braces."""
    return {
        "absent": gettext("The file data/overview.js could not be loaded."),
        "found": gettext("%(found)s of %(all)s services", found="{found}", all="{all}"),
        "first": gettext(
            "%(found)s of %(all)s services, of which the first %(shown)s are shown",
            found="{found}",
            all="{all}",
            shown="{shown}",
        ),
    }


def _of_script(runs: list[LatestRun], worse: Counter[str]) -> Iterator[bytes]:
    """Yield what the script filters and sorts each row by, the name of its page, and the texts of its cells."""
    for run in runs:
        row = (
            *(run.target, run.base_url, run.outcome, run.failed, worse[run.target], run.alerts, run.warnings),
            *(run.decided, run.started, names.of_service(run.target), _cells(run, worse)),
        )
        yield msgspec.json.encode(row) + b",\n"


def _cells(run: LatestRun, worse: Counter[str]) -> tuple[str, ...]:
    """Return the texts of the cells of a service."""
    waived = gettext("(%(num)s waived)", num=run.waived) if run.waived else ""
    decided = gettext("%(decided)s of %(testable)s", decided=run.decided, testable=run.testable)
    return (
        *(brief(run.target, 80), gettext(OUTCOME_WORDS[run.outcome]), f"{run.failed} {waived}".strip()),
        *(str(worse[run.target]), str(run.alerts), str(run.warnings), decided, day(run.started)),
    )


def _requirements(site: Site) -> Collection[str]:
    """Write the page of each requirement that the catalogue has or a service fails; return their ids."""
    rows = catalogue().rows
    numbers: dict[str, int] = {}
    for id, some in groupby(site.store.failing_requirements(), attrgetter("requirement")):
        failing = list(some)
        numbers[id] = len(failing)
        _requirement(site, id, failing)
    for id in rows.keys() - numbers.keys():
        _requirement(site, id, [])
    listed = {id: (rows.get(id), numbers.get(id, 0)) for id in [*rows, *numbers]}
    site.write("requirements.html", "requirements.html", listed=listed)
    return listed.keys()


def _requirement(site: Site, id: str, failing: list[FailingRequirement]) -> None:
    """Write the page of a requirement: who fails it since when."""
    name = names.of_requirement(id)
    site.data(f"requirements/{name}.json", oldest_first := sorted(failing, key=attrgetter("since", "target")))
    site.write(
        f"requirements/{name}.html",
        "requirement.html",
        id=id,
        row=catalogue().rows.get(id),
        edition=catalogue().edition.digest,
        failing=oldest_first[:_FAILING_SHOWN],
        number=len(failing),
        data=f"{name}.json",
    )


def _audits(site: Site, known: Collection[str]) -> None:
    """Write the page of each audit that has a run or reached a service in vain, and the list of them, latest first."""
    listed = list(_each_audit(site, known))
    for page, some, place in in_parts("audits", listed, _ON_A_PAGE):
        site.write(page, "audits.html", audits=some, **place)
    site.data("data/audits.json", listed)


def _each_audit(site: Site, known: Collection[str]) -> Iterator[dict[str, Any]]:
    """Write the page of each audit; yield the audit and its numbers: runs, how many of them failed a requirement, and
    services of which it has no report.
    """
    unreported = {id: list(some) for id, some in groupby(site.store.unreported(), attrgetter("audit"))}
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


def _feed(site: Site) -> None:
    """Write the Atom feed of what got worse."""
    latest = heapq.nlargest(_IN_THE_FEED, site.store.regressions(), key=attrgetter("started", "target", "requirement"))
    entries = [(_urn(each), each) for each in latest]
    updated = max((each.started for each in latest), default=site.built)
    site.write("feed.xml", "feed.xml", entries=entries, updated=updated)
    site.data("data/regressions.json", latest)


def _urn(regression: Regression) -> str:
    """Return the id of an entry, which is the same in each site."""
    return uuid5(NAMESPACE_URL, f"{regression.target}\n{regression.requirement}\n{regression.started}").urn
