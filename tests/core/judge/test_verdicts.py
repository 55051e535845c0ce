from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from report_samples import finding, report

from conformance.judge.verdicts import outcome_of
from conformance.model.results import RequirementResult
from conformance.model.run_record import Scope
from conformance.model.verdict import Exit, Outcome, Verdict
from conformance.reports.exit_code import OF_OUTCOME

MUST, OTHER_MUST, SHOULD, OPEN = "4.3-answers-ok", "4.4-object", "2.1-requestId-version", "5-isolation"
ADVICE = "2.3-privacyContactEmail-form"


def rows(**verdicts: Verdict) -> tuple[RequirementResult, ...]:
    """Return results for the whole catalogue: passed, but for those given by their level, `other` or `advice`."""
    names = {"must": MUST, "other": OTHER_MUST, "should": SHOULD, "advice": ADVICE, "open": OPEN}
    given = {names[name]: (finding(verdict),) for name, verdict in verdicts.items()}
    return report(findings=given).requirements


def outcome(found: tuple[RequirementResult, ...], **how: Any) -> Outcome:
    left_out = how.pop("left_out", ())
    how = {"complete": True, "left_behind": 0, "strict": False, **how}
    return outcome_of(found, Scope(left_out=left_out), **how)


def test_exit_codes_are_those_that_scripts_rely_on() -> None:
    assert {outcome.value: int(code) for outcome, code in OF_OUTCOME.items()} == {
        "conforms": 0,
        "conforms-in-part": 0,
        "conforms-with-waivers": 0,
        "does-not-conform": 1,
        "inconclusive": 3,
    }
    assert (Exit.USAGE, Exit.BROKEN) == (2, 4)


@pytest.mark.parametrize(
    ("verdicts", "how", "expected"),
    [
        ({}, {}, Outcome.CONFORMS),
        ({"must": Verdict.FAIL}, {}, Outcome.DOES_NOT_CONFORM),
        ({"must": Verdict.INCONCLUSIVE}, {}, Outcome.INCONCLUSIVE),
        ({"must": Verdict.NOT_APPLICABLE}, {}, Outcome.CONFORMS),
        ({"should": Verdict.WARN}, {}, Outcome.CONFORMS),
        ({"open": Verdict.INCONCLUSIVE}, {}, Outcome.CONFORMS),
        # strict: a warning counts, unless it is advice, and nothing else does
        ({"should": Verdict.WARN}, {"strict": True}, Outcome.DOES_NOT_CONFORM),
        ({"advice": Verdict.WARN}, {"strict": True}, Outcome.CONFORMS),
        ({"should": Verdict.INCONCLUSIVE}, {"strict": True}, Outcome.CONFORMS),
        # a fault outweighs whatever else is the matter
        ({"must": Verdict.FAIL, "other": Verdict.INCONCLUSIVE}, {}, Outcome.DOES_NOT_CONFORM),
        ({"must": Verdict.FAIL}, {"complete": False}, Outcome.DOES_NOT_CONFORM),
        # nothing is green that was not finished
        ({}, {"complete": False}, Outcome.INCONCLUSIVE),
        ({}, {"left_behind": 1}, Outcome.INCONCLUSIVE),
        # a narrower question has a narrower answer
        ({"other": Verdict.NOT_TESTED}, {"left_out": ("4.4-object",)}, Outcome.CONFORMS_IN_PART),
        ({"must": Verdict.INCONCLUSIVE}, {"left_out": ("4.4-object",)}, Outcome.INCONCLUSIVE),
    ],
)
def test_outcome(verdicts: dict[str, Verdict], how: dict[str, Any], expected: Outcome) -> None:
    assert outcome(rows(**verdicts), **how) is expected


@pytest.mark.parametrize("verdict", [Verdict.NOT_APPLICABLE, Verdict.NOT_TESTED])
def test_a_run_that_saw_nothing_kept_is_never_green(verdict: Verdict) -> None:
    nothing = tuple(replace(row, verdict=verdict) for row in rows())

    assert outcome(nothing) is Outcome.INCONCLUSIVE
    assert outcome(nothing, left_out=("4.4-object",)) is Outcome.INCONCLUSIVE
