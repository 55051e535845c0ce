"""What earlier runs may have left in the accounts of a target, as an audit finds it on the disk."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from audited import job

from conformance.fleet.audit import result
from conformance.fleet.audit.accounts import still_unclear, unclear_since
from conformance.fleet.audit.folders import AuditFolder
from conformance.fleet.audit.one_run import without_report
from conformance.fleet.audit.result import State
from conformance.model.printable import as_json

FIRST, SECOND = "2026-11-26T04:31:00Z", "2026-12-03T04:31:00Z"


def journal(folder: Path, *events: dict[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    begin = {"event": "begin", "base_url": "https://a.example", "started": FIRST, "host": "h", "process": "1"}
    path = folder / "journal.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (begin, *events)), "utf-8")
    return path


INTEND = {"event": "intend", "credential": "user"}


def test_an_audit_that_was_given_up_says_what_its_runs_left(tmp_path: Path) -> None:
    folder = AuditFolder(tmp_path / "20261126T043000Z")
    path = journal(folder.work("a") / "attempt-1", INTEND)
    moment = datetime(2026, 11, 26, 4, 31, tzinfo=UTC).timestamp()
    os.utime(path, (moment, moment))
    journal(folder.work("b") / "attempt-1")
    folder.run("c").mkdir(parents=True)
    done = replace(without_report(job(tmp_path, "c"), State.FINISHED), unclear_since=SECOND)
    (folder.run("c") / result.FILE).write_text(as_json(asdict(done), indent=2), "utf-8")
    targets = [job(tmp_path, name).target for name in "abc"]
    assert unclear_since(targets, tmp_path) == {"a": FIRST, "c": SECOND}


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ({}, FIRST),
        ({"account_emptied": "2026-11-26T04:30:59Z"}, FIRST),
        ({"account_emptied": FIRST}, ""),
        ({"account_emptied": SECOND}, ""),
        ({"arguments": ("--reset-command=reset.sh",)}, ""),
    ],
)
def test_what_makes_the_accounts_clear(other: dict[str, Any], expected: str) -> None:
    assert still_unclear(job(Path(), **other).target, FIRST) == expected
