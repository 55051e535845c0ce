"""The terms of a result: level, verdict, blame, outcome and exit code."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum, StrEnum


class Level(StrEnum):
    """Level of a requirement: stated, recommended, or not specified."""

    MUST = "must"
    SHOULD = "should"
    OPEN = "open"


class Basis(StrEnum):
    """What a requirement rests on: words of the specification, a written inference from them, or good practice."""

    STATED = "stated"
    INFERRED = "inferred"
    ADVICE = "advice"
    """No place of the specification says it: always a `should`, and never counted by --strict."""


class Verdict(StrEnum):
    """Result of one requirement, the worst first."""

    FAIL = "fail"
    WARN = "warn"
    INCONCLUSIVE = "inconclusive"
    OBSERVED = "observed"
    PASS = "pass"  # noqa: S105 - a verdict, not a password
    NOT_APPLICABLE = "not-applicable"
    NOT_TESTED = "not-tested"


class Blame(StrEnum):
    """Cause of a result that is not a pass."""

    TARGET = "target"
    CREDENTIAL = "credential"
    NETWORK = "network"
    CONFIGURATION = "configuration"
    SPECIFICATION = "specification"
    SUITE = "suite"


class Outcome(StrEnum):
    """Result of the run as a whole."""

    CONFORMS = "conforms"
    CONFORMS_IN_PART = "conforms-in-part"
    CONFORMS_WITH_WAIVERS = "conforms-with-waivers"
    DOES_NOT_CONFORM = "does-not-conform"
    INCONCLUSIVE = "inconclusive"


class Exit(IntEnum):
    """Exit code of the command."""

    CONFORMS = 0
    DOES_NOT_CONFORM = 1
    USAGE = 2
    INCONCLUSIVE = 3
    BROKEN = 4


VERDICT_WHEN_BROKEN = {
    Level.MUST: Verdict.FAIL,
    Level.SHOULD: Verdict.WARN,
    Level.OPEN: Verdict.OBSERVED,
}
"""The verdict of a violation depends on the level of the requirement, never on the check."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of `verdicts`; raise ValueError if there are none."""
    return min(verdicts, key=list(Verdict).index)
