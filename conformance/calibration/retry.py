"""Whether what a self-test found amiss shows again: what is seen of a race can hang on the machine's mood."""

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
"""How often a service is tried again; what comes out as it should once was chance."""

_OF_THE_WHOLE: Final = "score"
"""What a fall of the score is filed under: it follows from the services that are tried again."""


def main(calibration: str) -> int:
    """Try again what the file `calibration` calls amiss, and print what shows again; return 1 if anything does."""
    document: dict[str, Any] = json.loads(Path(calibration).read_text("utf-8"))
    left = []
    for problem in document["problems"]:
        if problem["about"] != _OF_THE_WHOLE and _shows_again(problem["about"]):
            left.append(f"{problem['about']}: {problem['what']}")
    print("\n".join(left) or "Nothing of it shows again.")
    return 1 if left else 0


def _shows_again(name: str) -> bool:
    try:
        jobs = only([name])
    except NoSuchVariant:
        return True  # a law, which no further try can mend
    return not any(all(_good(attempt(job)) for job in jobs) for _ in range(TRIES))


def _good(trial: Trial) -> bool:
    return (judge_combination if trial.job.kind is Kind.COMBINATION else judge_trial)(trial).good


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
