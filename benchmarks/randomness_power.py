"""What the tests of identifiers find, by the strength of the defect, and how often they accuse a good generator."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import identifier_samples as defects  # type: ignore[import-not-found]
from identifier_samples import Make, fair, sample

from conformance.judge.identifiers.analysis import ALL_RANDOM, LEVEL, NOT_INCREMENTAL, TESTS, Analysis
from conformance.judge.identifiers.sample import Sample
from conformance.judge.identifiers.section import WORDS

SIZES = (16, 32, 64, 640)


def leaning(share: float) -> Make:
    """One bit is a one in this share of cases."""
    return lambda _place, _moment, chance: chance.getrandbits(128) & ~1 | (chance.random() < share)


DEFECTS: dict[str, tuple[str, Callable[[float], Make], tuple[float, ...]]] = {
    "unbalanced bits": ("bits that never change", defects.constant, (1, 2, 4)),
    "unbalanced bits, one": ("one bit leans: share of ones", leaning, (0.9, 0.94, 0.97, 0.98)),
    "few independent bits": ("random bits that are spread over all", defects.spread, (63, 62, 40, 14)),
    "rising or falling": ("a byte moves: step as a share of its range", defects.moving, (0.6, 0.55, 0.5, 0.3)),
    "counting": ("a number counts: numbers passed for each identifier", defects.counting, (3, 2, 1.5, 1)),
}
"""For each test the defect that it is there for, with strengths from too weak to plain."""


def beside_a_clock(bits: float) -> Make:
    """Milliseconds in front, this many random bits at the end, the rest fixed."""
    return lambda _place, moment, chance: (
        int(moment * 1000) << 80 | 0x5A5A << 64 | chance.getrandbits(int(bits) or 1) * (bits > 0)
    )


def random_bits(bits: int) -> Make:
    """This many random bits at the end of a fixed identifier."""
    return lambda _place, _moment, chance: (
        0x5F0C_9A1E_3B7D_4C62_9E41_7A8D_2B6C_0F13 >> bits << bits | chance.getrandbits(bits)
    )


def version_7_of_a_counting_library() -> Make:
    """Milliseconds, a counter of 12 bits that begins at random in each of them, and 62 random bits (RFC 9562, 6.2)."""
    last = [0, 0]

    def make(_place: int, moment: float, chance: random.Random) -> int:
        tick = int(moment * 1000)
        last[:] = [tick, last[1] + 1 if tick == last[0] else chance.getrandbits(11)]
        return tick << 80 | (last[1] & 0xFFF) << 64 | chance.getrandbits(62)

    return make


def version_6(_place: int, moment: float, chance: random.Random) -> int:
    """The time of version 1 in sortable order, and a random node and sequence."""
    ticks = int((moment - defects.GREGORIAN) * 1e7)
    return ticks >> 12 << 80 | 6 << 76 | (ticks & 0xFFF) << 64 | chance.getrandbits(64)


GOOD: dict[str, tuple[Callable[[], Make], int | None]] = {
    "version 4: 122 random bits": (lambda: fair, 4),
    "128 random bits": (lambda: fair, None),
    "90 random bits": (lambda: random_bits(90), None),
    "74 random bits": (lambda: random_bits(74), None),
    "64 random bits": (lambda: random_bits(64), None),
    "version 7: milliseconds and 74 random bits": (
        lambda: lambda _place, moment, chance: int(moment * 1000) << 80 | chance.getrandbits(80),
        7,
    ),
    "version 7 with a counter within the millisecond": (version_7_of_a_counting_library, 7),
    "version 7 with a fraction of the millisecond": (
        lambda: (
            lambda _place, moment, chance: (
                int(moment * 1000) << 80 | int(moment * 4096e3) % 4096 << 64 | chance.getrandbits(62)
            )
        ),
        7,
    ),
    "version 1 with a random node": (lambda: defects.version_1, None),
    "version 6 with a random node": (lambda: version_6, None),
    "ULID: milliseconds and 80 random bits": (
        lambda: lambda _place, moment, chance: int(moment * 1000) << 80 | chance.getrandbits(80),
        None,
    ),
    "KSUID: seconds since 2014 and 96 of its random bits": (
        lambda: lambda _place, moment, chance: int(moment) - 1_400_000_000 << 96 | chance.getrandbits(96),
        None,
    ),
    "a prefix of 32 bits for the tenant": (
        lambda: lambda _place, _moment, chance: 0x0001_E240 << 96 | chance.getrandbits(96),
        4,
    ),
    "one constant byte": (
        lambda: lambda _place, _moment, chance: chance.getrandbits(128) & ~(0xFF << 24) | 0x2A << 24,
        4,
    ),
    "random, then a clock (COMB)": (
        lambda: lambda _place, moment, chance: chance.getrandbits(80) << 48 | int(moment * 1000),
        4,
    ),
    "a clock of an epoch of its own": (
        lambda: lambda _place, moment, chance: int((moment - 1_558_081_860.3) * 3000) << 80 | chance.getrandbits(80),
        4,
    ),
}
"""Generators that conform, with the version digit that they write: none may fail, whatever is a warning."""

MAY_WARN = ("90", "74", "64", "a prefix", "one constant", "a clock of an epoch")
"""Where a warning (2.1-requestId-all-random) is right: bits that the format leaves free are constant."""


def failed(analysis: Analysis) -> bool:
    """Tell whether a run fails these identifiers."""
    return analysis.too_few_bits is not None or analysis.against(NOT_INCREMENTAL) is not None


def found_by(name: str, sample: Sample) -> bool:
    """Tell whether one test speaks against the identifiers."""
    evidence = next(test for test, (words, *_) in zip(TESTS, WORDS, strict=True) if name.startswith(words))(sample)
    return evidence is not None and evidence.probability < LEVEL


def row(title: str, make: Make, samples: int, found: Callable[[Sample], bool]) -> str:
    """Write in how many of a hundred samples of each size something was found."""
    figures = []
    for size in SIZES:
        tries = samples if size < 100 else max(1, samples // 10)
        hits = sum(found(sample(f"{title}/{size}/{seed}", make, size)) for seed in range(tries))
        figures.append(f"{hits / tries:.0%}")
    return f"| {title} | {' | '.join(figures)} |"


def main() -> int:
    """Print a table of detection by strength, and one of generators that conform; return 1 if one is accused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200, help="samples for each figure; a tenth of it for 640 ids")
    parser.add_argument("--conforming", action="store_true", help="try only the generators that conform")
    options = parser.parse_args()
    if not options.conforming:
        _power(options.samples)
    return _conforming(options.samples)


def _power(samples: int) -> None:

    print(f"| test | defect | strength | {' | '.join(f'{size} ids' for size in SIZES)} |")
    print("|---|---|---|" + "---|" * len(SIZES))
    for name, (words, defect, strengths) in DEFECTS.items():
        for strength in strengths:
            found = partial(found_by, name)
            print(row(f"{name} | {words} | {strength}", defect(strength), samples, found), flush=True)
    for bits in (0, 32, 47, 48, 60):
        title = f"all together | random bits beside a clock | {bits}"
        print(row(title, beside_a_clock(bits), samples, lambda sample: failed(Analysis(sample))), flush=True)


def _conforming(samples: int) -> int:
    print("\n| generator that conforms | samples | failed | warned |\n|---|---|---|---|")
    wrong = 0
    for name, (generator, version) in GOOD.items():
        drawn = (
            sample(f"{name}/{size}/{seed}", generator(), size, version) for size in SIZES[:3] for seed in range(samples)
        )
        analyses = [Analysis(each) for each in drawn]
        fails = sum(failed(analysis) for analysis in analyses)
        warnings = sum(analysis.against(ALL_RANDOM) is not None for analysis in analyses)
        wrong += fails + (0 if name.startswith(MAY_WARN) else warnings)
        print(f"| {name} | {len(analyses)} | {fails} | {warnings} |", flush=True)
    print(f"\n{wrong} wrong failures and warnings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
