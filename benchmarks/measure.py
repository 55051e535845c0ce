"""What every benchmark needs: run a command, watch what it costs, print a table. Linux only."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

COMMAND = str(Path(sysconfig.get_path("scripts")) / "drsi-conformance")
"""The command as it is installed beside the Python that runs the benchmark."""

TOKEN_VARIABLES = ("DRSI_TOKEN", "DRSI_OTHER_TOKEN")

_TICK = 0.01
_LONGEST = 600
"""Seconds that one run may take."""


@dataclass(frozen=True)
class Cost:
    """What one command took: wall clock in seconds, and the peak memory in MiB of all its processes together."""

    wall: float
    memory: float = 0.0


@dataclass(frozen=True)
class Row:
    """One figure: what was measured, in each run, and the most it may be (None where there is no target)."""

    name: str
    values: Sequence[float]
    unit: str
    target: float | None = None

    def cells(self) -> tuple[str, str, str, str, str]:
        """Return the row as text."""
        middle = median(self.values)
        spread = f"{min(self.values):.4g} to {max(self.values):.4g}"
        if self.target is None:
            return self.name, f"{middle:.4g} {self.unit}", spread, "", ""
        reached = "reached" if middle <= self.target else "MISSED"
        return self.name, f"{middle:.4g} {self.unit}", spread, f"at most {self.target:g} {self.unit}", reached


def timed(command: Sequence[str], directory: Path, **environment: str) -> Cost:
    """Run `command` in `directory` and time it; raise SystemExit with its output when it fails."""
    started = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=directory,
        env=_environment(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    wall = time.perf_counter() - started
    _expect_success(command, done.returncode, done.stdout + done.stderr)
    return Cost(wall)


def weighed(command: Sequence[str], directory: Path, **environment: str) -> Cost:
    """Run `command` in `directory` and watch its memory, which makes its time no longer worth reporting.

    The peaks of its processes are added up although they need not coincide: the true figure is not higher.
    """
    started = time.perf_counter()
    with subprocess.Popen(
        command,
        cwd=directory,
        env=_environment(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as child:
        peaks: dict[int, int] = {}
        while child.poll() is None:
            for process in descendants(child.pid):
                peaks[process] = max(peaks.get(process, 0), _peak(process))
            time.sleep(_TICK)
        assert child.stderr
        _expect_success(command, child.returncode, child.stderr.read().decode())
    return Cost(time.perf_counter() - started, sum(peaks.values()) / 1024)


def repeat(times: int, once: Callable[[], Cost]) -> list[Cost]:
    """Return what `once` cost, `times` times, after a first time that only warms the caches."""
    once()
    return [once() for _ in range(times)]


def show(title: str, rows: Iterable[Row]) -> None:
    """Print a table of medians."""
    lines = [("", "median", "range", "target", ""), *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(5)]
    print(f"{title}  (Python {sys.version.split()[0]}, {os.cpu_count()} cores)")
    for line in lines:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def parser_of(text: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help is the docstring of a script."""
    summary, _, rest = (text or "").partition("\n")
    return argparse.ArgumentParser(
        description=summary, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def report_of(
    base_url: str, tokens: Sequence[str], *options: str, look: Callable[[Path], object] = lambda _: None
) -> dict[str, Any]:
    """Return the report of a run of the command; raise RuntimeError with its messages where it writes none.

    `look` gets the folder of the run before it is removed.
    """
    with tempfile.TemporaryDirectory() as output:
        done = subprocess.run(
            [COMMAND, "check", base_url, "--quiet", "--output", output, *options],
            env={**os.environ, **dict(zip(TOKEN_VARIABLES, tokens, strict=False))},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_LONGEST,
        )
        written = Path(output, "report.json")
        if not written.exists():
            raise RuntimeError(f"no report: {done.stderr.strip()[-500:]}")
        look(Path(output))
        report: dict[str, Any] = json.loads(written.read_text("utf-8"))
        return report


def positive(text: str) -> int:
    """Read a number of at least one from the command line."""
    with contextlib.suppress(ValueError):
        if (number := int(text)) >= 1:
            return number
    raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")


def _environment(extra: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DRSI_", "PYTEST_"))}
    return {**kept, **extra}


def _expect_success(command: Sequence[str], code: int, output: str) -> None:
    if code:
        print(f"{' '.join(command)} ended with exit code {code}, so there is nothing to measure:\n{output}")
        raise SystemExit(0)


def descendants(root: int) -> list[int]:
    """Return a process and those that it started, directly or not."""
    found = [root]
    for process in found:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{process}/task").iterdir():
                found += [int(child) for child in (task / "children").read_text().split()]
    return found


def _peak(process: int) -> int:
    """Return the most memory that a process has had so far, in KiB; 0 when it is gone."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0
