"""The verdicts of a self-test as data: for each service that was tried, requirement → verdict.

`selftest --compare COMMIT` lists every verdict that a change moves, also those that no score counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from conformance.calibration.run_one import Trial

Vectors: TypeAlias = Mapping[str, Mapping[str, str]]
"""By service, with the seed where it is not 0: the verdict of each requirement."""


def vectors(trials: Iterable[Trial]) -> Vectors:
    """Return the verdicts of the whole runs among `trials`."""
    whole = (each for each in trials if not (each.job.select or each.job.without))
    return {
        f"{each.job.name} (seed {each.job.seed})" if each.job.seed else each.job.name: {
            requirement: verdict.value for requirement, verdict in each.verdicts.items()
        }
        for each in whole
    }


def moved(before: Vectors, now: Vectors) -> Iterator[str]:
    """Yield, by requirement, each verdict of a service tried both times that is not the same now.

    Yield as well how many services only one of the two self-tests tried.
    """
    changes: dict[str, list[str]] = defaultdict(list)
    for service in before.keys() & now.keys():
        for requirement in before[service].keys() | now[service].keys():
            was, is_now = (each[service].get(requirement, "no verdict") for each in (before, now))
            if was != is_now:
                changes[requirement].append(f"{service}: {was} -> {is_now}")
    for requirement in sorted(changes):
        for change in sorted(changes[requirement]):
            yield f"{requirement}  {change}"
    for count, when in ((len(before.keys() - now.keys()), "earlier"), (len(now.keys() - before.keys()), "now")):
        if count:
            yield f"Services that were tried only {when}: {count:,}."
