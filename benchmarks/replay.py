"""A run against a service in another process, beside a bare client that sends the same requests and judges nothing.

The bare client is this script with `--bare`, in a process that loads no more than it needs.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from measure import COMMAND, Row, show, timed

from conformance.reference.config import ReferenceConfig, User
from conformance.reference.process import ReferenceProcess

RUNS = 7
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
    with ReferenceProcess(CONFIG) as service:
        command = [COMMAND, "check", service.base_url, "--quiet", "--output", str(run)]
        check = timed(command, directory, **TOKENS).wall
    report = json.loads((run / "report.json").read_text("utf-8"))
    within = datetime.fromisoformat(report["finished"]) - datetime.fromisoformat(report["started"])
    bare, said = _bare(run, report["target"]["base_url"])
    loaded, _ = _bare(run, report["target"]["base_url"], "--libraries")
    return check, within.total_seconds(), bare, said["seconds"], said["differing"], loaded


def _bare(run: Path, recorded: str, *options: str) -> tuple[float, Any]:
    """Return the seconds that the bare client took with a new service, and what it says of itself."""
    with ReferenceProcess(CONFIG) as service:
        task = {
            "evidence": str(run / "evidence.har"),
            "replace": {recorded: service.base_url} | {f"[{name}]": token for name, token in TOKENS.items()},
        }
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, __file__, "--bare", *options],
            input=json.dumps(task),
            capture_output=True,
            text=True,
            check=True,
        )
        return time.perf_counter() - started, json.loads(done.stdout)


def send_bare() -> None:
    """Send the requests of the evidence.har that standard input names, and print the seconds that this takes.

    With `--libraries`, first load the libraries of a run, and have pytest run a check that does nothing.
    """
    import httpx

    from conformance.trace.har import body_of

    if "--libraries" in sys.argv:
        _load_and_run_nothing()
    given = json.load(sys.stdin)
    text = Path(given["evidence"]).read_text("utf-8")
    for before, after in given["replace"].items():
        text = text.replace(before, after)
    evidence = json.loads(text)
    questions = [
        {
            "method": entry["request"]["method"],
            "url": entry["request"]["url"],
            "headers": [(header["name"], header["value"]) for header in entry["request"]["headers"]],
            "content": body_of(evidence, entry, "request"),
        }
        for entry in evidence["log"]["entries"]
    ]
    started = time.perf_counter()
    with httpx.Client(trust_env=False, verify=False) as client:
        statuses = [client.request(**question).status_code for question in questions]
    seconds = time.perf_counter() - started
    recorded = [entry["response"]["status"] for entry in evidence["log"]["entries"]]
    differing = sum(one != other for one, other in zip(statuses, recorded, strict=True))
    json.dump({"seconds": seconds, "differing": differing}, sys.stdout)


def _load_and_run_nothing() -> None:
    for name in ("click", "hypothesis.stateful", "jinja2", "jsonschema", "rich.progress"):
        importlib.import_module(name)
    from conformance.runner.all_checks import collected

    collected()


if __name__ == "__main__":
    send_bare() if "--bare" in sys.argv else main()
