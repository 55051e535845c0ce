"""The comparison of a score with an earlier one, below which it must not fall; a program that compares two files."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from conformance.model.score import MEASURES, Measure


def falls(before: dict[str, Any], now: dict[str, Any], *, same_catalogue: bool = True) -> Iterator[str]:
    """Yield, in words, in what the score `now` of the whole calibration set is below the score `before`.

    A measure falls with its share. With the same catalogue it falls as well when it is taken over fewer services: no
    change may raise a share by leaving the hard services out. Another catalogue may make a conforming service a faulty
    one, so services may go with it. Faults missed for a stated reason lower no share. A measure that one score lacks is
    not compared.
    """
    for name in MEASURES:
        old, new = before.get(name), now.get(name)
        if old is None or new is None:
            continue
        if same_catalogue and new["of"] < old["of"]:
            yield f"The {name} was taken over {new['of']} services; it was {old['of']}."
        if _share(name, now) < _share(name, before):
            yield f"The {name} fell to {new['kept']} of {new['of']}; it was {old['kept']} of {old['of']}."


def _share(name: str, score: dict[str, Any]) -> Fraction:
    excused = score["excused"] if name == "sensitivity" else 0
    return Measure(kept=score[name]["kept"] + excused, of=score[name]["of"]).share


def main(before: str, now: str) -> int:
    """Print in what the score in the file `now` is below the one in the file `before`; return 1 if it is, else 0."""
    earlier, later = (json.loads(Path(name).read_text("utf-8")) for name in (before, now))
    same = earlier["suite"]["catalogue"] == later["suite"]["catalogue"]
    lost = list(falls(earlier["score"], later["score"], same_catalogue=same))
    for line in lost:
        print(line, file=sys.stderr)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
