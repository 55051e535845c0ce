"""Sends what a run recorded once more through one httpx client, and does nothing else with it.

Reads from standard input, as JSON, the path of evidence.har and what to put in the place of each redacted token;
prints the seconds that the sending took, without the time in which Python and httpx were loaded. With `--libraries` it
first loads the others that a run is made with, and has pytest run a check that does nothing.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
import time
from pathlib import Path

import httpx

from conformance.reports.har import body_of


def main() -> None:
    """Replay and print."""
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
    import pytest

    from conformance.runner.quiet_pytest import options

    with tempfile.TemporaryDirectory() as name:
        checks = Path(name)
        (checks / "test_nothing.py").write_text("def test_nothing(): pass\n")
        (checks / "pytest.ini").write_text("[pytest]\n")
        pytest.main(options(name, str(checks / "pytest.ini"), []))


if __name__ == "__main__":
    main()
