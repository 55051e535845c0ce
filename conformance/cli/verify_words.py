"""What `verify` says of a recorded run: differences, damage, what the report states, and the conclusion in one line."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from conformance import NAME
from conformance.model.text import count, shorten
from conformance.trust import builds

if TYPE_CHECKING:
    from conformance.model.report import Report
    from conformance.run.differences import Difference
    from conformance.run.verify import Verification
    from conformance.trust.authenticity import Result

_SHOWN: Final = 20
"""How many differences are printed without --list."""

STATES: Final = {True: "valid", False: "not valid", None: "not checked"}
"""What is said of a signature, a time stamp or an entry of a register."""


def lines(result: Verification, *, listed: bool) -> Iterator[str]:
    """Yield what was altered, and the verdicts and differences: all if `listed`, otherwise those that matter."""
    for words in result.damage:
        yield f"  altered: {words}"
    for requirement, (recorded, recomputed) in result.verdicts.items():
        if requirement in result.not_compared:
            if listed:
                yield f"  {requirement:<40} {recorded:<15} {result.not_compared[requirement]}"
            continue
        differs = requirement in result.differing
        if listed or differs:
            same = "the verdict is equal, its evidence differs" if recorded == recomputed else f"differs: {recomputed}"
            yield f"  {requirement:<40} {recorded:<15} {same if differs else 'equal'}"
    shown = result.differences if listed else result.differences[:_SHOWN]
    for each in shown:
        yield from _difference(each)
    if more := len(result.differences) - len(shown):
        yield f"  {count(more, 'more difference')}; --list prints all."


def _difference(each: Difference) -> Iterator[str]:
    yield f"  {each.requirement or 'the run'}: {each.what} ({_CAUSES[each.cause]})"
    yield f"    recorded    {shorten(each.recorded, 300)}"
    yield f"    recomputed  {shorten(each.recomputed, 300)}"


_CAUSES = {
    "evidence": "the evidence does not support the report",
    "catalogue": "the other build has another catalogue of requirements",
    "interpretation": "the other build interprets the specification otherwise",
    "suite": "the other build judges otherwise",
}


def stated(report: Report) -> str:
    """Return what the report states: a run that is verified need not conform."""
    from conformance.reports import outcome, summary

    parts = [f"The report states: {outcome.headline(report)}. {summary.numbers_sentence(report)}"]
    parts.append(summary.scope_sentence(report))
    if number := len(report.attestations):
        parts.append(f"{count(number, 'requirement')} attested by a person.")
    if report.replies:
        signed = sum(bool(each.key) for each in report.replies)
        answered = f"{count(len(report.replies), 'requirement')} answered by the organisation"
        parts.append(f"{answered}, {signed} of them with a signature.")
    return " ".join(filter(None, parts))


def conclusion(result: Verification, vouched: Sequence[Result], report: Report) -> str:
    """Return the result in one line."""
    parts = [_number_of_verdicts(result)]
    if others := [each for each in result.differences if not each.requirement]:
        parts.append(count(len(others), "other difference"))
    parts.append("digests not intact" if result.damage else "digests intact")
    for each in vouched:
        if each.part in ("signature", "time stamp", "register", "register signature"):
            parts.append(f"no {each.part}" if each.is_absent else f"{each.part} {state_of(each)}")
        elif each.valid is False:
            parts.append(f"{each.part} not as recorded")
        elif each.needs_more:
            parts.append(f"{each.part} not compared")
    nonce = f", nonce {report.run.nonce}" if report.run.nonce else ""
    return f"{'; '.join(parts)}; recorded {report.started} against {report.target.base_url}{nonce}"


def state_of(found: Result) -> str:
    """Return what is said of a part of the evidence in a few words."""
    return "not current" if found.part == "register" and found.needs_more else STATES[found.valid]


def _number_of_verdicts(result: Verification) -> str:
    of, compared = len(result.verdicts), len(result.verdicts.keys() - result.not_compared.keys())
    equal = compared - len(result.differing)
    if not of:
        return "no verdict recomputed, because the run was altered (--list recomputes them all the same)"
    if result.is_same_build:
        return f"{equal} of {of} verdicts recomputed and equal"
    return f"another build made the run: {compared} of {of} verdicts compared, {equal} equal"


def builds_of(run: Path, report: Report) -> Iterator[str]:
    """Yield which build made the run, and how to verify with it."""
    made_by = report.suite
    yield (
        "Not verified. Expected the build that made the run: "
        f"{builds.named(made_by.version, made_by.build)}; this is {builds.this_build()}."
    )
    named = shlex.quote(f"{NAME}=={made_by.version}")  # the report is data: nothing of it is for a shell
    wheel = shlex.quote(f"{NAME.replace('-', '_')}-{made_by.version}-py3-none-any.whl")
    yield f"Get the wheel of that build, for example with: pip download --no-deps --only-binary :all: {named}"
    yield (
        f"Then let it verify: {NAME} verify {shlex.quote(str(run))} --suite {wheel}. It is executed only if its code "
        "has the digest of that build."
    )
