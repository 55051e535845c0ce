"""What would decide a requirement: each option that such a text names does decide it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from whole_runs import USERS, config, only, row_of, run_over

from conformance.calibration.faults import FAULTS
from conformance.judge.decided_by import BY_REASON
from conformance.judge.verdicts import LEFT_OUT, NOT_REACHED
from conformance.model.requirements import catalogue
from conformance.model.target import Budget, LanguageSelector
from conformance.model.verdict import Verdict
from conformance.run.documents import Documents

DECIDED = (Verdict.PASS, Verdict.FAIL)
OPTION = re.compile(r"--[a-z][a-z-]+")


EMPTY = {"account_is_empty": True}
LIMIT = "8-accepts-up-to-limit"

# The requirement, the service, what a run has that leaves it undecided, and what one has that decides it.
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "--await-completion": (
        "3-deletes-completed",
        {"settings": config(users=USERS[:1], complete_after=1.0)},
        {},
        {"budget": Budget(await_completion=3.0)},
    ),
    "--language-selector": (
        "4.5-supported-languages",
        {"settings": config(language_selector="query:taal")},
        {},
        {"language_selector": LanguageSelector("query", "taal")},
    ),
    "--empty-account": (LIMIT, {"bend": FAULTS["one-short-of-the-limit"]}, {}, EMPTY),
    "--max-requests": (LIMIT, {}, {"budget": Budget(max_requests=12), **EMPTY}, EMPTY),
    "--deselect": ("4.3-answers-ok", {}, {"plan": only("4.4-object")}, {}),
}


@pytest.mark.parametrize("option", CASES)
def test_an_option_that_would_decide_a_requirement_does(option: str) -> None:
    row, service, *given = CASES[option]

    before, after = (
        row_of(Documents(run_over(**{"plan": only(row), "in_turn": False, **service, **each})).shown, row)
        for each in given
    )

    assert before.verdict not in DECIDED
    assert option in OPTION.findall(before.decided_by)
    assert after.verdict in DECIDED


def test_every_other_option_that_a_circumstance_names_is_known() -> None:
    texts = [*catalogue().decided_by.values(), BY_REASON[LEFT_OUT], BY_REASON[NOT_REACHED]]

    named = {option for text in texts for option in OPTION.findall(text)}

    in_tests_of_their_own = {"--leave", "--resume"}  # two runs
    assert named - CASES.keys() == {"--complete-command", "--max-time", "--profile", "--select", *in_tests_of_their_own}
