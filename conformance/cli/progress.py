"""The progress of a command on standard error: a live display on a terminal, otherwise some lines, or nothing."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from conformance.cli.signals import write_now
from conformance.model.clauses import TITLES, heading_of
from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.printable import printable
from conformance.model.text import count, shorten
from conformance.model.verdict import Verdict
from conformance.run.progress import ProgressListener

STOPPING = "Interrupted: no new requests; deleting what the run created. A second signal stops at once."
_WIDTH = 40
_LONGEST = 240
"""Characters of a finding; the report holds the rest."""
_WORDS = {
    Verdict.FAIL: ("possible failure", "bold red"),
    Verdict.WARN: ("possible warning", "bold yellow"),
    Verdict.OBSERVED: ("alert", "bold magenta"),
}
"""Word and style of a finding; that of an observation is an alert."""


def progress_of(quiet: bool) -> Progress:
    """Return the progress that standard error can show."""
    console = _console()
    if quiet:
        return Progress(console)
    return LiveProgress(console) if console.is_terminal and not console.is_dumb_terminal else PlainProgress(console)


class Progress(ProgressListener):
    """The state of a run, which this base class does not show."""

    def __init__(self, console: Console) -> None:
        self.exchanges: Callable[[], int] = lambda: 0
        """Returns the number of exchanges so far."""
        self.waivers: frozenset[str] = frozenset()
        """The requirements that waivers name."""
        self._console = console
        self._started = time.perf_counter()
        self._total: Counter[str] = Counter()
        self._left: Counter[str] = Counter()
        """The checks to run, and those that have not ended, by heading of the specification."""
        self._found: dict[str, list[str]] = {}
        """The requirements with findings, by heading."""

    def shown(self) -> AbstractContextManager[object]:
        """Return the context in which the progress is on the screen."""
        return nullcontext()

    def note(self, message: str) -> None:
        """Show what has to be known at once."""

    def stage(self, what: str) -> None:
        """Show a stage of the run that belongs to no check."""

    def interrupted(self) -> None:
        """Show that the run is ending early. This is called inside a signal handler."""

    def planned(self, clauses: Sequence[str]) -> None:
        """Count the checks of each heading."""
        self._total = Counter(map(heading_of, clauses))
        self._left = self._total.copy()

    def done(self, clause: str) -> None:
        """Count the check."""
        self._left[heading_of(clause)] -= 1

    def found(self, requirement: str, finding: Finding[Exchange], message: str) -> None:
        """Show the first finding of the requirement. The rules that follow may find another cause: it is possible."""
        known = self._found.setdefault(heading_of(requirement.partition("-")[0]), [])
        if requirement not in known:
            known.append(requirement)
            word, style = _WORDS[Verdict.OBSERVED if finding.alert else finding.verdict]
            named = f"{requirement} (a waiver names it)" if requirement in self.waivers else requirement
            self._print(Text.assemble((word, style), f"  {named}: {shorten(printable(message), _LONGEST)}"))

    def _print(self, line: Text) -> None:
        """Print a line that stays."""

    def _numbers(self) -> str:
        total = self._total.total()
        checks = f"{total - self._left.total()} of {total} checks, " if total else ""
        return f"{checks}{time.perf_counter() - self._started:.1f} s, {count(self.exchanges(), 'request')}"


class PlainProgress(Progress):
    """One line for each heading of the specification when its first check begins, and for each finding."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._seen: set[str] = set()

    def note(self, message: str) -> None:
        """Print it."""
        self._print(Text(printable(message)))

    def at(self, clause: str, check: str) -> None:  # noqa: ARG002 - lines name the heading only
        """Print the heading of the clause, the first time."""
        heading = heading_of(clause)
        if heading not in self._seen:
            self._seen.add(heading)
            self._count(_titled(heading))

    def done(self, clause: str) -> None:
        """Count the check, and print the numbers after the last one."""
        super().done(clause)
        if not self._left.total():
            self._count("All checks ended")

    def stage(self, what: str) -> None:
        """Print it, indented."""
        self.note(f"  {what}")

    def interrupted(self) -> None:
        """Print it past the stream."""
        write_now(f"{STOPPING}\n")

    def _count(self, what: str) -> None:
        self.stage(f"{what:<{_WIDTH}}  {self._numbers()}")

    def _print(self, line: Text) -> None:
        self._console.print(line, soft_wrap=True)


class LiveProgress(Progress):
    """Lines that change: the check at work, a bar with the numbers, and the headings with their findings."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._what = self._check = self._heading = self._note = ""
        self._spinner = Spinner("dots")

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the display meanwhile."""
        with Live(
            get_renderable=self._lines,
            console=self._console,
            refresh_per_second=10,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        ):
            yield
        self._console.print()

    def note(self, message: str) -> None:
        """Print it above the display."""
        self._console.print(Text(printable(message)))

    def at(self, clause: str, check: str) -> None:
        """Show the heading and the name of the check, "answers ok[body]" for "test_4_3.py::test_answers_ok[body]"."""
        name, bracket, case = check.rpartition("::")[2].partition("[")
        self.stage(_titled(heading_of(clause)))
        self._heading = heading_of(clause)
        self._check = name.removeprefix("test_").replace("_", " ") + bracket + case

    def stage(self, what: str) -> None:
        """Show it in the place of the heading."""
        self._what, self._check, self._heading = what, "", ""

    def interrupted(self) -> None:
        """Leave it to the next refresh: a signal handler may not use the console."""
        self._note = STOPPING

    def _print(self, line: Text) -> None:
        self._console.print(line)

    def _lines(self) -> Group:
        first = Text.assemble((self._what, "bold"), f"  {self._check}", overflow="ellipsis", no_wrap=True)
        numbers = Text(self._numbers(), style="dim", overflow="ellipsis", no_wrap=True)
        rows = [_row(self._spinner, first), _row(" ", numbers)]
        if total := self._total.total():
            bar = ProgressBar(total, total - self._left.total(), width=self._console.width // 4)
            chips = Text("  ").join(self._chip(heading) for heading in TITLES if self._total[heading])
            rows = [rows[0], _row(" ", bar, numbers), _row(" ", chips)]
        return Group(*rows, *([Text(self._note, style="bold magenta")] if self._note else []))

    def _chip(self, heading: str) -> Text:
        """Return a heading with its state and the number of its requirements with findings."""
        begun = self._left[heading] < self._total[heading]
        mark, style = ("✓", "green") if not self._left[heading] else ("◐", "") if begun else ("○", "dim")
        if heading == self._heading:
            mark, style = "▶", "bold"
        number = len(self._found.get(heading, ()))
        return Text.assemble((f"{mark}{heading}", style), (f"({number})" if number else "", "red"))


def _row(*cells: RenderableType) -> Table:
    row = Table.grid(padding=(0, 1))
    row.add_row(*cells)
    return row


@contextmanager
def counted(total: int, what: str, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """Show a bar while a terminal is there, and the number of steps at the end; yield the function that counts one."""
    console = _console()
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(separator=" of "), TimeRemainingColumn())
    with Bar(*columns, console=console, transient=console.is_terminal, disable=quiet) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def _console() -> Console:
    return Console(file=sys.stderr, stderr=True)


def _titled(heading: str) -> str:
    return f"{heading:<4} {TITLES.get(heading, '')}"
