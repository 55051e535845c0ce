"""From what the checks said and what every exchange shows to the verdict on each requirement."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterable

from conformance.calibration.published import proofs
from conformance.conditions import KNOWN_CREDENTIALS, ON_DATA_REQUESTS
from conformance.exchange import Exchange
from conformance.judge import judge
from conformance.knowledge import Knowledge, blames_the_token
from conformance.remark import CheckResult, Remark
from conformance.reports.result import Finding, RequirementResult, Step
from conformance.requirements import Requirement, catalogue
from conformance.schema import Violation
from conformance.verdict import VERDICT_WHEN_BROKEN, Blame, Verdict, worst

EVERY_EXCHANGE = "every exchange of the run"
"""What stands in the place of a check's name where an answer was judged that the check did not look at."""

SHOWN = 5
"""How many exchanges a finding names."""


def results(
    check_results: list[CheckResult], exchanges: list[Exchange], *, selected: frozenset[str], left_out: Iterable[str]
) -> tuple[RequirementResult, ...]:
    """Return the verdict on every requirement of the catalogue, in its order."""
    by_requirement: dict[str, list[CheckResult]] = defaultdict(list)
    known = Knowledge.of(exchanges)
    for result in [*check_results, *_of_every_exchange(exchanges, selected, known)]:
        by_requirement[result.requirement.id].append(result)
    outside = frozenset(left_out)
    alive = _last_accepted(exchanges)
    return tuple(
        _result(row, [_settled(said, known, alive) for said in by_requirement.get(row.id, [])], selected, outside)
        for row in catalogue().rows.values()
    )


def _result(
    row: Requirement, said: list[CheckResult], selected: frozenset[str], outside: frozenset[str]
) -> RequirementResult:
    # Beside a check that came to something, another one that had no occasion says nothing.
    said = [result for result in said if result.verdict is not Verdict.NOT_APPLICABLE] or said
    findings = _findings(row, said)
    reason = ""
    if row.untestable:
        verdict, reason = Verdict.NOT_TESTED, row.untestable
    elif findings or said:
        verdicts = [finding.verdict for finding in findings]
        verdicts += [result.verdict for result in said if not result.remarks]
        verdict = worst(verdicts)
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


def _settled(said: CheckResult, known: Knowledge, alive: Exchange | None) -> CheckResult:
    """Return what a check said, after all that the rest of the run tells about the token it used."""
    remarks = []
    for remark in said.remarks:
        if remark.verdict in (Verdict.FAIL, Verdict.WARN) and _about_the_token(remark, said.requirement, known):
            remark = Remark(
                Verdict.INCONCLUSIVE,
                Blame.CREDENTIAL,
                f"The token was refused here, so this was not exercised: {remark.message}",
                remedy="See 5.1-accepts-bearer.",
                exchanges=remark.exchanges,
            )
        remarks.append(_doubted(remark, alive))
    return CheckResult(said.requirement, said.check, said.verdict, remarks)


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
                remedy=remark.remedy or (row.remedy if remark.verdict in (Verdict.FAIL, Verdict.WARN) else ""),
                exchanges=tuple(exchange.id for exchange in exchanges[:SHOWN]),
                curl=curl(exchanges[0]) if exchanges else "",
                steps=tuple(Step(text=text, exchange=step.id, curl=curl(step)) for text, step in remark.steps),
            )
        )
    return tuple(findings)


def _of_every_exchange(exchanges: list[Exchange], selected: frozenset[str], known: Knowledge) -> list[CheckResult]:
    found: dict[tuple[str, str], tuple[Violation, list[Exchange]]] = {}
    for exchange in exchanges:
        if exchange.facts.get("smaller"):
            continue  # asked to make an example smaller: the finding that it belongs to has said so already
        for violation in judge(exchange, known):
            if violation.requirement in selected and violation.requirement not in exchange.facts.get("told", ()):
                shape = (violation.requirement, f"{exchange.operation} {violation.path} {violation.actual}")
                found.setdefault(shape, (violation, []))[1].append(exchange)
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


def _last_accepted(exchanges: list[Exchange]) -> Exchange | None:
    """Return the last exchange in which a known token was accepted, or None."""
    accepted = (
        exchange
        for exchange in reversed(exchanges)
        if exchange.question.credential in KNOWN_CREDENTIALS
        and exchange.answer is not None
        and exchange.answer.status not in (401, 403)
    )
    return next(accepted, None)


def _about_the_token(remark: Remark, row: Requirement, known: Knowledge) -> bool:
    """Tell whether a finding rests on a known token being refused, which 5.1 is about and no other requirement."""
    shown = remark.exchanges[-1:] if row.clause != "5.1" else ()
    return any(
        exchange.answer is not None
        and exchange.answer.status == 401
        and exchange.operation in ON_DATA_REQUESTS
        and exchange.question.credential in KNOWN_CREDENTIALS
        and blames_the_token(exchange, known)
        for exchange in shown
    )


def _doubted(remark: Remark, alive: Exchange | None) -> Remark:
    """Return the remark, made inconclusive where it rests on a 401 after which no token was accepted any more.

    The token may have expired in the middle of the run: that is no fault of the target.
    """
    if remark.verdict not in (Verdict.FAIL, Verdict.WARN) or not remark.exchanges:
        return remark
    shown = remark.exchanges[-1]
    refused = shown.answer is not None and shown.answer.status == 401 and shown.question.credential in KNOWN_CREDENTIALS
    if not refused or (alive is not None and alive.is_after(shown)):
        return remark
    return Remark(
        Verdict.INCONCLUSIVE,
        Blame.CREDENTIAL,
        f"{remark.message} The token was not accepted again afterwards: it may have expired in the middle of the run.",
        remedy="Use a token that outlives the run, or --token-command, and run again.",
        exchanges=remark.exchanges,
    )


_VARIABLE = {"user": "$DRSI_TOKEN", "other user": "$DRSI_OTHER_TOKEN"}


def curl(exchange: Exchange) -> str:
    """Return a shell line that asks the same, with a known token as its environment variable."""
    question = exchange.question
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
