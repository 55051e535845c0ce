"""The place where a run is written: made ready before the target is contacted, taken back when nothing comes of it.

What an earlier run said there is taken away first: nobody shall take it for what this one says.
"""

from __future__ import annotations

import contextlib
import itertools
from pathlib import Path
from types import TracebackType

from conformance.cli.failure import Failure
from conformance.reports.files import NAMES

JOURNAL = "journal"


class Output:
    """While the context lasts, `directory` exists and holds a journal; what stays empty is removed at its end.

    The files of an earlier run are removed at its beginning, its log among them, but for journals.

    Raises Failure where something cannot be written.
    """

    def __init__(self, directory: Path, html_log: Path | None = None) -> None:
        """Prepare; nothing is made yet."""
        self.directory = directory
        self.html_log = html_log
        self.journal = directory / f"{JOURNAL}.jsonl"
        self.keep_journal = True
        """Whether the journal still names something that may exist at the target."""
        self._made: list[Path] = []

    def __enter__(self) -> Output:
        """Make what is needed and see that it can be written."""
        try:
            self._make(self.directory, "--output")
            places = [self.directory / name for name in NAMES.values()]
            for path in places:
                _see_that_a_file_fits(path)
            if self.html_log is not None:
                self._make(self.html_log.parent, "--html-log")
                self._see_that_it_is_another(self.html_log)
            self.journal = self._new_journal()
            if self.html_log is not None:
                self._try(self.html_log)
                if self.html_log.is_file():
                    places.append(self.html_log)
            self._remove(places)
        except BaseException:
            self._take_back()
            raise
        self.keep_journal = False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the journal where nothing is left behind, and the folders that were made for nothing."""
        if not self.keep_journal:
            self.journal.unlink(missing_ok=True)
        self._take_back()

    def _see_that_it_is_another(self, html_log: Path) -> None:
        name, folder = html_log.name, html_log.parent.resolve()
        own = name in NAMES.values() or (name.startswith(JOURNAL) and name.endswith(".jsonl"))
        if own and folder == self.directory.resolve():
            raise _unwritable(html_log, FileExistsError(17, f"the run itself writes {name} there"), "--html-log")

    def _make(self, directory: Path, option: str) -> None:
        missing = itertools.takewhile(lambda folder: not folder.exists(), (directory, *directory.parents))
        for folder in reversed(list(missing)):
            try:
                folder.mkdir(exist_ok=True)
            except OSError as error:
                raise _unwritable(directory, error, option) from None
            self._made.append(folder)
        if not directory.is_dir():
            raise _unwritable(directory, NotADirectoryError(20, "it is not a folder"), option)

    def _new_journal(self) -> Path:
        # What an earlier run left behind is named in its journal, which is therefore never added to nor removed.
        for number in itertools.count(1):
            path = self.directory / f"{JOURNAL}{f'-{number}' if number > 1 else ''}.jsonl"
            try:
                path.touch(exist_ok=False)
            except FileExistsError:
                continue
            except OSError as error:
                raise _unwritable(self.directory, error, "--output") from None
            return path
        raise AssertionError("counting does not end")

    def _try(self, path: Path) -> None:
        existed = path.exists()
        try:
            with path.open("ab"):
                pass
        except OSError as error:
            self.journal.unlink(missing_ok=True)
            raise _unwritable(path, error, "--html-log") from None
        if not existed:
            path.unlink()

    def _remove(self, places: list[Path]) -> None:
        for path in places:
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                self.journal.unlink(missing_ok=True)
                raise _unwritable(path, error, "--output") from None

    def _take_back(self) -> None:
        with contextlib.suppress(OSError):
            for folder in reversed(self._made):
                folder.rmdir()


def _see_that_a_file_fits(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        raise _unwritable(path, IsADirectoryError(21, "it is a folder, where the run writes a file"), "--output")


def _unwritable(path: Path, error: OSError, option: str) -> Failure:
    return Failure(
        f"{path} cannot be written: {error.strerror or error}.",
        remedy=f"Name a place that can be written with {option}. The target was not contacted.",
    )
