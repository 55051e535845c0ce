"""`drsi-conformance store choices`: how many services of a store chose what in each open matter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import click

from conformance.fleet.commands.on_store import on_store

if TYPE_CHECKING:
    from conformance.fleet.store.store import Store


@click.command("choices", short_help="Count what services chose in each open matter.")
@on_store
@click.option("--json", "as_json", is_flag=True, help="Print JSON, which names the services.")
def command(store: Store, *, as_json: bool) -> None:
    """Count how many services of a store chose what in each open matter, by the latest run of each.

    A service may show several choices in a matter. 'profile' shows the choices of one run.
    """
    from conformance.model.printable import as_json as written
    from conformance.reports.pages import shown

    rows = list(distribution(store))
    if as_json:
        click.echo(written([asdict(each) for each in rows], indent=2))
    else:
        for each in rows:
            breaks = f"; breaks {', '.join(each.breaks)}" if each.breaks else ""
            choice = shown(f"{each.matter}: {each.choice}")
            click.echo(f"{choice}: {len(each.services)} of {each.of}{breaks}")


@dataclass(frozen=True)
class Chosen:
    """The services of a store that made a choice in an open matter."""

    matter: str
    choice: str
    services: tuple[str, ...]
    of: int
    """The number of services whose runs showed any choice in the matter."""
    breaks: tuple[str, ...]
    """The known clients that the choice breaks."""


def distribution(store: Store) -> Iterator[Chosen]:
    """Yield the choices in each open matter, in the order of the catalogue, those of most services first."""
    from conformance.reports.profile import broken, choice_in

    for matter, observed in groupby(store.observed(), key=lambda each: each.requirement):
        services: defaultdict[str, set[str]] = defaultdict(set)
        for each in observed:
            if words := choice_in(each.message)[0]:
                services[words].add(each.target)
        of = len(set().union(*services.values()))
        for words, names in sorted(services.items(), key=lambda each: (-len(each[1]), each[0])):
            breaks = tuple(each.client for each in broken(matter, words))
            yield Chosen(matter, words, tuple(sorted(names)), of, breaks)
