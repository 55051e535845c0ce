"""The results of a calibration: the contents of calibration.json, and the summary for the terminal."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final

from conformance import NAME, __version__
from conformance.calibration.run_one import Job, Trial
from conformance.calibration.score import COMBINED, falls, invariant_breaches, measured, percent, score, share, wavering
from conformance.calibration.trial_result import Mark, Sight, TrialResult, judge_trial
from conformance.calibration.variant import DECLARED_IN, Kind
from conformance.model.requirements import catalogue
from conformance.model.score import MEASURES
from conformance.model.text import count

SCHEMA_VERSION = 1

ENOUGH: Final = Fraction(97, 100)
"""The share of the faults in combinations that must be found or named."""

_WIDTH: Final = 110
_COMBINED: Final = (*COMBINED, "drawn")
_NOUNS: Final = {Kind.FAULT: "fault", Kind.TWIN: "conforming service", Kind.COMBINATION: "combination"}


class DocumentScope(StrEnum):
    """The part of the calibration set that was tried."""

    FULL = "full"
    QUICK = "quick"
    ONLY = "only"
    PAIRS = "pairs"


def calibration(
    trials: Sequence[Trial], *, scope: DocumentScope, measured: datetime, committed: dict[str, Any] | None
) -> dict[str, Any]:
    """Return the calibration as JSON-compatible data, in the shape of `calibration.schema.json`.

    `committed` is the score that ships with the suite, which a full one is compared with.
    """
    selections, generated = list(_selections(trials)), list(_only_generated(trials))
    trials = [trial for trial in trials if not (trial.job.select or trial.job.without)]
    # The repetitions are for the stability alone.
    results = [judge_trial(trial) for trial in trials if trial.job.seed == 0]
    document = {
        "schema_version": SCHEMA_VERSION,
        "suite": {"name": NAME, "version": __version__, "catalogue": catalogue().digest},
        "measured": measured.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "scope": scope.value,
        "score": score(trials, results),
        "services": [_service(each) for each in results],
        "selections": selections,
        "only_generated": generated,
        "verified": _verified(trials),
        "wavering": wavering(trials),
    }
    problems = (
        *_problems_of_services(results, trials),
        *_problems_of_rows(document),
        *(_problems_of_the_whole(document, results, committed) if scope is DocumentScope.FULL else ()),
    )
    return document | {"problems": [{"about": about, "what": what} for about, what in problems]}


def to_publish(document: dict[str, Any], committed: dict[str, Any] | None) -> dict[str, Any]:
    """Return the part of a calibration that is published; one with scope "pairs" only renews its rates in `committed`.

    Measures that a full calibration omits, stability or combinations, are copied from `committed`.
    """
    if document["scope"] == DocumentScope.PAIRS and committed is not None:
        return committed | {"score": committed["score"] | {name: document["score"][name] for name in _COMBINED}}
    reached = dict(document["score"])
    if committed is not None:
        if reached["stability"] is None:
            reached |= {name: committed["score"][name] for name in ("stability", "repetitions")}
        reached |= {name: committed["score"].get(name) for name in _COMBINED if reached[name] is None}
    kept = ("schema_version", "suite", "measured")
    return {**{name: document[name] for name in kept}, "score": reached}


def _service(result: TrialResult) -> dict[str, Any]:
    trial = result.trial
    return {
        "kind": trial.job.variant.kind,
        "name": trial.job.name,
        "summary": " ".join(trial.job.variant.summary.split()),
        "mark": result.mark.value,
        "why": result.why,
        "faults": [
            {"name": seen.fault.name, "sight": seen.sight.value, **asdict(seen.reported)} for seen in result.seen
        ],
        "beside": [asdict(each) for each in result.beside],
        "exchanges": trial.exchanges,
        "seconds": round(trial.seconds, 2),
    }


# ---------------------------------------------------------------------- problems, each with the service that has it


def _problems_of_services(results: Sequence[TrialResult], trials: Sequence[Trial]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a service; of a combination, some faults may be missed."""
    combined = [each for each in results if each.trial.job.variant.kind is Kind.COMBINATION]
    for each in results:
        if not (each.good or (each in combined and each.mark is Mark.MISSED and not each.beside)):
            yield each.trial.job.name, f"{each.mark.capitalize()}. {each.why}"
    sights = [seen.sight for each in combined for seen in each.seen]
    found = measured([sight is not Sight.MISSED for sight in sights])
    if share(found) < ENOUGH:
        what = f"{found['kept']} of {found['of']} faults are found or named; {ENOUGH * 100} % are required."
        yield "combinations", what
    for trial in trials:
        if trial.differences:
            more = len(trial.differences) - 1
            also = f" ({count(more, 'more difference')})" if more else ""
            yield trial.job.name, f"Its evidence does not give its report again: {trial.differences[0]}{also}"


def _problems_of_rows(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each verdict that changes with the seed, or with the selection of its requirement."""
    for each in document["wavering"]:
        verdicts = ", ".join(each["verdicts"])
        yield each["name"], f"{each['requirement']} is flaky, its verdict changes with the seed: {verdicts}."
    for each in document["selections"]:
        selected, whole = (each[name] or "without a verdict" for name in ("selected", "whole"))
        if selected != whole:
            yield each["name"], f"{each['requirement']} came out as {selected} where it alone is selected, not {whole}."


def _problems_of_the_whole(
    document: dict[str, Any], results: Sequence[TrialResult], committed: dict[str, Any] | None
) -> Iterator[tuple[str, str]]:
    """Yield each check that no fault proves, and each measure that is lower than in `committed`."""
    yield from (("invariant", breach) for breach in invariant_breaches(results))
    if committed is not None:
        same = committed["suite"]["catalogue"] == catalogue().digest
        yield from (("score", fall) for fall in falls(committed["score"], document["score"], same_catalogue=same))


# ---------------------------------------------------------------------- further runs of the same services


def _selections(trials: Sequence[Trial]) -> Iterator[dict[str, Any]]:
    """Yield, for each selection of `trials`, the verdict of the whole run too; a verdict is empty where none was made.

    `exchanges` are those of the run of the selection.
    """
    whole = _whole(trials)
    for trial in trials:
        if (job := trial.job).select:
            yield {
                "kind": job.variant.kind,
                "name": job.name,
                "requirement": job.select,
                "whole": str(whole[replace(job, select="")].verdicts.get(job.select, "")),
                "selected": str(trial.verdicts.get(job.select, "")),
                "exchanges": trial.exchanges,
            }


def _whole(trials: Iterable[Trial]) -> dict[Job, Trial]:
    """Return the whole runs by their jobs, without the demand to verify them, which only these have."""
    return {replace(trial.job, verify=False): trial for trial in trials if not (trial.job.select or trial.job.without)}


def _only_generated(trials: Sequence[Trial]) -> Iterator[dict[str, Any]]:
    """Yield each fault that a run finds only with what a library generates, and with how many of the seeds."""
    whole, tried, only = _whole(trials), Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for trial in trials:
        if library := trial.job.without:
            key = trial.job.name, library
            tried[key] += 1
            only[key] += judge_trial(whole[replace(trial.job, without="")]).caught and not judge_trial(trial).caught
    for (name, library), seeds in tried.items():
        if only[name, library]:
            yield {"name": name, "library": library, "only": only[name, library], "seeds": seeds}


def _verified(trials: Iterable[Trial]) -> dict[str, int]:
    """Return how many reports were computed again from their evidence, and how many were equal."""
    tried = [trial for trial in trials if trial.job.verify and not trial.broken]
    return {"of": len(tried), "equal": sum(not trial.differences for trial in tried)}


def summary(document: dict[str, Any], seconds: float) -> Iterator[tuple[str, str]]:
    """Yield the lines of the summary on the terminal, each with the name of its style."""
    services = document["services"]
    tried = Counter(each["kind"] for each in services)
    numbers = " and ".join(count(tried[kind], noun) for kind, noun in _NOUNS.items() if tried[kind])
    yield "bold", f"{NAME} {__version__}: tried against {numbers} in {seconds:.0f} s\n"
    for name, meaning in MEASURES.items():
        if (measure := document["score"][name]) is not None:
            kept = f"{measure['kept']} of {measure['of']}"
            yield "", f"  {name.replace('_', ' '):<20} {percent(measure):>8}  {kept} {meaning}"
    if document["score"]["stability"] is None:
        yield "dim", f"  {'stability':<20} {'':>8}  not measured: use --repeat 20"
    if document["selections"]:
        yield "", f"\n  {selection_tally(document['selections'])}"
    for each in document["only_generated"]:
        with_seeds = f"{each['only']} of {count(each['seeds'], 'seed')}"
        yield "", _wrapped(f"Only what {each['library']} generates finds {each['name']}: {with_seeds}.")
    if document["verified"]["of"]:
        equal, of = document["verified"]["equal"], document["verified"]["of"]
        yield "", f"\n  {count(of, 'report')} computed again from the evidence: {equal:,} equal."
    combinations = [each for each in services if each["kind"] == Kind.COMBINATION]
    if combinations:
        yield "", f"\n  {tally(combinations)}"
    yield "", ""
    for each in combinations:
        for fault in each["faults"]:
            if fault["sight"] == Sight.MISSED:
                found = f"{fault['requirement']} {fault['verdict']}: {fault['message']}"
                yield "yellow", _wrapped(f"{each['name']}: {fault['name']} is missed. {found}")
    for each in services:
        if each["mark"] == Mark.EXCUSED:
            yield "", _wrapped(f"{each['name']} is missed, and no client can detect it: {each['why']}")
    for problem in document["problems"]:
        module = DECLARED_IN.get(problem["about"], "").replace(".", "/")
        place = f" It is declared in {module}.py." if module else ""
        yield "red", _wrapped(f"{problem['about']}: {problem['what']}{place}")
    left = len(document["problems"])
    yield ("bold red", count(left, "problem")) if left else ("bold green", "No problem")


def tally(combinations: Sequence[dict[str, Any]]) -> str:
    """Return the results of the combinations as a sentence."""
    sights = Counter(fault["sight"] for each in combinations for fault in each["faults"])
    wrong = sum(len(each["beside"]) for each in combinations)
    return (
        f"{count(len(combinations), 'combination')}: {count(wrong, 'wrong failure')}; "
        f"of {count(sights.total(), 'fault')} {sights[Sight.FOUND]:,} found, "
        f"{sights[Sight.NAMED]:,} named as hidden, {sights[Sight.MISSED]:,} missed."
    )


def selection_tally(selections: Sequence[dict[str, Any]]) -> str:
    """Return the results of the selections as a sentence."""
    same = measured([each["selected"] == each["whole"] for each in selections])
    exchanges = [each["exchanges"] for each in selections]
    return (
        f"{count(same['of'], 'selection')} of one requirement: {same['kept']:,} ({percent(same)}) with the verdict of "
        f"a whole run; {sum(exchanges) / len(exchanges):.0f} exchanges on average, at most {max(exchanges):,}."
    )


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
