"""The score of a calibration, and the invariants that it must keep."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

from conformance.calibration.combinations import find_variant
from conformance.calibration.run_one import REFERENCE_JOB, Trial
from conformance.calibration.trial_result import Mark, Sight, TrialResult
from conformance.calibration.variant import Kind, detectable_requirements
from conformance.model.score import MEASURES

Measure: TypeAlias = Mapping[str, int]
"""How many are `kept`, out of how many (`of`)."""
Score: TypeAlias = Mapping[str, Any]
"""`$defs/score` of `calibration.schema.json`."""

COMBINED: Final = ("combined_sensitivity", "combined_attribution")
"""The measures over combinations of faults."""


def score(trials: Sequence[Trial], results: Sequence[TrialResult]) -> dict[str, Any]:
    """Return the score of `trials`, whose first ones have `results`; a measure of nothing is None."""
    groups: defaultdict[tuple[str, bool], list[TrialResult]] = defaultdict(list)
    for each in results:
        service = each.trial.job.variant
        # Only the services that are tried in the recommended configuration enter the main measures.
        groups[service.kind, service.has_more_options].append(each)
    faults, more_faults = groups[Kind.FAULT, False], groups[Kind.FAULT, True]
    conforming, more_conforming = groups[Kind.TWIN, False], groups[Kind.TWIN, True]
    combined = groups[Kind.COMBINATION, False] + groups[Kind.COMBINATION, True]
    unconfirmed = [each for each in conforming if each.trial.job.variant.is_in_use]
    repetitions = 1 + max((trial.job.seed for trial in trials), default=0)
    unstable = {each["name"] for each in wavering(trials)}
    tried = {trial.job.name for trial in trials} if repetitions > 1 else set()
    held = {
        "sensitivity": [each.caught for each in faults],
        "attribution": [not each.beside for each in faults],
        "specificity": [each.good for each in conforming if each not in unconfirmed],
        "specificity_unconfirmed": [each.good for each in unconfirmed],
        "sensitivity_with_options": [each.mark is Mark.CAUGHT for each in more_faults],
        "specificity_with_options": [each.good for each in more_conforming],
        "combined_sensitivity": [seen.sight is not Sight.MISSED for each in combined for seen in each.seen],
        "combined_attribution": [not each.beside for each in combined],
        "stability": [each not in unstable for each in tried],
    }
    drawn = "\n".join(sorted(each.trial.job.name for each in combined))
    caught = Counter(each.seen[0].fault.requirement for each in (*faults, *more_faults) if each.caught)
    return {
        **{name: measured(each) if each else None for name, each in held.items()},
        "drawn": f"sha256:{hashlib.sha256(drawn.encode()).hexdigest()}" if combined else None,
        "repetitions": repetitions,
        "excused": sum(each.mark is Mark.EXCUSED for each in faults),
        "proofs": {requirement: caught[requirement] for requirement in detectable_requirements()},
    }


def measured(held: Sequence[bool]) -> dict[str, int]:
    """Count what holds."""
    return {"kept": sum(held), "of": len(held)}


def share(measure: Measure) -> Fraction:
    """Return the share; 1 of nothing."""
    return Fraction(measure["kept"], measure["of"]) if measure["of"] else Fraction(1)


def percent(measure: Measure) -> str:
    """Return the share in percent; never rounded up to 100 %."""
    hundredths = int(share(measure) * 10_000)
    return f"{hundredths / 100:.{0 if hundredths == 10_000 else 2}f} %"


def wavering(trials: Iterable[Trial]) -> list[dict[str, Any]]:
    """Return each requirement of a service whose verdict changed with the seed, with those of the repetitions."""
    groups: defaultdict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        groups[trial.job.name].append(trial)
    return [
        {"kind": find_variant(name).kind, "name": name, "requirement": requirement, "verdicts": verdicts}
        for name, repeated in groups.items()
        for requirement in dict.fromkeys(id for trial in repeated for id in trial.verdicts)
        if len({*(verdicts := tuple(str(trial.verdicts.get(requirement, "none")) for trial in repeated))}) > 1
    ]


# ---------------------------------------------------------------------- invariants of a whole calibration


def invariant_breaches(results: Sequence[TrialResult]) -> Iterator[str]:
    """Yield, in words, each check that detects no fault of its requirement."""
    catching = {
        check
        for each in results
        if each.caught
        for check in each.trial.objected
        if each.trial.checks.get(check) == each.seen[0].fault.requirement
    }
    reference = next((each.trial.checks for each in results if each.trial.job == REFERENCE_JOB), {})
    wanted = frozenset(detectable_requirements())
    for check, requirement in reference.items():
        if requirement in wanted and check not in catching:
            yield f"{check} detects no fault of {requirement}."


# ---------------------------------------------------------------------- the score beside an earlier one


def falls(before: Score, now: Score, *, same_catalogue: bool = True) -> Iterator[str]:
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


def _share(name: str, score: Score) -> Fraction:
    excused = score["excused"] if name == "sensitivity" else 0
    return share({"kept": score[name]["kept"] + excused, "of": score[name]["of"]})
