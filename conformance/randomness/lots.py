"""Identifiers of one kind, and the parting of those of several: services have nodes, and nodes have libraries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from conformance.randomness.clocks import Clock
from conformance.randomness.epochs import of_known_epochs
from conformance.randomness.pace import of_any_epoch
from conformance.randomness.sample import Drawn, Sample
from conformance.randomness.time_fields import time_based

_FEWEST_OF_A_CLOCK = 3
"""So many identifiers have to tell the time: that two of them do by chance is not beyond all doubt."""


def clocks_of(sample: Sample) -> Iterator[Clock]:
    """Yield the clocks that may be inside the identifiers, other than that of version 1 or 6."""
    if len({each.id for each in sample.drawn}) * 2 <= len(sample.drawn):
        return  # a clock goes on: what stays the same lies near some day by chance
    yield from of_known_epochs(sample.drawn)
    if (clock := of_any_epoch(sample)) is not None:
        yield clock


def lots(sample: Sample) -> tuple[Sample, ...]:
    """Part from the others the identifiers of a version digit that tell the time, where the others do not.

    What is random beside a clock and what is random throughout are each random, but their bits do not fall alike.
    Random identifiers are never parted: where the digit is drawn as well, three with the same one tell the time in
    some place by chance once in 10^10 samples. What the tests may say of a random generator stays as it is.
    """
    by_version: dict[int, list[Drawn]] = defaultdict(list)
    for each in sample.drawn:
        by_version[each.id.int >> 76 & 0xF].append(each)
    if len(by_version) < 2 or _tells_the_time(sample):
        return (sample,)
    apart = [lot for drawn in by_version.values() if _tells_the_time(lot := replace(sample, drawn=tuple(drawn)))]
    parted = set(chain.from_iterable(lot.drawn for lot in apart))
    return (replace(sample, drawn=tuple(each for each in sample.drawn if each not in parted)), *apart)


def _tells_the_time(sample: Sample) -> bool:
    seen = len({each.id for each in sample.drawn})
    if seen > 1 and time_based(sample.drawn):
        return True
    return seen >= _FEWEST_OF_A_CLOCK and any(True for _ in clocks_of(sample))
