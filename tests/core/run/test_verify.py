"""Verification: the evidence of a run gives its report again, and that of an altered run does not."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from json_parts import places
from whole_runs import only, run_over, written

from conformance.calibration.faults import FAULTS
from conformance.run.conclusion import Run
from conformance.run.verify import Unreadable, verify
from conformance.trust import chain

Json = dict[str, Any]


@pytest.fixture(scope="module")
def short() -> Run:
    """A short run with a fault, with as many threads as usual."""
    plan = only("4.2-object", "4.3-answers-ok", "4.4-object", "4.5-array", "7-not-found")
    return run_over(bend=FAULTS["delete-answers-204"], plan=plan, in_turn=False)


def _verdict(report: Json, evidence: Json) -> None:  # noqa: ARG001
    row = next(row for row in report["requirements"] if row["verdict"] == "fail")
    row["verdict"], row["findings"] = "pass", []


def _body(report: Json, evidence: Json) -> None:  # noqa: ARG001
    deletion = next(each for each in evidence["log"]["entries"] if each["_operation"] == "deleteRequest")
    deletion["response"] |= {"status": 200, "content": {"size": 2, "mimeType": "text/plain", "text": "OK"}}


def _added(report: Json, evidence: Json) -> None:  # noqa: ARG001
    entries = evidence["log"]["entries"]
    entries.append({**copy.deepcopy(entries[20]), "_id": "e9999", "_ended": 9999})


def _row(report: Json, evidence: Json) -> None:  # noqa: ARG001
    report["requirements"].remove(next(row for row in report["requirements"] if row["verdict"] == "fail"))


def _nonce(report: Json, evidence: Json) -> None:  # noqa: ARG001
    report["run"]["nonce"] = "challenge"


def _start(report: Json, evidence: Json) -> None:  # noqa: ARG001
    report["started"] = "2019-01-01T00:00:00.000000Z"


@pytest.mark.parametrize(
    "alter",
    [
        *(_verdict, _body, _added),
        *(_row, _nonce, _start),
    ],
)
def test_alterations_are_found_by_digests_and_without_them(short: Run, alter: Callable[[Json, Json], None]) -> None:
    report, evidence = written(short)
    alter(report, evidence)

    assert list(chain.damage(report, evidence)) != []
    evidence = chain.chained(evidence)
    found = verify(chain.sealed(report, evidence), evidence)
    assert found.damage == ()
    assert found.differences


def test_evidence_whose_results_name_an_exchange_that_it_lacks_is_unreadable(short: Run) -> None:
    report, evidence = written(short)
    log = evidence["log"]
    log["entries"] = [each for each in log["entries"] if each["_id"] != log["_run"]["results"]["deletion"]]
    evidence = chain.chained(evidence)
    with pytest.raises(Unreadable, match="lacks the exchange"):
        verify(chain.sealed(report, evidence), evidence)


OTHER_BUILD = f"sha256:{'0' * 64}"


@pytest.mark.parametrize("alter", [_verdict, _body])
def test_altered_evidence_that_names_another_build_is_never_verified(
    short: Run, alter: Callable[[Json, Json], None]
) -> None:
    report, evidence = written(short)
    alter(report, evidence)
    report["suite"]["build"] = OTHER_BUILD
    evidence = chain.chained(evidence)
    found = verify(chain.sealed(report, evidence), evidence)
    assert (found.is_same_build, found.is_equal, found.damage) == (False, False, ())


def test_an_altered_run_is_not_computed_unless_it_is_asked_for(short: Run) -> None:
    report, evidence = written(short)
    _body(report, evidence)
    found = verify(report, evidence)
    assert (bool(found.damage), found.verdicts, found.differences, found.is_equal) == (True, {}, (), False)
    assert len(verify(report, evidence, despite_damage=True).verdicts) == len(report["requirements"])


def test_the_report_of_another_build_is_judged_by_its_own_catalogue(short: Run) -> None:
    report, evidence = written(short)
    report["suite"]["build"] = OTHER_BUILD
    rows = {row["id"]: row for row in report["requirements"]}
    for row in (rows["4.4-object"], rows["4.5-array"], rows["4.2-object"]):
        row["verdict"] = "fail"
    rows["4.5-array"]["reading"] = "read otherwise"
    rows["4.2-object"]["statement"] = "stated otherwise"
    rows["7-not-found"]["id"] = "7-gone-since"
    rows["4.3-answers-ok"] |= {"level": "should", "verdict": "warn"}

    found = verify(chain.sealed(report, evidence), evidence)

    causes = {each.requirement: (each.cause, each.recomputed) for each in found.differences if each.requirement}
    assert causes == {
        "4.4-object": ("suite", "pass"),
        "4.5-array": ("interpretation", "pass"),
        "4.2-object": ("catalogue", "pass"),
    }
    assert found.not_compared == {
        "7-gone-since": "not in the catalogue of this build",
        "7-not-found": "not asked by the build of the run",
    }


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (lambda entries: entries[3].pop("_ended"), "_ended"),
        (lambda entries: entries[3].pop("_intent"), "_intent"),
        (lambda entries: entries[0].update(startedDateTime="2026-03-14T09:26:53"), "^"),
        (list.clear, "^"),
    ],
    ids=["no end", "no intent", "no zone", "no exchanges"],
)
def test_foreign_evidence_is_unreadable_and_no_crash(
    short: Run, damage: Callable[[list[Json]], object], named: str
) -> None:
    report, evidence = written(short)
    damage(evidence["log"]["entries"])
    with pytest.raises(Unreadable, match=named):
        verify(report, evidence, despite_damage=True)


@pytest.mark.parametrize("seed", range(6))
def test_altered_results_of_scenarios_are_unreadable_or_judged_and_no_crash(short: Run, seed: int) -> None:
    chance = random.Random(seed)
    report, evidence = written(short)
    part, name = chance.choice([*places(evidence["log"]["_run"])])
    part[name] = chance.choice([None, 7, True, "e1", "e9999", [], {}, ["NotDecided", {}], [[]]])
    evidence = chain.chained(evidence)
    with suppress(Unreadable):
        assert verify(chain.sealed(report, evidence), evidence).damage == ()
