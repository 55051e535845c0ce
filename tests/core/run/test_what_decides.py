"""What would decide a requirement: each option that such a text names does decide it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from whole_runs import bent, config, only, row_of, run_over

from conformance.calibration.faults import FAULTS
from conformance.judge.decided_by import BY_REASON
from conformance.judge.verdicts import LEFT_OUT, NOT_REACHED
from conformance.model.requirements import catalogue
from conformance.model.results import RequirementResult
from conformance.model.target import Budget, LanguageSelector
from conformance.model.verdict import Verdict
from conformance.reference.service import Service
from conformance.run.documents import Documents
from conformance.run.options import Plan

DECIDED = (Verdict.PASS, Verdict.FAIL)
OPTION = re.compile(r"--[a-z][a-z-]+")


@dataclass(frozen=True, kw_only=True)
class Case:
    """A requirement that a run leaves undecided, and what the run is given so that it decides it."""

    row: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    service: type[Service] = Service
    before: Mapping[str, Any] = field(default_factory=dict)
    """The options of the first run, by the names of `Target`."""
    after: Mapping[str, Any] = field(default_factory=dict)
    """Those of the second run."""
    plan: Plan | None = None
    """The selection of the first run; the second has the requirement alone."""

    def run(self, plan: Plan, target: Mapping[str, Any]) -> RequirementResult:
        run = run_over(config(**self.settings), bent(self.service), plan=plan, in_turn=False, **target)
        return row_of(Documents(run).shown, self.row)


CASES = {
    "--await-completion": Case(
        row="3-deletes-completed",
        settings={"complete_after": 1.0},
        after={"budget": Budget(await_completion=3.0)},
    ),
    "--language-selector": Case(
        row="4.5-supported-languages",
        settings={"language_selector": "query:taal"},
        after={"language_selector": LanguageSelector("query", "taal")},
    ),
    "--empty-account": Case(
        row="8-accepts-up-to-limit",
        service=FAULTS["one-short-of-the-limit"].service,
        after={"account_is_empty": True},
    ),
    "--max-requests": Case(
        row="8-accepts-up-to-limit",
        before={"budget": Budget(max_requests=12), "account_is_empty": True},
        after={"account_is_empty": True},
    ),
    "--max-time": Case(
        row="8-accepts-up-to-limit",
        before={"budget": Budget(max_time=0.005), "account_is_empty": True},
        after={"account_is_empty": True},
    ),
    "--profile": Case(row="4.3-answers-ok", plan=Plan(profile="public")),
    "--select": Case(row="4.3-answers-ok", plan=Plan(select=("4.4-object",))),
    "--deselect": Case(row="4.3-answers-ok", plan=only("4.4-object")),
}


@pytest.mark.parametrize("option", CASES)
def test_an_option_that_would_decide_a_requirement_does(option: str) -> None:
    case = CASES[option]

    before = case.run(case.plan or only(case.row), case.before)
    after = case.run(only(case.row), case.after)

    assert before.verdict not in DECIDED
    assert option in OPTION.findall(before.decided_by)
    assert after.verdict in DECIDED


def test_every_option_that_a_circumstance_names_is_tried_here() -> None:
    texts = [*catalogue().decided_by.values(), BY_REASON[LEFT_OUT], BY_REASON[NOT_REACHED]]

    named = {option for text in texts for option in OPTION.findall(text)}

    assert named - CASES.keys() == {"--complete-command"}
