"""The score of a calibration, and the invariants that it must keep."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from conformance.calibration.judgement import (
    CombinedJudgement,
    Judgement,
    Mark,
    Sight,
    judge_combination,
    judge_trial,
)
from conformance.calibration.measures import measured, share
from conformance.calibration.run_one import REFERENCE_JOB, Kind, Trial
from conformance.calibration.variant import Fault
from conformance.model.published_score import MEASURES
from conformance.model.requirements import catalogue
from conformance.model.score import Measure
from conformance.model.verdict import Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaky:
    """A requirement whose verdict changed with the seed; `verdicts` in the order of the repetitions."""

    kind: Kind
    name: str
    requirement: str
    verdicts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """The measures, in the shape of `$defs/score` of `calibration.schema.json`.

    Those of combinations are None without combinations, `stability` without repetitions.
    """

    sensitivity: Measure
    attribution: Measure
    specificity: Measure
    specificity_unconfirmed: Measure | None = None
    sensitivity_with_options: Measure | None = None
    specificity_with_options: Measure | None = None
    combined_sensitivity: Measure | None = None
    combined_attribution: Measure | None = None
    drawn: str | None = None
    """Digest of the names of the combinations: another set of faults is drawn from differently."""
    stability: Measure | None = None
    repetitions: int = 1
    excused: int = 0
    """Faults that count as missed in the sensitivity, and whose declaration says why no client can detect them."""
    proofs: Mapping[str, int] = field(default_factory=dict)
    """For each testable requirement, the number of faults that its check detected."""


def judge_all(trials: Iterable[Trial]) -> tuple[list[Judgement], list[CombinedJudgement]]:
    """Judge the first trial of each service, combinations apart; the repetitions are for the stability alone."""
    first = [trial for trial in trials if trial.job.seed == 0]
    return (
        [judge_trial(trial) for trial in first if trial.job.kind is not Kind.COMBINATION],
        [judge_combination(trial) for trial in first if trial.job.kind is Kind.COMBINATION],
    )


def score(
    trials: Sequence[Trial], judgements: Sequence[Judgement], combined: Sequence[CombinedJudgement] = ()
) -> Score:
    """Return the score of `trials`, whose first ones have `judgements` and `combined`."""
    # Only the services that are tried in the recommended configuration enter the main measures.
    faults, more_faults = _by_options(each for each in judgements if each.trial.job.kind is Kind.FAULT)
    conforming, more_conforming = _by_options(each for each in judgements if each.trial.job.kind is not Kind.FAULT)
    unconfirmed = [each for each in conforming if each.trial.job.variant.contradicts]
    repetitions = 1 + max((trial.job.seed for trial in trials), default=0)
    unstable = {(each.kind, each.name) for each in flaky(trials)}
    tried = {(trial.job.kind, trial.job.name) for trial in trials}
    return Score(
        sensitivity=measured(each.caught for each in faults),
        attribution=measured(not each.beside for each in faults),
        specificity=measured(each.mark is Mark.ACCEPTED for each in conforming if each not in unconfirmed),
        specificity_unconfirmed=measured(each.mark is Mark.ACCEPTED for each in unconfirmed) if unconfirmed else None,
        sensitivity_with_options=measured(each.mark is Mark.CAUGHT for each in more_faults) if more_faults else None,
        specificity_with_options=measured(each.mark is Mark.ACCEPTED for each in more_conforming)
        if more_conforming
        else None,
        combined_sensitivity=measured(each.sight is not Sight.MISSED for one in combined for each in one.seen)
        if combined
        else None,
        combined_attribution=measured(not each.wrong for each in combined) if combined else None,
        drawn=_digest(each.trial.job.name for each in combined) if combined else None,
        stability=measured(each not in unstable for each in tried) if repetitions > 1 else None,
        repetitions=repetitions,
        excused=sum(each.mark is Mark.EXCUSED for each in faults),
        proofs=_proofs([*faults, *more_faults]),
    )


def _digest(names: Iterable[str]) -> str:
    return f"sha256:{hashlib.sha256(chr(10).join(sorted(names)).encode()).hexdigest()}"


def _by_options(judgements: Iterable[Judgement]) -> tuple[list[Judgement], list[Judgement]]:
    """Return the judgements of services tried with the recommended options alone, and those of services with more."""
    usual: list[Judgement] = []
    more: list[Judgement] = []
    for each in judgements:
        (more if each.trial.job.variant.has_more_options else usual).append(each)
    return usual, more


def detectable_requirements() -> list[str]:
    """Return the ids that a service can violate and a client can see."""
    return [row.id for row in catalogue().rows.values() if row.level is not Level.OPEN and not row.untestable]


def flaky(trials: Iterable[Trial]) -> list[Flaky]:
    """Return every requirement of a service whose verdict was not the same in all repetitions."""
    groups: defaultdict[tuple[Kind, str], list[Trial]] = defaultdict(list)
    for trial in trials:
        groups[trial.job.kind, trial.job.name].append(trial)
    found = []
    for (kind, name), repeated in groups.items():
        for requirement in dict.fromkeys(id for trial in repeated for id in trial.verdicts):
            verdicts = tuple(str(trial.verdicts.get(requirement, "none")) for trial in repeated)
            if len(set(verdicts)) > 1:
                found.append(Flaky(kind=kind, name=name, requirement=requirement, verdicts=verdicts))
    return found


def _proofs(faults: Iterable[Judgement]) -> dict[str, int]:
    caught = Counter(fault.requirement for _, fault in _caught(faults))
    return {requirement: caught[requirement] for requirement in detectable_requirements()}


# ---------------------------------------------------------------------- invariants of a whole calibration


def invariant_breaches(judgements: Sequence[Judgement]) -> Iterator[str]:
    """Yield, in words, each check that detects no fault of its requirement."""
    catching = {
        check
        for trial, fault in _caught(judgements)
        for check in trial.objected
        if trial.checks.get(check) == fault.requirement
    }
    reference = next((each.trial.checks for each in judgements if each.trial.job == REFERENCE_JOB), {})
    wanted = frozenset(detectable_requirements())
    for check, requirement in reference.items():
        if requirement in wanted and check not in catching:
            yield f"{check} detects no fault of {requirement}."


def _caught(judgements: Iterable[Judgement]) -> Iterator[tuple[Trial, Fault]]:
    for each in judgements:
        variant = each.trial.job.variant
        if each.caught and isinstance(variant, Fault):
            yield each.trial, variant


# ---------------------------------------------------------------------- the score beside an earlier one

COMBINED: Final = ("combined_sensitivity", "combined_attribution")
"""The measures over combinations of faults."""


def falls(before: dict[str, Any], now: dict[str, Any], *, same_catalogue: bool = True) -> Iterator[str]:
    """Yield, in words, in what the score `now` of the whole calibration set is below the score `before`.

    A measure falls with its share. With the same catalogue it falls as well when it is taken over fewer services: no
    change may raise a share by leaving the hard services out. Another catalogue may make a conforming service a faulty
    one, so services may go with it. Faults missed for a stated reason lower no share. A measure that one score lacks is
    not compared, nor are measures over combinations, which a self-test holds to a floor: which faults hide each other
    there changes with each correction of a verdict.
    """
    for name in MEASURES:
        old, new = before.get(name), now.get(name)
        if old is None or new is None or name in COMBINED:
            continue
        if same_catalogue and new["of"] < old["of"]:
            yield f"The {name} was taken over {new['of']} services; it was {old['of']}."
        if _share(name, now) < _share(name, before):
            yield f"The {name} fell to {new['kept']} of {new['of']}; it was {old['kept']} of {old['of']}."


def _share(name: str, score: dict[str, Any]) -> Fraction:
    excused = score["excused"] if name == "sensitivity" else 0
    return share(Measure(kept=score[name]["kept"] + excused, of=score[name]["of"]))
