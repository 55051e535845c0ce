"""Each guard saves a conforming service that the suite accuses without it."""

from __future__ import annotations

from typing import Any

import pytest
from notation import trace_in

from conformance.calibration.run_one import Job, attempt
from conformance.calibration.trial_result import Mark, judge_trial
from conformance.judge import guards
from conformance.judge.guards import GUARDS

SAVED = {
    "token_expired": "one-token-expires",
    "right_missing": "create-wants-another-scope",
    "turned_away": "turned-away-for-a-while",
}
"""By the name of a guard, the conforming service that it saves: the self-test shows that it is accepted with it."""


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
def test_without_a_guard_the_service_that_it_saves_is_accused(guard: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "GUARDS", tuple(each for each in GUARDS if each is not guard))

    assert judge_trial(attempt(Job(name=SAVED[guard.__name__]))).mark is Mark.FAILED


@pytest.mark.parametrize(("before", "is_a_ban"), [("", False), ("POST [a] -> 200 r1", True)])
def test_only_a_page_that_came_after_other_answers_is_of_a_firewall(before: str, is_a_ban: bool) -> None:
    page = "403 '<h1>Blocked</h1>'"
    calls = [f"anonymous GET r1 -> {page}", f"POST [a] -> {page}"] * 3
    trace = trace_in("; ".join(filter(None, [before, *calls, "| DELETE r1 -> 200 OK", f"| POST [a] -> {page}"])))

    assert (guards.turned_away(trace.facts, trace.exchanges[-1]) is not None) is is_a_ban
