from __future__ import annotations

import report_samples as samples

from conformance.model.findings import Finding, Step
from conformance.model.verdict import Verdict
from conformance.reports.timeline import Timelines, is_sequence
from conformance.trace.har import exchanges_of


def finding(*exchanges: str, steps: tuple[tuple[str, str], ...] = ()) -> Finding[str]:
    made = tuple(Step(exchange=each, text=text) for each, text in steps)
    return samples.finding(Verdict.FAIL, exchanges=exchanges, steps=made)


def test_calls_are_in_the_order_of_the_run_whichever_decides() -> None:
    calls = Timelines(exchanges_of(samples.evidence())).of([finding("e6", "e4", "e5", "e7")])
    assert [(call.id, call.decisive) for call in calls] == [("e4", False), ("e5", False), ("e6", True)]
    assert [call.line and (call.line.who, call.line.what, call.line.outcome) for call in calls][-1] == (
        "user",
        "DELETE /api/v1/requests/8b1d8f0e",
        "200",
    )
    assert is_sequence(calls)


def test_the_history_of_the_data_request_comes_first() -> None:
    calls = Timelines(exchanges_of(samples.evidence())).of([finding("e7")], card=True)
    assert [call.id for call in calls] == ["e4", "e5", "e6", "e7"]
    assert calls[-1].after == 0.06


def test_steps_say_what_they_are() -> None:
    calls = Timelines(exchanges_of(samples.evidence())).of(
        [finding("e7", steps=(("e4", "Create a request."),))], card=True
    )
    assert [(call.id, call.said) for call in calls] == [("e4", "Create a request."), ("e7", "")]


def test_a_card_shows_what_decides_it_in_full_though_others_name_it_before() -> None:
    timelines = Timelines(exchanges_of(samples.evidence()), {"e6"})
    assert [bool(call.text) for call in timelines.of([finding("e4", "e6")], card=True)] == [True, False]
    assert [bool(call.text) for call in timelines.of([finding("e6")])] == [False]
    assert [bool(call.text) for call in timelines.of([finding("e5"), finding("e6")], card=True)][-2:] == [True, True]
    assert [bool(call.text) for call in timelines.of([finding("e6")], card=True)][-1:] == [False]


def test_repetitions_are_no_sequence_and_what_lacks_is_named() -> None:
    timelines = Timelines(exchanges_of(samples.evidence()))
    assert not is_sequence(timelines.of([finding("e2", "e3")]))
    [lacking] = timelines.of([finding("e99")])
    assert (lacking.id, lacking.line, lacking.text) == ("e99", None, None)
