"""What the tests of identifiers find, by the strength of the defect, and how often they accuse a good generator."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import identifier_samples as defects  # type: ignore[import-not-found]
from identifier_samples import Make, fair, sample

from conformance.identifiers.analysis import LEVEL, Analysis
from conformance.identifiers.counters import NOT_TIME_ORDERED
from conformance.identifiers.sample import Sample
from conformance.identifiers.statistics import TESTS

SIZES = (16, 32, 64, 640)

DEFECTS: dict[str, tuple[str, Callable[[float], Make], tuple[float, ...]]] = {
    "constant bits": ("bits that never change", defects.constant, (1, 2, 4)),
    "leaning bits": ("one bit leans: share of ones", defects.leaning, (0.9, 0.94, 0.97, 0.98)),
    "ones and zeros": ("all bits lean: share of ones", defects.unbalanced, (0.53, 0.54, 0.55, 0.56)),
    "copied bits": ("one bit is a copy: share of agreement", defects.copied, (0.92, 0.96, 0.98, 0.99)),
    "few independent bits": ("random bits that are spread over all", defects.spread, (63, 62, 40, 14)),
    "neighbours": ("all bits are kept: share", defects.kept, (0.53, 0.54, 0.55, 0.56)),
    "rhythm": ("one bit changes each time: share", defects.alternating, (0.9, 0.94, 0.98, 0.99)),
    "rising or falling": ("two bytes follow the time: noise", defects.rising, (0.5, 0.4, 0.3, 0.2)),
    "counting": ("a byte counts: step as a share of its range", defects.counting, (0.6, 0.55, 0.5, 0.3)),
    "equal steps": ("two bytes move by equal steps: share", defects.stepping, (0.2, 0.3, 0.4, 0.45)),
    "carries": ("a masked counter of two bytes skips: share", defects.masked, (0.4, 0.3, 0.2, 0.1)),
}
"""For each test the defect that it is there for, with strengths from too weak to plain."""


def beside_a_clock(bits: float) -> Make:
    """Milliseconds in front, this many random bits at the end, the rest fixed."""
    return lambda _place, moment, chance: (
        int(moment * 1000) << 80 | 0x5A5A << 64 | chance.getrandbits(int(bits) or 1) * (bits > 0)
    )


GOOD: dict[str, Make] = {
    "every bit at random": fair,
    "version 7": lambda _place, moment, chance: int(moment * 1000) << 80 | chance.getrandbits(80),
    "random, then a clock": lambda _place, moment, chance: chance.getrandbits(80) << 48 | int(moment * 1000),
    "a clock of an epoch of its own": lambda _place, moment, chance: (
        int((moment - 1_558_081_860.3) * 3000) << 80 | chance.getrandbits(80)
    ),
}


def accused(sample: Sample) -> bool:
    """Tell whether anything that makes a run fail speaks against the identifiers."""
    analysis = Analysis(sample)
    against = [each for each in analysis.results if each.found and each.test.requirement != NOT_TIME_ORDERED]
    return bool(analysis.time_based or analysis.too_few_bits is not None or against)


def found_by(name: str, sample: Sample) -> bool:
    """Tell whether one test speaks against the identifiers."""
    evidence = next(test for test in TESTS if test.name == name).run(sample)
    return evidence is not None and evidence.probability < LEVEL


def row(title: str, make: Make, samples: int, found: Callable[[Sample], bool]) -> str:
    """Write in how many of a hundred samples of each size something was found."""
    figures = []
    for size in SIZES:
        tries = samples if size < 100 else max(1, samples // 10)
        hits = sum(found(sample(f"{title}/{size}/{seed}", make, size)) for seed in range(tries))
        figures.append(f"{hits / tries:.0%}")
    return f"| {title} | {' | '.join(figures)} |"


def main() -> None:
    """Print a table of detection by strength, and one of false alarms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200, help="samples for each figure; a tenth of it for 640 ids")
    samples = parser.parse_args().samples

    print(f"| test | defect | strength | {' | '.join(f'{size} ids' for size in SIZES)} |")
    print("|---|---|---|" + "---|" * len(SIZES))
    for name, (words, defect, strengths) in DEFECTS.items():
        for strength in strengths:
            found = partial(found_by, name)
            print(row(f"{name} | {words} | {strength}", defect(strength), samples, found), flush=True)
    for bits in (0, 32, 47, 48, 60):
        title = f"all together | random bits beside a clock | {bits}"
        print(row(title, beside_a_clock(bits), samples, accused), flush=True)

    print("\n| good generator | samples of 64 | accused |\n|---|---|---|")
    for name, make in GOOD.items():
        alarms = sum(accused(sample(f"{name}/{seed}", make)) for seed in range(10 * samples))
        print(f"| {name} | {10 * samples} | {alarms} |", flush=True)


if __name__ == "__main__":
    main()
