"""The two smallest traces at each behaviour: on one the check finds the violation, on the other it finds none.

A check of an open matter may have one, with what it says of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

import pytest
from assembled import assembled, failed
from deciding import CHECKS, behaviours
from notation import observation_of, steps_of, trace_of

from conformance.model.errors import NothingToAdd, RequirementViolated
from conformance.model.requirements import catalogue
from conformance.trace.trace import Trace

BEHAVIOURS = {each.name: each for each in behaviours()}
OBSERVING = [name for name, each in BEHAVIOURS.items() if "SAYS" in each.marks]
WITH_TRACES = [name for name, each in BEHAVIOURS.items() if each.traces and name not in OBSERVING]
RECIPE = "see docs/traces.md"


@pytest.mark.parametrize("name", WITH_TRACES)
def test_a_behaviour_is_decided_by_its_smallest_traces(name: str) -> None:
    behaviour = BEHAVIOURS[name]
    violating = trace_of(steps_of(behaviour.traces, "FAIL"))
    end = behaviour.decide(violating)
    assert isinstance(end, RequirementViolated), f"the check does not find the violation: {end!r}"
    assert behaviour.is_violated(violating), "a guard explains the violation otherwise"
    end = behaviour.decide(trace_of(steps_of(behaviour.traces, "PASS")))
    # A check that only looks for further violations of what another one decides has nothing to add.
    assert end is None or isinstance(end, NothingToAdd), f"the check does not accept the other trace: {end!r}"


@pytest.mark.parametrize("name", WITH_TRACES)
def test_no_line_of_a_violating_trace_can_be_left_out(name: str) -> None:
    behaviour = BEHAVIOURS[name]
    steps = steps_of(behaviour.traces, "FAIL")
    shorter = [[*steps[:place], *steps[place + 1 :]] for place in range(len(steps))]
    assert not [each for each in shorter if _end(behaviour.is_violated, each) is True], "this is a smaller trace"


@pytest.mark.parametrize("name", [each for each in WITH_TRACES if BEHAVIOURS[each].level != "open"])
def test_no_behaviour_is_accepted_without_what_decides_it(name: str) -> None:
    """What only one of the two traces has decides the behaviour: without it, the check cannot tell."""
    behaviour = BEHAVIOURS[name]
    end = _end(behaviour.decide, steps_of(behaviour.traces, ""))
    assert end is not None, "it accepts what decides nothing"


@pytest.mark.parametrize("name", WITH_TRACES)
def test_a_trace_that_a_behaviour_accepts_violates_nothing_else(name: str) -> None:
    steps = steps_of(BEHAVIOURS[name].traces, "PASS")
    others = {each for each, other in BEHAVIOURS.items() if _end(other.is_violated, steps) is True}
    assert others | failed(assembled([], list(trace_of(steps).exchanges))) == set()


@pytest.mark.parametrize("name", OBSERVING)
def test_an_open_matter_is_observed_by_its_smallest_trace(name: str) -> None:
    behaviour, text = BEHAVIOURS[name], observation_of(BEHAVIOURS[name].traces)
    steps = steps_of(behaviour.traces, "")
    assert text in "\n".join(behaviour.observed(trace_of(steps)))
    shorter = [[*steps[:place], *steps[place + 1 :]] for place in range(len(steps))]
    said = [_end(behaviour.observed, each) for each in shorter]
    assert not [each for each in said if isinstance(each, list) and text in "\n".join(each)], "this is a smaller trace"


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_each_behaviour_has_its_smallest_traces(name: str) -> None:
    behaviour = BEHAVIOURS[name]
    assert behaviour.traces, f"no @traces stands above this check: {RECIPE}"
    if behaviour.level != "open":
        assert "SAYS" not in behaviour.marks, "SAYS is for an open matter: write FAIL and PASS"
    elif catalogue()[behaviour.requirement].alert:
        assert behaviour.marks & {"FAIL", "SAYS"}, "write FAIL and the trace that raises the alert, or SAYS"
    else:
        assert behaviour.marks == {"SAYS"}, (
            "no service violates an open matter without alert = true: write SAYS and the observation, not FAIL or PASS"
        )


def test_each_alert_has_the_smallest_trace_that_raises_it() -> None:
    raised = {each.requirement for each in BEHAVIOURS.values() if each.level == "open" and "FAIL" in each.marks}

    without = {row.id for row in catalogue().rows.values() if row.alert} - raised
    assert without == set(), f"no @traces of a check has a FAIL line that raises the alert: {RECIPE}"


def test_traces_stand_above_a_check_of_their_requirement() -> None:
    read = {
        (each.function.__name__, of) for each in BEHAVIOURS.values() if each.traces for of in ("", each.requirement)
    }
    written = {
        (name, of)
        for path in CHECKS.glob("test_*.py")
        for name, function in vars(import_module(f"conformance.checks.{path.stem}")).items()
        for of in getattr(function, "traces", ())
    }

    assert written - read == set(), "the check does not decide the requirement that `of` names"


def _end(decide: Callable[[Trace], object], steps: Sequence[str]) -> object:
    """Return what is decided by a trace, or the error that one raises which no scenario leaves."""
    try:
        return decide(trace_of(steps))
    except Exception as error:
        return error
