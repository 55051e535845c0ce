"""The tests of a new score against an earlier one, as a program.

`python -m conformance.calibration.regression BEFORE NOW` compares two scores; with one argument, a calibration.json,
it tries the services with problems again, because the outcome of a race may differ between two runs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from conformance.calibration.judgement import judge
from conformance.calibration.measures import share
from conformance.calibration.run_one import attempt
from conformance.calibration.sample import NoSuchVariant, only
from conformance.model.published_score import MEASURES
from conformance.model.score import Measure

COMBINED: Final = ("combined_sensitivity", "combined_attribution")
"""The measures over combinations of faults."""

TRIES: Final = 2
"""Repetitions of a service; one good trial is enough."""


def falls(before: dict[str, Any], now: dict[str, Any], *, same_catalogue: bool = True) -> Iterator[str]:
    """Yield, in words, in what the score `now` of the whole calibration set is below the score `before`.

    A measure falls with its share. With the same catalogue it falls as well when it is taken over fewer services: no
    change may raise a share by leaving the hard services out. Another catalogue may make a conforming service a faulty
    one, so services may go with it. Faults missed for a stated reason lower no share. A measure that one score lacks is
    not compared, nor are measures over combinations, which a self-test holds to a floor: which faults hide each other
    there changes with each correction of a verdict.
    """
    for name in MEASURES:
        old, new = before.get(name), now.get(name)
        if old is None or new is None or name in COMBINED:
            continue
        if same_catalogue and new["of"] < old["of"]:
            yield f"The {name} was taken over {new['of']} services; it was {old['of']}."
        if _share(name, now) < _share(name, before):
            yield f"The {name} fell to {new['kept']} of {new['of']}; it was {old['kept']} of {old['of']}."


def _share(name: str, score: dict[str, Any]) -> Fraction:
    excused = score["excused"] if name == "sensitivity" else 0
    return share(Measure(kept=score[name]["kept"] + excused, of=score[name]["of"]))


def compare(before: Path, now: Path) -> list[str]:
    """Return what is worse in the score of the file `now` than in the file `before`."""
    earlier, later = (json.loads(file.read_text("utf-8")) for file in (before, now))
    same = earlier["suite"]["catalogue"] == later["suite"]["catalogue"]
    return list(falls(earlier["score"], later["score"], same_catalogue=same))


def retry(calibration: Path) -> list[str]:
    """Try the services with problems in the file `calibration` again; return the problems that remain.

    A lower score follows from the services, so it is not tried itself.
    """
    problems = json.loads(calibration.read_text("utf-8"))["problems"]
    shown = [each for each in problems if each["about"] != "score" and _shows_again(each["about"])]
    return [f"{each['about']}: {each['what']}" for each in shown]


def _shows_again(name: str) -> bool:
    try:
        jobs = only([name])
    except NoSuchVariant:
        return True  # an invariant of the whole set
    return not any(all(judge(attempt(job)).good for job in jobs) for _ in range(TRIES))


def main(*files: str) -> int:
    """Compare two files with scores, or try the problems of one calibration again; return 1 if anything remains."""
    paths = [Path(name) for name in files]
    left = compare(*paths) if len(paths) == 2 else retry(*paths)
    for line in left:
        print(line, file=sys.stderr)
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
