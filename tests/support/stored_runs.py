"""Small recorded runs for stores: a whole catalogue of verdicts, one exchange, and pages that say nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import report_samples as samples

from conformance.model.verdict import Verdict
from conformance.reports import files
from conformance.trust import chain

URL = samples.BASE_URL


def sealed(report: dict[str, Any], evidence: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the report and the evidence of a run with the digests that fit them."""
    evidence = chain.chained(evidence)
    return chain.sealed(report, evidence), evidence


def recorded_run(
    folder: Path,
    day: int = 1,
    *,
    failing: Collection[str] = (),
    undecided: Collection[str] = (),
    observed: Mapping[str, str] | None = None,
    base_url: str = URL,
    text: str = "",
    changes: Mapping[str, Any] | None = None,
) -> Path:
    """Write a run of a day in February 2026 into `folder`, and return it. `changes` are members of its report.

    `observed` are messages by the ids of open matters.
    """
    found = {each: (samples.finding(Verdict.FAIL, text),) for each in failing}
    found |= {each: (samples.finding(Verdict.INCONCLUSIVE, text),) for each in undecided}
    found |= {each: (samples.finding(Verdict.OBSERVED, message=says),) for each, says in (observed or {}).items()}
    report = samples.data(samples.report(findings=found, base_url=base_url))
    report |= {"started": f"2026-02-{day:02}T12:00:00Z", "finished": f"2026-02-{day:02}T12:00:01Z", **(changes or {})}
    files.write(folder, *sealed(report, samples.har(samples.exchanges(text)[:1])), ())
    for name in ("report.html", "summary.html"):
        (folder / name).write_text("<!doctype html><title>Report</title>", "utf-8")
    return folder
