"""The profile of a service, and the difference between two, on a terminal, as JSON and as a page.

All texts of the runs are untrusted.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.model.printable import as_json, printable
from conformance.model.text import count
from conformance.reports.pages import shown, styled
from conformance.reports.profile import Choice, Difference, Matter, Profile

_MATTER: Final = "matter"
_WIDTH_OF_A_FILE: Final = 200

EXHIBIT: Final = "After a choice: how many answers show it, and the exchange of one in evidence.har, such as e7."
"""What a reader of a table or page has to know first."""


def table(found: Profile) -> Table:
    """Return the choices of a service for a terminal."""
    rows = [*found.facts, *found.matters]
    return _table((_MATTER, f"choices of {_named(found)}"), ((each.id, _cell(each)) for each in rows))


def table_of_differences(first: Profile, second: Profile, found: Iterable[Difference]) -> Table:
    """Return for a terminal what two services did not choose alike."""
    heads = (_MATTER, _named(first), _named(second))
    return _table(heads, ((each.first.id, _cell(each.first), _cell(each.second)) for each in found))


def _named(found: Profile) -> str:
    return f"{found.base_url}, {found.moment}"


def show(found: Table) -> None:
    """Print a table; where the output is no terminal, in wide lines without spaces at their ends."""
    console = Console()
    if console.is_terminal:
        console.print(found)
        return
    console = Console(width=_WIDTH_OF_A_FILE)
    with console.capture() as captured:
        console.print(found)
    sys.stdout.write(re.sub(" +$", "", captured.get(), flags=re.MULTILINE))


def counted(rows: Iterable[tuple[str, str, str, Iterable[str]]]) -> Table:
    """Return for a terminal how many services chose what in a matter, and which known clients that breaks."""
    cells = ((matter, Text(shown(words)), number, Text(", ".join(breaks))) for matter, words, number, breaks in rows)
    return _table((_MATTER, "choice", "services", "breaks"), cells)


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str | Text, ...]]) -> Table:
    made = Table(box=None, pad_edge=False, header_style="bold")
    for head in heads:
        made.add_column(Text(shown(head)), overflow="fold")
    for row in rows:
        made.add_row(*row)
    return made


def _cell(matter: Matter) -> Text:
    """Return the choices in a matter, a line for each, and below it the known clients that it breaks."""
    if not matter.choices:
        return Text(f"not seen: {shown(matter.not_seen)}" if matter.not_seen else "–", style="dim")
    lines: list[Text] = []
    for each in matter.choices:
        lines.append(Text(" ".join(filter(None, [shown(each.words), exhibit(each)])), style="yellow" * each.alert))
        lines += [Text(f"  breaks {one.client}: {one.effect} ({one.source})", style="red") for one in each.breaks]
    return Text("\n").join(lines)


def exhibit(choice: Choice) -> str:
    """Return how many answers show a choice, and the exchange of one of them; "" where none does by itself."""
    number = count(choice.answers, "answer") if choice.answers else ""
    said = ", ".join(filter(None, [number, choice.exchange]))
    return f"({said})" if said else ""


def json(found: Profile) -> str:
    """Return the data of a profile."""
    return as_json(asdict(found), indent=2)


def json_of_differences(first: Profile, second: Profile, found: Iterable[Difference]) -> str:
    """Return the data of two profiles and of their differences."""
    differing = [asdict(each) for each in found]
    return as_json({"first": asdict(first), "second": asdict(second), "differences": differing}, indent=2)


def html(found: Profile, other: Profile | None = None, differing: Iterable[Difference] = ()) -> str:
    """Return the page of a service, or of the differences between two: without scripts and without network access."""
    breaks = [(each, choice) for each in (*found.facts, *found.matters) for choice in each.choices if choice.breaks]
    text = styled(
        "profile.html",
        "style.css",
        "print.css",
        "profile.css",
        target=found.base_url,
        run=found.started,
        found=found,
        other=other,
        differing=list(differing),
        breaks=breaks,
        exhibit=exhibit,
        about_exhibits=EXHIBIT,
    )
    return printable(text, keep="\n\t")
