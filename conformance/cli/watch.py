"""`check --watch PATH`: the same check again after each change of a file."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

import click

from conformance.cli.errors import Failure
from conformance.cli.signals import Interruption
from conformance.model.verdict import Exit

_LOOK: Final = 100
"""Milliseconds after which the watcher looks for a signal."""


def repeated(path: Path, run: Callable[[], int], interruption: Interruption, *, written: Iterable[Path]) -> int:
    """Call `run`, and again after each change below `path`, until a signal arrives; return the last exit code.

    Changes in the folders `written`, which the runs write, do not count. An error that ends a run ends nothing else:
    the next change may correct its cause.
    """
    stopped = threading.Event()
    with closing(_changes(path, written, stopped)) as changes:
        next(changes)  # the watcher has begun: it sees changes during a run too
        while True:
            code = _exit_code(run)
            interruption.stop = stopped.set
            if interruption.received:
                return code
            click.echo(f"\nWaiting for a change in {path}. Ctrl-C ends.", err=True)
            changed = next(filter(None, changes), "")
            if not changed:
                return code
            click.echo(f"{changed} has changed.", err=True)
            interruption.began = time.perf_counter()


def _exit_code(run: Callable[[], int]) -> int:
    try:
        return run()
    except click.ClickException as error:
        error.show()
        return error.code if isinstance(error, Failure) else Exit.USAGE


def _changes(path: Path, written: Iterable[Path], stopped: threading.Event) -> Generator[str]:
    """Yield a file that has changed, or "" when none has for a while, until `stopped` is set."""
    try:
        from watchfiles import Change, DefaultFilter, watch
    except ImportError:
        raise Failure(
            "--watch needs the package watchfiles, which is not installed.", remedy="pip install watchfiles"
        ) from None
    folders, usual = [folder.resolve() for folder in written], DefaultFilter()

    def counts(change: Change, file: str) -> bool:
        return usual(change, file) and not any(Path(file).is_relative_to(folder) for folder in folders)

    batches = watch(
        path.resolve(),
        watch_filter=counts,
        stop_event=stopped,
        rust_timeout=_LOOK,
        yield_on_timeout=True,
    )
    for batch in batches:
        yield min((os.path.relpath(file) for _, file in batch), default="")
