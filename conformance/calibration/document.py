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
from conformance.calibration.judgement import CombinedJudgement, Judgement, Mark, Sight, judge_trial
from conformance.calibration.measures import measured, percent, share
from conformance.calibration.run_one import BAD, Job, Kind, Trial
from conformance.calibration.score import COMBINED, Flaky, falls, flaky, invariant_breaches, judge_all, score
from conformance.calibration.variant import DECLARED_IN, Fault, Twin
from conformance.model.published_score import MEASURES
from conformance.model.requirements import catalogue
from conformance.model.score import Measure
from conformance.model.text import count

SCHEMA_VERSION = 1

ENOUGH: Final = Fraction(97, 100)
"""The share of the faults in combinations that must be found or named."""

_WIDTH: Final = 110
_COMBINED: Final = (*COMBINED, "drawn")


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
    judgements, combined = judge_all(trials)
    reached = asdict(score(trials, judgements, combined))
    changed = flaky(trials)
    full = scope is DocumentScope.FULL
    return {
        "schema_version": SCHEMA_VERSION,
        "suite": {"name": NAME, "version": __version__, "catalogue": catalogue().digest},
        "measured": measured.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "scope": scope.value,
        "score": reached,
        "problems": [
            {"about": about, "what": what}
            for about, what in (
                *_problems(judgements, changed, reached, committed if full else None, whole=full),
                *_problems_of(combined),
                *_differences(selections),
                *_not_given_again(trials),
            )
        ],
        "faults": list(_faults(judgements)),
        "conforming": list(_conforming(judgements)),
        "combinations": list(_combinations(combined)),
        "selections": selections,
        "only_generated": generated,
        "verified": _verified(trials),
        "wavering": [asdict(each) for each in changed],
    }


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


def _problems(
    judgements: Sequence[Judgement],
    changed: Sequence[Flaky],
    reached: dict[str, Any],
    committed: dict[str, Any] | None,
    *,
    whole: bool,
) -> Iterator[tuple[str, str]]:
    """Yield each problem: the name of the service, and the description."""
    for judgement in judgements:
        if not judgement.good:
            yield judgement.trial.job.name, f"{judgement.mark.capitalize()}. {judgement.why}"
    for each in changed:
        yield each.name, f"{each.requirement} is flaky, its verdict changes with the seed: {', '.join(each.verdicts)}."
    if whole:
        yield from (("invariant", breach) for breach in invariant_breaches(judgements))
    if committed is not None:
        same = committed["suite"]["catalogue"] == catalogue().digest
        yield from (("score", fall) for fall in falls(committed["score"], reached, same_catalogue=same))


def _problems_of(combined: Sequence[CombinedJudgement]) -> Iterator[tuple[str, str]]:
    """Yield each failure that no fault of its combination causes, and a share of misses that is too large."""
    for each in combined:
        if each.trial.defective:
            yield each.trial.job.name, f"{Mark.DEFECTIVE.capitalize()}. {each.trial.broken}"
        for said in each.wrong:
            what = (
                f"Reported, although none of the faults violates it: {said.requirement} {said.verdict}: {said.message}"
            )
            yield each.trial.job.name, what
    sights = [seen.sight for each in combined for seen in each.seen]
    found = measured(sight is not Sight.MISSED for sight in sights)
    if share(found) < ENOUGH:
        yield "combinations", f"{found.kept} of {found.of} faults are found or named; {ENOUGH * 100} % are required."


def _differences(selections: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield each verdict of a selected requirement that is not the one of a whole run."""
    for each in selections:
        selected, whole = (each[name] or "without a verdict" for name in ("selected", "whole"))
        if selected != whole:
            yield each["name"], f"{each['requirement']} came out as {selected} where it alone is selected, not {whole}."


def _selections(trials: Sequence[Trial]) -> Iterator[dict[str, Any]]:
    """Yield, for each selection of `trials`, the verdict of the whole run too; a verdict is empty where none was made.

    `exchanges` are those of the run of the selection.
    """
    whole = _whole(trials)
    for trial in trials:
        if (job := trial.job).select:
            yield {
                "kind": job.kind,
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


def _not_given_again(trials: Iterable[Trial]) -> Iterator[tuple[str, str]]:
    """Yield each trial whose evidence does not give the report again."""
    for trial in trials:
        if trial.differences:
            more = len(trial.differences) - 1
            also = f" ({count(more, 'more difference')})" if more else ""
            yield trial.job.name, f"Its evidence does not give its report again: {trial.differences[0]}{also}"


def _verified(trials: Iterable[Trial]) -> dict[str, int]:
    """Return how many reports were computed again from their evidence, and how many were equal."""
    tried = [trial for trial in trials if trial.job.verify and not trial.broken]
    return {"of": len(tried), "equal": sum(not trial.differences for trial in tried)}


def _combinations(combined: Sequence[CombinedJudgement]) -> Iterator[dict[str, Any]]:
    for each in combined:
        yield {
            "name": each.trial.job.name,
            "faults": [
                {"name": seen.fault.name, "sight": seen.sight.value, **asdict(seen.reported)} for seen in each.seen
            ],
            "wrong": [asdict(said) for said in each.wrong],
            "exchanges": each.trial.exchanges,
            "seconds": round(each.trial.seconds, 2),
        }


def _faults(judgements: Sequence[Judgement]) -> Iterator[dict[str, Any]]:
    for each in judgements:
        trial, variant = each.trial, each.trial.job.variant
        if isinstance(variant, Fault):
            own = [each for each in trial.findings.get(variant.requirement, ()) if each.verdict in BAD]
            yield {
                "name": variant.name,
                "summary": " ".join(variant.summary.split()),
                "requirement": variant.requirement,
                "consequences": list(variant.consequences),
                "mark": each.mark.value,
                "why": each.why,
                "verdict": str(trial.verdicts.get(variant.requirement, "")),
                "finding": own[0].message if own else "",
                "beside": list(each.beside),
                "checks": list(trial.objected),
                "exchanges": trial.exchanges,
                "seconds": round(trial.seconds, 2),
            }


def _conforming(judgements: Sequence[Judgement]) -> Iterator[dict[str, Any]]:
    for each in judgements:
        trial, variant = each.trial, each.trial.job.variant
        if trial.job.kind is Kind.FAULT:
            continue
        yield {
            "name": trial.job.name,
            "summary": " ".join(variant.summary.split()),
            "clause": variant.clause if isinstance(variant, Twin) else "",
            "mark": each.mark.value,
            "why": each.why,
            "beside": list(each.beside),
            "verdicts": {id: verdict.value for id, verdict in trial.verdicts.items()},
            "exchanges": trial.exchanges,
            "seconds": round(trial.seconds, 2),
        }


def summary(document: dict[str, Any], seconds: float) -> Iterator[tuple[str, str]]:
    """Yield the lines of the summary on the terminal, each with the name of its style."""
    nouns = {"faults": "fault", "conforming": "conforming service", "combinations": "combination"}
    tried = [count(len(document[key]), noun) for key, noun in nouns.items() if document[key]]
    yield "bold", f"{NAME} {__version__}: tried against {' and '.join(tried)} in {seconds:.0f} s\n"
    for name, meaning in MEASURES.items():
        data = document["score"][name]
        if data is not None and data["of"]:
            measure = Measure(**data)
            yield "", f"  {name.replace('_', ' '):<20} {percent(measure):>8}  {measure.kept} of {measure.of} {meaning}"
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
    if document["combinations"]:
        yield "", f"\n  {tally(document['combinations'])}"
    yield "", ""
    for each in document["combinations"]:
        for fault in each["faults"]:
            if fault["sight"] == Sight.MISSED:
                found = f"{fault['requirement']} {fault['verdict']}: {fault['message']}"
                yield "yellow", _wrapped(f"{each['name']}: {fault['name']} is missed. {found}")
    for fault in document["faults"]:
        if fault["mark"] == Mark.EXCUSED:
            yield "", _wrapped(f"{fault['name']} is missed, and no client can detect it: {fault['why']}")
    for problem in document["problems"]:
        module = DECLARED_IN.get(problem["about"], "").replace(".", "/")
        place = f" It is declared in {module}.py." if module else ""
        yield "red", _wrapped(f"{problem['about']}: {problem['what']}{place}")
    left = len(document["problems"])
    yield ("bold red", count(left, "problem")) if left else ("bold green", "No problem")


def tally(combinations: Sequence[dict[str, Any]]) -> str:
    """Return the results of the combinations as a sentence."""
    sights = Counter(fault["sight"] for each in combinations for fault in each["faults"])
    wrong = sum(len(each["wrong"]) for each in combinations)
    return (
        f"{count(len(combinations), 'combination')}: {count(wrong, 'wrong failure')}; "
        f"of {count(sights.total(), 'fault')} {sights[Sight.FOUND]:,} found, "
        f"{sights[Sight.NAMED]:,} named as hidden, {sights[Sight.MISSED]:,} missed."
    )


def selection_tally(selections: Sequence[dict[str, Any]]) -> str:
    """Return the results of the selections as a sentence."""
    same = measured(each["selected"] == each["whole"] for each in selections)
    exchanges = [each["exchanges"] for each in selections]
    return (
        f"{count(same.of, 'selection')} of one requirement: {same.kept:,} ({percent(same)}) with the verdict of a "
        f"whole run; {sum(exchanges) / len(exchanges):.0f} exchanges on average, at most {max(exchanges):,}."
    )


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
