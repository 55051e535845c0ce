"""The score that ships with the suite, and whether a new one may take its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from conformance.calibration.score import MEASURES

FILE = "score.json"


@cache
def published() -> dict[str, Any] | None:
    """Return the score that ships with the suite, in the shape of `$defs/published` of `calibration.schema.json`.

    None where no score ships. What it counts: `score.proofs` says by requirement how many faults were seen caught.
    """
    try:
        text = (files("conformance.calibration") / FILE).read_text("utf-8")
    except FileNotFoundError:
        return None
    document: dict[str, Any] = json.loads(text)
    return document


def falls(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Yield, in words, in what the score `now` of a whole zoo is below the score `before`.

    A measure falls with its share, or when it is taken over fewer services: nobody may raise a share by leaving the
    hard ones out. Stability is compared only where both have it.
    """
    for name in MEASURES:
        old, new = before[name], now[name]
        if old is None or new is None:
            continue
        if new["of"] < old["of"]:
            yield f"The {name} was taken over {new['of']} services; it was {old['of']}."
        if _share(new) < _share(old):
            yield f"The {name} fell to {new['kept']} of {new['of']}; it was {old['kept']} of {old['of']}."


def _share(measure: dict[str, int]) -> Fraction:
    return Fraction(measure["kept"], measure["of"]) if measure["of"] else Fraction(1)
