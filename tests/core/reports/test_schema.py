from __future__ import annotations

import copy
from typing import Any

import pytest
import report_samples as samples

from conformance.model.requirements import catalogue
from conformance.model.verdict import Blame, Level, Outcome, Verdict

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
FAILS_ON_ANOTHER = ALERTS | {"fail_on": ["5-token-in-query"]}
WITH_WAIVERS = samples.data(WAIVED)
UNDECIDED = {"4.4-object": (samples.finding(Verdict.INCONCLUSIVE),)}
OPEN = samples.data(samples.report(Outcome.INCONCLUSIVE, findings=UNDECIDED))
OPEN_WITH_WAIVERS = samples.data(
    samples.with_waivers(
        samples.report(findings=FAILED | UNDECIDED), Outcome.INCONCLUSIVE, samples.waiver("4.3-answers-ok")
    )
)

DELETION = "4.3-answers-ok"

LIES: dict[str, tuple[dict[str, Any], str, Any]] = {
    "conforms although incomplete": (CONFORMS, "complete", False),
    "conforms with requests left behind": (CONFORMS, "summary/left_behind", 1),
    "conforms although nothing was decided": (CONFORMS, "summary/must/decided", 0),
    "conforms with a failure": (BROKEN, "outcome", "conforms"),
    "inconclusive with a failure": (BROKEN, "outcome", "inconclusive"),
    "conforms with something left out": (CONFORMS, "scope/left_out", [DELETION]),
    "in part with nothing left out": (CONFORMS, "outcome", "conforms-in-part"),
    "does not conform without reason": (CONFORMS, "outcome", "does-not-conform"),
    "conforms with an undecided must": (OPEN, "outcome", "conforms"),
    "a pass without a check": (CONFORMS, f"{DELETION}/checks", []),
    "undecided without a reason": (BROKEN, "8-limit-enforced/findings", []),
    "a failure without a finding": (BROKEN, f"{DELETION}/findings", []),
    "a failure of a recommendation": (BROKEN, f"{DELETION}/level", "should"),
    "a pass that hides a failure": (BROKEN, f"{DELETION}/verdict", "pass"),
    "a failure without an exchange": (BROKEN, f"{DELETION}/findings/0/exchanges", []),
    "a failure that is the network's": (BROKEN, f"{DELETION}/findings/0/blame", "network"),
    "conforms with an alert that counts": (ALERTS, "fail_on", ["5-isolation"]),
    "conforms though every alert counts": (ALERTS, "fail_on", ["alerts"]),
    "does not conform because of another alert": (FAILS_ON_ANOTHER, "outcome", "does-not-conform"),
    "alerts that no finding raises": (CONFORMS, "alerts", ["5-isolation"]),
    "a finding that raises no alert": (ALERTS, "alerts", []),
    "an alert of another requirement": (ALERTS, "alerts", [*ALERTS["alerts"], DELETION]),
    "an alert that is a failure": (ALERTS, "5-isolation/findings/0/verdict", "fail"),
    "conforms with a waived failure": (WITH_WAIVERS, "outcome", "conforms"),
    "does not conform though all is waived": (WITH_WAIVERS, "outcome", "does-not-conform"),
    "a waived failure without a waiver": (WITH_WAIVERS, "waivers", []),
    "with waivers though a failure is not waived": (WITH_WAIVERS, f"{DELETION}/waived", False),
    "with waivers though the waiver expired": (WITH_WAIVERS, "waivers/0/state", "expired"),
    "with waivers and an undecided must": (OPEN_WITH_WAIVERS, "outcome", "conforms-with-waivers"),
    "with waivers although incomplete": (WITH_WAIVERS, "complete", False),
    "with waivers and requests left behind": (WITH_WAIVERS, "summary/left_behind", 1),
    "an unknown verdict": (CONFORMS, f"{DELETION}/verdict", "ok"),
    "an unknown member": (CONFORMS, "score", 1),
    "local time": (CONFORMS, "started", "2026-01-31T12:00:00+01:00"),
    "a target that is no URL": (CONFORMS, "target/base_url", "ftp://x"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_report_that_contradicts_itself_is_invalid(lie: str) -> None:
    origin, path, value = LIES[lie]
    document = copy.deepcopy(origin)
    part: Any = document | {row["id"]: row for row in document["requirements"]}
    *names, last = path.split("/")
    for name in names:
        part = part[int(name) if name.isdigit() else name]
    (part if names else document)[last] = value

    assert samples.errors_of(origin) == []
    assert samples.errors_of(document) != []
