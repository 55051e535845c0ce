"""The main job: `drsi-conformance check` of the embedded reference service, from command to report."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from measure import COMMAND, Row, repeat, show, timed, weighed

RUNS = 7


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        command = [COMMAND, "check", "--quiet", "--output", str(directory / "run")]
        walls = repeat(RUNS, lambda: timed(command, directory))
        weights = repeat(3, lambda: weighed(command, directory))
        report = json.loads((directory / "run" / "report.json").read_text("utf-8"))
    show(
        "check of the embedded service, full profile",
        [
            Row("wall clock", [cost.wall for cost in walls], "s", 2),
            Row("exchanges", [report["summary"]["exchanges"]], "", 400),
            Row("peak memory, both processes", [cost.memory for cost in weights], "MiB", 150),
        ],
    )


if __name__ == "__main__":
    main()
