"""The outcome of a run in words: whether the service conforms, its alerts, and crashes of the suite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from conformance.model.printable import one_line
from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.verdict import Level, Outcome, Verdict
from conformance.reports import failures
from conformance.reports.failures import Rows, failing_alerts, is_conforming, with_findings
from conformance.reports.language import ENGLISH, N_, gettext, ngettext, spoken
from conformance.reports.summary import left_behind, with_verdict

OUTCOME_WORDS = {
    Outcome.CONFORMS: N_("Conforms"),
    Outcome.CONFORMS_IN_PART: N_("Conforms in part"),
    Outcome.CONFORMS_WITH_WAIVERS: N_("Conforms with waivers"),
    Outcome.DOES_NOT_CONFORM: N_("Does not conform"),
    Outcome.INCONCLUSIVE: N_("Inconclusive"),
}

LEFT_OPEN: Final = "Not specified: "
"""How the statement of an open matter begins."""

_ALERT_LIMIT = 300
"""Characters of the message of an alert in the sentence on the outcome."""


def headline(report: Report) -> str:
    """Return the outcome with the numbers of alerts and of waivers that fail the run, such as "Conforms, 1 alert"."""
    alerts, stale = len(report.alerts), len(failures.stale_waivers(report))
    numbers = [ngettext("%(num)s alert", "%(num)s alerts", alerts)] if alerts else []
    numbers += [ngettext("%(num)s stale waiver", "%(num)s stale waivers", stale)] if stale else []
    return ", ".join([gettext(OUTCOME_WORDS[report.outcome]), *numbers])


_RESULTS = {
    Outcome.CONFORMS: N_(
        "The service conforms: it passed every testable requirement of level must that applies to it."
    ),
    Outcome.CONFORMS_IN_PART: N_(
        "The service conforms in part: it passed every testable requirement that applies to it and that the run tested."
    ),
    Outcome.CONFORMS_WITH_WAIVERS: N_("The service conforms with waivers: nothing failed that is not waived."),
    Outcome.DOES_NOT_CONFORM: N_("The service does not conform."),
    Outcome.INCONCLUSIVE: N_(
        "The run found no violation that counts, but could not decide whether the service conforms."
    ),
}
"""The first sentence on the outcome; the facts follow it."""


def outcome_sentence(report: Report) -> str:
    """Return the outcome and the facts on which it rests, each in a sentence, always in the same order."""
    facts = (*_failed(report), *_undecided(report), failures.stale_sentence(report), *_unfinished(report))
    return " ".join(filter(None, (gettext(_RESULTS[report.outcome]), *facts)))


def _failed(report: Report) -> Iterator[str]:
    """Yield what failed, what counts as a failure, what is waived, and the alerts of a service that conforms."""
    found = failures.failures(report)
    verdicts = Counter(row.verdict for row, _ in found if not row.waived)
    if fails := verdicts[Verdict.FAIL]:
        yield ngettext("%(num)s requirement failed.", "%(num)s requirements failed.", fails)
    if warns := verdicts[Verdict.WARN]:
        yield ngettext(
            "%(num)s recommendation failed, which counts in a strict run.",
            "%(num)s recommendations failed, which count in a strict run.",
            warns,
        )
    covered = [row.id for row, _ in found if row.waived]
    if failing := [each for each in failing_alerts(report) if each not in covered]:
        yield ngettext(
            "%(num)s alert counts as a failure, as requested (%(ids)s).",
            "%(num)s alerts count as a failure, as requested (%(ids)s).",
            len(failing),
            ids=", ".join(failing),
        )
    if covered:
        yield ngettext(
            "%(num)s failure is waived (%(ids)s).",
            "%(num)s failures are waived (%(ids)s).",
            len(covered),
            ids=", ".join(covered),
        )
    if conforms_with_alerts(report):
        raised = alerts(report)
        yield ngettext(
            "There is %(num)s alert: %(alerts)s",
            "There are %(num)s alerts: %(alerts)s",
            len(raised),
            alerts=_named(raised),
        )


def _named(found: Rows) -> str:
    """Return alerts by their messages, which are English, and in other languages by their requirements."""
    if spoken() == ENGLISH:
        return " ".join(one_line(findings[0].message, _ALERT_LIMIT) for _, findings in found)
    return gettext("%(ids)s.", ids=", ".join(row.id for row, _ in found))


def _undecided(report: Report) -> Iterator[str]:
    """Yield why a run is inconclusive, where no number and no fact of `_unfinished` says it."""
    if report.outcome is not Outcome.INCONCLUSIVE:
        return
    undecided = [row for row in with_verdict(report, Verdict.INCONCLUSIVE) if failures.must_be_decided(report, row)]
    if undecided and not any(row.level == Level.MUST for row in undecided):
        ids = ", ".join(row.id for row in undecided)
        yield gettext("It could not decide %(ids)s, whose alert counts as a failure in this run.", ids=ids)
    if not undecided and not report.summary.must.decided:
        yield gettext("It decided no requirement of level must.")
    if missing := report.summary.not_found:
        yield ngettext(
            "The service did not find %(num)s data request of this run when it was to be deleted: it may still exist.",
            "The service did not find %(num)s data requests of this run when they were to be deleted: they may still "
            "exist.",
            missing,
        )


def _unfinished(report: Report) -> Iterator[str]:
    """Yield what kept the run from its end, and what is left of it."""
    known, perhaps = left_behind(report.summary)
    if not report.complete:
        yield gettext("The run stopped early.")
    yield crash_sentence(report)
    if known:
        yield ngettext(
            "%(num)s data request of this run could not be deleted.",
            "%(num)s data requests of this run could not be deleted.",
            known,
        )
    if perhaps:
        yield ngettext(
            "This run may have left %(num)s data request behind whose identifiers it does not know.",
            "This run may have left %(num)s data requests behind whose identifiers it does not know.",
            perhaps,
        )


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
    failed = gettext(
        "The suite itself failed in %(places)s and left %(requirements)s inconclusive, which says nothing about "
        "the service.",
        places=ngettext("%(num)s place", "%(num)s places", len(crashes)),
        requirements=ngettext("%(num)s requirement", "%(num)s requirements", len(touched)),
    )
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


def open_matters(report: Report) -> Rows:
    """Return the open matters that the run of a service that conforms observed; nothing of other runs."""
    if not is_conforming(report):
        return []
    return with_findings(report, lambda _, finding: finding.verdict is Verdict.OBSERVED)


def gravest(matters: Rows) -> list[tuple[str, str]]:
    """Return those in which the catalogue knows alerts, each with what was observed.

    Most concern what others can do with a person's requests.
    """
    known = catalogue().alerts
    return [(row.statement.removeprefix(LEFT_OPEN), found[0].message) for row, found in matters if row.id in known]


def matters_paragraph(matters: Rows) -> str:
    """Return what "conforms" does not say, for a report with these matters."""
    return ngettext(
        "That a service conforms says only that it does what the specification demands. What the specification leaves "
        "open, a conforming service may do in any way. The run observed %(num)s such matter, which decided nothing.",
        "That a service conforms says only that it does what the specification demands. What the specification leaves "
        "open, a conforming service may do in any way. The run observed %(num)s such matters, which decided nothing.",
        len(matters),
    )
