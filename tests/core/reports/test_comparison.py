from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
import report_samples as samples
from report_samples import typed

from conformance.model.printable import HAZARD
from conformance.model.verdict import Verdict
from conformance.reports import witness
from conformance.reports.comparison import Change, compare
from conformance.reports.comparison_views import VIEWS

ID = "4.3-answers-ok"


def with_finding(verdict: Verdict | None, message: str = "It is so.", **changes: Any) -> dict[str, Any]:
    found = {} if verdict is None else {ID: (samples.finding(verdict, message=message, **changes),)}
    return samples.data(samples.report(findings=found))


def absent() -> dict[str, Any]:
    report = with_finding(None)
    report["requirements"] = [row for row in report["requirements"] if row["id"] != ID]
    return report


LEFT_OUT = samples.data(samples.report(left_out_clause="4.3"))
PASSED, FAILED, WARNED, OPEN = (with_finding(each) for each in (None, Verdict.FAIL, Verdict.WARN, Verdict.INCONCLUSIVE))
OBSERVED, ALERTED = (with_finding(Verdict.OBSERVED, alert=alert) for alert in (False, True))


def change(before: dict[str, Any], after: dict[str, Any]) -> Change:
    (found,) = [each for each in compare(typed(before), typed(after)).changes if each.id == ID]
    return found


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (PASSED, OPEN, "worse"),
        (WARNED, FAILED, "worse"),
        (LEFT_OUT, FAILED, "worse"),
        (absent(), FAILED, "worse"),
        (OBSERVED, ALERTED, "worse"),
        (ALERTED, OBSERVED, "better"),
        (OPEN, PASSED, "better"),
        (FAILED, OPEN, "other"),
        (ALERTED, LEFT_OUT, "other"),
        (LEFT_OUT, OPEN, "other"),
        (absent(), PASSED, "other"),
        (FAILED, with_finding(Verdict.FAIL, "Something else."), "other"),
    ],
)
def test_what_is_worse_and_what_is_better(before: dict[str, Any], after: dict[str, Any], kind: str) -> None:
    assert change(before, after).kind == kind


def test_a_warning_of_advice_is_not_worse_and_what_else_changed_is_named() -> None:
    advised = {"2.3-privacyContactEmail-form": (samples.finding(Verdict.WARN),)}
    after = samples.data(samples.report(findings=advised, base_url="https://other.example"))
    after["suite"]["version"] = "9.9"
    after["run"]["options"]["rate"] = 5

    found = compare(typed(PASSED), typed(after))

    assert [each.kind for each in found.changes] == ["other"]
    assert {each.name for each in found.circumstances} == {"version of the suite", "address", "option rate"}


def test_observations_of_one_choice_are_the_same_whichever_answers_show_it() -> None:
    one, two, other = (
        with_finding(Verdict.OBSERVED, f'{words}, such as that to POST /requests with the body "{body}".')
        for words, body in (("200: 2 answers", "[]"), ("200: 1 answer", "7"), ("400: 2 answers", "[]"))
    )

    assert compare(typed(one), typed(two)).changes == ()
    assert change(one, other).kind == "other"


@pytest.mark.parametrize(
    ("before", "same", "other"),
    [
        (
            "248 of 300: GET /requests/955931aa-468c answered 500, not 200, at 2026-01-31T12:00:00.123Z.",
            "9 of 301: GET /requests/1f33e0ac-91be answered 500, not 200, at 2026-02-01T08:10:11.404Z.",
            "9 of 301: GET /requests/1f33e0ac-91be answered 404, not 200, at 2026-02-01T08:10:11.404Z.",
        ),
        ("Deletions answered 404, 404, 200.", "Deletions answered 200, 404, 404.", "Deletions answered 404, 404, 500."),
    ],
)
def test_identifiers_times_and_orders_make_no_new_finding(before: str, same: str, other: str) -> None:
    one, two, three = (with_finding(Verdict.FAIL, each) for each in (before, same, other))

    assert compare(typed(one), typed(two)).changes == ()
    assert (change(one, three).new, change(one, three).gone) == ((other,), (before,))


def anonymous(report: dict[str, Any], **target: Any) -> dict[str, Any]:
    changed = copy.deepcopy(report)
    changed["run"]["options"]["anonymous"] = True
    changed["target"].update(target)
    return changed


@pytest.mark.parametrize(
    ("before", "after", "is_alert"),
    [
        (PASSED, anonymous(FAILED), True),
        (OBSERVED, anonymous(ALERTED), True),
        (PASSED, FAILED, False),
        (anonymous(PASSED), anonymous(FAILED), False),
        (PASSED, anonymous(OPEN), False),
        (FAILED, anonymous(LEFT_OUT), False),
        (PASSED, anonymous(FAILED, base_url="https://staging.example"), False),
    ],
)
def test_other_answers_to_an_anonymous_run_are_an_alert_without_another_explanation(
    before: dict[str, Any], after: dict[str, Any], is_alert: bool
) -> None:
    found = compare(typed(before), typed(after))

    assert [each.id for each in found.alert] == [ID] * is_alert
    words = "Alert: the service answered the anonymous run differently: 1 requirement"
    assert VIEWS["text"](found).startswith(f"{words}\n\n- {ID}: ") is is_alert
    assert VIEWS["markdown"](found).startswith(words) is is_alert
    assert [each["id"] for each in json.loads(VIEWS["json"](found))["alert"]] == [ID] * is_alert
    html = VIEWS["html"](found)
    assert (html.find("Comparison of two runs</h1>") < html.find(words) < html.find("Before")) is is_alert


def test_each_format_says_the_same_and_hostile_text_stays_text() -> None:
    one = {format: render(compare(typed(PASSED), typed(FAILED))) for format, render in VIEWS.items()}

    assert json.loads(one["json"])["changes"][0]["kind"] == "worse"
    assert f"\nWorse (1)\n\n- {ID}: pass → fail\n  - new: It is so.\n" in one["text"]
    assert f"- `{ID}`: pass → fail\n  - new: `It is so.`\n" in one["markdown"]
    assert f"<code>{ID}</code>: pass → fail" in one["html"]
    assert "No requirement changed" in VIEWS["text"](compare(typed(FAILED), typed(FAILED)))

    after = samples.data(samples.report(findings=samples.broken_findings(samples.HOSTILE)))
    after["run"]["labels"] = {f"``` {samples.HOSTILE}": samples.HOSTILE}
    shown = {format: render(compare(typed(PASSED), typed(after))) for format, render in VIEWS.items()}

    assert not [format for format, text in shown.items() if HAZARD.search(text.replace("\n", ""))]
    assert not re.search("<script|<img", shown["html"])
    assert not re.search("<|javascript", re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", shown["markdown"]))


OTHER = "4.4-answers-200"


def report(verdict: Verdict | None = None, message: str = "It is so.", **run: Any) -> dict[str, Any]:
    data = with_finding(verdict, message)
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
