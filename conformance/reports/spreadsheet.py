"""The requirements as CSV (RFC 4180), one row each, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

from conformance.model.text import one_line
from conformance.model.verdict import Verdict
from conformance.reports import attestations, basis, summary
from conformance.reports.problems import waiver_words

COLUMNS = (
    *("id", "clause", "level", "verdict", "waived", "alert", "statement"),
    *("basis", "places", "basis_reason"),
    *("findings", "finding", "cause", "expected", "actual", "remedy", "exchanges", "seconds", "attested"),
)

_LIMIT = 2048
_FORMULA = re.compile(r"""(^|[;|])(?=[\s"']*[=+\-@＝＋－＠﹦﹢﹣﹫])""")
"""Where a cell begins that a spreadsheet may calculate. A semicolon or bar begins a cell in some countries."""


def render(report: dict[str, Any]) -> str:
    """Return the table with its header."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    columns = (*COLUMNS, *([basis.WORDS] if basis.is_quoting(report) else []))
    writer.writerow(columns)
    for row in report["requirements"]:
        values = _values(report, row)
        writer.writerow([_safe(str(values[name])) for name in columns])
    return text.getvalue()


def _values(report: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """Return the cells of a requirement; of several findings the first is shown, and all are counted."""
    attestation = attestations.attestation_of(report, row["id"])
    finding = summary.reasons(row, Verdict(row["verdict"]))[0] if row["findings"] or row["reason"] else {}
    return row | {
        "verdict": summary.shown_verdict(report, row),
        "waived": waiver_words(report, row) if row["waived"] else "",
        "alert": "yes" if row["id"] in report["alerts"] else "",
        "basis": basis.kind(row),
        "places": basis.places(row),
        "basis_reason": basis.reason(row),
        basis.WORDS: " ".join(f"[{place}] {text}" for place, text in basis.words(report, row).items()),
        "findings": len(row["findings"]),
        "finding": finding.get("message", ""),
        "cause": finding.get("blame", ""),
        "expected": finding.get("expected", ""),
        "actual": finding.get("actual", ""),
        "remedy": finding.get("remedy", ""),
        "exchanges": " ".join(row["evidence"]["exchanges"] or finding.get("exchanges", ())),
        "seconds": f"{row['seconds']:.3f}",
        "attested": attestations.words(attestation) if attestation else "",
    }


def _safe(text: str) -> str:
    return _FORMULA.sub(r"\1'", one_line(text, _LIMIT))
