"""Freezes the next set of requirements: `python -m conformance.calibration.freeze NAME` (see docs/maintenance.md).

The set scores every requirement of the catalogue as it is now. Without --released it is a draft, which a run takes only
by its name.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

from conformance.model import sets
from conformance.model.requirements import Requirement, catalogue
from conformance.model.sets import RequirementSet


def unexplained(
    one: RequirementSet, rows: Mapping[str, Requirement], later: Sequence[RequirementSet] = ()
) -> Iterator[str]:
    """Yield for each row that is not as the set froze it, and that no entry explains, what to add.

    A change is explained by an entry in `changed`, or by a `later` set that lists the row as it is now; a removal by an
    entry in `removed` of the set or of a later one.
    """
    gone = {each.id for each in (*one.removed, *(entry for other in later for entry in other.removed))}
    for name, digest in one.listed.items():
        if name in rows:
            now = sets.digest_of(rows[name])
            if now != digest and not any(other.rows.get(name) == now for other in later):
                yield (
                    f"{name} is not as the set froze it. Freeze the next set, or add to sets/{one.name}.toml: "
                    f'[[changed]] id = "{name}", digest = "{now}", date, reason.'
                )
        elif name not in gone:
            yield (
                f"{name} is not in the catalogue any more. Add to sets/{one.name}.toml, or to a later set: "
                f'[[removed]] id = "{name}", date, reason.'
            )


def document(name: str, *, released: date | None) -> str:
    """Return the file of a set that scores the catalogue as it is."""
    every = catalogue()
    lines = [
        f"# The requirements that the set {name} scores, each with the digest of what it binds (model/sets.py).",
        "# docs/maintenance.md, 'Freeze a set', says when an entry in [[changed]] or [[removed]] is needed.",
        "",
        f'released = "{released}"' if released else '# released = "YYYY-MM-DD"',
        f'edition = "{every.edition.digest}"',
        "",
        "[rows]",
        *(f'"{row.id}" = "{sets.digest_of(row)}"' for row in every.rows.values()),
    ]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None, folder: Path = Path(__file__).parents[1] / "model" / "sets") -> None:
    """Write the file of the set, and print what is new in it; end with a message for a wrong name."""
    parser = argparse.ArgumentParser(prog="python -m conformance.calibration.freeze", description=__doc__)
    parser.add_argument("name", help="year and number, such as 2027-1")
    released = "date of the release that has it, such as 2027-01-31"
    parser.add_argument("--released", metavar="DATE", type=date.fromisoformat, help=released)
    given = parser.parse_args(arguments)
    if not re.fullmatch(r"20\d\d-[1-9]\d?", given.name):
        parser.error(f"expected a year and a number such as 2027-1, not {given.name!r}")
    file, every = folder / f"{given.name}.toml", catalogue()
    if file.exists():
        parser.error(f"{file} exists. A frozen set is not frozen again: add [[changed]] or [[removed]] to it")
    before = sets.scored(sets.newest())
    file.write_text(document(given.name, released=given.released), "utf-8")
    new = [name for name in every.rows if name not in before]
    print(f"Wrote {file}: {len(every.rows)} requirements; new: {', '.join(new) or 'none'}.")


if __name__ == "__main__":
    main()
