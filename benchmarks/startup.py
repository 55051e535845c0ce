"""`drsi-conformance --help`, beside the import of the library that parses its command line."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from measure import COMMAND, Row, show, timed

RUNS = 25


def main() -> None:
    """Measure in turns and print."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        turns = [
            (timed([COMMAND, "--help"], directory).wall, timed([sys.executable, "-c", "import click"], directory).wall)
            for _ in range(RUNS + 1)
        ][1:]
    helps, imports = zip(*turns, strict=True)
    show(
        "the first answer of the command",
        [
            Row("drsi-conformance --help", [value * 1000 for value in helps], "ms"),
            Row('python -c "import click"', [value * 1000 for value in imports], "ms"),
            Row("ratio", [own / bare for own, bare in turns], "", 2.5),
        ],
    )


if __name__ == "__main__":
    main()
