from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from graphlib import TopologicalSorter
from importlib.resources import files
from itertools import accumulate

import pytest
from assembled import EVERYTHING, assembled, broken, finding, said
from hand_made import exchange

from conformance.judge.decided_by import decided_by
from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import CheckResult
from conformance.model.requirements import catalogue
from conformance.model.verdict import Blame, Verdict


def undecided(
    row: str, message: str = "The control was not answered.", *shown: Exchange, blame: Blame = Blame.TARGET
) -> CheckResult:
    one = replace(finding(Verdict.INCONCLUSIVE, message, *shown), blame=blame)
    return said(row, Verdict.INCONCLUSIVE, one)


def test_a_requirement_that_could_not_be_tested_names_the_nearest_failed_one() -> None:
    checks = [broken("4.2-object"), broken("5.1-accepts-bearer"), undecided("4.2-agrees-with-creation")]
    found = assembled(checks)["4.2-agrees-with-creation"]

    assert (found.verdict, found.blocked_by) == (Verdict.INCONCLUSIVE, ("4.2-object",))
    assert found.reason == "Not tested because 4.2-object failed."
    assert decided_by(found) == "Correct 4.2-object, then run again."
    assert [each.message for each in found.findings] == ["The control was not answered."]
    # A failure that is not selected is not named.
    found = assembled(checks, selected=EVERYTHING - {"4.2-object"})["4.2-agrees-with-creation"]
    assert "4.2-object" not in found.blocked_by


@pytest.mark.parametrize("blame", [Blame.CONFIGURATION, Blame.CREDENTIAL])
def test_another_cause_than_the_service_is_no_consequence_unless_an_answer_stands_in_the_way(blame: Blame) -> None:
    checks = [broken("3-frees-the-limit"), undecided("2.1-createdAt", "The budget is used up.", blame=blame)]
    assert assembled(checks)["2.1-createdAt"].blocked_by == ()

    shown = exchange(Operation.CREATE, 400, number=1)
    checks[1] = undecided("2.1-createdAt", "There is no room.", shown, blame=blame)
    assert assembled(checks)["2.1-createdAt"].blocked_by == ("3-frees-the-limit",)


def test_a_failure_probably_follows_from_the_nearest_failed_requirement_and_stays_a_failure() -> None:
    checks = [broken("5.1-accepts-bearer"), broken("4.3-answers-ok"), broken("3-deletes-completed")]
    found = assembled(checks)

    assert found["3-deletes-completed"].follows_from == ("4.3-answers-ok",)
    assert found["4.3-answers-ok"].follows_from == ("5.1-accepts-bearer",)
    assert {found[id].verdict for id in ("3-deletes-completed", "4.3-answers-ok")} == {Verdict.FAIL}


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
