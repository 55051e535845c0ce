"""The confirmation --empty-account in a command that makes several runs: it holds until one of them leaves something.

A later run that rested on it could accuse the service of what the command itself had left.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from conformance.cli.options import Options

if TYPE_CHECKING:
    from conformance.http.creations.journal import Journal
    from conformance.model.findings import Note


class Account:
    """What the runs of one command, made one after another, may have left in the accounts of the service."""

    def __init__(self) -> None:
        self._left: tuple[Note, ...] = ()

    def ended(self, journal: Journal) -> None:
        """Remember what a run that is over may have left. The first that leaves something decides."""
        from conformance.http.creations.remains import left_by
        from conformance.model.findings import Note
        from conformance.model.text import count
        from conformance.model.verdict import Blame

        left = left_by(journal).unclear
        if not left or self._left:
            return
        now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        message = (
            f"Runs after {now} lack the confirmation --empty-account: the one that ended then left "
            f"{count(left, 'data request')} whose state is unknown, and which may count against the limit."
        )
        remedy = (
            "Delete every open data request of these accounts and start again, or let --reset-command do it before "
            "each run."
        )
        self._left = (Note(Blame.CONFIGURATION, message, remedy),)

    def for_next_run(self, options: Options) -> tuple[Options, tuple[Note, ...]]:
        """Return the options of the next run, and the note of its report if they lack the confirmation."""
        if not (self._left and options.empty_account) or options.resets:
            return options, ()
        return replace(options, empty_account=False), self._left
