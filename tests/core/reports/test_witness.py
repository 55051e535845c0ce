from __future__ import annotations

from typing import Any

import pytest
import report_samples as samples
from report_samples import typed

from conformance.model.printable import HAZARD
from conformance.model.verdict import Verdict
from conformance.reports import witness

ID, OTHER = "4.3-answers-ok", "4.4-answers-200"


def report(verdict: Verdict | None = None, message: str = "It is so.", **run: Any) -> dict[str, Any]:
    found = {} if verdict is None else {ID: (samples.finding(verdict, message=message),)}
    data = samples.data(samples.report(findings=found))
    data["run"].update(run)
    return data


def test_the_sample_follows_from_the_seed_and_the_requirements() -> None:
    recorded = report(Verdict.INCONCLUSIVE)
    every = {row["id"] for row in recorded["requirements"]}
    known = witness.candidates(typed(recorded), every)
    drawn = [witness.sample(known, 5, witness.seed_of(typed(report(nonce=nonce)))) for nonce in ("a", "a", "b")]

    assert ID not in known
    assert OTHER in known
    assert witness.candidates(typed(recorded), {OTHER, ID}) == [OTHER]
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[0] == [each for each in known if each in drawn[0]]
    assert [len(each) for each in drawn] == [5, 5, 5]
    assert witness.sample(known, 1_000, witness.seed_of(typed(recorded))) == known


@pytest.mark.parametrize(
    ("recorded", "live", "result"),
    [
        (None, None, witness.AGREES),
        (Verdict.FAIL, Verdict.FAIL, witness.AGREES),
        (None, Verdict.FAIL, witness.DIFFERS),
        (Verdict.FAIL, None, witness.DIFFERS),
        (None, Verdict.INCONCLUSIVE, witness.UNTESTED),
    ],
)
def test_what_agrees(recorded: Verdict | None, live: Verdict | None, result: str) -> None:
    found = witness.answers(typed(report(recorded)), typed(report(live)), [ID, OTHER])

    assert {each.id: each.result for each in found} == {ID: result, OTHER: witness.AGREES}


def test_hostile_text_stays_text() -> None:
    found = witness.answers(typed(report()), typed(live := report(Verdict.FAIL, message=samples.HOSTILE)), [ID])
    seed = witness.seed_of(typed(report(nonce=samples.HOSTILE)))

    shown = [*witness.lines(found), witness.conclusion(found, len(found), seed, typed(live))]
    assert [line for line in shown if HAZARD.search(line)] == []
