"""The outcome of a run in words: whether the service conforms, its alerts, and crashes of the suite."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.model.report import Report
from conformance.model.text import count, one_line
from conformance.model.verdict import Level, Outcome, Verdict
from conformance.reports import failures
from conformance.reports.failures import Rows, failing_alerts, with_findings
from conformance.reports.summary import left_behind, with_verdict

OUTCOME_WORDS = {
    Outcome.CONFORMS: "Conforms",
    Outcome.CONFORMS_IN_PART: "Conforms in part",
    Outcome.CONFORMS_WITH_WAIVERS: "Conforms with waivers",
    Outcome.DOES_NOT_CONFORM: "Does not conform",
    Outcome.INCONCLUSIVE: "Inconclusive",
}

_ALERT_LIMIT = 300
"""Characters of the message of an alert in the sentence on the outcome."""


def headline(report: Report) -> str:
    """Return the outcome with the numbers of alerts and of waivers that fail the run, such as "Conforms, 1 alert"."""
    numbers = {"alert": len(report.alerts), "stale waiver": len(failures.stale_waivers(report))}
    shown = [count(number, noun) for noun, number in numbers.items() if number]
    return ", ".join([OUTCOME_WORDS[report.outcome], *shown])


def outcome_sentence(report: Report) -> str:
    """Return what the run found out about the service as a whole, and what is left of the run."""
    known, perhaps = left_behind(report.summary)
    sentences = [
        _judgement(report) + _but_alerts(report),
        failures.stale_sentence(report),
        "" if report.complete else "The run stopped early.",
        crash_sentence(report),
        f"{count(known, 'data request')} of this run could not be deleted." if known else "",
        f"This run may have left {count(perhaps, 'data request')} behind whose identifiers it does not know."
        if perhaps
        else "",
    ]
    return " ".join(filter(None, sentences))


def _judgement(report: Report) -> str:
    must = report.summary.must
    match report.outcome:
        case Outcome.CONFORMS:
            return "The service conforms: it passed every testable requirement of level must that applies to it"
        case Outcome.CONFORMS_IN_PART:
            unknown = report.scope.undeclared and " and that the run could test"
            selected = "selected, " if report.scope.left_out else ""
            return (
                f"The service conforms in part: it passed every {selected}testable requirement that applies to it"
                f"{unknown or ''}"
            )
        case Outcome.CONFORMS_WITH_WAIVERS:
            others = "selected requirement" if report.scope.left_out else "requirement"
            known = failures.waived_words(report)
            return f"The service conforms with waivers: {known}. No other {others} that applies to it failed"
        case Outcome.DOES_NOT_CONFORM:
            return _broken_sentence(report)
        case Outcome.INCONCLUSIVE:
            undecided = [
                row for row in with_verdict(report, Verdict.INCONCLUSIVE) if failures.must_be_decided(report, row)
            ]
            open_musts = sum(row.level == Level.MUST for row in undecided)
            known = f"{failures.waived_words(report)}, and " if report.summary.waived else ""
            more = "other " if known else ""
            found = f"The run could not decide whether the service conforms: {known}it found no {more}violation"
            sound = report.complete and not report.crashes
            if undecided and not open_musts:
                ids = ", ".join(row.id for row in undecided)
                return f"{found}, but could not decide {ids}, and --fail-on names its alert."
            if not open_musts and sound and not report.summary.left_behind:
                return f"{found}, but it decided no requirement of level must either."
            if not open_musts:
                return f"{found}, but the run itself is incomplete."
            return f"{found}, but could not decide {open_musts:,} of {count(must.testable, 'testable requirement')}."


def _broken_sentence(report: Report) -> str:
    verdicts = report.summary.verdicts
    waived_ones = [row.verdict for row, _ in failures.waived(report)]
    fails = verdicts[Verdict.FAIL] - waived_ones.count(Verdict.FAIL)
    warns = sum(row.verdict == Verdict.WARN for row, _ in failures.not_waived(failures.failures(report)))
    kinds = [count(fails, "requirement")] if fails else []
    if warns:
        kinds.append(f"{count(warns, 'recommendation')} (a strict run counts these as well)")
    reasons = [f"{' and '.join(kinds)} failed"] if kinds else []
    covered = {row.id for row, _ in failures.waived(report)}
    if failing := [each for each in failing_alerts(report) if each not in covered]:
        verb = "counts" if len(failing) == 1 else "count"
        reasons.append(f"{count(len(failing), 'alert')} {verb} as a failure, as requested ({', '.join(failing)})")
    more = report.summary.waived
    beside = f" {more:,} more {'is' if more == 1 else 'are'} waived." if more else ""
    return f"The service does not conform: {'; '.join(reasons)}.{beside}"


def alerts(report: Report) -> Rows:
    """Return the scored requirements with an alert, each with the findings that raise it."""
    return with_findings(report, lambda row, finding: row.scored and finding.alert)


def conforms_with_alerts(report: Report) -> bool:
    """Tell whether the service conforms, but with alerts: its outcome is not shown in green."""
    return bool(report.alerts) and report.outcome.is_conforming


def _but_alerts(report: Report) -> str:
    """Return how the judgement of a service that conforms ends: with its alerts, if it has any."""
    if not conforms_with_alerts(report):
        return "." if report.outcome.is_conforming else ""
    found = [one_line(findings[0].message, _ALERT_LIMIT) for _, findings in alerts(report)]
    verb = "is" if len(found) == 1 else "are"
    return f"; but there {verb} {count(len(found), 'alert')}: {' '.join(found)}"


def crash_sentence(report: Report) -> str:
    """Say that the suite itself failed, and what to do about it; empty where it did not."""
    crashes = report.crashes
    if not crashes:
        return ""
    touched = {one for crash in crashes for one in crash.requirements}
    left = f" and left {count(len(touched), 'requirement')} inconclusive" if touched else ""
    return (
        f"The suite itself failed in {count(len(crashes), 'place')}{left}, which says nothing about the service. "
        f"Please report it to the issue tracker of {report.suite.name}: name version, check and exception, "
        "and add the traceback, which report.json holds and --debug prints."
    )


def crash_lines(report: Report) -> list[str]:
    """Return for each crash where it was and which exception it was."""
    return [f"{_and_others(crash.where)}: {crash.exception}" for crash in report.crashes]


def _and_others(names: Sequence[str]) -> str:
    return f"{names[0]} and {count(len(names) - 1, 'other check')}" if len(names) > 1 else names[0]
