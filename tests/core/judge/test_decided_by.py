from __future__ import annotations

from assembled import assembled, said

from conformance.judge.decided_by import decided_by
from conformance.model.errors import NotDecided, not_applicable
from conformance.model.findings import finding_of
from conformance.model.requirements import catalogue
from conformance.model.verdict import Blame, Verdict


def test_what_is_not_applicable_names_what_decides_its_circumstance() -> None:
    row = catalogue()["3-deletes-completed"]
    error = not_applicable("none-completes", "The run saw no completed request.")

    found = assembled([said(row.id, Verdict.NOT_APPLICABLE, finding_of(error, row))])[row.id]

    assert decided_by(found) == found.findings[0].remedy == catalogue().decided_by["none-completes"]


def test_what_is_inconclusive_names_the_remedy_of_its_finding() -> None:
    row = catalogue()["7-limit-reached"]
    error = NotDecided("The budget is spent.", blame=Blame.CONFIGURATION, remedy="Raise --max-created.")

    found = assembled([said(row.id, Verdict.INCONCLUSIVE, finding_of(error, row))])[row.id]

    assert decided_by(found) == "Raise --max-created."


def test_what_the_run_did_not_reach_or_leaves_out_is_decided_by_another_run() -> None:
    found = assembled([])
    narrow = assembled([], selected=frozenset(["4.3-answers-ok"]))["4.4-object"]

    assert "--max-time" in decided_by(found["4.4-object"])
    assert "--select" in decided_by(narrow)


def test_what_no_client_can_test_is_attested_and_what_is_open_need_not_be() -> None:
    found = assembled([])

    assert "attest" in decided_by(found["3-erases-gathered"])
    assert decided_by(found["6-events"]) == ""
