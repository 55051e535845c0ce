"""The overview of a site: the latest run of each service as a table, and the data that its script filters and sorts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from typing import Final

import msgspec

from conformance.site import names
from conformance.site.writing import Site, in_parts, neighbours
from conformance.store import LatestRun

SCRIPT: Final = "site.js"
ROWS: Final = "data/overview.js"
"""All rows of the table. A page that was opened from a disk can load a script, and no other data."""

_ON_A_PAGE: Final = 500
"""Services on a page: about 200 KB."""


def write_overview(site: Site, worse: Counter[str]) -> tuple[int, int]:
    """Write the overview; return how many services it shows, and how many of them fail a requirement.

    `worse` is the number of regressions of each service that has one.
    """
    site.put(SCRIPT, (files("conformance.site") / "templates" / SCRIPT).read_bytes())
    services = failing = 0
    with site.place(ROWS).open("wb") as rows:
        rows.write(b"services([")
        for number, runs, is_last in in_parts(site.store.latest_runs(worst_first=True), _ON_A_PAGE):
            services += len(runs)
            failing += sum(run.failed > 0 for run in runs)
            rows.writelines(_of_script(runs, worse))
            links = neighbours("index", number, is_last=is_last)
            site.write(names.of_part("index", number), "overview.html", runs=runs, worse=worse, number=number, **links)
            site.data(f"data/overview-{number}.json", runs)
        rows.write(b"]);\n")
    if not services:
        site.write("index.html", "overview.html", runs=[], worse=worse, number=1, before="", after="")
    return services, failing


def _of_script(runs: list[LatestRun], worse: Counter[str]) -> Iterator[bytes]:
    """Yield each row as the script expects it, in the order of the columns."""
    for run in runs:
        row = (
            *(run.target, run.base_url, names.of_service(run.target), run.outcome, run.failed, run.waived),
            *(worse[run.target], run.alerts, run.warnings, run.decided, run.testable, run.started),
        )
        yield msgspec.json.encode(row) + b",\n"
