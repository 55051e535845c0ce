"""Verification: the evidence of a run gives its report again, and that of an altered run does not."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime, parsedate_to_datetime
from typing import Any

import pytest
from json_parts import places
from older_set import ID, Misspelt, add_older_set
from stored_runs import sealed
from whole_runs import bent, only, run_over, written

from conformance.calibration.faults import FAULTS
from conformance.model import sets
from conformance.run.verify import Unreadable, Verification, verify
from conformance.trust import chain

Json = dict[str, Any]
Alter = Callable[[Json, Json], object]
"""Alters the report of a run, or the log of its evidence."""


@pytest.fixture(scope="module")
def short() -> str:
    """Report and evidence of a short run with a fault, with as many threads as usual."""
    plan = only("2.1-createdAt-value", "4.2-object", "4.3-answers-ok", "4.4-object", "4.5-array", "7-not-found")
    return json.dumps(written(run_over(bend=FAULTS["delete-answers-204"], plan=plan, in_turn=False)))


def failed(report: Json) -> Json:
    """Return the row of the requirement that the service of the run breaks."""
    found: Json = next(row for row in report["requirements"] if row["verdict"] == "fail")
    return found


def deletion(log: Json) -> Json:
    """Return the first deletion."""
    found: Json = next(each for each in log["entries"] if each["_operation"] == "deleteRequest")
    return found


OK = {"status": 200, "content": {"size": 2, "mimeType": "text/plain", "text": "OK"}}

ALTERATIONS: dict[str, Alter] = {
    "a verdict": lambda report, _: failed(report).update(verdict="pass", findings=[]),
    "a body": lambda _, log: deletion(log)["response"].update(OK),
    "another exchange": lambda _, log: log["entries"].append({**log["entries"][20], "_id": "e9999", "_ended": 9999}),
    "a row": lambda report, _: report["requirements"].remove(failed(report)),
    "the nonce": lambda report, _: report["run"].update(nonce="challenge"),
    "the start": lambda report, _: report.update(started="2019-01-01T00:00:00.000000Z"),
    "the end": lambda report, _: report.update(finished="2099-01-01T00:00:00.000000Z"),
}


def forged(short: str, alter: Alter) -> Verification:
    """Return the verification of the run after somebody altered its report, or its log."""
    report, evidence = json.loads(short)
    alter(report, evidence["log"])
    return verify(*sealed(report, evidence))


@pytest.mark.parametrize("case", ALTERATIONS)
def test_alterations_are_found_by_digests_and_without_them(short: str, case: str) -> None:
    report, evidence = json.loads(short)
    ALTERATIONS[case](report, evidence["log"])

    assert list(chain.damage(report, evidence)) != []
    found = verify(*sealed(report, evidence))
    assert found.damage == ()
    assert found.differences


OTHER_BUILD = f"sha256:{'0' * 64}"


@pytest.mark.parametrize("case", ["a verdict", "a body"])
def test_altered_evidence_that_names_another_build_is_never_verified(short: str, case: str) -> None:
    def alter(report: Json, log: Json) -> None:
        ALTERATIONS[case](report, log)
        report["suite"]["build"] = OTHER_BUILD

    found = forged(short, alter)
    assert (found.is_same_build, found.is_equal, found.damage) == (False, False, ())


def test_an_altered_run_is_not_computed_unless_it_is_asked_for(short: str) -> None:
    report, evidence = json.loads(short)
    ALTERATIONS["a body"](report, evidence["log"])
    found = verify(report, evidence)
    assert (bool(found.damage), found.verdicts, found.differences, found.is_equal) == (True, {}, (), False)
    assert len(verify(report, evidence, despite_damage=True).verdicts) == len(report["requirements"])


def test_the_report_of_another_build_is_judged_by_its_own_catalogue(short: str) -> None:
    report, evidence = json.loads(short)
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
        (lambda log: log["entries"][3].pop("_ended"), "_ended"),
        (lambda log: log["entries"][3].pop("_intent"), "_intent"),
        (lambda log: log["entries"][0].update(startedDateTime="2026-03-14T09:26:53"), "^"),
        (lambda log: log["entries"].clear(), "^"),
        (lambda log: log["_run"]["results"].update(deletion="e9999"), "lacks the exchange"),
    ],
    ids=["no end", "no intent", "no zone", "no exchanges", "no exchange of a result"],
)
def test_foreign_evidence_is_unreadable_and_no_crash(short: str, damage: Callable[[Json], object], named: str) -> None:
    report, evidence = json.loads(short)
    damage(evidence["log"])
    with pytest.raises(Unreadable, match=named):
        verify(report, evidence, despite_damage=True)


@pytest.mark.parametrize("seed", range(6))
def test_altered_results_of_scenarios_are_unreadable_or_judged_and_no_crash(short: str, seed: int) -> None:
    chance = random.Random(seed)
    report, evidence = json.loads(short)
    part, name = chance.choice([*places(evidence["log"]["_run"])])
    part[name] = chance.choice([None, 7, True, "e1", "e9999", [], {}, ["NotDecided", {}], [[]]])
    with suppress(Unreadable):
        assert verify(*sealed(report, evidence)).damage == ()


def creation(log: Json) -> Json:
    """Return the first creation that was answered with a data request."""
    found: Json = next(
        each
        for each in log["entries"]
        if (each["request"]["method"], each["response"]["status"]) == ("POST", 200)
        and any(one["name"].lower() == "content-length" for one in each["request"]["headers"])
        and each["request"]["bodySize"]
    )
    return found


def field(message: Json, name: str) -> Json:
    """Return the first header field of a message with a name."""
    found: Json = next(each for each in message["headers"] if each["name"].lower() == name)
    return found


def test_a_date_that_is_no_clock_of_the_service_is_named_and_accuses_no_one(short: str) -> None:
    def alter(_: Json, log: Json) -> None:
        date = field(creation(log)["response"], "date")
        date["value"] = format_datetime(parsedate_to_datetime(date["value"]) + timedelta(minutes=14), usegmt=True)

    found = forged(short, alter)

    assert found.differences == ()
    assert len(found.remarks) == 1
    assert "Date" in found.remarks[0]
    assert found.is_equal


def _of_creation(change: Callable[[Json], object]) -> Alter:
    return lambda _, log: change(creation(log))


def _header(name: str, value: str) -> Alter:
    return _of_creation(lambda entry: field(entry["request"], name).update(value=value))


BESIDE: dict[str, Alter] = {
    "host": _header("host", "production.example"),
    "user-agent": _header("user-agent", "curl/8.5.0"),
    "content-length": _header("content-length", "4711"),
    "_certified": _of_creation(lambda entry: entry.update(_certified=True)),
    "comment": _of_creation(lambda entry: entry.update(comment="seen by the regulator")),
    "redirectURL": _of_creation(lambda entry: entry["response"].update(redirectURL="https://x/")),
    "queryString": _of_creation(lambda entry: entry["request"]["queryString"].append({"name": "a"})),
    "mimeType": _of_creation(lambda entry: entry["response"]["content"].update(mimeType="x/y")),
    "pages": lambda _, log: log.update(pages=[]),
    "creator": lambda _, log: log["creator"].update(name="another tool"),
    "_run": lambda _, log: log["_run"].update(certified=True),
}
"""Alterations that change no call, by the word that names each."""

OF_THE_CALL: dict[str, tuple[str, Alter]] = {
    "an address": ("path", _of_creation(lambda entry: entry["request"].update(url=f"{entry['request']['url']}/x"))),
    "a method": ("method", _of_creation(lambda entry: entry["request"].update(method="PATCH"))),
    "an operation": ("method", _of_creation(lambda entry: entry.update(_operation="getSettings"))),
    "no user": ("credential", _of_creation(lambda entry: entry.update(_credential="no token"))),
}


def test_what_an_exchange_or_the_log_does_not_show_itself_is_found(short: str) -> None:
    found = forged(short, lambda report, log: [alter(report, log) for alter in BESIDE.values()])
    named = [each.what.lower() for each in found.differences]
    assert [each for each in BESIDE if not any(each.lower() in what for what in named)] == []


@pytest.mark.parametrize("case", OF_THE_CALL)
def test_another_call_than_the_one_that_was_made_is_found(short: str, case: str) -> None:
    what, alter = OF_THE_CALL[case]
    assert any(what in each.what.lower() for each in forged(short, alter).differences)


PLAN = replace(only(ID, "4.4"), set=sets.chosen("2026-1"))


@pytest.mark.parametrize("forged", ["the set", "the mark"])
def test_a_record_cannot_choose_what_is_scored(monkeypatch: pytest.MonkeyPatch, forged: str) -> None:
    add_older_set(monkeypatch, ID)
    report, evidence = written(run_over(bend=bent(Misspelt), plan=PLAN))
    report = copy.deepcopy(report)
    row = next(row for row in report["requirements"] if row["id"] == ID)
    row["scored"] = False
    if forged == "the set":
        report["scope"]["set"] = "2025-1"
    report["outcome"] = "conforms-in-part"

    found = verify(report, evidence, despite_damage=True)

    assert not found.is_equal
    assert found.differences
