"""The confirmation --empty-account in a command that knows of earlier runs: it holds until one leaves something.

Those are the earlier runs of the command itself, and with --last-failed the one that it repeats. A later run that
rested on the confirmation could accuse the service of what the suite itself had left.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from conformance.cli.options import Options

if TYPE_CHECKING:
    from conformance.http.creations.journal import Journal
    from conformance.http.creations.remains import Remains
    from conformance.model.findings import Note


class Account:
    """What earlier runs, made one after another, may have left in the accounts of the service."""

    def __init__(self) -> None:
        self._left: tuple[Note, ...] = ()

    def ended(self, journal: Journal) -> None:
        """Remember what a run of this command that is over may have left."""
        from conformance.http.creations.remains import left_by

        self.left(left_by(journal), f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", "start again")

    def left(self, remains: Remains, ended: str, again: str) -> None:
        """Remember what a run left that ended then. The first that left something decides; `again` is the way out."""
        from conformance.model.findings import Note
        from conformance.model.text import count
        from conformance.model.verdict import Blame

        if not remains.unclear or self._left:
            return
        message = (
            f"Runs after {ended} lack the confirmation --empty-account: the one that ended then left "
            f"{count(remains.unclear, 'data request')} whose state is unknown, and which may count against the limit."
        )
        remedy = (
            f"Delete every open data request of these accounts and {again}, or let --reset-command do it before "
            "each run."
        )
        self._left = (Note(Blame.CONFIGURATION, message, remedy),)

    def for_next_run(self, options: Options) -> tuple[Options, tuple[Note, ...]]:
        """Return the options of the next run, and the note of its report if they lack the confirmation."""
        if not (self._left and options.empty_account) or options.resets:
            return options, ()
        return replace(options, empty_account=False), self._left
