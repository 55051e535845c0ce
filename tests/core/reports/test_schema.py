from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import report_samples as samples

from conformance.model.requirements import catalogue
from conformance.model.verdict import Blame, Level, Outcome, Verdict


def row(document: dict[str, Any], requirement_id: str) -> dict[str, Any]:
    found: dict[str, Any] = next(row for row in document["requirements"] if row["id"] == requirement_id)
    return found


FAILED = {"4.3-answers-ok": samples.broken_findings()["4.3-answers-ok"]}
WAIVED = samples.with_waivers(
    samples.report(findings=FAILED), Outcome.CONFORMS_WITH_WAIVERS, samples.waiver("4.3-answers-ok")
)


@pytest.mark.parametrize(
    ("definition", "words"), [("outcome", Outcome), ("level", Level), ("verdict", Verdict), ("blame", Blame)]
)
def test_the_words_are_those_of_the_suite(definition: str, words: Any) -> None:
    assert samples.SCHEMA["$defs"][definition]["enum"] == [word.value for word in words]


def test_the_alerts_are_those_of_the_catalogue() -> None:
    named = [each["properties"]["alerts"] for each in samples.SCHEMA["$defs"]["alert_counts"]["anyOf"]]
    assert samples.SCHEMA["$defs"]["alert_id"]["enum"] == list(catalogue().alerts)
    assert named == [{"minItems": 1}, *({"contains": {"const": each}} for each in catalogue().alerts)]


def test_all_objects_are_closed() -> None:
    def objects(schema: Any) -> Any:
        if isinstance(schema, dict):
            if schema.get("type") == "object":
                yield schema
            for value in schema.values():
                yield from objects(value)
        elif isinstance(schema, list):
            for value in schema:
                yield from objects(value)

    assert [found for found in objects(samples.SCHEMA) if found.get("additionalProperties", True) is True] == []


CONFORMS = samples.data(samples.report(Outcome.CONFORMS))
BROKEN = samples.data(samples.report(findings=samples.broken_findings()))
ALERTS = samples.data(samples.report(Outcome.CONFORMS, findings=samples.alert_findings()))
WITH_WAIVERS = samples.data(WAIVED)

Bend = Callable[[dict[str, Any]], object]


def whole(**values: Any) -> Bend:
    return lambda report: report.update(values)


def part(name: str, **values: Any) -> Bend:
    return lambda report: report[name].update(values)


def of(requirement: str, **values: Any) -> Bend:
    return lambda report: row(report, requirement).update(values)


def of_finding(requirement: str, **values: Any) -> Bend:
    return lambda report: row(report, requirement)["findings"][0].update(values)


DELETION = "4.3-answers-ok"
OPEN = {"verdict": "inconclusive", "reason": "because"}

LIES: dict[str, tuple[dict[str, Any], Bend]] = {
    "conforms although incomplete": (CONFORMS, whole(complete=False)),
    "conforms with requests left behind": (CONFORMS, part("summary", left_behind=1)),
    "conforms although nothing was decided": (CONFORMS, lambda it: it["summary"]["must"].update(decided=0)),
    "conforms with a failure": (BROKEN, whole(outcome="conforms")),
    "inconclusive with a failure": (BROKEN, whole(outcome="inconclusive")),
    "conforms with something left out": (CONFORMS, part("scope", left_out=[DELETION])),
    "in part with nothing left out": (CONFORMS, whole(outcome="conforms-in-part")),
    "does not conform without reason": (CONFORMS, whole(outcome="does-not-conform")),
    "conforms with an undecided must": (CONFORMS, of(DELETION, **OPEN)),
    "a pass without a check": (CONFORMS, of(DELETION, checks=[])),
    "undecided without a reason": (BROKEN, of("8-limit-enforced", findings=[], reason="")),
    "a failure without a finding": (BROKEN, of(DELETION, findings=[])),
    "a failure of a recommendation": (BROKEN, of(DELETION, level="should")),
    "a pass that hides a failure": (BROKEN, of(DELETION, verdict="pass")),
    "a failure without an exchange": (BROKEN, of_finding(DELETION, exchanges=[])),
    "a failure that is the network's": (BROKEN, of_finding(DELETION, blame="network")),
    "conforms with an alert that counts": (ALERTS, whole(fail_on=["5-isolation"])),
    "conforms though every alert counts": (ALERTS, whole(fail_on=["alerts"])),
    "does not conform because of another alert": (
        ALERTS,
        whole(outcome="does-not-conform", fail_on=["5-token-in-query"]),
    ),
    "alerts that no finding raises": (CONFORMS, whole(alerts=["5-isolation"])),
    "a finding that raises no alert": (ALERTS, whole(alerts=[])),
    "an alert of another requirement": (ALERTS, lambda it: it["alerts"].append(DELETION)),
    "an alert that is a failure": (ALERTS, of_finding("5-isolation", verdict="fail")),
    "conforms with a waived failure": (WITH_WAIVERS, whole(outcome="conforms")),
    "does not conform though all is waived": (WITH_WAIVERS, whole(outcome="does-not-conform")),
    "a waived failure without a waiver": (WITH_WAIVERS, whole(waivers=[])),
    "with waivers though a failure is not waived": (WITH_WAIVERS, of(DELETION, waived=False)),
    "with waivers though the waiver expired": (WITH_WAIVERS, lambda it: it["waivers"][0].update(state="expired")),
    "with waivers and an undecided must": (WITH_WAIVERS, of("4.4-object", **OPEN)),
    "with waivers although incomplete": (WITH_WAIVERS, whole(complete=False)),
    "with waivers and requests left behind": (WITH_WAIVERS, part("summary", left_behind=1)),
    "an unknown verdict": (CONFORMS, of(DELETION, verdict="ok")),
    "an unknown member": (CONFORMS, whole(score=1)),
    "local time": (CONFORMS, whole(started="2026-01-31T12:00:00+01:00")),
    "a target that is no URL": (CONFORMS, part("target", base_url="ftp://x")),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_report_that_contradicts_itself_is_invalid(lie: str) -> None:
    origin, bend = LIES[lie]
    document = copy.deepcopy(origin)
    bend(document)
    assert samples.errors_of(document) != []
