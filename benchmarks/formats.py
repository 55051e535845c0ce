"""The cost of rendering: every format of a default run, and of a run of 2,000 exchanges that findings name."""

from __future__ import annotations

import copy
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import COMMAND, Row, show, timed

from conformance.reports import files

MANY = 2_000
TIMES = 7

Run = tuple[dict[str, Any], dict[str, Any]]


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        timed([COMMAND, "check", "--quiet", "--output", str(folder)], folder)
        usual: Run = (_json(folder / files.DATA), _json(folder / files.EVIDENCE))
    rows = [Row(kind, _milliseconds(usual, kind), "ms") for kind in files.VIEWS]
    rows.append(Row("all together", _milliseconds(usual, *files.VIEWS), "ms", 300))
    show("the formats of a default run", rows)
    large = _large(*usual)
    page = files.rendered(*large, ["html"])["report.html"]
    rows = [
        Row("report.html", _milliseconds(large, "html"), "ms", 1000),
        Row("its size", [sum(len(piece.encode()) for piece in page) / 2**20], "MiB", 3),
        Row("all formats together", _milliseconds(large, *files.VIEWS), "ms"),
    ]
    show(f"a run of {MANY:,} exchanges", rows)


def _json(file: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return document


def _milliseconds(run: Run, *formats: str) -> list[float]:
    """Return the time of each turn, after a first one that compiles the templates."""
    files.rendered(*run, formats)
    times = []
    for _ in range(TIMES):
        started = time.perf_counter()
        files.rendered(*run, formats)
        times.append(1000 * (time.perf_counter() - started))
    return times


def _large(report: dict[str, Any], evidence: dict[str, Any]) -> Run:
    """Return the run with as many exchanges, each of them the evidence of a finding of some requirement that fails."""
    report, evidence = copy.deepcopy((report, evidence))
    entries = evidence["log"]["entries"]
    evidence["log"]["entries"] = [
        entries[number % len(entries)] | {"_id": f"e{number}"} for number in range(1, MANY + 1)
    ]
    failing = [row for row in report["requirements"] if row["level"] == "must" and row["checks"]]
    report["outcome"] = "does-not-conform"
    for index, row in enumerate(failing):
        row |= {"verdict": "fail", "findings": [_finding(row, range(1 + index, MANY + 1, len(failing)))]}
    return report, evidence


def _finding(row: dict[str, Any], numbers: range) -> dict[str, Any]:
    text = {
        "message": "It answers otherwise.",
        "expected": "status 200",
        "actual": "status 500",
        "remedy": "Repair it.",
    }
    fixed = {
        "check": row["checks"][0],
        "verdict": "fail",
        "blame": "target",
        "curl": "curl -i",
        "alert": False,
        "steps": [],
    }
    return {**text, **fixed, "exchanges": [f"e{number}" for number in numbers]}


if __name__ == "__main__":
    main()
