"""The store of runs: how it is opened, and what changes it. The text of the package says what holds for all of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from uuid import uuid4

from sqlalchemy import delete, func, insert, select, update

from conformance.cli.recorded import is_bundle
from conformance.fleet.moments import moment, now
from conformance.fleet.store import changes, contents, recorded, tables
from conformance.fleet.store.bundles import Bundles, address_of
from conformance.fleet.store.database import Database
from conformance.fleet.store.reading import Reading
from conformance.fleet.store.rows import StoreFault, Target
from conformance.model.printable import printable

_EVIDENCE = "evidence"
"""The setting that names where the bundles are; empty if they are beside the file of SQLite, which may be moved."""


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

    def set_target(self, target: Target) -> None:
        """Record a target, or replace what the store says of the one with this name."""
        row = {
            "name": changes.name_of_target(target.name),
            "base_url": printable(target.base_url),
            "authority": printable(target.authority),
            "labels": contents.as_text(contents.cleaned(target.labels)),
        }
        with self.database.writing() as connection:
            changes.put(connection, tables.targets, row, "name")

    def begin_audit(self, name: str = "", *, started: str | None = None) -> str:
        """Record the beginning of an audit, now or at a date-time; return its id."""
        audit = uuid4().hex
        began = moment(started) if started else now()
        row = {"id": audit, "name": printable(name), "started": began, "finished": None}
        with self.database.writing() as connection:
            connection.execute(insert(tables.audits).values(row))
        return audit

    def end_audit(self, audit: str, *, finished: str | None = None) -> None:
        """Record the end of an audit, now or at a date-time."""
        ended = moment(finished) if finished else now()
        with self.database.writing() as connection:
            connection.execute(update(tables.audits).where(tables.audits.c.id == audit).values(finished=ended))

    def set_unreported(self, audit: str, found: Mapping[str, tuple[str, str]]) -> None:
        """Record the targets of which an audit has no report, each with its state and why, in place of former ones."""
        u = tables.unreported
        with self.database.writing() as connection:
            connection.execute(delete(u).where(u.c.audit_id == audit))
            for target, (state, message) in found.items():
                number = changes.target_number(connection, target, "")
                row = {"state": state, "message": printable(message)}
                connection.execute(insert(u).values(row | {"audit_id": audit, "target_id": number}))

    def add_run(
        self,
        run: Path,
        *,
        target: str | None = None,
        audit: str | None = None,
        confirm: recorded.Confirm = lambda _, __: None,
    ) -> int:
        """Add a run and its evidence; return its number. Raise StoreFault if it cannot be read, or was altered.

        `run` is its folder, its report.json or a bundle. `target` is a name, by default that of the address checked.
        The same run again changes nothing, and stays with its target and its audit. If a statement was added to it
        since, or it comes as another bundle than the one kept, it replaces what is kept.
        """
        with recorded.opened(run) as found:
            confirm(run, found)
            made = contents.contents(found.report)
            with self.database.reading() as connection:
                before = changes.kept(connection, made.run)
            is_same = before and before.report == made.run["report"] and not is_bundle(run)
            bundle = b"" if is_same else recorded.packed(run, found)
        digest = hashlib.sha256(bundle).hexdigest()
        if before and (is_same or before.bundle == digest):
            return int(before.id)
        made.run.update(bundle=digest, bundle_size=len(bundle), added=now())
        return self.keep_run(made, bundle, target, audit)

    def _keep_words(self, words: Mapping[str, str]) -> None:
        """Keep words of the specification by place, which a run keeps: sites and registers quote them."""
        if words:
            row = {"name": tables.WORDS, "value": contents.as_text(self.words() | dict(words))}
            with self.database.writing() as connection:
                changes.put(connection, tables.settings, row, "name")

    def keep_run(self, made: contents.Contents, bundle: bytes, target: str | None, audit: str | None) -> int:
        """Keep the rows of a run and its bundle, in place of those that the store has of it; return its number.

        A known run stays with its target and its audit; without `target`, a new one belongs to that of its address.
        """
        digest = made.run["bundle"]
        self._keep_words(made.quoted)
        self.bundles.put(digest, bundle)
        with self.database.writing() as connection:
            self.bundles.put(digest, bundle)  # unless `keep` of another process removed it in between
            before = changes.kept(connection, made.run)
            if before:
                target, audit = before.target, before.audit
            elif target is None:
                target = made.run["base_url"]
            number = changes.write_run(connection, made, target, audit)
        if before and before.bundle != digest:
            self._remove_unused([before.bundle])
        return number

    def keep(self, number: int) -> int:
        """Remove all runs but the latest `number` of each target, with their evidence; return how many."""
        newest_first = (tables.runs.c.started.desc(), tables.runs.c.id.desc())
        rank = func.row_number().over(partition_by=tables.runs.c.target_id, order_by=newest_first).label("rank")
        ranked = select(tables.runs.c.id, rank).subquery()
        old = tables.runs.c.id.in_(select(ranked.c.id).where(ranked.c.rank > number))
        with self.database.writing(alone=True) as connection:
            bundles = connection.scalars(delete(tables.runs).where(old).returning(tables.runs.c.bundle)).all()
        self._remove_unused(bundles)
        return len(bundles)

    def _remove_unused(self, bundles: Iterable[str]) -> None:
        """Remove the bundles among these that no run has. A change of another process comes before or after."""
        for digest in dict.fromkeys(bundles):
            with self.database.writing(alone=True) as connection:
                if connection.scalar(select(tables.runs.c.id).where(tables.runs.c.bundle == digest)) is None:
                    self.bundles.remove(digest)


def _evidence(database: Database, given: str | None) -> str:
    """Return the address of the bundles of a store, and record it in a new one; raise StoreFault for another one."""
    beside = database.file and address_of(database.file)
    wanted = None if given is None else given if "://" in given else str(Path(given).absolute())
    setting = select(tables.settings.c.value).where(tables.settings.c.name == _EVIDENCE)
    with database.reading() as connection:
        kept_at = connection.scalar(setting)
    if kept_at is None:
        if not (wanted or beside):
            raise StoreFault(
                f"The store {database.name} does not know yet where to keep its evidence.",
                remedy="Name a folder or an address with --evidence.",
            )
        if wanted:
            Bundles(wanted)  # an address that cannot be used is not recorded
        with database.writing() as connection:
            row = {"name": _EVIDENCE, "value": "" if wanted in (None, beside) else wanted}
            changes.add_if_absent(connection, tables.settings, row)
            kept_at = connection.scalar(setting)
    kept_at = kept_at or str(beside)
    if wanted not in (None, kept_at):
        raise StoreFault(
            f"The store {database.name} keeps its evidence at {kept_at}, not at {wanted}.",
            remedy="Leave out --evidence.",
        )
    return kept_at
