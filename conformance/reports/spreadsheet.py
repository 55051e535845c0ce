"""The requirements as CSV (RFC 4180), one row each, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re

from conformance.model.printable import one_line
from conformance.model.report import Report
from conformance.model.results import RequirementResult
from conformance.reports import basis, people, summary
from conformance.reports.problems import waiver_words

COLUMNS = (
    *("id", "clause", "level", "verdict", "waived", "alert", "statement"),
    *("basis", "places", "basis_reason"),
    *("findings", "finding", "cause", "expected", "actual", "server", "remedy", "exchanges", "seconds"),
    *("attested", "reply", "unscored"),
)

_LIMIT = 2048
_FORMULA = re.compile(r"""(^|[;|])(?=[\s"']*[=+\-@＝＋－＠﹦﹢﹣﹫])""")
"""Where a cell begins that a spreadsheet may calculate. A semicolon or bar begins a cell in some countries."""


def render(report: Report) -> str:
    """Return the table with its header."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    columns = (*COLUMNS, *([basis.WORDS] if report.quoted else []))
    writer.writerow(columns)
    for row in report.requirements:
        values = _values(report, row)
        writer.writerow([_safe(str(values[name])) for name in columns])
    return text.getvalue()


def _values(report: Report, row: RequirementResult) -> dict[str, object]:
    """Return the cells of a requirement; of several findings the first is shown, and all are counted."""
    finding = summary.reasons(row, row.verdict)[0]
    said = bool(row.findings or row.reason)
    return {
        "id": row.id,
        "clause": row.clause,
        "level": row.level,
        "statement": row.statement,
        "verdict": summary.shown_verdict(report, row),
        "waived": waiver_words(report, row) if row.waived else "",
        "alert": "yes" if row.id in report.alerts else "",
        "basis": basis.kind(row),
        "places": basis.places(row),
        "basis_reason": basis.reason(row),
        basis.WORDS: " ".join(f"[{place}] {text}" for place, text in basis.words(report, row).items()),
        "findings": len(row.findings),
        "finding": finding.message if said else "",
        "cause": summary.cause(finding) or "",
        "expected": finding.expected,
        "actual": finding.actual,
        "server": finding.server,
        "remedy": finding.remedy,
        "exchanges": " ".join(row.evidence.exchanges or finding.exchanges),
        "seconds": f"{row.seconds:.3f}",
        "unscored": "" if row.scored else "yes",
        "attested": people.attestation_of(report, row.id),
        "reply": people.reply_to(report, row.id),
    }


def _safe(text: str) -> str:
    return _FORMULA.sub(r"\1'", one_line(text, _LIMIT))
