"""A run against a service in a process of its own that takes its time for every answer, as one far away does.

Prints the wall clock from the first request to the last answer, what the answers took added up, and the ratio of the
two: how much of the waiting is left when the suite asks several things side by side. 1 is a suite that asks one after
another and does nothing else; less is better, and what the suite itself does between the calls counts as well.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

from measure import COMMAND, Row, parser_of, positive, show, timed
from watched_service import watched_service


def main() -> None:
    """Measure and print."""
    options = _options()
    more = [] if options.concurrency is None else ["--concurrency", str(options.concurrency)]
    with tempfile.TemporaryDirectory() as name:
        turns = [_turn(options.latency, more, Path(name)) for _ in range(options.runs)]
    walls, sums, counts, slow = zip(*turns, strict=True)
    how = f", --concurrency {options.concurrency}" if more else ""
    show(
        f"check of a service that takes {options.latency} ms for each answer, full profile{how}",
        [
            Row("first request to last answer", walls, "s"),
            Row("the answers added up", sums, "s"),
            Row("so many times the latency", [count * options.latency / 1000 for count in counts], "s"),
            Row("ratio", [wall / total for wall, total in zip(walls, sums, strict=True)], "", 0.45),
            Row("exchanges", counts, ""),
            Row("answers that took that long", slow, ""),
        ],
    )


def _turn(latency: int, more: list[str], directory: Path) -> tuple[float, float, int, int]:
    """Return the seconds on the clock, those of all answers together, the exchanges, and how many were slow."""
    run = directory / "run"
    with watched_service(latency, max_requests=3) as service:
        timed([COMMAND, "check", service.base_url, "--quiet", "--output", str(run), *more], directory, **service.tokens)
    entries = json.loads((run / "evidence.har").read_text("utf-8"))["log"]["entries"]
    began = [datetime.fromisoformat(entry["startedDateTime"]) for entry in entries]
    took = [timedelta(milliseconds=entry["time"]) for entry in entries]
    ended = max(start + each for start, each in zip(began, took, strict=True))
    total = sum(took, timedelta())
    slow = sum(each >= timedelta(milliseconds=latency) for each in took)
    return (ended - min(began)).total_seconds(), total.total_seconds(), len(entries), slow


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument(
        "--latency", type=positive, default=100, metavar="MS", help="milliseconds for each answer (default: 100)"
    )
    parser.add_argument("--concurrency", type=positive, metavar="NUMBER", help="passed on to check; its default if not")
    parser.add_argument("--runs", type=positive, default=3, metavar="NUMBER", help="runs to measure (default: 3)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
