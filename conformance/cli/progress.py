"""The progress of a command on standard error: a live display on a terminal, otherwise some lines, or nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.spinner import Spinner
from rich.text import Text

from conformance.cli.signals import write_now
from conformance.model.text import count, printable
from conformance.reports.clauses import TITLES, heading_of
from conformance.runner import plugin

STOPPING = "Interrupted: no new requests; deleting what the run created. A second signal stops at once."
_WIDTH = 40


def progress_of(quiet: bool) -> Progress:
    """Return the progress that standard error can show."""
    console = _console()
    if quiet:
        return Progress()
    return LiveProgress(console) if console.is_terminal and not console.is_dumb_terminal else PlainProgress(console)


class Progress(plugin.ProgressListener):
    """No progress; the base of the others."""

    def __init__(self) -> None:
        self.exchanges: Callable[[], int] = lambda: 0
        """Returns the number of exchanges so far."""
        self._started = time.perf_counter()

    def shown(self) -> AbstractContextManager[object]:
        """Return the context in which the progress is on the screen."""
        return nullcontext()

    def stage(self, what: str) -> None:
        """Show a stage of the run that belongs to no check."""

    def interrupted(self) -> None:
        """Show that the run is ending early. This is called inside a signal handler."""

    def _numbers(self, exchanges: int) -> str:
        return f"{count(exchanges, 'request')}, {time.perf_counter() - self._started:.1f} s"


class PlainProgress(Progress):
    """One line for each heading of the specification."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._seen: set[str] = set()

    def note(self, message: str) -> None:
        """Print it."""
        self._console.print(Text(printable(message)), soft_wrap=True)

    def at(self, clause: str, check: str, exchanges: int) -> None:  # noqa: ARG002 - lines name the heading only
        """Print the heading of the clause, the first time."""
        heading = _heading(clause)
        if heading not in self._seen:
            self._seen.add(heading)
            self.stage(f"{heading:<{_WIDTH}}  {self._numbers(exchanges):>20}")

    def stage(self, what: str) -> None:
        """Print it, indented."""
        self.note(f"  {what}")

    def interrupted(self) -> None:
        """Print it past the stream."""
        write_now(f"{STOPPING}\n")


class LiveProgress(Progress):
    """Two lines that change: the clause and the check at work, and the numbers."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._what = self._check = self._note = ""
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

    def at(self, clause: str, check: str, exchanges: int) -> None:  # noqa: ARG002 - the display counts itself
        """Show the clause and the name of the check, "answers ok[body]" for "test_4_3.py::test_answers_ok[body]"."""
        name, bracket, case = check.rpartition("::")[2].partition("[")
        self._what, self._check = _heading(clause), name.removeprefix("test_").replace("_", " ") + bracket + case

    def stage(self, what: str) -> None:
        """Show it in the place of the clause."""
        self._what, self._check = what, ""

    def interrupted(self) -> None:
        """Leave it to the next refresh: a signal handler may not use the console."""
        self._note = STOPPING

    def _lines(self) -> Group:
        first = Text.assemble((self._what, "bold"), f"  {self._check}", overflow="ellipsis", no_wrap=True)
        second = Text(f"  {self._numbers(self.exchanges())}", style="dim", overflow="ellipsis", no_wrap=True)
        self._spinner.update(text=first)
        note: list[Any] = [Text(self._note, style="bold magenta")] if self._note else []
        return Group(self._spinner, second, *note)


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


def _heading(clause: str) -> str:
    shown = heading_of(clause)
    return f"{shown:<4} {TITLES.get(shown, '')}"
