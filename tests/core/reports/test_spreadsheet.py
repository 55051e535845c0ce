from __future__ import annotations

import csv
import io

import pytest
import report_samples as samples
from report_samples import typed

from conformance.reports import spreadsheet


def rows_of(text: str, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u3000=1", "\xa0@x", "\u200b=1", "＝1",
             '"=1', "'=1", "x;=cmd|' /C calc'!A0", 'x";"=1', "x\t=1", "x|=1", samples.HOSTILE],
)  # fmt: skip
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_no_spreadsheet_calculates_text_of_the_service(text: str, delimiter: str) -> None:
    report = samples.eventful()
    for row in report["requirements"]:
        for finding in row["findings"]:
            finding |= {"message": text, "actual": text, "expected": text}
    cells = [cell for row in rows_of(spreadsheet.render(typed(report)), delimiter) for cell in row]
    assert [cell for cell in cells if cell.strip().lstrip('"').strip()[:1] in tuple("=+-@＝")] == []
