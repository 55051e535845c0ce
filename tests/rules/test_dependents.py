from __future__ import annotations

from dataclasses import replace

import pytest
from assembled import EVERYTHING, assembled, broken, finding, said
from hand_made import data_request, exchange

from conformance.model.dependencies import distances, graph_of
from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import CheckResult
from conformance.model.requirements import catalogue
from conformance.model.verdict import Blame, Verdict
from conformance.rules.decided_by import decided_by


def undecided(
    row: str, message: str = "The control was not answered.", *shown: Exchange, blame: Blame = Blame.TARGET
) -> CheckResult:
    one = replace(finding(Verdict.INCONCLUSIVE, message, *shown), blame=blame)
    return said(row, Verdict.INCONCLUSIVE, one)


def test_a_dependent_requirement_names_the_failed_one() -> None:
    found = assembled([broken("4.2-object"), undecided("4.2-agrees-with-creation")])["4.2-agrees-with-creation"]

    assert (found.verdict, found.blocked_by) == (Verdict.INCONCLUSIVE, ("4.2-object",))
    assert found.reason == "Not tested because 4.2-object failed."
    assert decided_by(found) == "Correct 4.2-object, then run again."
    assert [each.message for each in found.findings] == ["The control was not answered."]


def test_a_failed_requirement_stays_failed_though_it_depends_on_another() -> None:
    found = assembled([broken("4.2-object"), broken("4.2-agrees-with-creation")])["4.2-agrees-with-creation"]

    assert (found.verdict, found.blocked_by, found.reason) == (Verdict.FAIL, (), "")


def test_what_a_finding_names_comes_before_the_graph() -> None:
    checks = [broken("4.2-object"), broken("3-removed"), undecided("4.2-agrees-with-creation", "See 3-removed.")]

    assert assembled(checks)["4.2-agrees-with-creation"].blocked_by == ("3-removed",)


def test_a_requirement_is_not_named_by_the_beginning_of_another_id() -> None:
    checks = [broken("2.1-requestId"), undecided("4.4-object", "See 2.1-requestId-unique.")]

    assert assembled(checks)["4.4-object"].blocked_by == ()


def test_a_shared_exchange_comes_before_the_nearest() -> None:
    shown = exchange(Operation.CREATE, 500, data_request(), number=1)
    checks = [broken("4.1-answers-200", shown), broken("4.2-object"), undecided("2.1-createdAt", "So.", shown)]

    assert assembled(checks)["2.1-createdAt"].blocked_by == ("4.1-answers-200",)


@pytest.mark.parametrize("blame", [Blame.CONFIGURATION, Blame.CREDENTIAL, Blame.NETWORK, Blame.SUITE])
def test_another_cause_than_the_service_is_no_consequence(blame: Blame) -> None:
    checks = [broken("4.1-answers-200"), undecided("2.1-createdAt", "The budget is used up.", blame=blame)]

    assert assembled(checks)["2.1-createdAt"].blocked_by == ()


def test_a_failure_that_is_not_selected_is_only_a_hint() -> None:
    checks = [broken("4.2-object"), undecided("4.2-agrees-with-creation")]
    found = assembled(checks, selected=EVERYTHING - {"4.2-object"})["4.2-agrees-with-creation"]

    assert (found.blocked_by, found.reason) == ((), "")
    assert found.findings[0].remedy == "mend it Also failed, and may be the cause: 4.2-object."


# ---------------------------------------------------------------------- the graph


def test_the_graph_of_the_catalogue_names_requirements_that_a_client_can_test() -> None:
    graph, rows = catalogue().depends_on, catalogue().rows

    assert set(graph) == set(rows)
    assert [id for ids in graph.values() for id in ids if rows[id].untestable] == []


def test_the_longest_key_decides() -> None:
    graph = graph_of({"4": ["2-a"], "4.2": ["2-b"], "4.2-y": ["4.2-x"]}, ["2-a", "2-b", "4.1-z", "4.2-x", "4.2-y"])

    assert graph == {"2-a": (), "2-b": (), "4.1-z": ("2-a",), "4.2-x": ("2-b",), "4.2-y": ("4.2-x",)}
    assert distances(graph, "4.2-y") == {"4.2-x": 1, "2-b": 2}


@pytest.mark.parametrize("declared", [{"4-x": ["4-nothing"]}, {"4-nothing": ["4-x"]}, {"7": ["4-x"]}])
def test_an_unknown_name_in_the_graph_is_refused(declared: dict[str, list[str]]) -> None:
    with pytest.raises(ValueError, match="names what is no requirement"):
        graph_of(declared, ["4-x"])


def test_a_cycle_in_the_graph_is_refused() -> None:
    with pytest.raises(ValueError, match="has a cycle: 4-x, 4-y, 4-x"):
        graph_of({"4-x": ["4-y"], "4-y": ["4-x"]}, ["4-x", "4-y"])
