"""What an audit counts as a change of a service since the last one, and in which order it shows the changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import report_samples as samples
from audited import job

from conformance.fleet.audit.changes import Changed, changes
from conformance.fleet.audit.one_run import without_report
from conformance.fleet.audit.result import Result, State
from conformance.model.findings import Finding
from conformance.model.printable import as_json
from conformance.model.report import Report
from conformance.model.verdict import Outcome, Verdict

OK, READ = "4.3-answers-ok", "4.2-answers-200"
Failing = Mapping[str, tuple[Finding, ...]]


def failing(*ids: str, text: str = "") -> Failing:
    return {each: (samples.finding(Verdict.FAIL, text),) for each in ids}


@pytest.fixture
def compared(tmp_path: Path) -> Callable[..., list[Changed]]:
    """Return a function that compares two audits, each with reports or ways to end without one, by name."""

    def result(number: int, name: str, content: Report | State) -> Result:
        if isinstance(content, State):
            return without_report(job(tmp_path, name), content)
        folder = tmp_path / str(number) / name
        folder.mkdir(parents=True)
        (folder / "report.json").write_text(as_json(samples.data(content), indent=2), "utf-8")
        (folder / "target.json").write_text("{}", "utf-8")
        return replace(without_report(job(tmp_path, name), State.FINISHED), outcome=content.outcome)

    def compare(*audits: Mapping[str, Report | State]) -> list[Changed]:
        before, after = ([result(number, *each) for each in contents.items()] for number, contents in enumerate(audits))
        return changes(before, after, lambda name: tmp_path / "0" / name, lambda name: tmp_path / "1" / name)

    return compare


def test_the_worse_come_first(compared: Callable[..., list[Changed]]) -> None:
    kept, fails = samples.report(), samples.report(findings=failing(OK))
    audited = {
        "more": (fails, samples.report(findings=failing(OK, READ)), "worse"),
        "new-failure": (kept, fails, "worse"),
        "better": (fails, kept, "better"),
        "lost": (kept, State.UNREACHABLE, "other"),
        "new": (None, fails, "other"),
        "gone": (fails, None, "other"),
        "same": (fails, fails, ""),
    }
    before, after = ({name: each[at] for name, each in sorted(audited.items()) if each[at]} for at in (0, 1))
    found = compared(before, after)
    assert [(each.name, each.kind) for each in found] == [(name, each[2]) for name, each in audited.items() if each[2]]
    assert [each.name for each in found if each.is_regression] == ["more", "new-failure"]


def undecided(*ids: str) -> Failing:
    return {each: (samples.finding(Verdict.INCONCLUSIVE),) for each in ids}


def test_another_draw_of_generated_calls_is_no_regression(compared: Callable[..., list[Changed]]) -> None:
    lost = samples.report(Outcome.CONFORMS, findings=undecided(OK, READ))
    (found,) = compared({"a": samples.report()}, {"a": lost})
    (back,) = compared({"b": lost}, {"b": samples.report()})
    for each in (found, back):
        assert (each.kind, each.worse, each.better, each.other) == ("other", (), (), 2)
