"""What another build of the suite finds in the evidence of a run.

Another build may ask, judge and word otherwise, so a difference from it does not accuse the record: only the build that
made the run must find the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.model.verdict import VERDICT_WHEN_BROKEN, Level, Verdict

NOT_ASKED = "not asked by the build of the run"
_NOT_LISTED = "not in the catalogue of this build"

_BROKEN = (Verdict.FAIL, Verdict.WARN, Verdict.OBSERVED)
_UNDECIDED = (Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE, Verdict.NOT_TESTED)


def not_compared(rows: Mapping[str, Mapping[str, Any]], recomputed: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return why requirements cannot be compared, by their ids.

    `rows` are the results of the record and `recomputed` those of this build, both by id. Where this build cannot
    decide what the other one did, its checks read calls that the other one did not make.
    """
    found = dict.fromkeys(recomputed.keys() - rows.keys(), NOT_ASKED)
    for requirement, row in rows.items():
        other = recomputed.get(requirement)
        if other is None:
            found[requirement] = _NOT_LISTED
        elif _lost(row, other):
            found[requirement] = NOT_ASKED
    return found


def _lost(row: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether this build leaves undecided what the one of the run did not, or for another reason."""
    return other["verdict"] in _UNDECIDED and row["verdict"] != other["verdict"]


def by_the_catalogue_of(row: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Return the verdict of this build on a requirement, at the level that the catalogue of the record gives it."""
    verdict = Verdict(other["verdict"])
    of_the_record = VERDICT_WHEN_BROKEN.get(Level(row["level"]))
    if row["level"] != other["level"] and verdict in _BROKEN and of_the_record is not None:
        return of_the_record
    return verdict
