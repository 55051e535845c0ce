"""The joined report of a run that was repeated (`check --repeat N`): a pure function of the reports of its repetitions.

A requirement whose verdict differs between the repetitions is unstable. It has the worst of its verdicts, and never
pass: where the worst would be pass, it is inconclusive.
The evidence has the exchanges of all repetitions; those of the later ones have higher numbers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from conformance.judge.verdicts import outcome_of
from conformance.model.exchange import Exchange
from conformance.model.findings import Finding, Note
from conformance.model.report import RepeatedRun, Report, ReportData, data_of, report_of
from conformance.model.results import IN_FORCE, Repetition, RequirementResult, alerts_of, summarise
from conformance.model.verdict import Blame, Outcome, Verdict, worst
from conformance.trace import har
from conformance.trace.har import Har
from conformance.trust import chain

FOLDER: Final = "repetition"
"""The beginning of the name of the folder of a repetition, before its number."""

_REMEDY: Final = "Make the service answer the same calls in the same way each time, then repeat the run."


class NoRepetitions(ValueError):
    """The reports are not those of one repeated run."""


def folder_of(number: int) -> str:
    """Return the name of the folder of a repetition, counted from 1."""
    return f"{FOLDER}-{number}"


def joined(reports: Sequence[ReportData], evidence: Sequence[Har]) -> tuple[ReportData, Har]:
    """Return the joined report and evidence of the repetitions, in their order; raise NoRepetitions for others."""
    calls = [har.exchanges_of(each) for each in evidence]
    offsets = _offsets(calls)
    runs = [report_of(_renumbered(each, offset)) for each, offset in zip(reports, offsets, strict=True)]
    _demand_one_run(runs)
    exchanges = [_moved(call, offset) for each, offset in zip(calls, offsets, strict=True) for call in each]
    data = json.loads(json.dumps(data_of(_report(runs))))
    log = chain.chained(har.har(exchanges))
    return chain.sealed(data, log), log


def _demand_one_run(runs: Sequence[Report]) -> None:
    first = runs[0]
    for one in runs[1:]:
        same = (one.suite == first.suite, one.run.options == first.run.options, one.seed == first.seed)
        if not all(same):
            raise NoRepetitions("the repetitions were made by different builds or with different options")
        # The suite's own service and an application get another port each time.
        hosts = {each.target.base_url.partition("://")[2].partition(":")[0] for each in (one, first)}
        if one.target.base_url != first.target.base_url and hosts != {"127.0.0.1"}:
            raise NoRepetitions("the repetitions are of different addresses")
    if any(later.started < earlier.finished for earlier, later in pairwise(runs)):
        raise NoRepetitions("the repetitions were not made one after another")


def _offsets(calls: Sequence[Sequence[Exchange]]) -> list[int]:
    """Return by how much the numbers of the exchanges of each repetition grow."""
    found = [0]
    for each in calls[:-1]:
        found.append(found[-1] + max((max(one.number, one.ended) for one in each), default=0))
    return found


def _moved(exchange: Exchange, offset: int) -> Exchange:
    return replace(
        exchange,
        id=_later(exchange.id, offset),
        repeats=_later(exchange.repeats, offset),
        redirected_from=_later(exchange.redirected_from, offset),
        ended=exchange.ended + offset,
    )


def _renumbered(data: Any, offset: int, member: str = "") -> Any:
    """Return a report, or a part of one that a member holds, with the higher numbers of its exchanges."""
    if isinstance(data, dict):
        return {name: _renumbered(value, offset, name) for name, value in data.items()}
    if isinstance(data, list):
        return [_renumbered(each, offset, member) for each in data]
    return _later(data, offset) if member in ("exchange", "exchanges") and isinstance(data, str) else data


def _later(id: str, offset: int) -> str:
    return f"e{int(id.removeprefix('e')) + offset}" if id else id


def _report(runs: Sequence[Report]) -> Report:
    first, last = runs[0], runs[-1]
    by_row = zip(*(each.requirements for each in runs), strict=True)
    rows = tuple(_row(list(results)) for results in by_row)
    complete = all(each.complete for each in runs) and len(runs) == first.run.options.get("repeat")
    crashes = tuple(crash for each in runs for crash in each.crashes)
    names = ("exchanges", "created", "deleted", "not_found", "left_behind")
    summary = summarise(rows, **{name: sum(getattr(each.summary, name) for each in runs) for name in names})
    untold = sum(each.summary.not_found for each in runs if each.outcome is Outcome.INCONCLUSIVE)
    undeclared = tuple(dict.fromkeys(id for each in runs for id in each.scope.undeclared))
    scope = replace(first.scope, undeclared=undeclared)
    outcome = outcome_of(
        rows,
        scope,
        complete=complete and not crashes,
        left_behind=summary.left_behind or untold,
        strict=first.strict,
        fail_on=first.fail_on,
    )
    waivers = tuple(
        next((one for one in each if one.state == IN_FORCE), each[0])
        for each in zip(*(each.waivers for each in runs), strict=True)
    )
    return replace(
        first,
        complete=complete,
        outcome=outcome,
        target=replace(
            first.target, addresses=tuple(dict.fromkeys(one for each in runs for one in each.target.addresses))
        ),
        finished=last.finished,
        scope=scope,
        summary=summary,
        notes=tuple(dict.fromkeys(_notes(runs))),
        requirements=rows,
        crashes=crashes,
        alerts=alerts_of(rows),
        waivers=waivers,
        digests=None,
        repetitions=tuple(
            RepeatedRun(folder=folder_of(number), outcome=each.outcome, report=each.digests.report)
            for number, each in enumerate(runs, 1)
            if each.digests is not None
        ),
    )


def _notes(runs: Sequence[Report]) -> Iterator[Note]:
    """Yield the notes of the runs; of those on server errors, which no two runs have alike, only the first."""
    of_calls = [(number, note) for number, run in enumerate(runs, 1) for note in run.notes if note.exchanges]
    yield from (note for run in runs for note in run.notes if not note.exchanges)
    for number, note in of_calls[:1]:
        yield replace(note, message=f"In repetition {number}: {note.message}")


def _row(results: list[RequirementResult]) -> RequirementResult:
    verdicts = [each.verdict for each in results]
    verdict = worst(verdicts)
    # A failure that no waiver covers comes first, then one with an alert.
    number = min(
        (place for place, each in enumerate(results) if each.verdict is verdict),
        key=lambda place: (results[place].waived, not any(one.alert for one in results[place].findings), place),
    )
    row = results[number]
    said = tuple(Repetition(verdict=each.verdict, message=_message(each)) for each in results)
    row = replace(row, repetitions=said, seconds=round(sum(each.seconds for each in results), 6))
    if len(set(verdicts)) == 1:
        return row
    words = f"{unstable(verdicts)}: {_each(verdicts)}."
    if verdict is Verdict.PASS:
        found = Finding[str](
            check=row.checks[0] if row.checks else "",
            verdict=Verdict.INCONCLUSIVE,
            blame=Blame.TARGET,
            message=words,
            remedy=_REMEDY,
        )
        return replace(row, verdict=Verdict.INCONCLUSIVE, findings=(found, *row.findings), decided_by=_REMEDY)
    if not row.findings:
        return replace(row, reason=f"{words} {row.reason}".strip())
    finding = row.findings[0]
    first = replace(finding, message=f"{words} In repetition {number + 1}: {finding.message}")
    return replace(row, findings=(first, *row.findings[1:]))


def unstable(verdicts: Sequence[Verdict]) -> str:
    """Return that verdicts differ, with how many agree at most, such as "Unstable (2 of 3)"."""
    return f"Unstable ({Counter(verdicts).most_common(1)[0][1]} of {len(verdicts)})"


def _each(verdicts: Sequence[Verdict]) -> str:
    by_verdict: dict[Verdict, list[str]] = {}
    for number, verdict in enumerate(verdicts, 1):
        by_verdict.setdefault(verdict, []).append(str(number))
    return "; ".join(
        f"{verdict} in repetition {' and '.join(numbers)}"
        if len(numbers) < 3
        else f"{verdict} in {len(numbers)} of them"
        for verdict, numbers in by_verdict.items()
    )


def _message(row: RequirementResult) -> str:
    return row.findings[0].message if row.findings else row.reason


def differences(recorded: ReportData, again: ReportData) -> list[str]:
    """Return the members of a joined report that do not follow from its repetitions."""
    beside = ("attestations", "replies", "digests")
    names = [name for name in {**recorded, **again} if name not in beside]
    return [name for name in names if recorded.get(name) != again.get(name)]


def damage(report: dict[str, Any], evidence: Har, again: Har) -> list[str]:
    """Return, in words, what of a joined run does not have its digest, or not the exchanges of its repetitions."""
    altered = list(chain.damage(report, evidence))
    if not altered and chain.digest(evidence) != chain.digest(again):
        altered.append("evidence.har does not have the exchanges of the repetitions")
    return altered
