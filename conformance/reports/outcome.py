"""The outcome of a run in words: whether the service conforms, its alerts, and crashes of the suite."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.model.printable import one_line
from conformance.model.report import Report
from conformance.model.verdict import Level, Outcome, Verdict
from conformance.reports import failures
from conformance.reports.failures import Rows, failing_alerts, is_conforming, with_findings
from conformance.reports.language import ENGLISH, N_, gettext, listed, ngettext, spoken
from conformance.reports.summary import left_behind, with_verdict

OUTCOME_WORDS = {
    Outcome.CONFORMS: N_("Conforms"),
    Outcome.CONFORMS_IN_PART: N_("Conforms in part"),
    Outcome.CONFORMS_WITH_WAIVERS: N_("Conforms with waivers"),
    Outcome.DOES_NOT_CONFORM: N_("Does not conform"),
    Outcome.INCONCLUSIVE: N_("Inconclusive"),
}

_ALERT_LIMIT = 300
"""Characters of the message of an alert in the sentence on the outcome."""


def headline(report: Report) -> str:
    """Return the outcome with the numbers of alerts and of waivers that fail the run, such as "Conforms, 1 alert"."""
    alerts, stale = len(report.alerts), len(failures.stale_waivers(report))
    numbers = [ngettext("%(num)s alert", "%(num)s alerts", alerts)] if alerts else []
    numbers += [ngettext("%(num)s stale waiver", "%(num)s stale waivers", stale)] if stale else []
    return ", ".join([gettext(OUTCOME_WORDS[report.outcome]), *numbers])


def outcome_sentence(report: Report) -> str:
    """Return what the run found out about the service as a whole, and what is left of the run."""
    known, perhaps = left_behind(report.summary)
    sentences = [
        _judgement(report),
        failures.stale_sentence(report),
        "" if report.complete else gettext("The run stopped early."),
        crash_sentence(report),
        ngettext(
            "%(num)s data request of this run could not be deleted.",
            "%(num)s data requests of this run could not be deleted.",
            known,
        )
        if known
        else "",
        ngettext(
            "This run may have left %(num)s data request behind whose identifiers it does not know.",
            "This run may have left %(num)s data requests behind whose identifiers it does not know.",
            perhaps,
        )
        if perhaps
        else "",
    ]
    return " ".join(filter(None, sentences))


def _judgement(report: Report) -> str:
    match report.outcome:
        case Outcome.DOES_NOT_CONFORM:
            return _broken_sentence(report)
        case Outcome.INCONCLUSIVE:
            return _undecided_sentence(report)
    judgement = _conforming(report)
    if not conforms_with_alerts(report):
        return f"{judgement}."
    found = alerts(report)
    return ngettext(
        "%(judgement)s; but there is %(num)s alert: %(alerts)s",
        "%(judgement)s; but there are %(num)s alerts: %(alerts)s",
        len(found),
        judgement=judgement,
        alerts=_named(found),
    )


def _named(found: Rows) -> str:
    """Return alerts by their messages, which are English, and in other languages by their requirements."""
    if spoken() == ENGLISH:
        return " ".join(one_line(findings[0].message, _ALERT_LIMIT) for _, findings in found)
    return gettext("%(ids)s.", ids=", ".join(row.id for row, _ in found))


def _conforming(report: Report) -> str:
    """Return the clause that says how the service conforms, without its end."""
    selected, unknown = bool(report.scope.left_out), bool(report.scope.undeclared)
    match report.outcome, selected, unknown:
        case Outcome.CONFORMS, _, _:
            return gettext(
                "The service conforms: it passed every testable requirement of level must that applies to it"
            )
        case Outcome.CONFORMS_IN_PART, False, False:
            return gettext("The service conforms in part: it passed every testable requirement that applies to it")
        case Outcome.CONFORMS_IN_PART, False, True:
            return gettext(
                "The service conforms in part: it passed every testable requirement that applies to it and that the "
                "run could test"
            )
        case Outcome.CONFORMS_IN_PART, True, False:
            return gettext(
                "The service conforms in part: it passed every selected, testable requirement that applies to it"
            )
        case Outcome.CONFORMS_IN_PART, True, True:
            return gettext(
                "The service conforms in part: it passed every selected, testable requirement that applies to it and "
                "that the run could test"
            )
    known = failures.waived_words(report)
    if selected:
        return gettext(
            "The service conforms with waivers: %(waived)s. No other selected requirement that applies to it failed",
            waived=known,
        )
    return gettext(
        "The service conforms with waivers: %(waived)s. No other requirement that applies to it failed", waived=known
    )


def _undecided_sentence(report: Report) -> str:
    undecided = [row for row in with_verdict(report, Verdict.INCONCLUSIVE) if failures.must_be_decided(report, row)]
    open_musts = sum(row.level == Level.MUST for row in undecided)
    if report.summary.waived:
        found = gettext(
            "The run could not decide whether the service conforms: %(waived)s, and it found no other violation",
            waived=failures.waived_words(report),
        )
    else:
        found = gettext("The run could not decide whether the service conforms: it found no violation")
    if undecided and not open_musts:
        ids = ", ".join(row.id for row in undecided)
        return gettext(
            "%(found)s, but could not decide %(ids)s, whose alert counts as a failure in this run.",
            found=found,
            ids=ids,
        )
    if not open_musts and report.complete and not report.crashes and not report.summary.left_behind:
        if report.summary.not_found and report.summary.must.passed:
            return ngettext(
                "%(found)s, but the service did not find %(num)s data request of this run when it was to be deleted, "
                "so that it may still exist.",
                "%(found)s, but the service did not find %(num)s data requests of this run when they were to be "
                "deleted, so that they may still exist.",
                report.summary.not_found,
                found=found,
            )
        return gettext("%(found)s, but it decided no requirement of level must either.", found=found)
    if not open_musts:
        return gettext("%(found)s, but the run itself is incomplete.", found=found)
    return ngettext(
        "%(found)s, but could not decide %(open)s of %(num)s testable requirement.",
        "%(found)s, but could not decide %(open)s of %(num)s testable requirements.",
        report.summary.must.testable,
        found=found,
        open=open_musts,
    )


def _broken_sentence(report: Report) -> str:
    reasons = [_failed(report)]
    covered = {row.id for row, _ in failures.waived(report)}
    if failing := [each for each in failing_alerts(report) if each not in covered]:
        reasons.append(
            ngettext(
                "%(num)s alert counts as a failure, as requested (%(ids)s)",
                "%(num)s alerts count as a failure, as requested (%(ids)s)",
                len(failing),
                ids=", ".join(failing),
            )
        )
    broken = gettext("The service does not conform: %(reasons)s.", reasons=listed(filter(None, reasons)))
    more = report.summary.waived
    beside = ngettext("%(num)s more is waived.", "%(num)s more are waived.", more) if more else ""
    return " ".join(filter(None, [broken, beside]))


def _failed(report: Report) -> str:
    """Return how many requirements and recommendations failed, without those that are waived; empty if none did."""
    waived_ones = [row.verdict for row, _ in failures.waived(report)]
    fails = report.summary.verdicts[Verdict.FAIL] - waived_ones.count(Verdict.FAIL)
    warns = sum(row.verdict == Verdict.WARN for row, _ in failures.not_waived(failures.failures(report)))
    if fails and warns:
        return gettext(
            "%(requirements)s and %(recommendations)s failed",
            requirements=ngettext("%(num)s requirement", "%(num)s requirements", fails),
            recommendations=ngettext(
                "%(num)s recommendation (a strict run counts these as well)",
                "%(num)s recommendations (a strict run counts these as well)",
                warns,
            ),
        )
    if fails:
        return ngettext("%(num)s requirement failed", "%(num)s requirements failed", fails)
    if warns:
        return ngettext(
            "%(num)s recommendation (a strict run counts these as well) failed",
            "%(num)s recommendations (a strict run counts these as well) failed",
            warns,
        )
    return ""


def alerts(report: Report) -> Rows:
    """Return the scored requirements with an alert, each with the findings that raise it."""
    return with_findings(report, lambda row, finding: row.scored and finding.alert)


def conforms_with_alerts(report: Report) -> bool:
    """Tell whether the service conforms, but with alerts: its outcome is not shown in green."""
    return bool(report.alerts) and is_conforming(report)


def crash_sentence(report: Report) -> str:
    """Say that the suite itself failed, and what to do about it; empty where it did not."""
    crashes = report.crashes
    if not crashes:
        return ""
    touched = {one for crash in crashes for one in crash.requirements}
    places = ngettext("%(num)s place", "%(num)s places", len(crashes))
    if touched:
        failed = gettext(
            "The suite itself failed in %(places)s and left %(requirements)s inconclusive, which says nothing about "
            "the service.",
            places=places,
            requirements=ngettext("%(num)s requirement", "%(num)s requirements", len(touched)),
        )
    else:
        failed = gettext("The suite itself failed in %(places)s, which says nothing about the service.", places=places)
    report_it = gettext(
        "Please report it to the issue tracker of %(suite)s: name version, check and exception, and add the traceback, "
        "which report.json holds.",
        suite=report.suite.name,
    )
    return f"{failed} {report_it}"


def crash_lines(report: Report) -> list[str]:
    """Return for each crash where it was and which exception it was."""
    return [f"{_and_others(crash.where)}: {crash.exception}" for crash in report.crashes]


def _and_others(names: Sequence[str]) -> str:
    more = len(names) - 1
    if not more:
        return names[0]
    return ngettext("%(name)s and %(num)s other check", "%(name)s and %(num)s other checks", more, name=names[0])
