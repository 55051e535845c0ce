"""The cost of the command: `check` of the embedded service, the start of `--help`, and 10,000 data types."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measure import COMMAND, TOKEN_VARIABLES, Cost, Row, repeat, show, timed, weighed

from conformance.reference.config import ReferenceConfig
from conformance.reference.process import ReferenceProcess

FEW, MANY = 10, 10_000


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        _embedded(Path(name))
        _start(Path(name))
        _data_types(Path(name))


def _embedded(directory: Path) -> None:
    command = [COMMAND, "check", "--quiet", "--output", str(directory / "run")]
    walls = repeat(7, lambda: timed(command, directory))
    weights = repeat(3, lambda: weighed(command, directory))
    report = json.loads((directory / "run" / "report.json").read_text("utf-8"))
    show(
        "check of the embedded service, full profile",
        [
            Row("wall clock", [cost.wall for cost in walls], "s", 2),
            Row("exchanges", [report["summary"]["exchanges"]], "", 560),
            Row("peak memory, both processes", [cost.memory for cost in weights], "MiB", 150),
        ],
    )


def _start(directory: Path) -> None:
    commands = [COMMAND, "--help"], [sys.executable, "-c", "import click"]
    turns = [[timed(command, directory).wall * 1000 for command in commands] for _ in range(26)][1:]
    helps, imports = zip(*turns, strict=True)
    show(
        "the first answer of the command",
        [
            Row("drsi-conformance --help", helps, "ms"),
            Row('python -c "import click"', imports, "ms"),
            Row("ratio", _ratios(helps, imports), "", 2.5),
        ],
    )


def _data_types(directory: Path) -> None:
    turns = [[_check(number, directory) for number in (FEW, MANY)] for _ in range(6)][1:]
    few, many = zip(*turns, strict=True)
    rows = []
    for name, unit, limit in (("wall", "s", 3), ("memory", "MiB", 2)):
        small, large = ([getattr(cost, name) for cost in costs] for costs in (few, many))
        rows += [Row(f"{name}, {FEW}", small, unit), Row(f"{name}, {MANY:,}", large, unit)]
        rows.append(Row("ratio", _ratios(large, small), "", limit))
    show(f"check of a service with {MANY:,} data types, beside one with {FEW}", rows)


def _check(data_types: int, directory: Path) -> Cost:
    with ReferenceProcess(ReferenceConfig(data_types=data_types)) as service:
        command = [COMMAND, "check", service.base_url, "--quiet", "--output", str(directory / "run")]
        tokens = dict(zip(TOKEN_VARIABLES, service.tokens, strict=True))
        wall = timed(command, directory, **tokens).wall
        return Cost(wall, weighed(command, directory, **tokens).memory)


def _ratios(values: Sequence[float], others: Sequence[float]) -> list[float]:
    return [value / other for value, other in zip(values, others, strict=True)]


if __name__ == "__main__":
    main()
