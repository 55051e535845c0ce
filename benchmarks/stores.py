"""Time and size of a store with many services, and of its site.

Usage: python benchmarks/stores.py [--targets 10000] [--url postgresql://…].

Each service has two runs of 100 verdicts; every tenth fails a requirement that it passed before. The rows are written
as `add_run` writes them, one transaction for each run. An empty bundle stands for the evidence, whose packing
`--run RUN` measures: it adds one recorded run as a folder, with all that belongs to it.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from sqlalchemy import text

from conformance.model.requirements import catalogue
from conformance.site import build
from conformance.store import Store
from conformance.store.contents import Contents, Row

VERDICTS = 100
VIEWS = ("latest_runs", "latest_verdicts", "failing_requirements", "regressions")


def made(target: int, day: int) -> Contents:
    """Return the rows of a run of a service on a day."""
    fails = target % 10 == 0 and day == 2
    run: Row = {
        "base_url": f"https://service-{target}.example/api",
        "started": f"2026-02-{day:02}T12:00:00.000Z",
        "finished": f"2026-02-{day:02}T12:00:09.000Z",
        "outcome": "does-not-conform" if fails else "conforms",
        "complete": True,
        "profile": "full",
        "requirement_set": "2026-1",
        **dict.fromkeys(("testable", "decided", "passed", "exchanges"), VERDICTS),
        **dict.fromkeys(("warnings", "waived", "alerts", "left_behind"), 0),
        "failed": int(fails),
        "suite_version": "0.1.0",
        **dict.fromkeys(("suite_build", "catalogue", "edition"), f"sha256:{'0' * 64}"),
        "labels": "{}",
        **{name: f"sha256:{_digest(f'{name} {target} {day}')}" for name in ("evidence", "report")},
        "bundle": _digest(""),
        "bundle_size": 0,
        "added": f"2026-02-{day:02}T12:01:00.000Z",
    }
    verdicts = [
        {
            "requirement": row.id,
            "position": position,
            "clause": row.clause,
            "level": row.level.value,
            "basis": "stated",
            "verdict": "fail" if fails and position == 50 else "pass",
            "alert": False,
            "waived": False,
            "scored": True,
            "reason": "",
        }
        for position, row in enumerate(islice(catalogue().rows.values(), VERDICTS), 1)
    ]
    findings = [
        {
            "requirement": row["requirement"],
            "position": 1,
            "check_name": "test_deleting_a_request_answers_ok",
            "verdict": "fail",
            "blame": "target",
            "message": "The status of the answer is 202, not 200.",
            "expected": "200",
            "actual": "202",
            "remedy": "Answer 200.",
            "alert": False,
            "exchanges": '["e17"]',
        }
        for row in verdicts
        if row["verdict"] == "fail"
    ]
    return Contents(run, verdicts, findings, [])


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def peak() -> float:
    """Return the largest memory of this process so far, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def timed(what: str, action: Callable[[], object]) -> None:
    """Run an action, and print its time, that of the processor, and its result."""
    before, busy = time.perf_counter(), time.process_time()
    result = action()
    took, used = time.perf_counter() - before, time.process_time() - busy
    print(f"{what:<40} {took:8.2f} s {used:8.2f} s CPU   {'' if result is None else result}", flush=True)


def main() -> None:
    """Measure a store."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--targets", type=int, default=10_000)
    options.add_argument("--url", help="address of an empty PostgreSQL database; otherwise a file of SQLite")
    options.add_argument("--run", type=Path, help="folder of a recorded run")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        url = given.url or str(Path(place) / "audits.sqlite")
        with Store.open(url, str(Path(place) / "evidence"), create=True) as store:
            measure(store, given.targets, given.run)
        files = sum(path.stat().st_size for path in Path(place).glob("audits.sqlite*") if path.is_file())
        if files:
            print(f"{'size':<40} {files / 1e6:8.1f} MB")


def measure(store: Store, targets: int, run: Path | None) -> None:
    """Fill a store, and print the time of each view and of what removes runs."""

    def add(day: int) -> None:
        for target in range(targets):
            store.keep_run(made(target, day), b"", f"service-{target:05}", None)

    def rows(view: str) -> int:
        with store.database.reading() as connection:
            return sum(1 for _ in connection.execution_options(yield_per=1000).execute(text(f"SELECT * FROM {view}")))

    for day in (1, 2):
        timed(f"add {targets:,} runs of {VERDICTS} verdicts", lambda day=day: add(day))  # type: ignore[misc]
    for view in VIEWS:
        timed(f"all rows of {view}", lambda view=view: rows(view))  # type: ignore[misc]
    timed("latest_verdicts() as Python objects", lambda: sum(1 for _ in store.latest_verdicts()))
    timed("runs() of one service", lambda: len(list(store.runs("service-00010"))))
    with tempfile.TemporaryDirectory() as place:
        before = peak()
        timed("site", lambda: build(store, Path(place) / "site", "2026-03-01T00:00:00.000Z"))
        print(f"{'peak of memory before and after the site':<40} {before:.0f} MB, {peak():.0f} MB")
        files = [path.stat().st_size for path in Path(place).rglob("*") if path.is_file()]
        first = (Path(place) / "site/index.html").stat().st_size
        print(f"{'files of the site':<40} {len(files):,}, {sum(files) / 1e6:.0f} MB, first page {first / 1e3:.0f} KB")
    timed("keep(1)", lambda: store.keep(1))
    if run:
        timed("add_run of a recorded run", lambda: store.add_run(run))
        timed("add_run of the same run again", lambda: store.add_run(run))


if __name__ == "__main__":
    main()
