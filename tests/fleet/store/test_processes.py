"""Several processes change a store at once, and a process that is killed leaves nothing half done."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from platforms import POSIX_SIGNALS
from postgres import EACH_DATABASE
from sqlalchemy import select
from stored_runs import recorded_run

from conformance.cli.recorded import read_report
from conformance.fleet.store import tables
from conformance.fleet.store.store import Store
from conformance.model.requirements import catalogue

ADDS = """
import os, signal, sys
from pathlib import Path
from conformance.fleet.store.store import Store

url, evidence, *runs = sys.argv[1:]
{before}
print("ready", flush=True)
sys.stdin.readline()
with Store.open(url, evidence, create=True) as store:
    for run in runs:
        store.add_run(Path(run), target="shared")
"""
KILLED = "lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)"
MOMENTS = {
    "the tables are made": f"import sqlalchemy; sqlalchemy.DDL.__call__ = {KILLED}",
    "the bundle is written": f"import fsspec.implementations.local as local; local.LocalFileSystem.mv = {KILLED}",
    "the rows are written": f"from conformance.fleet.store import changes; changes.insert = {KILLED}",
    "the change is committed": f"import sqlalchemy; sqlalchemy.engine.base.Connection._commit_impl = {KILLED}",
}
"""What a process does instead, at the moment when it is killed."""


def started(url: str, evidence: Path, *runs: Path, before: str = "") -> subprocess.Popen[str]:
    """Start a process that adds runs when it receives a line. It runs the code `before` first."""
    words = [sys.executable, "-c", ADDS.format(before=before), url, str(evidence), *map(str, runs)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@EACH_DATABASE
def test_several_processes_make_a_store_and_add_runs_at_once(url: str, evidence: Path, tmp_path: Path) -> None:
    runs = [recorded_run(tmp_path / f"run-{day}", day) for day in range(1, 4)]
    adding = [started(url, evidence, *runs[first : first + 2]) for first in range(2)]
    for each in adding:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in adding:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    for each in adding:
        each.communicate(timeout=120)
    assert [each.returncode for each in adding] == [0, 0]

    with Store.open(url) as store:
        assert [each.started[8:10] for each in store.runs("shared")] == ["03", "02", "01"]
        for kept in store.runs("shared"):
            assert len(list(store.verdicts(kept.id))) == len(catalogue().rows)
            assert store.bundles.read(kept.bundle)
    assert len([path for path in evidence.rglob("*") if path.is_file()]) == 3


@POSIX_SIGNALS
@pytest.mark.parametrize(
    ("url", "moment"),
    [("postgresql" if moment == "the rows are written" else "sqlite", moment) for moment in MOMENTS],
    indirect=["url"],
)
def test_a_killed_process_leaves_nothing_half_done(moment: str, url: str, evidence: Path, run: Path) -> None:
    killed = started(url, evidence, run, before=MOMENTS[moment])
    killed.communicate("go\n", timeout=60)
    assert killed.returncode == -signal.SIGKILL

    with Store.open(url, str(evidence), create=True) as store:
        with store.database.reading() as connection:
            assert [connection.execute(select(each)).all() for each in (tables.targets, tables.verdicts)] == [[], []]
        number = store.add_run(run)
        assert len(list(store.verdicts(number))) == len(catalogue().rows)
        assert store.report(number) == read_report(run)
