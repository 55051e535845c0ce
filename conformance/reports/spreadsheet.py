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

_LIMIT = 2048
_FORMULA = re.compile(r"""(^|[;|])(?=[\s"']*[=+\-@＝＋－＠﹦﹢﹣﹫])""")
"""Where a cell begins that a spreadsheet may calculate. A semicolon or bar begins a cell in some countries."""


def render(report: Report) -> str:
    """Return the table with its header."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    cells = [_values(report, row) for row in report.requirements]
    writer.writerow(cells[0])
    writer.writerows([_safe(str(value)) for value in row.values()] for row in cells)
    return text.getvalue()


def _values(report: Report, row: RequirementResult) -> dict[str, object]:
    """Return the cells of a requirement; of several findings the first is shown, and all are counted."""
    finding = summary.reasons(row, row.verdict)[0]
    said = bool(row.findings or row.reason)
    values: dict[str, object] = {
        "id": row.id,
        "clause": row.clause,
        "level": row.level,
        "verdict": summary.shown_verdict(report, row),
        "waived": waiver_words(report, row) if row.waived else "",
        "alert": "yes" if row.id in report.alerts else "",
        "statement": row.statement,
        "basis": basis.kind(row),
        "places": basis.places(row),
        "basis_reason": basis.reason(row),
        "findings": len(row.findings),
        "finding": finding.message if said else "",
        "cause": summary.cause(finding) or "",
        "expected": finding.expected,
        "actual": finding.actual,
        "server": finding.server,
        "remedy": finding.remedy,
        "exchanges": " ".join(row.evidence.exchanges or finding.exchanges),
        "seconds": f"{row.seconds:.3f}",
        "attested": people.attestation_of(report, row.id),
        "reply": people.reply_to(report, row.id),
        "unscored": "" if row.scored else "yes",
    }
    quoted = " ".join(f"[{place}] {text}" for place, text in basis.words(report, row).items())
    return values | ({basis.WORDS: quoted} if report.quoted else {})


def _safe(text: str) -> str:
    return _FORMULA.sub(r"\1'", one_line(text, _LIMIT))
