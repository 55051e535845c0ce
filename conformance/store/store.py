"""The store of runs: how it is opened, and what changes it. The text of the package says what holds for all of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from conformance.model.text import printable
from conformance.store import contents, recorded, tables
from conformance.store.bundles import Bundles, address_of
from conformance.store.database import Database
from conformance.store.reading import Reading
from conformance.store.recorded import Recorded
from conformance.store.rows import StoreFault, Target

Row = TypeVar("Row")

_AT_ONCE = 1_000
"""Runs that are removed by one statement."""

_EVIDENCE = "evidence"
"""The setting that names where the bundles are; without it they are beside the file of SQLite."""


class Store(Reading):
    """An open store. Use it in a `with`, or close it."""

    @classmethod
    def open(cls, url: str | Path, evidence: str | None = None, *, create: bool = False) -> Store:
        """Open the store at a path or address; `create` makes it where there is none.

        The evidence of a new store is kept at `evidence`, a folder or an address for fsspec, which the store records.
        The default is a folder beside the file of SQLite; PostgreSQL needs an address. Raise StoreFault for no store,
        one of another schema, or one that keeps its evidence elsewhere.
        """
        database = Database(url)
        try:
            database.check(create=create)
            return cls(database, Bundles(_evidence(database, evidence)))
        except BaseException:
            database.engine.dispose()
            raise

    @staticmethod
    def upgrade(url: str | Path) -> tuple[int, int]:
        """Bring a store to the schema of this version; return the schemas before and after. Raise StoreFault."""
        database = Database(url)
        try:
            if database.file and not database.file.is_file():
                raise StoreFault(f"There is no store at {database.name}.", remedy="Name a store.")
            return database.upgrade()
        finally:
            database.engine.dispose()

    def set_target(self, target: Target) -> None:
        """Record a target, or replace what the store says of the one with this name."""
        row = {
            "name": _named(target.name),
            "base_url": printable(target.base_url),
            "authority": printable(target.authority),
            "labels": contents.as_text(contents.cleaned(target.labels)),
        }
        with self._database.writing() as connection:
            statement = _insert(connection)(tables.targets).values(row)
            connection.execute(statement.on_conflict_do_update(index_elements=["name"], set_=row))

    def begin_audit(self, name: str = "") -> str:
        """Record the beginning of an audit; return its id."""
        audit = uuid4().hex
        row = {"id": audit, "name": printable(name), "started": _now(), "finished": None}
        with self._database.writing() as connection:
            connection.execute(insert(tables.audits).values(row))
        return audit

    def end_audit(self, audit: str) -> None:
        """Record the end of an audit; raise StoreFault for an id that the store does not have."""
        with self._database.writing() as connection:
            changed = connection.execute(
                update(tables.audits).where(tables.audits.c.id == audit).values(finished=_now())
            )
            if not changed.rowcount:
                raise _no_audit(audit)

    def add_run(self, run: Path, *, target: str | None = None, audit: str | None = None) -> int:
        """Add a run and its evidence; return its number. Raise StoreFault if it cannot be read, or was altered.

        `run` is its folder, its report.json or a bundle. `target` is a name, by default that of the address checked.
        The same run again changes nothing, except that a target or an audit that is named moves it there. If a
        statement was added to it since, or it comes as another bundle than the one kept, it replaces what is kept.
        """
        with recorded.opened(run) as found:
            with self._database.reading() as connection:
                before = _kept(connection, found)
            if before and found.is_kept_as(before.report, before.bundle):
                self._move(before.id, target, audit)
                return int(before.id)
            packed = found.packed()
        made = contents.contents(found.report)
        made.run.update(bundle=packed.digest, bundle_size=len(packed.data), added=_now())
        self.bundles.put(packed.digest, packed.data)
        with self._database.writing() as connection:
            self.bundles.put(packed.digest, packed.data)  # unless `keep` of another process removed it in between
            before = _kept(connection, found)
            if before:
                target, audit = target or before.target, audit or before.audit
            number = _add(connection, made, target or made.run["base_url"], audit)
        if before:
            self._remove_unused([before.bundle])
        return number

    def keep(self, number: int) -> int:
        """Remove all runs but the latest `number` of each target, with their evidence; return how many."""
        if number < 1:
            raise ValueError("at least one run of each target is kept")
        newest_first = (tables.runs.c.started.desc(), tables.runs.c.id.desc())
        rank = func.row_number().over(partition_by=tables.runs.c.target_id, order_by=newest_first).label("rank")
        ranked = select(tables.runs.c.id, tables.runs.c.bundle, rank).subquery()
        with self._database.writing(alone=True) as connection:
            old = connection.execute(select(ranked.c.id, ranked.c.bundle).where(ranked.c.rank > number)).all()
            for some in _in_parts(old):
                connection.execute(delete(tables.runs).where(tables.runs.c.id.in_([each.id for each in some])))
        self._remove_unused(each.bundle for each in old)
        return len(old)

    def _move(self, run: int, target: str | None, audit: str | None) -> None:
        """Move a run to another target or audit, where one is named."""
        if target is None and audit is None:
            return
        with self._database.writing() as connection:
            row: dict[str, Any] = {}
            if target is not None:
                base_url = connection.scalar(select(tables.runs.c.base_url).where(tables.runs.c.id == run)) or ""
                row["target_id"] = _target(connection, target, base_url)
            if audit is not None:
                row["audit_id"] = _audit(connection, audit)
            connection.execute(update(tables.runs).where(tables.runs.c.id == run).values(row))

    def _remove_unused(self, bundles: Iterable[str]) -> None:
        """Remove the bundles among these that no run has. A change of another process comes before or after."""
        for digest in bundles:
            with self._database.writing(alone=True) as connection:
                if not connection.scalar(select(func.count()).where(tables.runs.c.bundle == digest)):
                    self.bundles.remove(digest)


def _evidence(database: Database, given: str | None) -> str:
    """Return the address of the bundles of a store, and record it if the store has none; raise StoreFault."""
    wanted = None if given is None else given if "://" in given else str(Path(given).absolute())
    setting = select(tables.settings.c.value).where(tables.settings.c.name == _EVIDENCE)
    with database.reading() as connection:
        recorded = connection.scalar(setting)
    if recorded is None and wanted is None:
        if database.file is None:
            raise StoreFault(
                f"The store {database.name} does not say yet where its evidence is kept.",
                remedy="Name a folder or an address with --evidence.",
            )
        return address_of(database.file)
    if recorded is None and wanted != (database.file and address_of(database.file)):
        Bundles(str(wanted))  # an address that can be used
        with database.writing() as connection:
            row = {"name": _EVIDENCE, "value": wanted}
            connection.execute(_insert(connection)(tables.settings).values(row).on_conflict_do_nothing())
            recorded = connection.scalar(setting)
    if recorded is not None and wanted not in (None, recorded):
        raise StoreFault(
            f"The store {database.name} keeps its evidence at {recorded}, not at {wanted}.",
            remedy="Leave out --evidence.",
        )
    return str(recorded or wanted)


def _kept(connection: Connection, found: Recorded) -> Any:
    """Return number, report, bundle, target and audit of this run as the store has it, or None."""
    t, r = tables.targets, tables.runs
    wanted = select(r.c.id, r.c.report, r.c.bundle, t.c.name.label("target"), r.c.audit_id.label("audit"))
    same = [
        r.c.evidence == found.evidence_digest,
        r.c.started == contents.moment(found.report.started),
        r.c.base_url == printable(found.report.target.base_url),
    ]
    return connection.execute(wanted.join_from(r, t).where(*same)).one_or_none()


def _add(connection: Connection, made: contents.Contents, target: str, audit: str | None) -> int:
    """Write the rows of a run, in place of those that the store has of it; return its number."""
    row = made.run | {
        "target_id": _target(connection, target, made.run["base_url"]),
        "audit_id": None if audit is None else _audit(connection, audit),
    }
    statement = _insert(connection)(tables.runs).values(row)
    again = {name: value for name, value in row.items() if name != "added"}
    statement = statement.on_conflict_do_update(index_elements=["evidence", "started", "base_url"], set_=again)
    number = int(connection.scalars(statement.returning(tables.runs.c.id)).one())
    parts = ((tables.verdicts, made.verdicts), (tables.findings, made.findings), (tables.statements, made.statements))
    for part, rows in parts:
        connection.execute(delete(part).where(part.c.run_id == number))
        if rows:
            connection.execute(insert(part), [each | {"run_id": number} for each in rows])
    return number


def _target(connection: Connection, name: str, base_url: str) -> int:
    """Return the number of the target with this name, which is made if there is none."""
    row = {"name": _named(name), "base_url": base_url}
    statement = _insert(connection)(tables.targets).values(row)
    # An update of nothing returns the number, and in PostgreSQL lets one process at a time add runs to a target.
    statement = statement.on_conflict_do_update(index_elements=["name"], set_={"name": row["name"]})
    return int(connection.scalars(statement.returning(tables.targets.c.id)).one())


def _audit(connection: Connection, audit: str) -> str:
    if connection.scalar(select(tables.audits.c.id).where(tables.audits.c.id == audit)) is None:
        raise _no_audit(audit)
    return audit


def _no_audit(audit: str) -> StoreFault:
    return StoreFault(f"The store has no audit {audit!r:.80}.", remedy="Use the id that begin_audit returned.")


def _named(name: str) -> str:
    if not name.strip():
        raise StoreFault("Expected the name of a target, received an empty text.", remedy="Give the target a name.")
    return printable(name.strip())


def _now() -> str:
    return contents.stamp(datetime.now(UTC))


def _insert(connection: Connection) -> Any:
    """Return the `insert` that knows what to do about a row that exists; each database has its own."""
    return (sqlite if connection.dialect.name == "sqlite" else postgresql).insert


def _in_parts(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    for start in range(0, len(rows), _AT_ONCE):
        yield rows[start : start + _AT_ONCE]
