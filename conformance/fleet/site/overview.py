"""The overview of a site: the latest run of each service as a table, and the data that its script filters and sorts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Final

import msgspec

from conformance.fleet.site import names
from conformance.fleet.site.pages import brief, file
from conformance.fleet.site.writing import Site, in_parts
from conformance.fleet.store.rows import LatestRun
from conformance.reports.language import day, gettext
from conformance.reports.outcome import OUTCOME_WORDS

SCRIPT: Final = "site.js"
ROWS: Final = "data/overview.js"
"""All rows of the table. A page that was opened from a disk can load a script, and no other data."""

_ON_A_PAGE: Final = 500
"""Services on a page: about 200 KB."""


def write_overview(site: Site, worse: Counter[str]) -> tuple[int, int, int]:
    """Write the overview; return how many services have a run, how many of them fail, and of how many the latest audit
    has no report.

    `worse` is the number of regressions of each service that has one.
    """
    site.put(SCRIPT, file(SCRIPT))
    services = failing = 0
    absent = list(site.store.unreported_since())
    site.data("data/unreported.json", absent)
    known = {run.target for run in site.store.latest_runs()} if absent else set()
    with ExitStack() as stack:
        rows = {home: stack.enter_context(site.place(home + ROWS).open("wb")) for home in site.homes.values()}
        for each in rows.values():
            each.write(b"services([")
        for page, runs, place in in_parts("index", site.store.latest_runs(worst_first=True), _ON_A_PAGE):
            services += len(runs)
            failing += sum(run.failed > 0 for run in runs)
            for home in site.each_language():
                rows[home].writelines(_of_script(runs, worse))
            without = absent[:_ON_A_PAGE] if place["number"] == 1 else []
            values = {
                "runs": runs,
                "worse": worse,
                "cells": _cells,
                "texts": _texts,
                "unreported": without,
                "known": known,
            }
            site.write(page, "overview.html", **values, **place)
            site.data(f"data/overview-{place['number']}.json", runs)
        for each in rows.values():
            each.write(b"]);\n")
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
