"""A run against a service in a process of its own, beside sending the same requests once more without looking."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from measure import COMMAND, Row, show, timed

from conformance.reference.config import ReferenceConfig, User
from conformance.reference.process import ReferenceProcess

RUNS = 7
BARE = Path(__file__).with_name("bare_client.py")
TOKENS = {"DRSI_TOKEN": "benchmark-token-of-one", "DRSI_OTHER_TOKEN": "benchmark-token-of-two"}
CONFIG = ReferenceConfig(users=tuple(User(f"{name}.example", token) for name, token in TOKENS.items()), seed=1)
"""The seed gives both services the same identifiers, so that what was recorded finds its requests again."""


def main() -> None:
    """Measure in turns, so that a busy moment of the machine meets both, and print."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        turns = [_turn(directory) for _ in range(RUNS + 1)][1:]
    checks, checks_within, bares, bares_within, differing, loaded = zip(*turns, strict=True)
    ratios = [check / bare for check, bare in zip(checks, bares, strict=True)]
    ratios_loaded = [one / bare for one, bare in zip(loaded, bares, strict=True)]
    ratios_within = [check / bare for check, bare in zip(checks_within, bares_within, strict=True)]
    show(
        "check of a running service, beside its requests sent bare",
        [
            Row("check, whole command", checks, "s"),
            Row("bare client, whole command", bares, "s"),
            Row("ratio", ratios, "", 2),
            Row("bare client that loads the libraries of a run", loaded, "s"),
            Row("its ratio to the bare client", ratios_loaded, ""),
            Row("check, first request to last verdict", checks_within, "s"),
            Row("bare client, first request to last answer", bares_within, "s"),
            Row("ratio without start and report", ratios_within, "", 2),
            Row("answers with another status than recorded", differing, ""),
        ],
    )


def _turn(directory: Path) -> tuple[float, float, float, float, int, float]:
    run = directory / "run"
    with _service() as base_url:
        command = [COMMAND, "check", base_url, "--quiet", "--output", str(run)]
        check = timed(command, directory, **TOKENS).wall
    report = json.loads((run / "report.json").read_text("utf-8"))
    within = datetime.fromisoformat(report["finished"]) - datetime.fromisoformat(report["started"])
    bare, said = _bare(run, report["target"]["base_url"])
    loaded, _ = _bare(run, report["target"]["base_url"], "--libraries")
    return check, within.total_seconds(), bare, said["seconds"], said["differing"], loaded


def _bare(run: Path, recorded: str, *options: str) -> tuple[float, Any]:
    """Return the seconds that the bare client took with a new service, and what it says of itself."""
    with _service() as base_url:
        task = {
            "evidence": str(run / "evidence.har"),
            "replace": {recorded: base_url} | {f"[{name}]": token for name, token in TOKENS.items()},
        }
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, str(BARE), *options], input=json.dumps(task), capture_output=True, text=True, check=True
        )
        return time.perf_counter() - started, json.loads(done.stdout)


@contextmanager
def _service() -> Iterator[str]:
    with ReferenceProcess(CONFIG) as service:
        yield service.base_url


if __name__ == "__main__":
    main()
