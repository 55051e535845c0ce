"""The changes of a store within a transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, Table, delete, insert, select
from sqlalchemy.dialects import postgresql, sqlite

from conformance.fleet.store import tables
from conformance.fleet.store.contents import Contents
from conformance.fleet.store.rows import StoreFault
from conformance.model.printable import printable

_OF_ONE_RUN: Final = ("evidence", "started", "base_url")
"""The columns that no two runs have alike."""


def kept(connection: Connection, run: Mapping[str, Any]) -> Any:
    """Return number, report, bundle, target and audit of a run as the store has it, or None."""
    t, r = tables.targets, tables.runs
    wanted = select(r.c.id, r.c.report, r.c.bundle, t.c.name.label("target"), r.c.audit_id.label("audit"))
    same = [r.c[name] == run[name] for name in _OF_ONE_RUN]
    return connection.execute(wanted.join_from(r, t).where(*same)).one_or_none()


def write_run(connection: Connection, made: Contents, target: str, audit: str | None) -> int:
    """Write the rows of a run, in place of those that the store has of it; return its number."""
    row = made.run | {
        "target_id": target_number(connection, target, made.run["base_url"]),
        "audit_id": audit,
    }
    number = int(put(connection, tables.runs, row, *_OF_ONE_RUN, but="added"))
    parts = ((tables.verdicts, made.verdicts), (tables.findings, made.findings), (tables.statements, made.statements))
    for part, rows in parts:
        connection.execute(delete(part).where(part.c.run_id == number))
        if rows:
            connection.execute(insert(part), [each | {"run_id": number} for each in rows])
    return number


def target_number(connection: Connection, name: str, base_url: str) -> int:
    """Return the number of the target with this name, which is made if there is none."""
    row = {"name": name_of_target(name), "base_url": base_url}
    # An update of nothing returns the number, and in PostgreSQL lets one process at a time add runs to a target.
    return int(put(connection, tables.targets, row, "name", but="base_url"))


def name_of_target(name: str) -> str:
    """Return the name of a target as the store has it; raise StoreFault for an empty one."""
    if not name.strip():
        raise StoreFault("Expected the name of a target, received an empty text.", remedy="Give the target a name.")
    return printable(name.strip())


def add_if_absent(connection: Connection, table: Table, row: Mapping[str, Any]) -> None:
    """Add a row, unless the table has one with this key."""
    connection.execute(_insert(connection, table).values(row).on_conflict_do_nothing())


def put(connection: Connection, table: Table, row: Mapping[str, Any], *keys: str, but: str = "") -> Any:
    """Write a row, also in place of the one with the same values of `keys`, whose column `but` stays.

    Return the first column of its primary key.
    """
    statement = _insert(connection, table).values(row)
    again = {name: value for name, value in row.items() if name != but}
    statement = statement.on_conflict_do_update(index_elements=keys, set_=again)
    return connection.scalar(statement.returning(*table.primary_key))


def _insert(connection: Connection, table: Table) -> Any:
    """Return the statement that knows what to do about a row that exists; each database has its own."""
    return (sqlite if connection.dialect.name == "sqlite" else postgresql).insert(table)
