"""How a site is built: from what a store says now, row by row, into a folder that takes its place at the end."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from pathlib import Path
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from conformance.fleet.site.audits import write_audits
from conformance.fleet.site.overview import write_overview
from conformance.fleet.site.pages import CARDS, STYLE, file
from conformance.fleet.site.requirements import write_requirements
from conformance.fleet.site.services import write_services
from conformance.fleet.site.writing import KIND, MARK, Site, replacing
from conformance.fleet.store.rows import Regression
from conformance.fleet.store.store import Store
from conformance.model.specification import Specification
from conformance.reports.language import ENGLISH

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
        for name in (STYLE, CARDS):
            site.put(name, file(name))
        worse = Counter(each.target for each in store.regressions())
        found = Built(*write_overview(site, worse), worse.total())
        write_services(site, write_requirements(site))
        write_audits(site)
        _feed(site)
        site.data(MARK, {"kind": KIND, "built": built, **asdict(found)})
    return found


def _feed(site: Site) -> None:
    latest = heapq.nlargest(_IN_THE_FEED, site.store.regressions(), key=attrgetter("started", "target", "requirement"))
    entries = [(_urn(each), each) for each in latest]
    updated = max((each.started for each in latest), default=site.built)
    site.write("feed.xml", "feed.xml", entries=entries, updated=updated)
    site.data("data/regressions.json", latest)


def _urn(regression: Regression) -> str:
    """Return the id of an entry, which is the same in each site."""
    return uuid5(NAMESPACE_URL, f"{regression.target}\n{regression.requirement}\n{regression.started}").urn
