"""The calls of a reproduction script: those that the decisive one depends on, and no others."""

from __future__ import annotations

from dataclasses import replace

from assembled import creation, gone, read
from hand_made import ONE, TWO, deletion

from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.probe import must_answer
from conformance.model.verdict import Blame, Verdict
from conformance.reports.scripts.calls import Recorded, calls_of


def repeated(entries: list[Exchange]) -> list[str]:
    """Return the calls of a script for a finding that the last exchange shows."""
    finding = Finding[str](verdict=Verdict.FAIL, blame=Blame.TARGET, message="", exchanges=(entries[-1].id,))
    made = calls_of(Recorded(entries), finding, must_answer(200))
    assert made is not None
    return [each.id for each in made.entries]


def test_a_request_whose_deletion_found_nothing_is_not_created_again() -> None:
    entries = [creation(1, ONE), gone(2, ONE), creation(3, TWO), read(404, 4, request_id=TWO)]
    entries[3].check = "another"

    assert repeated(entries) == ["e3", "e4"]


def test_a_request_that_another_user_could_not_delete_is_created_again() -> None:
    refused = gone(2, ONE)
    refused.request = replace(refused.request, credential="other user")
    entries = [creation(1, ONE), refused, creation(3, TWO), read(404, 4, request_id=TWO)]
    entries[3].check = "another"

    assert repeated(entries) == ["e1", "e3", "e4"]


def test_a_deletion_that_was_refused_is_not_repeated_before_another() -> None:
    assert repeated([creation(1), deletion(401, number=2), deletion(401, number=3)]) == ["e1", "e3"]
