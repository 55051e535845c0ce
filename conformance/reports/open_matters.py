"""What a service that conforms may still do: the matters that the specification leaves open, as the run saw them."""

from __future__ import annotations

from typing import Final

from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.verdict import Verdict
from conformance.reports.failures import Rows, is_conforming, with_findings
from conformance.reports.language import ngettext

LEFT_OPEN: Final = "Not specified: "
"""How the statement of an open matter begins."""


def observed(report: Report) -> Rows:
    """Return the open matters that the run of a service that conforms observed; nothing of other runs."""
    if not is_conforming(report):
        return []
    return with_findings(report, lambda _, finding: finding.verdict is Verdict.OBSERVED)


def gravest(matters: Rows) -> list[tuple[str, str]]:
    """Return those in which the catalogue knows alerts, each with what was observed.

    Most concern what others can do with a person's requests.
    """
    known = catalogue().alerts
    return [(row.statement.removeprefix(LEFT_OPEN), found[0].message) for row, found in matters if row.id in known]


def paragraph(matters: Rows) -> str:
    """Return what "conforms" does not say, for a report with these matters."""
    return ngettext(
        "That a service conforms says only that it does what the specification demands. What the specification leaves "
        "open, a conforming service may do in any way. The run observed %(num)s such matter, which decided nothing.",
        "That a service conforms says only that it does what the specification demands. What the specification leaves "
        "open, a conforming service may do in any way. The run observed %(num)s such matters, which decided nothing.",
        len(matters),
    )
