"""How far `selftest` is, on standard error: a bar on a terminal, a line for each quarter elsewhere, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from conformance.cli.streams import as_file

_WHAT = "Trying faults and twins"


@contextmanager
def progress_of(total: int, *, quiet: bool) -> Iterator[Callable[[], None]]:
    """Give what is to be called after each of `total` trials."""
    console = Console(file=as_file(sys.stderr), stderr=True)
    if quiet:
        yield lambda: None
    elif console.is_terminal and not console.is_dumb_terminal:
        columns = (TextColumn(_WHAT), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(_WHAT, total=total)
            yield lambda: bar.advance(task)
    else:
        yield _quarters(console, total)


def _quarters(console: Console, total: int) -> Callable[[], None]:
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        if done * 4 // total > (done - 1) * 4 // total:
            console.print(f"{_WHAT}: {done} of {total}", highlight=False)

    return advance
