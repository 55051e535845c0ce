"""The files of `--drsi-output`: those that `drsi-conformance check` writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from conformance.cli.cleanup import cleanup_words
from conformance.cli.output import OutputFolder
from conformance.http.creations.journal import Journal
from conformance.http.creations.owners import marks_of, sealing
from conformance.http.secrets.written import kind_in
from conformance.model.target import Target
from conformance.reports.files import DEFAULT_FORMATS
from conformance.run.documents import Documents


class Output:
    """The folder of a run, prepared before the service is called."""

    def __init__(self, directory: Path) -> None:
        """Prepare the folder; raise click.ClickException if it cannot be written."""
        self._folder = OutputFolder(directory)
        self._folder.__enter__()
        self._paths: list[Path] = []
        self.trouble = ""
        """Why nothing was written."""

    def journal(self, target: Target) -> Journal:
        """Return the journal of the run, in the folder."""
        journal = Journal(self._folder.journal, seal=sealing())
        journal.begin(target.base_url, datetime.now(UTC), marks_of(target))
        return journal

    def write(self, documents: Documents, tokens: Iterable[tuple[str, str]]) -> None:
        """Write the documents of a run and their views."""
        try:
            self._paths = self._folder.write(documents, DEFAULT_FORMATS, partial(kind_in, tokens=tokens))
        except click.ClickException as error:
            self.trouble = error.format_message()

    def lines(self) -> Iterator[str]:
        """Yield the paths for people, and how to delete what is left."""
        yield from map(str, self._paths)
        if self.trouble:
            yield self.trouble
        if self._folder.keep_journal:
            yield cleanup_words(self._folder.journal)

    def close(self) -> None:
        """Remove what was made for nothing."""
        self._folder.__exit__(None, None, None)
