"""An image of identifiers: a row for each one, a square for each bit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

_HEX = re.compile(r"[0-9a-f]{32}")


def bit_image(ids: Sequence[str]) -> str:
    """Return the path of an SVG of 128 columns that draws the ones of each identifier, the most significant bit first.

    A text that is no UUID has an empty row. About 14 KB for 64 identifiers.
    """
    digits = [each.replace("-", "").lower() for each in ids]
    return "".join(_row(int(each, 16), place) if _HEX.fullmatch(each) else "" for place, each in enumerate(digits))


def _row(value: int, place: int) -> str:
    """Return the strokes over the ones of a number, from left to right."""
    strokes, ahead = [f"M0 {place}.5"], 0
    for bit, run in groupby(f"{value:0128b}"):
        length = len(list(run))
        if bit == "1":
            strokes.append(f"{f'm{ahead} 0' if ahead else ''}h{length}")
            ahead = 0
        else:
            ahead = length
    return "".join(strokes)
