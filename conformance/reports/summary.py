"""The summary that every view shows: the numbers and the scope in sentences, the findings in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.results import RequirementResult, Summary
from conformance.model.run_record import Scope
from conformance.model.score import Measure
from conformance.model.target import EMPTY_ACCOUNT, MAY_BE_SHORT, NO_SELECTOR
from conformance.model.text import alike, count
from conformance.model.verdict import Blame, Level, Verdict
from conformance.reports import dependents
from conformance.reports.language import day, gettext, listed, ngettext

CONFIRMATIONS: Final = {
    EMPTY_ACCOUNT: "--empty-account: nothing else counts against the limit of the users of this run",
    NO_SELECTOR: "--language-selector none: no client can choose the language of GET /data",
    MAY_BE_SHORT: "--allow-short-token: a token that is short, or a word of the interface, is removed from the record "
    "only where it was sent as a credential",
}
"""Every confirmation, with its meaning in words."""

CAUSES = {
    Blame.TARGET: "the service",
    Blame.CREDENTIAL: "the access token",
    Blame.NETWORK: "the network between the suite and the service",
    Blame.CONFIGURATION: "the options of the run, or this machine",
    Blame.SPECIFICATION: "the specification, which leaves it open",
    Blame.SUITE: "the suite itself",
}
"""The cause of a result that is not a pass, in words for people."""

LABELS = {"message": "finding", "expected": "expected", "actual": "actual", "server": "server", "remedy": "fix"}
"""The names for people of the parts of a finding, by their names in report.json."""

LEFT_OUT = "left-out"
"""Shown in place of a verdict for a requirement that the run did not select."""


@dataclass
class Undecided:
    """Requirements that the run could not decide for the same reason, with the finding of the first."""

    finding: Finding[str]
    rows: list[RequirementResult]


def labelled(finding: Finding[str]) -> dict[str, str]:
    """Return the parts of a finding that are not empty, by their names for people."""
    return {label: text for part, label in LABELS.items() if (text := getattr(finding, part))}


def run_id(report: Report) -> str:
    """Return the name of the run: when it began, in UTC, and its nonce."""
    return ", nonce ".join(filter(None, [started(report), report.run.nonce]))


def started(report: Report) -> str:
    """Return when the run began, in UTC."""
    return gettext("%(date)s %(time)s UTC", date=day(report.started), time=report.started[11:19])


def way(report: Report) -> str:
    """Return by which way the calls reached the service, beside the access token; empty if there is nothing to say."""
    options = report.run.options
    proxy, headers = options.get("proxy"), options.get("header") or ()
    parts = [f"through the proxy {proxy}"] if proxy else []
    parts += [f"with the header {name}" for name in headers]
    parts += ["with a client certificate"] if options.get("client-cert") else []
    return ", ".join(parts)


def left_behind(summary: Summary) -> tuple[int, int]:
    """Return how many of those left behind have an identifier, and how many may have been made without one."""
    known = summary.created - summary.deleted - summary.not_found
    return known, summary.left_behind - known


def numbers_sentence(report: Report) -> str:
    """Return the numbers of the headline: each testable `must` is counted once, recommendations after them."""
    must = report.summary.must
    passed = ngettext("%(num)s of %(all)s passed", "%(num)s of %(all)s passed", must.passed, all=must.testable)
    numbers = gettext("Mandatory requirements: %(numbers)s.", numbers=", ".join([passed, *_not_passed(report)]))
    return " ".join(filter(None, [numbers, _not_met(report)]))


def _not_passed(report: Report) -> list[str]:
    must = report.summary.must
    scored = [row for row in report.requirements if row.scored and row.level == Level.MUST]
    waived = sum(row.waived for row in scored)
    failed = must.decided - must.passed - waived
    parts = [ngettext("%(num)s failed", "%(num)s failed", failed)]
    parts += [ngettext("%(num)s failed and waived", "%(num)s failed and waived", waived)] if waived else []
    musts = Counter(shown_verdict(report, row) for row in scored)
    blocked = sum(dependents.is_dependent(report, row) for row in scored)
    undecided, not_applicable = musts[Verdict.INCONCLUSIVE] - blocked, musts[Verdict.NOT_APPLICABLE]
    left_out = must.testable - must.decided - undecided - not_applicable - blocked
    if undecided:
        parts.append(ngettext("%(num)s inconclusive", "%(num)s inconclusive", undecided))
    if not_applicable:
        parts.append(ngettext("%(num)s not applicable", "%(num)s not applicable", not_applicable))
    if blocked:
        parts.append(
            ngettext("%(num)s not tested because of a failure", "%(num)s not tested because of a failure", blocked)
        )
    if left_out:
        parts.append(ngettext("%(num)s left out", "%(num)s left out", left_out))
    return parts


def _not_met(report: Report) -> str:
    warned = report.summary.verdicts[Verdict.WARN]
    return ngettext("%(num)s recommendation not met.", "%(num)s recommendations not met.", warned) if warned else ""


def traffic_sentence(report: Report) -> str:
    """Return what the run did to the target. `created` is the sum of the other numbers, except `more perhaps`."""
    summary = report.summary
    named, unnamed = left_behind(summary)
    parts = [f"{summary.created:,} created", f"{summary.deleted:,} deleted"]
    if summary.not_found:
        parts.append(f"{summary.not_found:,} not found at the end")
    parts.append(f"{named:,} left behind")
    if unnamed:
        parts.append(f"{unnamed:,} more perhaps")
    return f"{count(summary.exchanges, 'exchange')}; data requests: {', '.join(parts)}."


def scope_sentence(report: Report) -> str:
    """Return what was left out and why, and what decides it; empty if the run selected and decided everything."""
    advice = (
        "To decide them, name the selector with --language-selector, or confirm with --language-selector none that "
        "there is none."
    )
    return " ".join(filter(None, [scope_facts(report), advice if report.scope.undeclared else ""]))


def scope_facts(report: Report) -> str:
    """Return the same without the options that decide it."""
    return " ".join(filter(None, [_left_out(report), _undeclared(report.scope)]))


def _undeclared(scope: Scope) -> str:
    """Return what only a declaration of the tester decides."""
    without = scope.undeclared
    if not without:
        return ""
    return ngettext(
        "%(num)s requirement on languages could not be tested: the service publishes several languages, and no usual "
        "selector has an effect.",
        "%(num)s requirements on languages could not be tested: the service publishes several languages, and no usual "
        "selector has an effect.",
        len(without),
    )


def confirmations_sentence(report: Report) -> str:
    """Return what the tester confirmed and the suite cannot see; "none" without any."""
    return "; ".join(CONFIRMATIONS.get(each, each) for each in report.confirmations) or "none"


def _left_out(report: Report) -> str:
    scope = report.scope
    if not scope.left_out:
        return ""
    asked = [gettext("profile %(name)s", name=scope.profile)] if scope.profile != "full" else []
    asked += [gettext("only the checks of %(ids)s", ids=", ".join(scope.only))] if scope.only else []
    asked += [gettext("only %(ids)s", ids=", ".join(scope.select))] if scope.select else []
    asked += [gettext("without %(ids)s", ids=", ".join(scope.deselect))] if scope.deselect else []
    number = len(report.requirements) - report.summary.unscored
    total = ngettext("%(num)s requirement", "%(num)s requirements", number)
    said = ngettext(
        "%(num)s of %(all)s was left out, as requested (%(how)s).",
        "%(num)s of %(all)s were left out, as requested (%(how)s).",
        len(scope.left_out),
        all=total,
        how=listed(asked),
    )
    more = gettext("A whole run may find more, also of the requirements that were tested.") if scope.only else ""
    return " ".join(filter(None, [said, more]))


def shown_verdict(report: Report, row: RequirementResult) -> str:
    """Return the verdict of `row`, or LEFT_OUT if the run did not select it and found nothing about it."""
    unknown = row.verdict in (Verdict.NOT_TESTED, Verdict.INCONCLUSIVE)
    return LEFT_OUT if unknown and row.id in report.scope.left_out else row.verdict


def unscored_findings(row: RequirementResult) -> list[Finding[str]]:
    """Return the findings of an unscored requirement to show, or the reason why it is inconclusive; none if scored."""
    if row.scored:
        return []
    found = [each for each in row.findings if each.alert or each.verdict in _WORTH_SHOWING]
    return found or (reasons(row, row.verdict) if row.verdict is Verdict.INCONCLUSIVE else [])


_WORTH_SHOWING: Final = (Verdict.FAIL, Verdict.WARN, Verdict.INCONCLUSIVE)


def set_sentence(report: Report) -> str:
    """Return which set of requirements decides the outcome; empty if the whole catalogue does."""
    if not report.scope.set:
        return ""
    unscored = report.summary.unscored
    scored = len(report.requirements) - unscored
    more = f"; {unscored:,} {'is' if unscored == 1 else 'are'} unscored, which decides nothing" if unscored else ""
    return f"Set {report.scope.set}: {count(scored, 'requirement')} scored{more}."


def undecided(report: Report) -> list[Undecided]:
    """Return the undecided requirements by reason, the reason of most requirements first.

    Those that a failure prevented from being tested are shown with this failure.
    """
    groups: dict[tuple[Blame | None, str, str], Undecided] = {}
    for row in with_verdict(report, Verdict.INCONCLUSIVE):
        if dependents.is_dependent(report, row):
            continue
        finding = reasons(row, Verdict.INCONCLUSIVE)[0]  # each requirement counts once
        key = (cause(finding), alike(finding.message), finding.remedy)
        groups.setdefault(key, Undecided(finding, [])).rows.append(row)
    return sorted(groups.values(), key=lambda group: -len(group.rows))


def reasons(row: RequirementResult, verdict: Verdict) -> list[Finding[str]]:
    """Return the findings of `row` with `verdict`; without any, its reason as a finding."""
    bare = Finding[str](verdict=verdict, blame=Blame.SUITE, message=row.reason or gettext("No reason was recorded."))
    return [finding for finding in row.findings if finding.verdict is verdict] or [bare]


def cause(finding: Finding[str]) -> Blame | None:
    """Return the cause that a check found; None for a reason of `reasons`, which no check gave."""
    return finding.blame if finding.check else None


def first_ids(ids: Sequence[str], most: int) -> str:
    """Return the first `most` of the `ids`, and how many more there are."""
    shown, more = ", ".join(ids[:most]), len(ids) - most
    return ngettext("%(ids)s and %(num)s more", "%(ids)s and %(num)s more", more, ids=shown) if more > 0 else shown


def with_verdict(report: Report, verdict: Verdict) -> Iterator[RequirementResult]:
    """Return the scored requirements that are shown with `verdict`."""
    return (row for row in report.requirements if row.scored and shown_verdict(report, row) == verdict)


LIMITS_OF_THE_SELF_TEST = (
    "This is a self-test: one team wrote the checks and the services, so it does not show how many mistakes of other "
    "services the suite detects."
)


def calibration_sentence(report: Report) -> str:
    """Return in a line or two how many faults this suite detects, and how many false positives it has."""
    known = report.suite.calibration
    if known is None:
        return "It is not known how many faults this suite detects: no score ships with it."
    older = "" if known.version == report.suite.version else f" (measured with version {known.version})"
    faults = f"{known.sensitivity.kept:,} of {known.sensitivity.of:,} known faults"
    return f"Self-test of the suite: {faults} detected, {_false_positives(known.specificity)}{older}."


def _false_positives(measure: Measure) -> str:
    false = measure.of - measure.kept
    number = count(false, "false positive") if false else "no false positives"
    return f"{number} on {count(measure.of, 'conforming service')}"
