"""The database of a store: its address, its transactions, and its schema."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event, inspect, select
from sqlalchemy import text as sql
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from conformance import NAME
from conformance.fleet.store.rows import StoreFault
from conformance.fleet.store.tables import SCHEMA, metadata, store_schema

_WAIT: Final = 60.0
"""Seconds for which a change waits for the changes of other processes."""

_LOCK: Final = 0x64727369
"""The advisory lock of PostgreSQL that every change takes, and a change of what others rely on takes alone."""

_PREPARED: Final = (
    "PRAGMA foreign_keys=ON",
    "PRAGMA trusted_schema=OFF",  # a file of others may have views that call functions
)


class Database:
    """A database that may be a store."""

    def __init__(self, url: str | Path) -> None:
        """Name the database; raise StoreFault for an address that is none."""
        self._url = _parsed(url)
        self.file = Path(self._url.database) if self._url.database and self._is_sqlite else None
        """The file of SQLite, if it is one."""
        self.name = str(self.file or self._url.set(drivername="postgresql").render_as_string(hide_password=True))
        """The database as messages name it, without a password."""
        self.engine = _engine(self._url, self._is_sqlite)

    @property
    def _is_sqlite(self) -> bool:
        return self._url.get_backend_name() == "sqlite"

    def check(self, *, create: bool) -> None:
        """Check that it is a store of this schema, and make it one if it is empty and `create` is set.

        Raise StoreFault for no store, one of another schema, or a database that cannot be used.
        """
        if self.file and not self.file.is_file() and not create:
            raise StoreFault(
                f"There is no store at {self.name}.", remedy=f"Name a store, or make one with '{NAME} store add'."
            )
        with self.reading() as connection:
            is_empty = self._is_empty(connection)
        if is_empty:
            self._make(create=create)

    def _make(self, *, create: bool) -> None:
        """Make an empty database a store: all of it takes effect together, or nothing. Another process may be first."""
        with self.writing(alone=True) as connection:
            if not self._is_empty(connection):
                return
            if not create:
                raise StoreFault(
                    f"{self.name} is empty: it is no store yet.", remedy=f"Make it one with '{NAME} store add'."
                )
            metadata.create_all(connection)

    def _is_empty(self, connection: Connection) -> bool:
        """Tell whether the database has no tables; raise StoreFault if it has others than those of this schema."""
        tables = inspect(connection).get_table_names()
        if not tables:
            return True
        if store_schema.name not in tables:
            raise StoreFault(
                f"{self.name} is no store: it has tables of another program.",
                remedy="Name a store, or a database without tables.",
            )
        schema = str(connection.scalar(select(store_schema.c.version_num)))
        if schema != str(SCHEMA):
            raise StoreFault(
                f"{self.name} has schema {schema:.20}, which another version of {NAME} made; this version uses "
                f"schema {SCHEMA}.",
                remedy=f"Use that version of {NAME}.",
            )
        return False

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection that sees one state of the store; raise StoreFault if the database cannot be used."""
        one_state = {} if self._is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with self._explained(), self.engine.connect().execution_options(**one_state) as connection:
            yield connection

    @contextmanager
    def writing(self, *, alone: bool = False) -> Iterator[Connection]:
        """Yield a connection whose changes take effect together at the end, or not at all.

        In SQLite one process changes a store at a time. In PostgreSQL several do, unless one needs to be `alone`.
        """
        with self._explained(), self.engine.execution_options(drsi_writes=True).begin() as connection:
            if not self._is_sqlite:
                shared = "" if alone else "_shared"
                connection.execute(sql(f"SELECT pg_advisory_xact_lock{shared}({_LOCK})"))
            yield connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
            raise StoreFault(
                f"The store {self.name} cannot be used: {reason}.",
                remedy="Check that it is the database of a store, that you may change it, and that there is space.",
            ) from None


def _parsed(url: str | Path) -> URL:
    text = str(url)
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        found = make_url(text)
    except ArgumentError:  # its message has the address, which may have a password
        found = None
    backend = found.drivername.partition("+")[0] if found else ""
    if found and backend == "sqlite" and found.database and found.database != ":memory:":
        return URL.create("sqlite", database=found.database)
    if found and backend in ("postgresql", "postgres"):
        return found.set(drivername="postgresql+psycopg")
    raise StoreFault(
        f"Expected a store, received an address that begins with {text.partition(':')[0]!r:.40}.",
        remedy="Name a file, or a database such as postgresql://user@host/name.",
    )


def _engine(url: URL, is_sqlite: bool) -> Engine:
    if not is_sqlite:
        return create_engine(url, pool_pre_ping=True)
    engine = create_engine(url, connect_args={"timeout": _WAIT})
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # _begin begins the transactions, not the module sqlite3
    for each in _PREPARED:
        connection.execute(each)
    try:
        connection.execute("PRAGMA journal_mode=WAL")  # the file remembers it: only its first connection changes it
    except sqlite3.OperationalError as error:
        # SQLite does not wait here while another process writes. A later connection changes the mode.
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:  # the low byte of an extended code
            raise


def _begin(connection: Connection) -> None:
    """Begin a transaction. A change takes the lock at once: who has read before it changes may not wait for others."""
    writes = connection.get_execution_options().get("drsi_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
