"""The tables of an audit: the runs while they go on, on standard error, and all results at the end."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from conformance.cli.signals import write_now
from conformance.fleet.audit.result import Result
from conformance.fleet.audit.schedule import Listener
from conformance.model.printable import printable
from conformance.model.text import count
from conformance.model.verdict import Exit

if TYPE_CHECKING:
    from conformance.fleet.audit.document import Audit
    from conformance.fleet.audit.targets import AuditTarget

STOPPING: Final = "Interrupted: no new runs; those in progress delete what they created. A second signal stops at once."
_STYLES: Final = {Exit.CONFORMS: "green", Exit.DOES_NOT_CONFORM: "bold red", Exit.BROKEN: "bold red"}
_OTHER_STYLE: Final = "yellow"
_COLUMNS: Final = ("target", "result", "failed", "alerts", "left", "time")
_WIDTH_OF_A_FILE: Final = 200
_MOST: Final = 12
"""Requirements of a kind, or targets, that a list of changes names."""


@contextmanager
def progress_of(quiet: bool, targets: Sequence[AuditTarget], known: Iterable[Result]) -> Iterator[Progress]:
    """Yield the progress that standard error can show; `known` are the results of an earlier attempt."""
    console = Console(file=sys.stderr, stderr=True)
    progress = Progress(console, len(targets), known)
    if not quiet:
        progress = (LiveProgress if console.is_terminal and not console.is_dumb_terminal else PlainProgress)(
            console, len(targets), known
        )
    with progress.shown():
        yield progress


class Progress(Listener):
    """The state of the runs, which this base class does not show."""

    def __init__(self, console: Console, total: int, known: Iterable[Result]) -> None:
        self._console = console
        self._total = total
        self._known = list(known)
        self._numbers: Counter[str] = Counter(each.words for each in self._known)
        self._began: dict[str, float] = {}
        """When each run that is in progress was first seen, by its target."""

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the progress meanwhile."""
        yield

    def interrupted(self) -> None:
        """Show that the audit ends early. This is called inside a signal handler."""

    def tick(self, running: Iterable[str]) -> None:
        """Know which runs are in progress."""
        now = time.monotonic()
        self._began = {name: self._began.get(name, now) for name in running}

    def done(self, found: Result, *, again: bool) -> None:
        """Count the result, if it is not another attempt that counts."""
        self._began.pop(found.name, None)
        if not again:
            self._numbers[found.words] += 1

    def _summary(self) -> str:
        numbers = ", ".join(f"{number:,} {words}" for words, number in sorted(self._numbers.items()))
        return f"{self._numbers.total():,} of {self._total:,}" + (f": {numbers}" if numbers else "")


class PlainProgress(Progress):
    """A line for each run that ends."""

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Say first what is done already."""
        if self._known:
            self._print(f"{count(len(self._known), 'run')} finished before")
        yield

    def done(self, found: Result, *, again: bool) -> None:
        """Print the result."""
        super().done(found, again=again)
        later = ", will be tried again" if again else ""
        message = f": {found.message}" if found.message else ""
        self._print(f"[{self._numbers.total()}/{self._total}] {found.name}  {_cells(found)[1]}{later}{message}")

    def pause(self, seconds: float, number: int) -> None:
        """Print it."""
        self._print(f"{count(number, 'run')} will be made again in {seconds:g} s")

    def interrupted(self) -> None:
        """Print it past the stream."""
        write_now(f"{STOPPING}\n")

    def _print(self, line: str) -> None:
        self._console.print(Text(printable(line)), soft_wrap=True)


class LiveProgress(PlainProgress):
    """A table of the runs in progress below the lines of those that ended."""

    _note = _pause = ""

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the table meanwhile."""
        with (
            super().shown(),
            Live(
                get_renderable=self._table,
                console=self._console,
                refresh_per_second=4,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            ),
        ):
            yield

    def pause(self, seconds: float, number: int) -> None:
        """Show it below the table until a run begins."""
        self._pause = f"{count(number, 'run')} will be made again in {seconds:g} s"

    def interrupted(self) -> None:
        """Leave it to the next refresh: a signal handler may not use the console."""
        self._note = STOPPING

    def _table(self) -> Group:
        note = self._note or ("" if self._began else self._pause)
        table = Table.grid(padding=(0, 2))
        now = time.monotonic()
        most = max(3, self._console.height - 6)
        running = sorted(self._began.items(), key=lambda each: each[1])
        for name, began in running[:most]:
            table.add_row(Text(name), Text("running", style="cyan"), f"{now - began:.0f} s")
        if len(running) > most:
            table.add_row(Text(f"… and {len(running) - most} more", style="dim"))
        below = [Text(note, style="bold magenta")] if note else []
        return Group(table, Text(self._summary(), style="dim"), *below)


def print_results(audit: Audit) -> None:
    """Print all targets with their results, and the numbers."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=_WIDTH_OF_A_FILE)  # no name is cut
    table = Table(*_COLUMNS, box=None, pad_edge=False, header_style="bold")
    for column in table.columns[2:]:
        column.justify = "right"
    for each in audit.targets:
        table.add_row(*(Text(cell) for cell in _cells(each)), style=_style(each))
    console.print(table)
    for each in audit.targets:
        if each.message:
            console.print(Text(printable(f"{each.name}: {each.message}")), soft_wrap=True)
    console.print(Text(f"\n{numbers_sentence(audit)}"), soft_wrap=True)
    if audit.previous:
        changed = f"{count(len(audit.changes), 'target')} changed since {audit.previous}"
        worse = f", {len(audit.regressions):,} got worse" if audit.regressions else ""
        console.print(Text(f"{changed}{worse}."), soft_wrap=True)


def numbers_sentence(audit: Audit) -> str:
    """Return how many targets have each result."""
    numbers = ", ".join(f"{number:,} {words}" for words, number in sorted(audit.numbers.items()))
    return f"{count(len(audit.targets), 'target')}: {numbers}."


def print_changes(audit: Audit) -> None:
    """Print the targets that changed since the last audit, the worse first, with what got worse or better.

    Those with minor changes are only named: of hundreds of services, many meet other generated calls than before.
    """
    console = Console()

    def line(text: str, style: str = "") -> None:
        console.print(Text(printable(text), style=style), soft_wrap=True)

    if audit.previous is None:
        line("This is the first audit in this folder: there is nothing to compare it with.")
        return
    for each in audit.changes:
        if each.is_minor:
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
    if minor := [each.name for each in audit.changes if each.is_minor]:
        named = ", ".join(minor[:_MOST]) + (f" and {len(minor) - _MOST:,} more" if minor[_MOST:] else "")
        line(f"Same outcome, no new or corrected failure, warning or alert: {named}. audit.json says what changed.")
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


def _style(found: Result) -> str:
    return _STYLES.get(found.exit_code, _OTHER_STYLE)
