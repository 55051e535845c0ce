"""A run against a service in a process of its own that takes its time for every answer, as one far away does.

Prints the wall clock from the first request to the last answer, what the answers took added up, and the ratio of the
two: how much of the waiting is left when the suite asks several things side by side. 1 is a suite that asks one after
another and does nothing else; less is better, and what the suite itself does between the calls counts as well.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path

from measure import COMMAND, Row, parser_of, positive, show, timed

from conformance.reference.call import Call, Reply
from conformance.reference.server import Ready, serve
from conformance.reference.service import Service


def main() -> None:
    """Measure and print."""
    options = _options()
    if options.serve:
        _serve(options.latency / 1000)
        return
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
    with _slow_service(latency) as service:
        tokens = dict(zip(("DRSI_TOKEN", "DRSI_OTHER_TOKEN"), service.tokens, strict=True))
        timed([COMMAND, "check", service.base_url, "--quiet", "--output", str(run), *more], directory, **tokens)
    entries = json.loads((run / "evidence.har").read_text("utf-8"))["log"]["entries"]
    began = [datetime.fromisoformat(entry["startedDateTime"]) for entry in entries]
    took = [timedelta(milliseconds=entry["time"]) for entry in entries]
    ended = max(start + each for start, each in zip(began, took, strict=True))
    total = sum(took, timedelta())
    slow = sum(each >= timedelta(milliseconds=latency) for each in took)
    return (ended - min(began)).total_seconds(), total.total_seconds(), len(entries), slow


@contextmanager
def _slow_service(latency: int) -> Iterator[Ready]:
    """Give a slow service in a process of its own, so that it computes nothing at the expense of the suite."""
    command = [sys.executable, __file__, "--serve", "--latency", str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin
        assert child.stdout
        try:
            yield Ready(**json.loads(child.stdout.readline()))
        finally:
            child.stdin.close()


class _FarAway(Service):
    """Answers after a while; meanwhile it takes other calls."""

    latency: float

    async def answer(self, call: Call) -> Reply:
        await asyncio.sleep(self.latency)
        return await super().answer(call)


def _serve(latency: float) -> None:
    threading.Thread(target=_end_with_input, daemon=True).start()
    _FarAway.latency = latency
    serve(service_class=_FarAway, on_ready=lambda ready: print(json.dumps(asdict(ready)), flush=True))


def _end_with_input() -> None:
    """End when the parent closes the pipe or is gone."""
    while os.read(0, 1024):
        pass
    os._exit(0)


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument(
        "--latency", type=positive, default=100, metavar="MS", help="milliseconds for each answer (default: 100)"
    )
    parser.add_argument("--concurrency", type=positive, metavar="NUMBER", help="passed on to check; its default if not")
    parser.add_argument("--runs", type=positive, default=3, metavar="NUMBER", help="runs to measure (default: 3)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
