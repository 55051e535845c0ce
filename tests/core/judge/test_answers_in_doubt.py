from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from assembled import assembled, broken, creation, gone, read
from hand_made import ONE, deletion, exchange

from conformance.facts.life import Doubt
from conformance.model.exchange import Exchange, Operation
from conformance.model.verdict import Blame, Verdict


def one_after_another(*run: Exchange) -> list[Exchange]:
    """Return exchanges, each of which ends before the next one begins."""
    return [replace(each, started=each.started + timedelta(seconds=place)) for place, each in enumerate(run)]


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ("3-removed", read(200, 4, "deleted")),
        ("3-removed", deletion(number=4, request="deleted")),
        ("4.2-agrees-with-creation", read(200, 4)),
        ("4.2-answers-200", read(404, 4)),
        ("4.3-answers-ok", gone(4)),
    ],
)
def test_an_answer_that_may_be_about_another_request_with_the_identifier_is_in_doubt(row: str, shown: Exchange) -> None:
    run = one_after_another(creation(1), creation(2), creation(3), deletion(number=3), shown)

    found = assembled([broken(row, run[4])], run)[row]

    assert found.verdict is Verdict.INCONCLUSIVE
    assert {(each.blame, each.remedy) for each in found.findings} == {(Blame.TARGET, Doubt.IDENTIFIER.remedy)}
    assert ONE in found.findings[0].message


@pytest.mark.parametrize(
    "calls",
    [
        (deletion(number=3), creation(4), deletion(number=5)),
        (deletion(number=3), exchange(Operation.CREATE, 500, number=4, body="known types"), deletion(number=5)),
        (deletion(number=3), deletion(number=4, request="foreign", credential="other user")),
        (deletion(number=3), deletion(500, number=4)),
    ],
    ids=["a creation", "a creation that failed", "another user", "a deletion that failed"],
)
def test_calls_that_certainly_removed_fewer_than_were_created_leave_a_doubt(calls: tuple[Exchange, ...]) -> None:
    run = one_after_another(creation(1), creation(2), *calls, read(200, 9, "deleted"))

    assert assembled([], run)["3-removed"].verdict is Verdict.INCONCLUSIVE
