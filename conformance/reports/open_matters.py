"""What a service that conforms may still do: the matters that the specification leaves open, as the run saw them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.verdict import Verdict
from conformance.reports.failures import is_conforming
from conformance.reports.language import ngettext

LEFT_OPEN: Final = "Not specified: "
"""How the statement of an open matter begins."""


@dataclass(frozen=True)
class Matter:
    """An open matter, such as "whether the service accepts a token in the query.", and what the run observed of it."""

    id: str
    statement: str
    message: str


def observed(report: Report) -> list[Matter]:
    """Return the open matters that the run of a service that conforms observed; nothing of other runs."""
    if not is_conforming(report):
        return []
    pairs = ((row, [each for each in row.findings if each.verdict is Verdict.OBSERVED]) for row in report.requirements)
    return [Matter(row.id, row.statement.removeprefix(LEFT_OPEN), found[0].message) for row, found in pairs if found]


def gravest(matters: list[Matter]) -> list[Matter]:
    """Return those in which the catalogue knows alerts: most concern what others can do with a person's requests."""
    return [each for each in matters if each.id in catalogue().alerts]


def paragraph(matters: list[Matter]) -> str:
    """Return what "conforms" does not say, for a report with these matters."""
    return ngettext(
        "That a service conforms says only that it does what the specification demands. What the specification leaves "
        "open, a conforming service may do in any way. The run observed %(num)s such matter, which decided nothing.",
        "That a service conforms says only that it does what the specification demands. What the specification leaves "
        "open, a conforming service may do in any way. The run observed %(num)s such matters, which decided nothing.",
        len(matters),
    )
