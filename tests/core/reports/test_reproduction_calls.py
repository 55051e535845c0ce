"""The calls of a reproduction script: those that the decisive one depends on, and no others."""

from __future__ import annotations

import json
from dataclasses import replace

from assembled import creation, gone, read
from hand_made import ONE, THREE, TWO, data_request, deletion

from conformance.model.errors import Probe, must_answer
from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.verdict import Blame, Verdict
from conformance.reports.scripts.calls import Recorded, calls_of

ANSWERS_200 = must_answer(200)


def repeated(entries: list[Exchange], probe: Probe = ANSWERS_200) -> list[str]:
    """Return the calls of a script for a finding that the last exchange shows."""
    finding = Finding[str](verdict=Verdict.FAIL, blame=Blame.TARGET, message="", exchanges=(entries[-1].id,))
    made = calls_of(Recorded(entries), finding, probe)
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


def test_the_request_that_an_answer_shows_instead_of_its_own_is_created_too() -> None:
    entries = [creation(1, TWO), creation(2, ONE), deletion(number=3), read(200, 4)]
    assert entries[3].response is not None
    shown = data_request(requestId=TWO)
    entries[3].response = replace(entries[3].response, content=json.dumps(shown).encode())

    assert repeated(entries) == ["e1", "e2", "e3", "e4"]


def test_what_came_after_the_creation_is_repeated_before_a_comparison_with_it() -> None:
    assert repeated([creation(1), creation(2, TWO), read(200, 3)], Probe(kind="as-created")) == ["e1", "e2", "e3"]


def test_the_creation_before_one_that_has_the_wrong_types_is_repeated() -> None:
    entries = [creation(1, THREE), creation(2, TWO), deletion(number=3, request_id=TWO), creation(4, ONE)]

    assert repeated(entries, Probe(kind="set", pointer="/dataRequested")) == ["e2", "e3", "e4"]
