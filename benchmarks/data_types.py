"""A service with 10,000 data types, beside the same service with 10. The service runs in a process of its own."""

from __future__ import annotations

import tempfile
from pathlib import Path

from measure import COMMAND, Cost, Row, show, timed, weighed

from conformance.reference.config import ReferenceConfig
from conformance.reference.process import ReferenceProcess

RUNS = 5
FEW, MANY = 10, 10_000


def main() -> None:
    """Measure in turns and print."""
    few, many = [], []
    with tempfile.TemporaryDirectory() as name:
        for _ in range(RUNS + 1):
            few.append(_check(FEW, Path(name)))
            many.append(_check(MANY, Path(name)))
    del few[0], many[0]
    show(
        f"check of a service with {MANY:,} data types, beside one with {FEW}",
        [
            Row(f"wall clock, {FEW}", [cost.wall for cost in few], "s"),
            Row(f"wall clock, {MANY:,}", [cost.wall for cost in many], "s"),
            Row("ratio", [large.wall / small.wall for small, large in zip(few, many, strict=True)], "", 3),
            Row(f"peak memory, {FEW}", [cost.memory for cost in few], "MiB"),
            Row(f"peak memory, {MANY:,}", [cost.memory for cost in many], "MiB"),
            Row("ratio", [large.memory / small.memory for small, large in zip(few, many, strict=True)], "", 2),
        ],
    )


def _check(data_types: int, directory: Path) -> Cost:
    with ReferenceProcess(ReferenceConfig(data_types=data_types)) as service:
        command = [COMMAND, "check", service.base_url, "--quiet", "--output", str(directory / "run")]
        tokens = dict(zip(("DRSI_TOKEN", "DRSI_OTHER_TOKEN"), service.tokens, strict=True))
        wall = timed(command, directory, **tokens).wall
        return Cost(wall, weighed(command, directory, **tokens).memory)


if __name__ == "__main__":
    main()
