"""The summary of a run in tests: its text, and the run that has most to show."""

from __future__ import annotations

import html
import re
from typing import Any

import report_samples as samples

from conformance.model.requirements import catalogue
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Verdict


def text_of(page: str) -> str:
    found = re.sub("<[^>]*>", " ", page.partition("<body>")[2])
    return " ".join(html.unescape(found).split())


def everything_wrong(text: str) -> dict[str, Any]:
    """Return a run in which every requirement has a problem, and every text is as long as can be."""
    rows = [row for row in catalogue().rows.values() if not row.untestable]
    found = {
        row.id: (samples.finding(VERDICT_WHEN_BROKEN[row.level], text, message=f"{row.id} {text}", alert=row.alert),)
        for row in rows
    }
    for row in rows[5:60:6]:
        found[row.id] = (samples.finding(Verdict.INCONCLUSIVE, message=f"{row.id} {text}"),)
    base_url = f"https://{'a' * 200}.example/{text}"
    sample = samples.report(findings=found, base_url=base_url, left_behind=3, complete=False)
    waivers = [samples.waiver(row.id, text) for row in rows[1:60:7]]
    report = samples.data(samples.with_waivers(sample, sample.outcome, *waivers))
    report["run"]["labels"] = {f"{number}{text}": text for number in range(9)} | {"assessor": text, "case": text}
    report["run"]["nonce"] = text
    report["target"]["tls"] = {"version": "TLSv1.3", "certificate_sha256": "ab" * 32}
    report["scope"] |= {"left_out": [row.id for row in rows[9:70:7]], "select": [text]}
    return report
