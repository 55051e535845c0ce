"""A second try of what a self-test reported: the outcome of a race may differ between two runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Final

from conformance.calibration.combined import judge_combination
from conformance.calibration.judgement import judge_trial
from conformance.calibration.run_one import Kind, Trial, attempt
from conformance.calibration.sample import NoSuchVariant, only

TRIES: Final = 2
"""How often a service is tried again; one good trial is enough."""

_OF_THE_WHOLE: Final = "score"
"""What a fall of the score is about; it follows from the services, which are tried again."""


def main(calibration: str) -> int:
    """Try again the services with problems in the file `calibration`; print what remains, return 1 if anything does."""
    document: dict[str, Any] = json.loads(Path(calibration).read_text("utf-8"))
    left = []
    for problem in document["problems"]:
        if problem["about"] != _OF_THE_WHOLE and _shows_again(problem["about"]):
            left.append(f"{problem['about']}: {problem['what']}")
    print("\n".join(left) or "No problem remains.")
    return 1 if left else 0


def _shows_again(name: str) -> bool:
    try:
        jobs = only([name])
    except NoSuchVariant:
        return True  # an invariant of the whole set
    return not any(all(_good(attempt(job)) for job in jobs) for _ in range(TRIES))


def _good(trial: Trial) -> bool:
    return (judge_combination if trial.job.kind is Kind.COMBINATION else judge_trial)(trial).good


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
