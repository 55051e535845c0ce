"""The published figures: score.json of a self-test, and the figures in README that follow from it.

`python -m conformance.calibration.publish DIR` copies `DIR/score.json` into the package and rewrites the figures;
without DIR it only rewrites them.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from conformance.model.requirements import catalogue
from conformance.model.score import FILE

ROOT: Final = Path(__file__).parents[2]
PUBLISHED: Final = Path(__file__).parent / FILE
README: Final = ROOT / "README.md"

_ROWS: Final = {
    "sensitivity": "faulty services, each with one fault: fault found",
    "specificity": "conforming services, most of them unusual: no false positives",
    "specificity_unconfirmed": "conforming services whose account is not empty, without the option: no false positives",
    "sensitivity_with_options": "faulty services, tried with further options (`--complete-command` …): fault found",
    "specificity_with_options": "conforming services tried with further options: no false positives",
    "combined_attribution": "services with two or three faults (`--pairs`): no requirement failed wrongly",
    "combined_sensitivity": "their faults: found, or named as hidden by another fault",
}
_TABLE: Final = re.compile(r"(?<=<!-- score -->\n).*?(?=<!-- end of score -->)", re.DOTALL)
_COUNT: Final = re.compile(r"(?<=Each of the )\d+(?= requirements)")


def rewritten(text: str, score: dict[str, Any]) -> str:
    """Return the text of README with the figures of `score` and of the catalogue."""
    table = "".join(f"{line}\n" for line in _table(score))
    for pattern, figures in ((_TABLE, table), (_COUNT, str(len(catalogue().rows)))):
        text, number = pattern.subn(lambda _, figures=figures: figures, text)  # type: ignore[misc]
        if number != 1:
            raise ValueError(f"README: {pattern.pattern!r} was expected once, and is there {number} times.")
    return text


def _table(score: dict[str, Any]) -> Iterator[str]:
    yield "| self-test (`drsi-conformance selftest`) | result |"
    yield "|---|---|"
    for name, row in _ROWS.items():
        if measure := score.get(name):
            yield f"| {row} | {measure['kept']} of {measure['of']} |"


def main(*folders: str) -> int:
    """Publish the score of a folder, if one is given, and rewrite README."""
    for folder in folders:
        shutil.copyfile(Path(folder) / FILE, PUBLISHED)
    score = json.loads(PUBLISHED.read_text("utf-8"))["score"]
    README.write_text(rewritten(README.read_text("utf-8"), score), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
