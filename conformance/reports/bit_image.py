"""An image of identifiers: a row for each one, a square for each bit, in the colours of the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from markupsafe import Markup

_HEX = re.compile(r"[0-9a-f]{32}")


def bit_image(ids: Sequence[str], shaded: Iterable[tuple[int, int]]) -> Markup:
    """Return an inline SVG of 128 columns, the most significant bit first, with columns `shaded` (first, count).

    A text that is no UUID has an empty row. About 14 KB for 64 identifiers.
    """
    digits = [each.replace("-", "").lower() for each in ids]
    rows = [_row(int(each, 16), place) if _HEX.fullmatch(each) else "" for place, each in enumerate(digits)]
    height = max(1, len(rows))
    marks = "".join(f'<rect x="{first}" width="{count}" height="{height}"/>' for first, count in shaded)
    return Markup(  # noqa: S704 made of numbers only
        f'<svg class="bits" viewBox="0 0 128 {height}" role="img" aria-labelledby="bits-title">'
        f'<title id="bits-title">{len(rows)} identifiers, bit by bit</title>'
        f'<g class="shaded">{marks}</g><path class="ones" d="{"".join(rows)}"/></svg>'
    )


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
