"""Findings of a run that is made by hand: which are one, which count, and connections closed without an answer."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from graphlib import TopologicalSorter
from importlib.resources import files
from itertools import accumulate

import pytest
from assembled import EVERYTHING, assembled, broken, failed, finding, said
from notation import call_in, trace_in

from conformance.judge.decided_by import decided_by
from conformance.judge.decisions import EVERY_EXCHANGE, silences
from conformance.judge.expect import json_body
from conformance.model.errors import NotDecided
from conformance.model.requirements import catalogue
from conformance.model.results import Evidence
from conformance.model.strict_json import MAX_VALUES
from conformance.model.verdict import Blame, Verdict


def test_findings_that_differ_only_in_moments_and_identifiers_are_one_that_counts_the_others() -> None:
    """A service that sets createdAt at each reading is wrong once, not 85 times."""
    messages = [
        'createdAt is "2026-01-31T12:00:01.5+00:00" on reading, but creation returned "2026-01-31T12:00:00Z".',
        'createdAt is "2026-01-31T13:00:02+01:00" on reading, but creation returned "2026-01-31T12:00:00Z".',
        'createdAt is "20260131T120003Z" on reading, but creation returned "2026-01-31".',
        "A request cannot be deleted: 404 instead of 200. The call: DELETE /requests/0b7e1f24…",
        "A request cannot be deleted: 404 instead of 200. The call: DELETE /requests/0b7e1f25…",
        "A request cannot be deleted: 410 instead of 200. The call: DELETE /requests/0b7e1f26…",
    ]
    shown = trace_in("GET r1 ... r6 -> 200").exchanges
    checks = [broken("4.2-agrees-with-creation", one, message=text) for one, text in zip(shown, messages, strict=True)]

    found = assembled(checks)["4.2-agrees-with-creation"].findings

    assert [each.message for each in found] == [
        f"{messages[0]} (and 2 more like this)",
        f"{messages[3]} (and 1 more like this)",
        messages[5],
    ]
    assert found[0].exchanges == ("e1", "e2", "e3")


def test_a_finding_names_all_its_exchanges_and_the_one_with_the_plainest_call_comes_first() -> None:
    odd, *shown = trace_in("DELETE r1 ... r99 -> 500").exchanges
    odd.request = replace(odd.request, headers=(*odd.request.headers, ("Accept", "text/html")))
    checks = [broken("4.3-answers-ok", odd), broken("4.3-answers-ok", *shown, message="It was not.")]

    found = assembled(checks)["4.3-answers-ok"]

    every = tuple(f"e{number}" for number in range(1, 100))
    assert [each.exchanges for each in found.findings] == [every[1:], every[:1]]
    assert found.evidence == Evidence(exchanges=every, count=99)


def test_a_document_beyond_the_limit_of_the_suite_is_undecided_and_not_accused() -> None:
    crowded = call_in(f'GET /settings -> 200 {{"numbers": {[0] * MAX_VALUES}}}')

    assert assembled([], [crowded])["4.4-object"].verdict is Verdict.INCONCLUSIVE
    with pytest.raises(NotDecided, match=f"{MAX_VALUES:,}") as raised:
        json_body(crowded)
    assert raised.value.blame is Blame.SUITE


def test_a_fault_that_no_check_looked_at_is_found() -> None:
    run = trace_in("DELETE r1 -> 200; DELETE r2 -> 200 'ok'; DELETE r3 -> 200")

    found = assembled([said("4.3-answers-ok", Verdict.PASS)], [*run.exchanges])["4.3-answers-ok"]

    assert found.verdict is Verdict.FAIL
    assert [(each.check, each.exchanges, each.blame) for each in found.findings] == [
        (EVERY_EXCHANGE, ("e2",), Blame.TARGET)
    ]
    assert found.checks == ("test_x.py::test_y",)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_guard_explains_a_finding_by_any_of_its_exchanges_but_not_the_form_of_an_answer(place: int) -> None:
    run = [*trace_in("DELETE r1 -> 200; GET r2 -> 200; GET r2 -> 401").exchanges]
    shown = run[:2]
    shown.insert(place, run[2])

    found = assembled([broken("3-frees-the-limit", *shown)], run)

    assert found["3-frees-the-limit"].verdict is Verdict.INCONCLUSIVE
    assert failed(assembled([broken("2.4-object", run[2])], run)) == {"2.4-object"}


TWICE = '"a made-up token" GET r1 -> closed; "a made-up token" GET r1 -> closed'


def test_a_service_that_closes_each_time_and_answers_in_between_is_found() -> None:
    run = trace_in(f"GET r1 -> 200; {TWICE}; GET r1 -> 200; {TWICE}; GET r1 -> 200").exchanges
    run[2].repeats, run[5].repeats = "e2", "e5"

    (violation, shown), *others = silences(run)

    assert violation.requirement == "5.3-read-with-bad-token"
    assert [each.id for each in shown] == ["e3", "e2", "e6", "e5"]
    assert others == []


def test_a_requirement_that_could_not_be_tested_names_the_nearest_failed_one() -> None:
    undecided = replace(finding(Verdict.INCONCLUSIVE, "The control was not answered."), blame=Blame.TARGET)
    checks = [broken("4.2-object"), broken("5.1-accepts-bearer")]
    checks.append(said("4.2-agrees-with-creation", Verdict.INCONCLUSIVE, undecided))
    found = assembled(checks)["4.2-agrees-with-creation"]

    assert (found.verdict, found.blocked_by) == (Verdict.INCONCLUSIVE, ("4.2-object",))
    assert found.reason == "Not tested because 4.2-object failed."
    assert decided_by(found) == "Correct 4.2-object, then run again."
    assert [each.message for each in found.findings] == ["The control was not answered."]
    # A failure that is not selected is not named.
    found = assembled(checks, selected=EVERYTHING - {"4.2-object"})["4.2-agrees-with-creation"]
    assert "4.2-object" not in found.blocked_by


def test_a_failure_does_not_follow_through_a_requirement_that_passed() -> None:
    passed = said("4.3-answers-ok", Verdict.PASS)
    found = assembled([broken("2.1-requestId"), passed, broken("3-removed")])

    assert found["3-removed"].follows_from == ()


def test_what_no_client_can_test_is_attested_and_what_is_open_need_not_be() -> None:
    found = assembled([])

    assert "attest" in decided_by(found["3-erases-gathered"])
    assert decided_by(found["6-events"]) == ""


def test_the_graph_of_the_catalogue_names_requirements_that_a_client_can_test() -> None:
    document = tomllib.loads((files("conformance.model") / "requirements.toml").read_text("utf-8"))
    rows = catalogue().rows
    clauses = {part for id in rows for part in accumulate(re.split(r"(?=\.)", id.partition("-")[0]))}

    for name in ("depends_on", "needs"):
        assert set(document[name]) <= {*rows, *clauses}
        assert [id for ids in document[name].values() for id in ids if id not in rows or rows[id].untestable] == []
    TopologicalSorter(catalogue().depends_on).prepare()  # no failure follows from itself
