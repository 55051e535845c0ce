"""What an audit prints: a line for each run that ends, on standard error, and a table of all results at the end."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.cli.signals import write_now
from conformance.fleet.audit.result import Result
from conformance.fleet.audit.schedule import Listener
from conformance.model.printable import printable
from conformance.model.text import count
from conformance.model.verdict import Exit
from conformance.reports.comparison import OTHER

if TYPE_CHECKING:
    from conformance.fleet.audit.document import Audit

STOPPING: Final = "Interrupted: no new runs; those in progress delete what they created. A second signal stops at once."
_STYLES: Final = {Exit.CONFORMS: "green", Exit.DOES_NOT_CONFORM: "bold red", Exit.BROKEN: "bold red"}
_OTHER_STYLE: Final = "yellow"
_COLUMNS: Final = ("target", "result", "failed", "alerts", "left", "time")
_WIDTH_OF_A_FILE: Final = 200
_MOST: Final = 12
"""Requirements of a kind that a list of changes names."""


class Progress(Listener):
    """A line on standard error for each run that ends."""

    def __init__(self, total: int, known: int) -> None:
        """`known` of the `total` runs were finished before."""
        self._total, self._ended = total, known
        if known:
            self._print(f"{count(known, 'run')} finished before")

    def done(self, found: Result, *, again: bool) -> None:
        """Print the result, and count it, if it is not another attempt that counts."""
        self._ended += not again
        later = ", will be tried again" if again else ""
        message = f": {found.message}" if found.message else ""
        self._print(f"[{self._ended}/{self._total}] {found.name}  {_cells(found)[1]}{later}{message}")

    def interrupted(self) -> None:
        """Say that the audit ends early, past the stream: this is called inside a signal handler."""
        write_now(f"{STOPPING}\n")

    def _print(self, line: str) -> None:
        click.echo(printable(line), err=True)


def print_results(audit: Audit) -> None:
    """Print all targets with their results, and the numbers."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH_OF_A_FILE)  # no name is cut
    table = Table(*_COLUMNS, box=None, pad_edge=False, header_style="bold")
    for column in table.columns[2:]:
        column.justify = "right"
    for each in audit.targets:
        table.add_row(*(Text(cell) for cell in _cells(each)), style=_STYLES.get(each.exit_code, _OTHER_STYLE))
    console.print(table)
    for each in audit.targets:
        if each.message:
            console.print(Text(printable(f"{each.name}: {each.message}")), soft_wrap=True)
    numbers = sorted(Counter(each.words for each in audit.targets).items())
    listed = ", ".join(f"{number:,} {words}" for words, number in numbers)
    console.print(Text(f"\n{count(len(audit.targets), 'target')}: {listed}."), soft_wrap=True)
    if audit.previous:
        changed = f"{count(len(audit.changes), 'target')} changed since {audit.previous}"
        worse = f", {len(audit.regressions):,} got worse" if audit.regressions else ""
        console.print(Text(f"{changed}{worse}."), soft_wrap=True)


def print_changes(audit: Audit) -> None:
    """Print the targets that changed since the last audit, the worse first, with what got worse or better.

    Those with neither and with the same outcome are only counted: of hundreds of services, many meet other generated
    calls than before.
    """
    console = Console()

    def line(text: str, style: str = "") -> None:
        console.print(Text(printable(text), style=style), soft_wrap=True)

    if audit.previous is None:
        line("This is the first audit in this folder: there is nothing to compare it with.")
        return
    for each in audit.changes:
        if each.kind == OTHER and each.before == each.after:
            continue
        outcome = f"{each.before or 'not in the last audit'} → {each.after or 'not in this audit'}"
        line(f"{each.name}  {outcome if each.before != each.after else each.after}", "bold")
        for kind, style, rows in (("worse", "red", each.worse), ("better", "green", each.better)):
            for row in rows[:_MOST]:
                line(f"  {kind}  {row.id}: {row.before} → {row.after}", style)
            if more := rows[_MOST:]:
                line(f"  {kind}  and {len(more):,} more, in audit.json", style)
        if each.other:
            line(f"  {count(each.other, 'requirement')} changed otherwise; 'drsi-conformance compare' says how.")
    unchanged = len(audit.targets) - sum(each.after is not None for each in audit.changes)
    kinds = Counter(each.kind for each in audit.changes)
    worse_or_better = "".join(f", {kinds[kind]:,} got {kind}" for kind in ("worse", "better") if kinds[kind])
    line(
        f"{count(len(audit.changes), 'target')} changed since {audit.previous}{worse_or_better}; {unchanged:,} did not."
    )


def _cells(found: Result) -> tuple[str, ...]:
    """Return the row of a result."""
    again = f" ({found.attempts} attempts)" if found.attempts > 1 else ""
    numbers = (len(found.failures), len(found.alerts)) if found.is_finished else ("–", "–")
    return found.name, f"{found.words}{again}", *map(str, numbers), str(found.left_behind), f"{found.seconds:.1f} s"
