"""Verdicts: each requirement's, from the results of checks and all exchanges, and the outcome of the run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Final

from conformance.judge import guards
from conformance.judge.decisions import EVERY_EXCHANGE, Decisions, Shown
from conformance.judge.requests import losses, undecided
from conformance.model.deviations import deviations
from conformance.model.errors import NotDecided, RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.findings import CRASH_REMEDY, CheckResult, Crashes, Finding, Step, finding_of
from conformance.model.requirements import Graph, Requirement, catalogue, distances
from conformance.model.results import Evidence, RequirementResult, alerts_of, counted, is_violated
from conformance.model.run_record import Scope
from conformance.model.text import alike, listed
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Blame, Level, Outcome, Verdict, worst

LEFT_OUT: Final = "Left out of this run by its profile or selection."
"""Why a requirement that the run does not decide has no verdict."""
NOT_OBSERVED: Final = "Not observed: no call of the recorded traffic decides it."
"""Why a requirement is inconclusive where another program made the calls."""
NOT_REACHED: Final = "The run ended before this was tested."
"""Why a requirement is inconclusive without a finding."""

_NO_PASS: Final = (Verdict.FAIL, Verdict.WARN, Verdict.INCONCLUSIVE)


def results(
    check_results: list[CheckResult],
    decisions: Decisions,
    *,
    selected: frozenset[str],
    left_out: Iterable[str],
    crashes: Crashes,
    scored: frozenset[str] | None = None,
) -> tuple[RequirementResult, ...]:
    """Return the verdict on every requirement of the catalogue, in its order.

    Those not in `scored` are unscored; without it all are scored. The whole run is judged, so that each `selected`
    verdict is that of a run without a selection.
    `crashes` receives crashes of this module; requirements that any crash of the run touches are inconclusive.
    """
    by_requirement: dict[str, list[CheckResult]] = defaultdict(list)
    outside = frozenset(left_out)
    with crashes.noted("judging all exchanges of the run", selected - outside):
        for result in _judged_as_a_whole(check_results, decisions, crashes):
            by_requirement[result.requirement.id].append(result)
    for result in _crashed(crashes):
        by_requirement[result.requirement.id].append(result)
    rows = [_result(row, by_requirement.get(row.id, []), outside) for row in catalogue().rows.values()]
    judged = (row if row.id in selected else _left_out(row) for row in with_dependents(rows, selected))
    return tuple(replace(row, scored=scored is None or row.id in scored) for row in judged)


def _left_out(row: RequirementResult) -> RequirementResult:
    """Return a result without a verdict, for a requirement that is not selected."""
    reason = catalogue()[row.id].untestable or LEFT_OUT
    return replace(
        row, verdict=Verdict.NOT_TESTED, reason=reason, checks=(), findings=(), evidence=Evidence(), seconds=0
    )


def _judged_as_a_whole(check_results: list[CheckResult], decisions: Decisions, crashes: Crashes) -> list[CheckResult]:
    """Return the results of the checks and the rules as guards leave them, and what requests leave undecided."""
    facts, ledger = decisions.facts, decisions.facts.ledger
    said = [
        *check_results,
        *map(result_of, _unchecked(check_results, decisions, crashes)),
        *map(result_of, losses(ledger)),
    ]
    judged = []
    for result in said:
        row = result.requirement
        with crashes.noted(result.check, [row.id]):
            judged.append(replace(result, findings=[guards.explained(each, row, facts) for each in result.findings]))
    decided = [each for each in judged if each.decides]
    explained = {each.requirement.id for each in decided if any(one.verdict in _NO_PASS for one in each.findings)}
    for row in {each.requirement.id: each.requirement for each in judged}.values():
        if row.id not in explained and (doubt := undecided(row, ledger)) is not None:
            judged.append(CheckResult(row, EVERY_EXCHANGE, Verdict.INCONCLUSIVE, [finding_of(doubt, row)]))
    return judged


def _unchecked(check_results: list[CheckResult], decisions: Decisions, crashes: Crashes) -> Iterator[Shown]:
    """Yield what exchanges violate and no check has found: it did not run, or it decides by other calls."""
    found = {(each.requirement.id, finding.message) for each in check_results for finding in each.findings}
    for requirement, decided in decisions.items():
        if decided.crash is not None:
            crashes.note(decided.crash, EVERY_EXCHANGE, [requirement])
        yield from (each for each in decided.shown if (requirement, each[0].message) not in found)


def result_of(shown: tuple[RequirementViolated, list[Exchange]]) -> CheckResult:
    """Return the result for a violation that judging all exchanges shows."""
    violation, exchanges = shown
    row = catalogue()[violation.requirement]
    finding = finding_of(replace(violation, exchanges=exchanges), row)
    return CheckResult(row, EVERY_EXCHANGE, VERDICT_WHEN_BROKEN[row.level], [finding])


def _crashed(crashes: Crashes) -> Iterator[CheckResult]:
    """Yield an inconclusive result, with blame suite, for each requirement of each crash."""
    for crash in crashes.told():
        message = f"The suite crashed here ({crash.exception}), which does not concern the service."
        error = NotDecided(message, blame=Blame.SUITE, remedy=CRASH_REMEDY)
        for requirement in crash.requirements:
            row = catalogue()[requirement]
            yield CheckResult(row, crash.where[0], Verdict.INCONCLUSIVE, [finding_of(error, row)])


def _result(row: Requirement, said: list[CheckResult], outside: frozenset[str]) -> RequirementResult:
    said = [result for result in said if result.decides] or said
    said = [result for result in said if result.verdict is not Verdict.NOT_APPLICABLE] or said
    findings = _findings(row, said)
    reason = ""
    if row.untestable:
        verdict, reason = Verdict.NOT_TESTED, row.untestable
    elif findings or said:
        verdicts = [finding.verdict for finding in findings]
        verdicts += [result.verdict for result in said if not result.findings]
        verdict = worst(verdicts)
        if verdict is Verdict.OBSERVED and row.level is not Level.OPEN:
            verdict = Verdict.PASS
    elif row.id in outside:
        verdict, reason = Verdict.NOT_TESTED, LEFT_OUT
    else:
        verdict, reason = Verdict.INCONCLUSIVE, NOT_REACHED
    return RequirementResult(
        id=row.id,
        clause=row.clause,
        level=row.level,
        statement=row.statement,
        basis=row.basis,
        places=row.places,
        basis_reason=row.reason,
        rejected=row.rejected,
        reading=row.reading,
        verdict=verdict,
        reason=reason,
        checks=tuple(dict.fromkeys(result.check for result in said if result.check != EVERY_EXCHANGE)),
        findings=findings,
        evidence=_evidence(said),
        seconds=round(sum(result.seconds for result in said), 6),
    )


def _evidence(said: Iterable[CheckResult]) -> Evidence:
    """Return the exchanges that the checks read, and those that their findings name, in the order of the run."""
    read = {one.id: one for result in said for one in result.exchanges}
    for finding in (finding for result in said for finding in result.findings):
        read |= {one.id: one for one in (*finding.exchanges, *(step.exchange for step in finding.steps))}
    exchanges = tuple(one.id for one in sorted(read.values(), key=attrgetter("number")))
    return Evidence(exchanges=exchanges, count=len(exchanges))


def _findings(row: Requirement, said: list[CheckResult]) -> tuple[Finding[str], ...]:
    """Return the findings of several checks for a report, with the exchanges of all of them, the clearest first.

    Those whose messages differ only in moments and identifiers are one, which says how many more there are.
    """
    merged: dict[tuple[Verdict, str], tuple[str, Finding[Exchange], list[Exchange], set[str]]] = {}
    ranked = sorted(((each.check, finding) for each in said for finding in each.findings), key=_rank)
    for check, finding in ranked:
        kind = finding.verdict, alike(finding.message)
        _, _, shown, messages = merged.setdefault(kind, (check, finding, [], set()))
        shown.extend(exchange for exchange in finding.exchanges if exchange not in shown)
        messages.add(finding.message)
    return tuple(
        Finding(
            check=check,
            verdict=finding.verdict,
            blame=finding.blame,
            message=finding.message + (f" (and {more:,} more like this)" if (more := len(messages) - 1) else ""),
            expected=finding.expected,
            actual=finding.actual,
            remedy=finding.remedy or (row.remedy if finding.alert else ""),
            exchanges=tuple(exchange.id for exchange in exchanges),
            steps=tuple(Step(text=step.text, exchange=step.exchange.id) for step in finding.steps),
            probe=finding.probe,
            alert=finding.alert,
        )
        for check, finding, exchanges, messages in merged.values()
    )


def _rank(said: tuple[str, Finding[Exchange]]) -> tuple[int, bool, bool, int]:
    """Return the place of a finding of a check: violations come first.

    Then come findings with steps, because one call alone does not show what a sequence of calls does, and then those
    whose call is the plainest.
    """
    _, finding = said
    severity = _NO_PASS.index(finding.verdict) if finding.verdict in _NO_PASS else len(_NO_PASS)
    return severity, not finding.alert, not finding.steps, sum(map(deviations, finding.exchanges[:1]))


def with_dependents(rows: Sequence[RequirementResult], selected: Collection[str]) -> tuple[RequirementResult, ...]:
    """Return the results, in which each names the nearest failed requirements of the graph on which it depends.

    For a failed one they are those from which its failure probably follows; it stays a failure. For an inconclusive one
    they are those because of which its calls could not be made. Only `selected` requirements have a verdict in the
    report, so only these are named.
    """
    graphs = catalogue()
    failed = [row.id for row in rows if row.verdict is Verdict.FAIL and row.id in selected]
    passed = [row.id for row in rows if row.verdict is Verdict.PASS]
    found = []
    for row in rows:
        if row.verdict is Verdict.FAIL:
            row = replace(row, follows_from=nearest(graphs.depends_on, row.id, failed, passed))
        elif _lacks_calls(row) and (blockers := nearest(graphs.needs, row.id, failed)):
            row = replace(row, blocked_by=blockers, reason=f"Not tested because {listed(blockers)} failed.")
        found.append(row)
    return tuple(found)


def nearest(graph: Graph, id: str, wanted: Collection[str], barriers: Collection[str] = ()) -> tuple[str, ...]:
    """Return those `wanted` on which `id` depends by the fewest steps, none of them through one of the `barriers`."""
    ways = distances(graph, id, barriers)
    steps = {each: number for each, number in ways.items() if each in wanted and each != id}
    fewest = min(steps.values(), default=0)
    return tuple(each for each, number in steps.items() if number == fewest)


def _lacks_calls(row: RequirementResult) -> bool:
    """Tell whether a requirement is inconclusive because of what the service answered, not of an option or the network.

    Where an answer stands in the way, the account or its token may be the reason too, and the graph decides.
    """
    reasons = [finding for finding in row.findings if finding.verdict is Verdict.INCONCLUSIVE]
    of_answers = (Blame.CONFIGURATION, Blame.CREDENTIAL)
    by_answers = (each.blame is Blame.TARGET or (each.blame in of_answers and each.exchanges) for each in reasons)
    return row.verdict is Verdict.INCONCLUSIVE and bool(reasons) and all(by_answers)


def outcome_of(
    results: tuple[RequirementResult, ...],
    scope: Scope,
    *,
    complete: bool,
    left_behind: int,
    strict: bool,
    fail_on: tuple[str, ...] = (),
) -> Outcome:
    """Return the outcome of a run with these results; `fail_on` names the alerts that count as failures.

    Results that the set of the run does not score change nothing.
    """
    results = tuple(row for row in results if row.scored)
    accused = [row for row in results if not row.waived]
    broken = any(is_violated(row, row.verdict, strict=strict) for row in accused)
    if broken or counted(alerts_of(accused), fail_on):
        return Outcome.DOES_NOT_CONFORM
    musts = [row for row in results if row.level is Level.MUST]
    wanted = [*musts, *(row for row in results if row.id in catalogue().alerts and counted([row.id], fail_on))]
    undecided = any(row.verdict is Verdict.INCONCLUSIVE for row in wanted)
    nothing_kept = not any(row.verdict is Verdict.PASS or row.waived for row in musts)
    if undecided or nothing_kept or left_behind or not complete:
        return Outcome.INCONCLUSIVE
    if len(accused) < len(results):
        return Outcome.CONFORMS_WITH_WAIVERS
    return Outcome.CONFORMS_IN_PART if scope.left_out or scope.undeclared else Outcome.CONFORMS


def undeclared(results: Iterable[RequirementResult]) -> tuple[str, ...]:
    """Return the requirements that need a language selector, which the run does not know and the tester may know."""
    rows = catalogue().rows
    return tuple(
        each.id
        for each in results
        if each.scored
        and each.verdict is Verdict.NOT_APPLICABLE
        and "no-language-choice" in rows[each.id].not_applicable
    )
