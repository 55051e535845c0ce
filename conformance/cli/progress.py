"""The progress of a command on standard error: a line that changes on a terminal, otherwise some lines, or nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.spinner import Spinner
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
    console = _console(quiet=quiet)
    return LiveProgress(console) if console.is_terminal and not quiet else Progress(console)


class Progress(ProgressListener):
    """One line for each heading of the specification when its first check begins, for each stage and each finding."""

    def __init__(self, console: Console) -> None:
        self.exchanges: Callable[[], int] = lambda: 0
        """Returns the number of exchanges so far."""
        self._console = console
        self._started = time.perf_counter()
        self._total = self._ended = 0
        """The checks to run, and those that have ended."""
        self._seen: set[str] = set()
        """The headings that have begun, and the requirements with findings."""

    def shown(self) -> AbstractContextManager[object]:
        """Return the context in which the progress is on the screen."""
        return nullcontext()

    def note(self, message: str) -> None:
        """Show what has to be known at once."""
        self._print(Text(printable(message)))

    def stage(self, what: str) -> None:
        """Show a stage of the run that belongs to no check."""
        self.note(f"  {what}")

    def interrupted(self) -> None:
        """Show that the run is ending early, past the stream: this is called inside a signal handler."""
        if not self._console.quiet:
            write_now(f"{STOPPING}\n")

    def planned(self, clauses: Sequence[str]) -> None:
        """Count the checks."""
        self._total = len(clauses)

    def at(self, clause: str, check: str) -> None:  # noqa: ARG002 - lines name the heading only
        """Show the heading of the clause, the first time."""
        heading = heading_of(clause)
        if heading not in self._seen:
            self._seen.add(heading)
            self._count(_titled(heading))

    def done(self, clause: str) -> None:  # noqa: ARG002 - all checks count alike
        """Count the check, and show the numbers after the last one."""
        self._ended += 1
        if self._ended == self._total:
            self._count("All checks ended")

    def found(self, requirement: str, finding: Finding[Exchange], message: str) -> None:
        """Show the first finding of the requirement. The rules that follow may find another cause: it is possible."""
        if requirement not in self._seen:
            self._seen.add(requirement)
            word, style = _WORDS[Verdict.OBSERVED if finding.alert else finding.verdict]
            self._print(Text.assemble((word, style), f"  {requirement}: {shorten(printable(message), _LONGEST)}"))

    def _count(self, what: str) -> None:
        self.stage(f"{what:<{_WIDTH}}  {self._numbers()}")

    def _print(self, line: Text) -> None:
        self._console.print(line, soft_wrap=True)

    def _numbers(self) -> str:
        checks = f"{self._ended} of {self._total} checks, " if self._total else ""
        return f"{checks}{time.perf_counter() - self._started:.1f} s, {count(self.exchanges(), 'request')}"


class LiveProgress(Progress):
    """A line that changes, with the heading or the stage at work and the numbers; what stays is above it."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._what = self._note = ""
        self._spinner = Spinner("dots")

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the line meanwhile."""
        with Live(
            get_renderable=self._line,
            console=self._console,
            refresh_per_second=10,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        ):
            yield
        self._console.print()

    def at(self, clause: str, check: str) -> None:  # noqa: ARG002 - the line names the heading only
        """Show the heading of the clause."""
        self.stage(_titled(heading_of(clause)))

    def stage(self, what: str) -> None:
        """Show it in the line."""
        self._what = what

    def interrupted(self) -> None:
        """Leave it to the next refresh, in place of the numbers: a signal handler may not use the console."""
        self._note = STOPPING

    def _count(self, what: str) -> None:
        self.stage(what)

    def _print(self, line: Text) -> None:
        self._console.print(line)

    def _line(self) -> Spinner:
        further = self._note or self._numbers()
        text = Text.assemble((self._what, "bold"), (f"  {further}", "dim"), overflow="ellipsis", no_wrap=True)
        self._spinner.update(text=text)
        return self._spinner


@contextmanager
def counted(total: int, what: str, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """Show a bar while a terminal is there, and the number of steps at the end; yield the function that counts one."""
    console = _console(quiet=quiet)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(separator=" of "), TimeRemainingColumn())
    with Bar(*columns, console=console, transient=console.is_terminal, disable=quiet) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def _console(*, quiet: bool) -> Console:
    return Console(file=sys.stderr, stderr=True, quiet=quiet)


def _titled(heading: str) -> str:
    return f"{heading:<4} {TITLES.get(heading, '')}"
