from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from graphlib import TopologicalSorter
from importlib.resources import files
from itertools import accumulate

from assembled import EVERYTHING, assembled, broken, finding, said

from conformance.judge.decided_by import decided_by
from conformance.model.requirements import catalogue
from conformance.model.verdict import Blame, Verdict


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
