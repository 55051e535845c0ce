"""What a run is at, on standard error: a live display on a terminal, a line for each clause elsewhere, or nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from conformance.cli.interrupt import say
from conformance.cli.streams import as_file
from conformance.model.text import count, printable
from conformance.reports.clauses import TITLES, heading_of
from conformance.runner import plugin

STOPPING = "Interrupted: nothing more is asked, and everything created is deleted. Once more stops at once."
_WIDTH = 40


def progress_of(quiet: bool) -> Progress:
    """Return the progress that standard error can show."""
    console = Console(file=as_file(sys.stderr), stderr=True)
    if quiet:
        return Progress()
    return LiveProgress(console) if console.is_terminal and not console.is_dumb_terminal else PlainProgress(console)


class Progress(plugin.Progress):
    """Shows nothing; the others show more of the same."""

    def __init__(self) -> None:
        self.exchanges: Callable[[], int] = lambda: 0
        """Says how many exchanges there were so far."""
        self._started = time.perf_counter()

    def __enter__(self) -> Progress:
        """Begin."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Be gone from the screen."""

    def begin(self, what: str) -> None:
        """Say what is going to be done."""

    def stage(self, what: str) -> None:
        """Show what is done outside of checks."""

    def interrupted(self) -> None:
        """Show that the run is being ended early; called from inside a signal handler."""

    def _numbers(self, exchanges: int) -> str:
        return f"{count(exchanges, 'request')}, {time.perf_counter() - self._started:.1f} s"


class PlainProgress(Progress):
    """One line for each heading of the specification that is come to."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._seen: set[str] = set()

    def begin(self, what: str) -> None:
        """Print what is going to be done."""
        self._print(what)

    def at(self, clause: str, check: str, exchanges: int) -> None:  # noqa: ARG002 - the clause is enough for lines
        """Print the heading, the first time."""
        heading = _heading(clause)
        if heading not in self._seen:
            self._seen.add(heading)
            self._print(f"  {heading:<{_WIDTH}}  {self._numbers(exchanges):>20}")

    def stage(self, what: str) -> None:
        """Print it."""
        self._print(f"  {what}")

    def note(self, message: str) -> None:
        """Print it."""
        self._print(message)

    def interrupted(self) -> None:
        """Print it, past the streams."""
        say(f"{STOPPING}\n")

    def _print(self, text: str) -> None:
        self._console.print(Text(printable(text)), soft_wrap=True)


class LiveProgress(Progress):
    """Two lines that move: the clause and the check at work, and the numbers."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._what = self._check = ""
        self._note = ""
        self._spinner = Spinner("dots")
        self._live = Live(
            get_renderable=self._picture,
            console=console,
            refresh_per_second=10,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Progress:
        """Put the display on the screen."""
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the display off the screen."""
        self._live.stop()
        self._console.print()

    def begin(self, what: str) -> None:
        """Print what is going to be done above the display."""
        self._console.print(Text(printable(what)))

    def at(self, clause: str, check: str, exchanges: int) -> None:  # noqa: ARG002 - the display counts itself
        """Show both."""
        self._what, self._check = _heading(clause), _in_words(check)

    def stage(self, what: str) -> None:
        """Show it in the place of the clause."""
        self._what, self._check = what, ""

    def note(self, message: str) -> None:
        """Print it above the display."""
        self._console.print(Text(printable(message)))

    def interrupted(self) -> None:
        """Let the next picture say it."""
        self._note = STOPPING

    def _picture(self) -> Group:
        first = Text.assemble((self._what, "bold"), f"  {self._check}", overflow="ellipsis", no_wrap=True)
        second = Text(f"  {self._numbers(self.exchanges())}", style="dim", overflow="ellipsis", no_wrap=True)
        self._spinner.update(text=first)
        parts: list[Any] = [self._spinner, second]
        return Group(*parts, Text(self._note, style="bold magenta")) if self._note else Group(*parts)


def _heading(clause: str) -> str:
    shown = heading_of(clause)
    return f"{shown:<4} {TITLES.get(shown, '')}"


def _in_words(check: str) -> str:
    """Return "answers ok[body]" for "test_4_3_delete.py::test_answers_ok[body]"."""
    name, bracket, case = check.rpartition("::")[2].partition("[")
    return name.removeprefix("test_").replace("_", " ") + bracket + case
