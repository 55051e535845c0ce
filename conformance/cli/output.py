"""The folder and the files that a run writes."""

from __future__ import annotations

import errno
import itertools
import stat
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import httpx

from conformance import NAME
from conformance.cli.errors import Failure, writing
from conformance.http.creations import journal_file
from conformance.model.hosts import host_of
from conformance.model.target import Target
from conformance.model.verdict import Blame, Exit
from conformance.reports import files
from conformance.run.documents import Documents

if TYPE_CHECKING:
    from conformance.model.specification import Specification

JOURNAL = "journal"
_PRIVATE_FOLDER, _PRIVATE_FILE = 0o700, 0o600
_NOT_CONTACTED = "The service was not contacted."


REPORTS: Final = Path("reports")
"""Where runs are written by default, each to a folder of its own."""


def output_directory(target: Target, now: datetime) -> Path:
    """Return where a run is written by default: reports/<host>-<UTC time>."""
    url = httpx.URL(target.base_url)
    port = f"-{url.port}" if url.port else ""
    host = "".join(character if character.isalnum() or character in ".-" else "-" for character in host_of(url))
    return REPORTS / f"{host}{port}-{now:%Y%m%dT%H%M%SZ}"


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


class OutputFolder:
    """The folder of a run. On entry it is created, tested and freed of an earlier run's files, except journals.

    The earlier files have to go before the service is contacted: otherwise they look like the result of this run.
    On exit the journal is removed unless `keep_journal` is set, and so are new folders that stayed empty.
    A new folder is for the user of the process alone until the report is written.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.journal = directory / f"{JOURNAL}.jsonl"
        self.keep_journal = False
        """Whether the journal names requests that may still exist."""
        self._published_mode: int | None = None
        """The permissions that a new folder gets when the report is written."""

    def __enter__(self) -> OutputFolder:
        """Prepare the folder; raise Failure where something cannot be written."""
        with ExitStack() as stack:
            with writing("--output", _NOT_CONTACTED):
                self._prepare(stack)
            self._end = stack.pop_all().close
        return self

    def __exit__(self, *_: object) -> None:
        """Remove what was made for nothing."""
        self._end()

    def _remove_journal(self) -> None:
        if not self.keep_journal:
            self.journal.unlink(missing_ok=True)

    def _prepare(self, stack: ExitStack) -> None:
        self._make(self.directory, stack)
        old = [self.directory / name for name in files.FILE_NAMES]
        for path in old:
            if path.is_dir() and not path.is_symlink():
                raise OSError(errno.EISDIR, "it is a folder, and the run writes a file of this name", str(path))
        # The journal of an earlier run names what that run left behind, so this run uses a new name.
        for number in itertools.count(2):
            with suppress(FileExistsError):
                self.journal.touch(mode=_PRIVATE_FILE, exist_ok=False)
                stack.callback(self._remove_journal)
                if claim := journal_file.claim(self.journal):  # it shows others that the run is in progress
                    stack.enter_context(claim)
                break
            self.journal = self.directory / f"{JOURNAL}-{number}.jsonl"
        for path in old:
            path.unlink(missing_ok=True)

    def _make(self, directory: Path, stack: ExitStack) -> None:
        missing = itertools.takewhile(lambda folder: not folder.exists(), (directory, *directory.parents))
        for folder in reversed(list(missing)):
            folder.mkdir(exist_ok=True)
            stack.callback(_remove_empty, folder)
            if folder == directory:
                self._published_mode = stat.S_IMODE(folder.stat().st_mode)
                folder.chmod(_PRIVATE_FOLDER)
        if not directory.is_dir():
            raise OSError(errno.ENOTDIR, "it is not a folder", str(directory))

    def write(
        self,
        documents: Documents,
        formats: tuple[str, ...],
        kind_in: Callable[[Path], str],
        copy: Specification | None = None,
    ) -> list[Path]:
        """Write the documents of a run and their views. A view that crashes is left out, and the others say so.

        `kind_in` returns in which kind of form a file contains a token. Raises Failure then, and writes nothing.
        The views quote `copy`, the reader's copy of the specification.
        """
        run = documents.run
        self.keep_journal = run.report.summary.left_behind > 0 or bool(run.trace.conditions.left)
        wanted, evidence = list(formats), None
        with documents.crashing("evidence.har"):
            evidence = documents.evidence
        paths: list[Path] = []
        state = "The run finished, but no report was written."
        with writing("--output, or free some space, and run again", state):
            try:
                while not paths:
                    try:
                        paths = files.write(
                            self.directory, documents.data, evidence, wanted, kind_in=kind_in, copy=copy
                        )
                    except files.ViewCrashed as crashed:
                        wanted.remove(crashed.kind)
                        documents.crashed(crashed.error, f"the format {crashed.kind}")
            except files.SecretFound as found:
                raise self._not_published(found) from None
            except OSError:
                files.remove(paths)
                raise
        if self._published_mode is not None:  # this run made the folder
            with suppress(OSError):
                self.directory.chmod(self._published_mode)
        if self.keep_journal:
            paths.append(self.journal)
        return paths

    def _not_published(self, found: files.SecretFound) -> Failure:
        left = f"What the run left behind is named in {self.journal}." if self.keep_journal else ""
        return Failure(
            f"{found.name} would contain an access token (as {found.kind}), so no file of the run was written.",
            remedy=f"Report it to the issue tracker of {NAME}, with the name of the file and without the token.",
            cause=Blame.SUITE,
            exit_code=Exit.BROKEN,
            state=left,
        )
