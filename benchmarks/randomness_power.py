"""What the tests of identifiers find, by the strength of the defect, and how often they accuse a good generator."""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from functools import partial
from uuid import UUID

from conformance.identifiers.analysis import LEVEL, Analysis
from conformance.identifiers.counters import NOT_TIME_ORDERED
from conformance.identifiers.sample import ObservedId, Sample
from conformance.identifiers.statistics import TESTS

SIZES = (16, 32, 64, 640)
NOW = 1_769_860_800.0
Make = Callable[[int, float, random.Random], int]
"""Makes the number of an identifier from its place, the moment (seconds since 1970) and a source of chance."""


def draw(seed: str, make: Make, count: int) -> Sample:
    """Return identifiers drawn one after another, at the uneven distances of a run."""
    chance = random.Random(seed)
    moment, ids = NOW, []
    for place in range(count):
        moment += 0.003 + chance.random() * (0.2 if place % 7 == 0 else 0.01)
        value = make(place, moment, chance) & ~(0xF << 76) & ~(0x3 << 62) | 4 << 76 | 2 << 62
        ids.append(ObservedId(UUID(int=value), moment - 0.001, moment + 0.001))
    return Sample(ids)


def fair(_place: int, _moment: float, chance: random.Random) -> int:
    """Every bit at random."""
    return chance.getrandbits(128)


# ---------------------------------------------------------------------- defects, by strength


def constant(bits: float) -> Make:
    """Some bits are always one."""
    return lambda _place, _moment, chance: chance.getrandbits(128) | (1 << int(bits)) - 1


def leaning(share: float) -> Make:
    """One bit is a one in this share of cases."""
    return lambda _place, _moment, chance: chance.getrandbits(128) & ~1 | (chance.random() < share)


def unbalanced(share: float) -> Make:
    """Every bit is a one in this share of cases."""
    return lambda _place, _moment, chance: sum((chance.random() < share) << bit for bit in range(128))


def copied(share: float) -> Make:
    """One bit agrees with another in this share of cases."""

    def make(_place: int, _moment: float, chance: random.Random) -> int:
        value = chance.getrandbits(128)
        return value & ~1 | (value >> 90 & 1) ^ (chance.random() > share)

    return make


def spread(bits: float) -> Make:
    """Few random bits, spread over the identifier by exclusive or."""
    weave = random.Random("weave")
    patterns = [weave.getrandbits(128) for _ in range(int(bits))]

    def make(_place: int, _moment: float, chance: random.Random) -> int:
        value = 0
        for pattern in patterns:
            value ^= pattern * chance.getrandbits(1)
        return value

    return make


def kept(share: float) -> Make:
    """A bit is that of the identifier before in this share of cases."""
    before = [0]

    def make(place: int, _moment: float, chance: random.Random) -> int:
        changed = sum((chance.random() > share) << bit for bit in range(128))
        before[0] = chance.getrandbits(128) if place == 0 else before[0] ^ changed
        return before[0]

    return make


def alternating(share: float) -> Make:
    """One bit changes in this share of cases."""
    before = [0]

    def make(_place: int, _moment: float, chance: random.Random) -> int:
        before[0] ^= chance.random() < share
        return chance.getrandbits(128) & ~1 | before[0]

    return make


def rising(noise: float) -> Make:
    """Two bytes follow the time over 64 identifiers, but for noise of this share of their whole way."""

    def make(place: int, _moment: float, chance: random.Random) -> int:
        way = min(place / 64, 1.0) * (1 - noise) + chance.random() * noise
        return chance.getrandbits(112) << 16 | int(way * 65_535)

    return make


def counting(share: float) -> Make:
    """One byte moves by this share of its range each time."""
    return lambda place, _moment, chance: chance.getrandbits(120) << 8 | 5 + int(256 * share) * place & 0xFF


def stepping(share: float) -> Make:
    """Two bytes move by the same step in this share of cases."""
    before = [0]

    def make(_place: int, _moment: float, chance: random.Random) -> int:
        before[0] += 0x1357 if chance.random() < share else chance.getrandbits(16)
        return chance.getrandbits(112) << 16 | before[0] & 0xFFFF

    return make


def masked(skipping: float) -> Make:
    """A counter of two bytes under a constant mask, that skips to any other number within sixteen in this share."""
    before = [0x1234]

    def make(_place: int, _moment: float, chance: random.Random) -> int:
        before[0] += chance.randint(2, 16) if chance.random() < skipping else 1
        return chance.getrandbits(112) << 16 | (before[0] & 0xFFFF) ^ 0x5F0C

    return make


DEFECTS: dict[str, tuple[str, Callable[[float], Make], tuple[float, ...]]] = {
    "constant bits": ("bits that never change", constant, (1, 2, 4)),
    "leaning bits": ("one bit leans: share of ones", leaning, (0.9, 0.94, 0.97, 0.98)),
    "ones and zeros": ("all bits lean: share of ones", unbalanced, (0.53, 0.54, 0.55, 0.56)),
    "copied bits": ("one bit is a copy: share of agreement", copied, (0.92, 0.96, 0.98, 0.99)),
    "few independent bits": ("random bits that are spread over all", spread, (63, 62, 40, 14)),
    "neighbours": ("all bits are kept: share", kept, (0.53, 0.54, 0.55, 0.56)),
    "rhythm": ("one bit changes each time: share", alternating, (0.9, 0.94, 0.98, 0.99)),
    "rising or falling": ("two bytes follow the time: noise", rising, (0.5, 0.4, 0.3, 0.2)),
    "counting": ("a byte counts: step as a share of its range", counting, (0.6, 0.55, 0.5, 0.3)),
    "equal steps": ("two bytes move by equal steps: share", stepping, (0.2, 0.3, 0.4, 0.45)),
    "carries": ("a masked counter of two bytes skips: share", masked, (0.4, 0.3, 0.2, 0.1)),
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
    return bool(analysis.time_based or analysis.too_few_bits or against)


def found_by(name: str, sample: Sample) -> bool:
    """Tell whether one test speaks against the identifiers."""
    evidence = next(test for test in TESTS if test.name == name).run(sample)
    return evidence is not None and evidence.probability < LEVEL


def row(title: str, make: Make, samples: int, found: Callable[[Sample], bool]) -> str:
    """Write in how many of a hundred samples of each size something was found."""
    figures = []
    for size in SIZES:
        tries = samples if size < 100 else max(1, samples // 10)
        hits = sum(found(draw(f"{title}/{size}/{seed}", make, size)) for seed in range(tries))
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
        alarms = sum(accused(draw(f"{name}/{seed}", make, 64)) for seed in range(10 * samples))
        print(f"| {name} | {10 * samples} | {alarms} |", flush=True)


if __name__ == "__main__":
    main()
