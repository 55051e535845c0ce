"""From what the checks said and what every exchange shows to the verdict on each requirement."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from conformance.model.crashes import Crashes
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.findings import CheckResult, Remark
from conformance.model.report import Finding, RequirementResult, Step
from conformance.model.requirements import Requirement, catalogue
from conformance.model.score import proofs
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Blame, Level, Verdict, worst
from conformance.rules.alternative_causes import AlternativeCauses
from conformance.rules.judge import judge
from conformance.rules.lost_requests import Loss, losses, violations_of
from conformance.rules.run_context import RunContext
from conformance.schema.violations import Violation

EVERY_EXCHANGE = "every exchange of the run"
"""What stands in the place of a check's name where an answer was judged that the check did not look at."""

_OF_REQUESTS = ("0", "2.1", "2.4", "3", "5", "7")
JUDGED = {
    Operation.SETTINGS: ("0", "1.4", "2.3", "4.4", "5.4"),
    Operation.DATA: ("0", "2.2", "2.4", "4.5", "5.4", "7", "9"),
    Operation.DATA_ME: ("0", "4.6"),
    Operation.CREATE: (*_OF_REQUESTS, "4.1"),
    Operation.READ: (*_OF_REQUESTS, "4.2"),
    Operation.DELETE: (*_OF_REQUESTS, "4.3"),
}
"""Clauses of which judging an exchange of an operation by itself may find a requirement broken."""

SHOWN = 5
"""How many exchanges a finding names."""


def results(
    check_results: list[CheckResult],
    exchanges: list[Exchange],
    *,
    selected: frozenset[str],
    left_out: Iterable[str],
    crashes: Crashes,
) -> tuple[RequirementResult, ...]:
    """Return the verdict on every requirement of the catalogue, in its order.

    What crashes here is noted in `crashes`, and the requirements that any crash of the run touches are inconclusive.
    """
    by_requirement: dict[str, list[CheckResult]] = defaultdict(list)
    outside = frozenset(left_out)
    with crashes.noted("judging the run as a whole", selected - outside):
        for result in _judged_as_a_whole(check_results, exchanges, selected, crashes):
            by_requirement[result.requirement.id].append(result)
    for result in crashes.results():
        by_requirement[result.requirement.id].append(result)
    rows = [_result(row, by_requirement.get(row.id, []), selected, outside) for row in catalogue().rows.values()]
    failed = [row.id for row in rows if row.verdict is Verdict.FAIL and row.id in _BASIC]
    return tuple(_naming(row, failed) for row in rows)


def _judged_as_a_whole(
    check_results: list[CheckResult], exchanges: list[Exchange], selected: frozenset[str], crashes: Crashes
) -> list[CheckResult]:
    """Return what the checks and the exchanges say, each finding judged in the light of the whole run."""
    known = RunContext.of(exchanges)
    lost = losses(exchanges)
    said = [*check_results, *_of_every_exchange(exchanges, selected, known, crashes)]
    causes = AlternativeCauses.of(said, exchanges, known, lost)
    judged = []
    for result in [*said, *_of_losses(lost, selected)]:
        with crashes.noted(result.check, [result.requirement.id]):
            judged.append(causes.judged(result))
    explained = {each.requirement.id for each in judged if any(one.verdict in _NO_PASS for one in each.remarks)}
    for row in {each.requirement.id: each.requirement for each in judged}.values():
        if row.id not in explained and (doubt := causes.doubt(row)) is not None:
            judged.append(CheckResult(row, EVERY_EXCHANGE, doubt.verdict, [doubt]))
    return judged


_NO_PASS: Final = (Verdict.FAIL, Verdict.WARN, Verdict.INCONCLUSIVE)

_BASIC: Final = frozenset(
    [
        "0-bodies-are-json",
        "2.1-requestId",
        "2.1-requestId-unique",
        "2.2-type",
        "2.3-maxNumberOfRequests",
        "2.3-supportedLanaguages",
        "3-frees-the-limit",
        "3-removed",
        "4.1-answers-200",
        "4.1-object",
        "4.1-refused-creates-nothing",
        "4.2-answers-200",
        "4.2-object",
        "4.3-answers-ok",
        "4.4-answers-200",
        "4.4-object",
        "4.5-answers-200",
        "4.5-array",
        "5.1-accepts-bearer",
        "5.4-data-without-token",
        "5.4-settings-without-token",
        "7-limit-reached",
        "7-limit-reached-error",
        "7-not-found",
        "8-accepts-up-to-limit",
        "8-limit-enforced",
    ]
)
"""Requirements on which the test of others rests: where one fails, others may be impossible to exercise."""


def _naming(row: RequirementResult, failed: Sequence[str]) -> RequirementResult:
    """Return a result whose inconclusive findings name the failed requirements that may be the cause."""
    if row.verdict is not Verdict.INCONCLUSIVE or not failed:
        return row
    beside = f"Failed as well, and perhaps the cause: {', '.join(failed)}."
    return replace(
        row,
        findings=tuple(
            replace(each, remedy=f"{each.remedy} {beside}".strip()) if _is_unexplained(each, failed) else each
            for each in row.findings
        ),
    )


def _is_unexplained(finding: Finding, failed: Sequence[str]) -> bool:
    """Tell whether a finding that could not be decided names none of the failed requirements."""
    told = f"{finding.message} {finding.remedy}"
    mine = finding.verdict is Verdict.INCONCLUSIVE and finding.blame in (Blame.TARGET, Blame.CONFIGURATION)
    return mine and not any(each in told for each in failed)


def _result(
    row: Requirement, said: list[CheckResult], selected: frozenset[str], outside: frozenset[str]
) -> RequirementResult:
    said = [result for result in said if result.decides] or said
    said = [result for result in said if result.verdict is not Verdict.NOT_APPLICABLE] or said
    findings = _findings(row, said)
    reason = ""
    if row.untestable:
        verdict, reason = Verdict.NOT_TESTED, row.untestable
    elif findings or said:
        verdicts = [finding.verdict for finding in findings]
        verdicts += [result.verdict for result in said if not result.remarks]
        verdict = worst(verdicts)
        if verdict is Verdict.OBSERVED and row.level is not Level.OPEN:
            verdict = Verdict.PASS  # what was noted beside a demand that is kept
    elif row.id not in selected or row.id in outside:
        verdict, reason = Verdict.NOT_TESTED, "Left out of this run by its profile or selection."
    else:
        verdict, reason = Verdict.INCONCLUSIVE, "The run ended before this was exercised."
    return RequirementResult(
        id=row.id,
        clause=row.clause,
        level=row.level,
        statement=row.statement,
        reading=row.reading,
        verdict=verdict,
        reason=reason,
        checks=tuple(dict.fromkeys(result.check for result in said if result.check != EVERY_EXCHANGE)),
        findings=findings,
        proofs=proofs().get(row.id),
    )


def _findings(row: Requirement, said: list[CheckResult]) -> tuple[Finding, ...]:
    """Return what was said, each message once with all its exchanges."""
    merged: dict[str, tuple[str, Remark, list[Exchange]]] = {}
    for result in said:
        for remark in result.remarks:
            known = merged.setdefault(remark.message, (result.check, remark, []))
            known[2].extend(exchange for exchange in remark.exchanges if exchange not in known[2])
    findings = []
    for check, remark, exchanges in merged.values():
        findings.append(
            Finding(
                check=check,
                verdict=remark.verdict,
                blame=remark.blame,
                message=remark.message,
                expected=remark.expected,
                actual=remark.actual,
                remedy=remark.remedy or (row.remedy if _needs_remedy(remark) else ""),
                exchanges=tuple(exchange.id for exchange in exchanges[:SHOWN]),
                curl=curl(exchanges[0]) if exchanges else "",
                steps=tuple(Step(text=text, exchange=step.id, curl=curl(step)) for text, step in remark.steps),
                alert=remark.alert,
            )
        )
    return tuple(findings)


def _needs_remedy(remark: Remark) -> bool:
    return remark.alert or remark.verdict in (Verdict.FAIL, Verdict.WARN)


Found = dict[tuple[str, str], tuple[Violation, list[Exchange]]]
"""Violations with the exchanges that show them, by requirement and by what is alike about them."""


def _of_every_exchange(
    exchanges: list[Exchange], selected: frozenset[str], known: RunContext, crashes: Crashes
) -> list[CheckResult]:
    found: Found = {}
    for exchange in exchanges:
        if exchange.facts.get("smaller"):
            continue  # asked to make an example smaller: the finding that it belongs to has said so already
        violations: tuple[Violation, ...] = ()
        with crashes.noted(EVERY_EXCHANGE, _judged(exchange.operation, selected)):
            violations = judge(exchange, known)
        for violation in violations:
            if violation.requirement in selected and violation.requirement not in exchange.facts.get("told", ()):
                shape = (violation.requirement, f"{exchange.operation} {violation.path} {violation.actual}")
                known_violation, shown = found.get(shape, (violation, []))
                plainer = not shown or _is_plainer(exchange, shown[0])
                # The plainest call is the example: what it does not need is not what the finding is about.
                found[shape] = (violation, [exchange, *shown]) if plainer else (known_violation, [*shown, exchange])
    return _results_of(found)


def _is_plainer(exchange: Exchange, other: Exchange) -> bool:
    """Tell whether a call names no language, where another one does."""
    return _names_language(other) and not _names_language(exchange)


def _names_language(exchange: Exchange) -> bool:
    return header(exchange.request.headers, "accept-language") is not None


def _of_losses(found: list[Loss], selected: frozenset[str]) -> list[CheckResult]:
    by_requirement: Found = {}
    for violation, missing in violations_of(found):
        if violation.requirement in selected:
            by_requirement.setdefault((violation.requirement, ""), (violation, []))[1].append(missing)
    return _results_of(by_requirement)


def _results_of(found: Found) -> list[CheckResult]:
    gathered = []
    for (requirement_id, _), (violation, shown) in found.items():
        row = catalogue()[requirement_id]
        verdict = VERDICT_WHEN_BROKEN[row.level]
        remark = Remark(
            verdict,
            Blame.TARGET,
            violation.message,
            violation.expected,
            violation.actual,
            row.remedy,
            tuple(shown),
        )
        gathered.append(CheckResult(row, EVERY_EXCHANGE, verdict, [remark]))
    return gathered


@lru_cache(maxsize=len(JUDGED) + 1)
def _judged(operation: Operation | None, selected: frozenset[str]) -> list[str]:
    """Return the selected requirements that judging an exchange of `operation` by itself may find broken."""
    clauses = JUDGED[operation] if operation else ()
    return [
        one for one in selected if any(f"{catalogue()[one].clause}.".startswith(f"{clause}.") for clause in clauses)
    ]


_VARIABLE = {"user": "$DRSI_TOKEN", "other user": "$DRSI_OTHER_TOKEN"}


def curl(exchange: Exchange) -> str:
    """Return a shell line that asks the same, with a known token as its environment variable."""
    question = exchange.request
    words = ["curl", "-i"]
    if question.method != "GET":
        words += ["-X", question.method]
    variable = _VARIABLE.get(question.credential)
    line = shlex.join(words)
    for name, value in question.headers:
        if name.lower() == "authorization":
            given = f'"Authorization: Bearer {variable}"' if variable else shlex.quote(f"Authorization: {value}")
            line += f" -H {given}"
        elif name.lower() in ("content-type", "accept-language"):
            line += f" -H {shlex.quote(f'{name}: {value}')}"
    if question.body:
        body = question.body.decode("utf-8", "backslashreplace")
        line += f" --data-binary {shlex.quote(body)}"
    return f"{line} {shlex.quote(question.url)}"
