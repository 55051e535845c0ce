"""The summary that every view shows first: the outcome in a sentence, the numbers, the findings in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.model.confirmations import CONFIRMATIONS
from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.results import RequirementResult, Summary
from conformance.model.run_record import Scope
from conformance.model.score import Calibration, Measure
from conformance.model.text import count, one_line
from conformance.model.verdict import Blame, Level, Outcome, Verdict
from conformance.reports import dependents, failures
from conformance.reports.failures import Rows, failing_alerts, with_findings

OUTCOME_WORDS = {
    Outcome.CONFORMS: "Conforms",
    Outcome.CONFORMS_IN_PART: "Conforms in part",
    Outcome.CONFORMS_WITH_WAIVERS: "Conforms with waivers",
    Outcome.DOES_NOT_CONFORM: "Does not conform",
    Outcome.INCONCLUSIVE: "Inconclusive",
}

CAUSES = {
    Blame.TARGET: "the service",
    Blame.CREDENTIAL: "the access token",
    Blame.NETWORK: "the network between the suite and the service",
    Blame.CONFIGURATION: "the options of the run",
    Blame.SPECIFICATION: "the specification, which leaves it open",
    Blame.SUITE: "the suite itself",
}
"""The cause of a result that is not a pass, in words for people."""

_UNDECIDED_WORDS = {Verdict.INCONCLUSIVE: "inconclusive", Verdict.NOT_APPLICABLE: "not applicable"}

LABELS = {"message": "finding", "expected": "expected", "actual": "actual", "server": "server", "remedy": "fix"}
"""The names for people of the parts of a finding, by their names in report.json."""

_ALERT_LIMIT = 300
"""Characters of the message of an alert in the sentence on the outcome."""

LEFT_OUT = "left-out"
"""Shown in place of a verdict for a requirement that the run did not select."""


@dataclass
class Undecided:
    """Requirements that the run could not decide for the same reason, with the finding of the first."""

    finding: Finding[str]
    rows: list[RequirementResult]


def headline(report: Report) -> str:
    """Return the outcome with the numbers of alerts and of waivers that fail the run, such as "Conforms, 1 alert"."""
    numbers = {"alert": len(report.alerts), "stale waiver": len(failures.stale_waivers(report))}
    shown = [count(number, noun) for noun, number in numbers.items() if number]
    return ", ".join([OUTCOME_WORDS[report.outcome], *shown])


def labelled(finding: Finding[str]) -> dict[str, str]:
    """Return the parts of a finding that are not empty, by their names for people."""
    return {label: text for part, label in LABELS.items() if (text := getattr(finding, part))}


def lines(finding: Finding[str]) -> list[str]:
    """Return a finding as lines of text: its message, and the other parts with their names."""
    parts = labelled(finding).items()
    return [finding.message, *(f"{label}: {text}" for label, text in parts if label != "finding")]


def run_id(report: Report) -> str:
    """Return the name of the run: when it began, in UTC, and its nonce."""
    return ", nonce ".join(filter(None, [started(report), report.run.nonce]))


def started(report: Report) -> str:
    """Return when the run began, in UTC."""
    return f"{report.started[:19].replace('T', ' ')} UTC"


def alerts(report: Report) -> Rows:
    """Return the requirements with an alert, each with the findings that raise it."""
    return with_findings(report, lambda _, finding: finding.alert)


def outcome_sentence(report: Report) -> str:
    """Return what the run found out about the service as a whole, and what is left of the run."""
    known, perhaps = _known_and_perhaps(report.summary)
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


def _known_and_perhaps(summary: Summary) -> tuple[int, int]:
    """Return how many of those left behind have an identifier, and how many may have been made without one."""
    known = summary.created - summary.deleted - summary.not_found
    return known, summary.left_behind - known


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


def numbers_sentence(report: Report) -> str:
    """Return the numbers of the headline: each testable `must` is counted once, recommendations after them."""
    must = report.summary.must
    parts = ", ".join([f"{must.passed:,} passed", *_not_passed(report)])
    return f"Level must: {parts} (of {must.testable:,} testable).{_not_met(report)}"


def plain_numbers_sentence(report: Report) -> str:
    """Return the same numbers for people who do not know the levels of requirements."""
    must = report.summary.must
    parts = ", ".join([f"{must.passed:,} of {must.testable:,} passed", *_not_passed(report)])
    return f"Mandatory requirements: {parts}.{_not_met(report)}"


def _not_passed(report: Report) -> list[str]:
    must = report.summary.must
    waived = sum(row.waived and row.level == Level.MUST for row in report.requirements)
    parts = [f"{must.decided - must.passed - waived:,} failed"]
    parts += [f"{waived:,} failed and waived"] if waived else []
    musts = Counter(shown_verdict(report, row) for row in report.requirements if row.level == Level.MUST)
    rest = {word: musts[verdict] for verdict, word in _UNDECIDED_WORDS.items()}
    blocked = sum(row.level == Level.MUST and dependents.is_dependent(report, row) for row in report.requirements)
    rest |= {"not tested because of a failure": blocked, "inconclusive": rest["inconclusive"] - blocked}
    rest["left out"] = must.testable - must.decided - sum(rest.values())
    return parts + [f"{number:,} {word}" for word, number in rest.items() if number]


def _not_met(report: Report) -> str:
    warned = report.summary.verdicts[Verdict.WARN]
    return f" {count(warned, 'recommendation')} not met." if warned else ""


def traffic_sentence(report: Report) -> str:
    """Return what the run did to the target. `created` is the sum of the other numbers, except `more perhaps`."""
    summary = report.summary
    named, unnamed = _known_and_perhaps(summary)
    parts = [f"{summary.created:,} created", f"{summary.deleted:,} deleted"]
    if summary.not_found:
        parts.append(f"{summary.not_found:,} not found at the end")
    parts.append(f"{named:,} left behind")
    if unnamed:
        parts.append(f"{unnamed:,} more perhaps")
    return f"{count(summary.exchanges, 'exchange')}; data requests: {', '.join(parts)}."


def scope_sentence(report: Report) -> str:
    """Return what was left out and why, and what decides it; empty if the run selected and decided everything."""
    return " ".join(filter(None, [_left_out(report), _undeclared(report.scope)]))


def _undeclared(scope: Scope) -> str:
    """Return what only a declaration of the tester decides."""
    without = scope.undeclared
    if not without:
        return ""
    return (
        f"{count(len(without), 'requirement')} on languages could not be tested: the service publishes several "
        "languages, and no usual selector has an effect. To decide them, name the selector with --language-selector, "
        "or confirm with --language-selector none that there is none."
    )


def confirmations_sentence(report: Report) -> str:
    """Return what the tester confirmed and the suite cannot see; "none" without any."""
    return "; ".join(CONFIRMATIONS.get(each, each) for each in report.confirmations) or "none"


def confirmed(report: Report) -> str:
    """Return the options by which the tester confirmed what the suite cannot see; "nothing" without any."""
    options = (CONFIRMATIONS.get(each, each).partition(":")[0] for each in report.confirmations)
    return ", ".join(options) or "nothing"


def _left_out(report: Report) -> str:
    scope = report.scope
    if not scope.left_out:
        return ""
    asked = [f"profile {scope.profile}"] if scope.profile != "full" else []
    asked += [f"only the checks of {', '.join(scope.only)}"] if scope.only else []
    asked += [f"only {', '.join(scope.select)}"] if scope.select else []
    asked += [f"without {', '.join(scope.deselect)}"] if scope.deselect else []
    why = f" ({'; '.join(asked)})" if asked else ""
    total = count(len(report.requirements), "requirement")
    said = f"{len(scope.left_out):,} of {total} were left out, as requested{why}."
    more = " A whole run may find more, also of the requirements that were tested." if scope.only else ""
    return said + more


LIMITS_OF_THE_SELF_TEST = (
    "This is a self-test: one team wrote the checks and the services, so it does not show how many mistakes of other "
    "services the suite detects."
)


def calibration_sentence(report: Report) -> str:
    """Return which faults this suite detects, and how many false positives it has."""
    suite = report.suite
    known = suite.calibration
    if known is None:
        return "It is not known how many faults this suite detects: no score ships with it."
    faults = known.sensitivity
    sentences = [
        f"Of {count(faults.of, 'service')} with one known fault each, this suite detected the fault in "
        f"{_so_many(faults)}. For {_so_many(known.attribution)} it reported no unrelated violation. It had "
        f"{_false_positives(known.specificity)}. All runs used --empty-account{_unconfirmed(known)}."
        f"{_with_options(known)}"
    ]
    combinations, combined = known.combined_attribution, known.combined_sensitivity
    if combinations is not None and combined is not None:
        sentences.append(
            f"Of {count(combined.of, 'fault')} in {count(combinations.of, 'service')} with two or three faults, "
            f"it detected {_so_many(combined)}, or named the fault that hides them. For {_so_many(combinations)} "
            "services it reported no unrelated violation."
        )
    if known.stability is not None:
        sentences.append(
            f"Over {count(known.repetitions, 'repetition')} with other seeds "
            f"{_so_many(known.stability)} had the same verdicts."
        )
    sentences.append(LIMITS_OF_THE_SELF_TEST)
    if known.catalogue != suite.catalogue or known.version != suite.version:
        sentences.append(f"The measurement used version {known.version}, whose requirements may differ from these.")
    return " ".join(sentences)


def _unconfirmed(known: Calibration) -> str:
    """Return how the result of services that contradict --empty-account continues the sentence."""
    apart = known.specificity_unconfirmed
    if not apart:
        return ""
    return f", except those of services that contradict it, counted apart: {_false_positives(apart)}"


def _with_options(known: Calibration) -> str:
    """Return the sentence on services that were run with further options, if there were some."""
    faults, conforming = known.sensitivity_with_options, known.specificity_with_options
    if not faults or not conforming:
        return ""
    return (
        f" With further options, such as --complete-command, and counted apart: {faults.kept:,} of "
        f"{count(faults.of, 'fault')} detected, {_false_positives(conforming)}."
    )


def self_test_sentence(report: Report) -> str:
    """Return the same in a line or two, for the terminal."""
    known = report.suite.calibration
    if known is None:
        return calibration_sentence(report)
    older = "" if known.version == report.suite.version else f" (measured with version {known.version})"
    faults = f"{known.sensitivity.kept:,} of {known.sensitivity.of:,} known faults"
    return f"Self-test of the suite: {faults} detected, {_false_positives(known.specificity)}{older}."


def _false_positives(measure: Measure) -> str:
    false = measure.of - measure.kept
    number = count(false, "false positive") if false else "no false positives"
    return f"{number} on {count(measure.of, 'conforming service')}"


def _so_many(measure: Measure) -> str:
    return f"all {measure.of:,}" if measure.kept == measure.of else f"{measure.kept:,}"


def shown_verdict(report: Report, row: RequirementResult) -> str:
    """Return the verdict of `row`, or LEFT_OUT if the run did not select it and found nothing about it."""
    unknown = row.verdict in (Verdict.NOT_TESTED, Verdict.INCONCLUSIVE)
    return LEFT_OUT if unknown and row.id in report.scope.left_out else row.verdict


def broken(report: Report, verdict: Verdict) -> Rows:
    """Return the requirements that have findings of `verdict`, each with those findings."""
    return with_findings(report, lambda _, finding: finding.verdict is verdict)


def undecided(report: Report) -> list[Undecided]:
    """Return the undecided requirements by reason, the reason of most requirements first.

    Those that a failure prevented from being tested are shown with this failure.
    """
    groups: dict[tuple[Blame | None, str, str], Undecided] = {}
    for row in _with_verdict(report, Verdict.INCONCLUSIVE):
        if dependents.is_dependent(report, row):
            continue
        finding = reasons(row, Verdict.INCONCLUSIVE)[0]  # each requirement counts once
        key = (cause(finding), finding.message, finding.remedy)
        groups.setdefault(key, Undecided(finding, [])).rows.append(row)
    return sorted(groups.values(), key=lambda group: -len(group.rows))


def reasons(row: RequirementResult, verdict: Verdict) -> list[Finding[str]]:
    """Return the findings of `row` with `verdict`; without any, its reason as a finding."""
    bare = Finding[str](verdict=verdict, blame=Blame.SUITE, message=row.reason or "No reason was recorded.")
    return [finding for finding in row.findings if finding.verdict is verdict] or [bare]


def cause(finding: Finding[str]) -> Blame | None:
    """Return the cause that a check found; None for a reason of `reasons`, which no check gave."""
    return finding.blame if finding.check else None


def first_ids(ids: Sequence[str], most: int) -> str:
    """Return the first `most` of the `ids`, and how many more there are."""
    more = f" and {len(ids) - most:,} more" if len(ids) > most else ""
    return ", ".join(ids[:most]) + more


def _with_verdict(report: Report, verdict: Verdict) -> Iterator[RequirementResult]:
    return (row for row in report.requirements if shown_verdict(report, row) == verdict)


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
                row for row in _with_verdict(report, Verdict.INCONCLUSIVE) if failures.must_be_decided(report, row)
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
