"""Services on Express, Fastify and NestJS, with the mistakes that their defaults invite: which does the suite find?

Installs the packages into a temporary folder, starts each service on the loopback address, conforming and with each of
its mistakes, and runs the command against it. Needs Node 20 or later and npm. The services on Python frameworks are
part of the tests (tests/core/frameworks).

Exit code 1: a service that conforms was failed or not decided.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import parser_of, positive, report_of

from conformance.model.requirements import catalogue
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Outcome, Verdict

SOURCES = Path(__file__).with_name("frameworks")
SERVICES = ("express", "fastify", "nest")


@dataclass(frozen=True)
class Trial:
    """One service to be checked: conforming without a name, otherwise with the mistake or variant `name`."""

    service: str
    name: str = ""
    summary: str = "conforming"
    requirements: tuple[str, ...] = ()
    """The requirements of which one has to be reported as broken; none for a service that conforms."""

    def succeeded(self, report: dict[str, Any]) -> bool:
        """Tell whether a report finds the mistake, or accepts the service that conforms."""
        verdicts = {row["id"]: Verdict(row["verdict"]) for row in report["requirements"]}
        if not self.requirements:
            return Verdict.WARN not in verdicts.values() and report["outcome"] == Outcome.CONFORMS
        return any(verdicts[id] is VERDICT_WHEN_BROKEN[catalogue()[id].level] for id in self.requirements)


def main() -> None:
    """Check the services, print a table, and say by the exit code whether one that conforms was failed."""
    options = _options()
    if shutil.which("node") is None or shutil.which("npm") is None:
        print("Node and npm were not found on the PATH, so there is nothing to check. Install Node 20 or later.")
        return
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="frameworks-") as name:
        folder = Path(name)
        _install(folder)
        trials = [trial for trial in _trials(folder) if not options.only or _is_chosen(trial, options.only)]
        if not trials:
            print(f"No service or mistake is called {', '.join(options.only)}; run without --only to see all names.")
            sys.exit(2)
        with ThreadPoolExecutor(options.jobs) as pool:
            results = pool.map(lambda trial: _try(folder, trial, options.repeat), trials)
            counts = list(zip(trials, results, strict=True))
    _show(counts, options.repeat)
    print(f"{len(trials)} services in {time.perf_counter() - began:.0f} s  (Python {sys.version.split()[0]})")
    sys.exit(any(succeeded < options.repeat for trial, succeeded in counts if not trial.requirements))


def _install(folder: Path) -> None:
    for source in SOURCES.iterdir():
        if source.is_file():
            shutil.copy(source, folder)
    done = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"npm could not install the packages of {SOURCES / 'package.json'}:\n{done.stderr}")
        sys.exit(2)


def _trials(folder: Path) -> Iterator[Trial]:
    for service in SERVICES:
        listed = subprocess.run(
            ["node", f"{service}.js", "--list"], cwd=folder, capture_output=True, text=True, check=True
        )
        named = json.loads(listed.stdout)
        yield Trial(service)
        yield from (Trial(service, name, summary) for name, summary in named["variants"].items())
        for name, (summary, requirements, *_) in named["mistakes"].items():
            yield Trial(service, name, summary, tuple(requirements))


def _is_chosen(trial: Trial, only: Sequence[str]) -> bool:
    return trial.service in only or f"{trial.service}/{trial.name or 'conforming'}" in only


def _try(folder: Path, trial: Trial, times: int) -> int:
    """Return in how many of so many runs, each against a fresh service, the suite came to what is right."""
    return sum(trial.succeeded(_check(folder, trial, seed)) for seed in range(times))


def _check(folder: Path, trial: Trial, seed: int) -> dict[str, Any]:
    """Return the report of one run."""
    options = ["--language-selector", "header:Accept-Language"] if trial.requirements else []
    with _started(folder, trial) as (base_url, tokens):
        return report_of(base_url, tokens, "--empty-account", "--seed", str(seed), *options)


@contextmanager
def _started(folder: Path, trial: Trial) -> Iterator[tuple[str, list[str]]]:
    """Give base_url and tokens of a service in a process of its own, which ends with the context."""
    with (
        tempfile.TemporaryDirectory() as database,
        subprocess.Popen(
            ["node", f"{trial.service}.js", trial.name],
            cwd=folder,
            env={**os.environ, "DATABASE": database, "NODE_ENV": "production"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as child,
    ):
        assert child.stdin
        assert child.stdout
        try:
            ready = json.loads(child.stdout.readline())
            yield f"http://127.0.0.1:{ready['port']}", ready["tokens"]
        finally:
            child.stdin.close()
            child.wait()


def _show(counts: Sequence[tuple[Trial, int]], times: int) -> None:
    rows = [("service", "", "what", "expected", "")]
    for trial, succeeded in counts:
        good, bad = ("found", "MISSED") if trial.requirements else ("accepted", "FAILED")
        word = good if succeeded == times else f"{good} in {succeeded} of {times}" if succeeded else bad
        rows.append((trial.service, word, trial.summary, " or ".join(trial.requirements), trial.name))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row in rows:
        cells = (row[column].ljust(widths[column]) for column in (0, 4, 1, 3, 2))
        print("  ".join(cells).rstrip())
    mistakes = [(trial, succeeded) for trial, succeeded in counts if trial.requirements]
    found = sum(succeeded == times for _, succeeded in mistakes)
    print(f"{found} of {len(mistakes)} mistakes found in {'every run' if times > 1 else 'one run'}")


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="SERVICE[/NAME]",
        help="check only this service, or one mistake of it such as express/limit-per-process; may be repeated",
    )
    parser.add_argument("--repeat", type=positive, default=1, help="runs against each, with other seeds (default: 1)")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count(), help="services at a time (default: the cores)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
