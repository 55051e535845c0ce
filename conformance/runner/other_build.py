"""What another build of the suite finds in the evidence of a run.

Another build may ask, judge and word otherwise, so a difference from it does not accuse the record: only the build that
made the run must find the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.model.exchange import Exchange
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Level, Verdict

NOT_ASKED = "not asked by the build of the run"
_NOT_LISTED = "not in the catalogue of this build"

_BROKEN = (Verdict.FAIL, Verdict.WARN, Verdict.OBSERVED)
_UNDECIDED = (Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE, Verdict.NOT_TESTED)


def not_compared(
    rows: Mapping[str, Mapping[str, Any]],
    recomputed: Mapping[str, Mapping[str, Any]],
    exchanges: Sequence[Exchange],
    unknown: Sequence[str],
) -> dict[str, str]:
    """Return why requirements cannot be compared, by their ids.

    `rows` are the results of the record and `recomputed` those of this build, both by id; `exchanges` are those of
    this build, and `unknown` names, in words, its requests that the record does not answer.
    """
    unanswered = [each for each in exchanges if each.error_detail in unknown]
    readers = {name for each in unanswered for name in (*each.read_by, each.check)}
    found = dict.fromkeys(recomputed.keys() - rows.keys(), NOT_ASKED)
    for requirement, row in rows.items():
        other = recomputed.get(requirement)
        if other is None:
            found[requirement] = _NOT_LISTED
        elif unknown and (readers & {*other["checks"]} or _lost(row, other)):
            found[requirement] = NOT_ASKED
    return found


def _lost(row: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Tell whether this build decides less than the one of the run did, as it does where answers are missing."""
    return other["verdict"] in _UNDECIDED and row["verdict"] not in _UNDECIDED


def by_the_catalogue_of(row: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Return the verdict of this build on a requirement, at the level that the catalogue of the record gives it."""
    verdict = Verdict(other["verdict"])
    of_the_record = VERDICT_WHEN_BROKEN.get(Level(row["level"]))
    if row["level"] != other["level"] and verdict in _BROKEN and of_the_record is not None:
        return of_the_record
    return verdict
