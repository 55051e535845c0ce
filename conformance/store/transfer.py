"""A store as one file, and back: a zip file with a database of SQLite and the bundles of its runs.

The database is that of a store, so that any SQL tool reads it. One of an older schema is upgraded before its rows are
taken over.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, Select, Table, select

from conformance.evidence import bundle
from conformance.evidence.archive import MOST_BYTES
from conformance.store import publication, tables
from conformance.store.bundles import checked
from conformance.store.contents import Contents
from conformance.store.database import Database
from conformance.store.rows import StoreFault
from conformance.store.store import Store

_DATABASE: Final = "store.sqlite"
_EVIDENCE: Final = "evidence/"
_REMEDY: Final = "Name a file that 'store export' wrote."
_AT_ONCE: Final = 100
"""Runs that are read from a database at once."""


class _Zipped:
    """The bundles in an exported file."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._known = set(archive.namelist())

    def put(self, digest: str, data: bytes) -> None:
        """Add a bundle, unless it is there."""
        if (name := _name(digest)) not in self._known:
            self._archive.writestr(name, data, zipfile.ZIP_STORED)  # it is compressed
            self._known.add(name)

    def read(self, digest: str) -> bytes:
        """Return a bundle; raise StoreFault if it is absent or was altered."""
        name = _name(digest)
        if name not in self._known or self._archive.getinfo(name).file_size > MOST_BYTES:
            raise StoreFault(f"The bundle {digest:.64} is not in the file.", remedy="Export the store again.")
        with _reading(self._archive.filename):
            data = self._archive.read(name)
        return checked(digest, data)

    def remove(self, digest: str) -> None:
        """Leave a bundle in the file, where no run names it: nothing is removed from a zip file."""


def export(store: Store, file: Path) -> int:
    """Write a store with its evidence to a file; return the number of runs.

    The file is the state of one moment. Raise StoreFault if a bundle is absent, and OSError if it cannot be written.
    """
    part = file.with_name(f".{file.name}.part")
    try:
        with TemporaryDirectory(prefix="drsi-export-", dir=file.parent) as folder:
            database = Path(folder) / _DATABASE
            with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
                with Store(_new(database), _Zipped(archive)) as copy:
                    number = _copy(store, copy)
                archive.write(database, _DATABASE)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return number


def take_over(store: Store, file: Path) -> int:
    """Add everything in an exported file to a store; return the number of runs in it.

    What the store has already stays. An import that was broken off is continued by another one. Raise StoreFault for a
    file that is no export, was altered, or comes from a newer version.
    """
    with _opened(file) as archive, TemporaryDirectory(prefix="drsi-import-") as folder:
        with _reading(file):
            place = archive.extract(_DATABASE, folder)
        Store.upgrade(place)
        with Store(Database(Path(place)), _Zipped(archive)) as exported:
            return _copy(exported, store)


def _new(file: Path) -> Database:
    database = Database(file)
    database.check(create=True)
    return database


def _opened(file: Path) -> zipfile.ZipFile:
    with _reading(file):
        archive = zipfile.ZipFile(file)
    if _DATABASE not in archive.namelist():
        archive.close()
        raise StoreFault(f"{file} is no exported store: it has no {_DATABASE}.", remedy=_REMEDY)
    return archive


@contextmanager
def _reading(file: object) -> Iterator[None]:
    """Say of an exported file that it cannot be read. An error of the database or of the target is not of this kind."""
    try:
        yield
    except OSError as error:
        raise StoreFault(f"{file} cannot be read: {error.strerror or error}.", remedy=_REMEDY) from None
    # The last one is for an encrypted member, or one that is compressed in an unknown way.
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise StoreFault(f"{file} is no exported store, or is damaged: {error}.", remedy=_REMEDY) from None


def _copy(source: Store, target: Store) -> int:
    """Add to a store what another one has, run by run; return the number of runs."""
    number = 0
    with source.database.reading() as connection:
        for table, own in ((tables.targets, ("id",)), (tables.audits, ()), (tables.parties, ())):
            for row in connection.execute(select(table)).mappings():
                target.add_if_absent(table, _without(row, own))
        for row in _streamed(connection):
            rows = [
                [_without(each, ("run_id",)) for each in connection.execute(_of_run(part, row["id"])).mappings()]
                for part in (tables.verdicts, tables.findings, tables.statements)
            ]
            made = Contents(_without(row, ("id", "target_id", "audit_id", "target")), *rows)
            if not target.has(made.run):
                target.keep_run(made, source.bundles.read(row["bundle"]), row["target"], row["audit_id"])
            publication.take_over_of_run(connection, row["id"], target, made.run)
            number += 1
        publication.take_over_of_targets(connection, target)
    return number


def _streamed(connection: Connection) -> Iterator[RowMapping]:
    """Yield the runs with the names of their targets, in the order in which they were added."""
    every = select(tables.runs, tables.targets.c.name.label("target")).join(tables.targets).order_by(tables.runs.c.id)
    with connection.execution_options(yield_per=_AT_ONCE).execute(every) as result:
        yield from result.mappings()


def _of_run(part: Table, run: int) -> Select[Any]:
    return select(part).where(part.c.run_id == run)


def _without(row: RowMapping, names: Collection[str]) -> dict[str, Any]:
    return {str(name): value for name, value in row.items() if name not in names}


def _name(digest: str) -> str:
    return f"{_EVIDENCE}{digest[:2]}/{digest}{bundle.SUFFIX}"
