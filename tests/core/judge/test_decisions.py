"""What single exchanges decide: by each answer, requirements that it violates and requirements that it keeps."""

from __future__ import annotations

from dataclasses import replace

import pytest
from answered import creation, missing, reading, settings, unauthorized
from deciding import behaviours
from hand_made import ONE, SETTINGS, data_request, deletion, error, exchange
from judged import DATA, HTML, LISTED
from notation import steps_of, trace_of

from conformance.checks import test_rows
from conformance.facts.world import Facts
from conformance.judge.decisions import Decisions
from conformance.judge.exchanges import decidable, judge
from conformance.model.error_table import NOT_FOUND
from conformance.model.errors import RequirementViolated
from conformance.model.exchange import Exchange, Operation

KEPT, VIOLATED, OPEN = "kept", "violated", "open"

NONE_ALLOWED = settings(answer={**SETTINGS, "maxNumberOfRequests": 0})

CASES: dict[str, tuple[list[Exchange], dict[str, str]]] = {
    "settings without a label": (
        [settings(label=None)],
        {"0-bodies-are-json": KEPT, "0-json-media-type": OPEN},
    ),
    "settings that are no JSON": ([settings(answer=HTML)], {"0-bodies-are-json": VIOLATED, "2.3-oAuthUrl": OPEN}),
    "settings that fail": ([settings(500, HTML)], {"4.4-answers-200": VIOLATED, "4.4-object": OPEN}),
    "no data types": ([exchange(DATA, 200, [])], {"4.5-array": KEPT, "2.2-type": OPEN}),
    "data types with a token": ([LISTED], {"4.5-answers-200": KEPT, "5.4-data-without-token": OPEN}),
    "settings without a token that only a user finds": (
        [settings(credential="user"), settings(404, error(NOT_FOUND), credential="no token")],
        {"4.4-answers-200": VIOLATED, "5.4-settings-without-token": OPEN},
    ),
    "creation before the list is known": ([creation()], {"2.1-dataRequested-known": OPEN}),
    "creation beyond the limit": ([NONE_ALLOWED, creation()], {"4.1-answers-200": OPEN, "2.1-requestId": OPEN}),
    "a request that is completed": (
        [creation(answer=data_request(isCompleted=True))],
        {"3-in-progress-no-completedAt": OPEN, "2.1-completedAt": KEPT},
    ),
    "reading without what was created": (
        [creation(), reading(answer={"requestId": ONE, "isCompleted": False})],
        {"4.2-answers-200": KEPT, "4.2-agrees-with-creation": OPEN},
    ),
    "deletion that finds nothing": ([deletion(404, error(NOT_FOUND))], {"4.3-answers-ok": OPEN}),
    "nothing found": (
        [missing()],
        {"7-not-found": KEPT, "7-not-found-error": KEPT, "2.4-object": KEPT, "4.2-answers-200": OPEN},
    ),
    "unauthorized": ([unauthorized()], {"5.3-read-without-token": KEPT, "7-unauthorized-message": KEPT}),
    "unauthorized for a request that does not exist": (
        [unauthorized(request="unknown")],
        {"5.3-read-without-token": OPEN, "7-unauthorized-message": KEPT},
    ),
    "an error that is a list": ([unauthorized(answer=[])], {"2.4-object": VIOLATED, "7-unauthorized-error": OPEN}),
}


@pytest.mark.parametrize("name", CASES)
def test_an_answer_violates_keeps_or_leaves_open_a_requirement(name: str) -> None:
    exchanges, ends = CASES[name]
    decisions = Decisions(Facts.of([replace(each, id=f"e{number}") for number, each in enumerate(exchanges, 1)]))

    decided = {each: decisions[each] for each in ends}
    assert {
        requirement: VIOLATED if each.shown else KEPT if each.kept else OPEN for requirement, each in decided.items()
    } == ends


def test_the_clearest_violation_is_raised_and_has_the_others() -> None:
    decisions = Decisions(Facts.of([settings(500, HTML, number=1), settings(404, HTML, credential="user", number=2)]))

    with pytest.raises(RequirementViolated, match="500 instead of 200") as raised:
        decisions["4.4-answers-200"].raise_violation()
    assert ["404 instead of 200" in each.message for each in raised.value.others] == [True]


def test_what_judging_an_exchange_may_find_is_what_a_crash_there_costs() -> None:
    for behaviour in behaviours():
        trace = trace_of(steps_of(behaviour.traces, "FAIL"))
        for one in trace.exchanges:
            judgement = judge(one, trace.facts)
            found = {violation.requirement for violation in judgement.violations} | judgement.kept
            assert found <= (decidable(one.operation) if one.operation else set())


def test_what_one_exchange_decides_has_an_item() -> None:
    of_behaviours = {"3-deletes-completed", "5.1-accepts-bearer", "4.6-account", "4.6-types"}
    items = {each.id for each in test_rows.ROWS}

    assert items | of_behaviours == frozenset().union(*map(decidable, Operation))
