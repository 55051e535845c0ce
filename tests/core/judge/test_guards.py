from __future__ import annotations

import pytest
from assembled import assembled, broken, failed, read
from hand_made import deletion

from conformance.model.verdict import Verdict


def test_a_new_token_does_not_show_the_one_before_it_alive() -> None:
    old, new = ([("Authorization", f"Bearer token-{number}")] for number in (1, 2))
    run = [read(200, 1, asked=old), read(401, 2, asked=old), read(200, 3, asked=new)]

    assert failed(assembled([], run)) == set()


def test_a_token_that_is_not_accepted_again_leaves_it_undecided() -> None:
    run = [read(200, 1, credential="other user"), read(401, 2, credential="other user")]

    findings = assembled([], run)["5.1-accepts-bearer"].findings

    assert [each.verdict for each in findings] == [Verdict.INCONCLUSIVE]
    assert findings[0].remedy.startswith("Use a token that outlives the run, or --other-token-command")


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_guard_explains_a_finding_by_any_of_its_exchanges(place: int) -> None:
    run = [deletion(number=1), read(200, 2), read(401, 3)]
    shown = run[:2]
    shown.insert(place, run[2])

    found = assembled([broken("3-frees-the-limit", *shown)], run)

    assert found["3-frees-the-limit"].verdict is Verdict.INCONCLUSIVE
    # No guard explains the form of an answer.
    assert failed(assembled([broken("2.4-object", run[2])], run)) == {"2.4-object"}
