"""What several benchmarks need: the command, its report, its processes, and options. Linux only."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

COMMAND = str(Path(sysconfig.get_path("scripts")) / "drsi-conformance")
"""The command as it is installed beside the Python that runs the benchmark."""

TOKEN_VARIABLES = ("DRSI_TOKEN", "DRSI_OTHER_TOKEN")

_LONGEST = 600
"""Seconds that one run may take."""


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
