"""What is read of a store: its tables and views, row by row, and the files of its runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Self, TypeVar, get_origin, get_type_hints

import msgspec
from sqlalchemy import (
    Boolean,
    Column,
    ColumnClause,
    ColumnElement,
    Select,
    Table,
    bindparam,
    column,
    exists,
    func,
    select,
    table,
)
from sqlalchemy import text as sql

from conformance import NAME
from conformance.fleet.store import recorded, tables
from conformance.fleet.store.bundles import Bundles
from conformance.fleet.store.database import Database
from conformance.fleet.store.rows import (
    Audit,
    AuditedRun,
    Change,
    FailingRequirement,
    FormerBundle,
    LatestRun,
    LatestVerdict,
    Party,
    Proposal,
    Publication,
    Regression,
    Statement,
    StoredFinding,
    StoredRun,
    StoredVerdict,
    StoreFault,
    Target,
    Unreported,
    Withdrawal,
    Witness,
)
from conformance.model import unique_keys
from conformance.model.report import Report
from conformance.model.report_data import report_of
from conformance.model.requirements import catalogue
from conformance.model.specification import Specification
from conformance.reports import files
from conformance.reports.basis import genuine
from conformance.trust import archive, bundle
from conformance.trust.archive import EvidenceFault

Row = TypeVar("Row")

_ADD_AGAIN: Final = "Add the run again."

_AT_ONCE = 1_000
"""Rows that are read from a database at once."""


class Reading:
    """The part of an open store that changes nothing."""

    def __init__(self, database: Database, bundles: Bundles) -> None:
        self.database = database
        self.bundles = bundles
        self.name = database.name
        """The store as messages name it, without a password."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the database."""
        self.database.engine.dispose()

    def targets(self) -> Iterator[Target]:
        """Yield the targets in the order of their names."""
        return self._rows(Target, "targets", "name")

    def audits(self) -> Iterator[Audit]:
        """Yield the audits, the latest first."""
        return self._rows(Audit, "audits", "started DESC", "id")

    def runs(self, target: str) -> Iterator[StoredRun]:
        """Yield the runs of the target with this name, the latest first; none if the store has no such target.

        Imported runs are among them only where the store has no run of its own of the target, as in the views.
        """
        return self._selected(StoredRun, _runs(), target=target)

    def audited_runs(self) -> Iterator[AuditedRun]:
        """Yield the runs that belong to audits: the latest audit first, in each those with most failures first."""
        t, r, a = tables.targets, tables.runs, tables.audits
        every = (
            select(
                *(r.c[name] for name in _KINDS[StoredRun] if name not in ("target", "audit")),
                t.c.name.label("target"),
                r.c.audit_id.label("audit"),
                *(
                    func.lag(r.c[name])
                    .over(partition_by=r.c.target_id, order_by=(r.c.started, r.c.id))
                    .label(f"{name}_before")
                    for name in ("outcome", "failed")
                ),
            )
            .join_from(t, r)
            .subquery()
        )
        wanted = select(every).join_from(every, a, a.c.id == every.c.audit)
        order_of_pages = (a.c.started.desc(), a.c.id, every.c.failed.desc(), every.c.alerts.desc(), every.c.target)
        return self._selected(AuditedRun, wanted.order_by(*order_of_pages, every.c.id))

    def unreported(self) -> Iterator[Unreported]:
        """Yield the services of which an audit has no report: the latest audit first, by the names of the services."""
        t, a, u = tables.targets, tables.audits, tables.unreported
        own = [u.c.audit_id.label("audit"), t.c.name.label("target"), t.c.base_url, u.c.state, u.c.message, a.c.started]
        wanted = select(*own).join_from(u, t).join(a)
        return self._selected(Unreported, wanted.order_by(a.c.started.desc(), a.c.id, t.c.name))

    def unreported_since(self) -> Iterator[Unreported]:
        """Yield the services of which the store has nothing newer than an audit without a report, by their names.

        An imported audit counts for a service of which the store has neither a run nor an audit of its own.
        """
        runs = {each.target: each for each in self.latest_runs()}
        audits = {each.id: each for each in self.audits()}
        imported = {each.id for each in audits.values() if each.imported}

        def is_older(run: LatestRun, audit: str) -> bool:
            # The moment of an audit is a whole second. In the same second the order of the audits decides.
            second, began = run.started[:19], audits[run.audit].started if run.audit else run.started
            return (second, began) < (audit[:19], audit)

        found: dict[str, Unreported] = {}
        for each in self.unreported():
            former, run = found.get(each.target), runs.get(each.target)
            is_own = each.audit not in imported
            if former and (former.audit not in imported or not is_own):
                continue
            if run is None or (is_older(run, each.started) and (is_own or run.imported)):
                found[each.target] = each
        yield from sorted(found.values(), key=attrgetter("target"))

    def proposals(self) -> Iterator[Proposal]:
        """Yield what imports propose, in the order in which it was recorded; also what was accepted."""
        return self._rows(Proposal, "proposals", "recorded", "kind", "id")

    def verdicts(self, run: int) -> Iterator[StoredVerdict]:
        """Yield the verdicts of a run, in the order of the catalogue."""
        return self._rows(StoredVerdict, "verdicts", "position", run_id=run)

    def findings(self, run: int) -> Iterator[StoredFinding]:
        """Yield the findings of a run, by requirement."""
        return self._rows(StoredFinding, "findings", "requirement", "position", run_id=run)

    def statements(self, run: int) -> Iterator[Statement]:
        """Yield the statements of people about a run: attestations, replies and waivers."""
        return self._rows(Statement, "statements", "kind", "position", run_id=run)

    def changes(self, target: str) -> Iterator[Change]:
        """Yield what each run of a target decided otherwise than the run before, the latest run first."""
        return self._selected(Change, _changes(), target=target)

    def latest_runs(self, *, worst_first: bool = False) -> Iterator[LatestRun]:
        """Yield the latest run of each target that has one, in the order of the targets' names.

        With `worst_first`, those with most failures come first, then alerts, then undecided requirements.
        """
        worst = ("failed DESC", "alerts DESC", "decided - testable") if worst_first else ()
        return self._rows(LatestRun, "latest_runs", *worst, "target")

    def latest_verdicts(self) -> Iterator[LatestVerdict]:
        """Yield the verdicts of the latest runs, by target and in the order of the catalogue."""
        return self._rows(LatestVerdict, "latest_verdicts", "target", "position")

    def regressions(self) -> Iterator[Regression]:
        """Yield what fails now and passed before, by target."""
        return self._rows(Regression, "regressions", "target", "requirement")

    def failing_requirements(self) -> Iterator[FailingRequirement]:
        """Yield what fails now, by requirement."""
        return self._rows(FailingRequirement, "failing_requirements", "requirement", "target")

    def report(self, run: int) -> Report:
        """Return the report of a run, as its bundle has it; raise StoreFault without one."""
        try:
            data = unique_keys.loads(archive.member(self._bundle(run)[1], files.DATA))
            return report_of(data)
        except StoreFault:
            raise
        except (EvidenceFault, ValueError, RecursionError) as error:
            raise StoreFault(f"The bundle of run {run} cannot be read: {error}", remedy=_ADD_AGAIN) from None

    def page(self, run: int, copy: Specification | None = None) -> str:
        """Return report.html of a run, made again from its evidence by this version; raise StoreFault if that fails.

        It quotes `copy`, a reader's copy of the specification.
        """
        with self.unpacked(run) as folder, recorded.opened(folder) as found:
            return found.page(copy)

    def words(self) -> dict[str, str]:
        """Return the words of this version's edition of the specification by place that runs in the store keep."""
        kept = select(tables.settings.c.value).where(tables.settings.c.name == tables.WORDS)
        with self.database.reading() as connection:
            value = connection.scalar(kept)
        try:
            return genuine(msgspec.json.decode(value or "{}", type=dict[str, str]), catalogue().edition.digest)
        except msgspec.DecodeError:  # the store came from others
            return {}

    def publications(self) -> Iterator[Publication]:
        """Yield what is recorded on the publication of targets, in the order of their names; also what has ended."""
        t, p = tables.targets, tables.publications
        own = [each for each in p.c if each.name != "target_id"]
        return self._selected(Publication, select(t.c.name.label("target"), *own).join_from(p, t).order_by(t.c.name))

    def withdrawals(self, target: str) -> Iterator[Withdrawal]:
        """Yield the withdrawals of the runs of a target."""
        return self._of_runs(Withdrawal, tables.withdrawals, target)

    def witnesses(self, target: str) -> Iterator[Witness]:
        """Yield the statements of witnesses about the runs of a target."""
        return self._of_runs(Witness, tables.witnesses, target, tables.witnesses.c.sha256)

    def former_bundles(self, target: str) -> Iterator[FormerBundle]:
        """Yield the replaced bundles of the runs of a target, in the order in which they were replaced."""
        return self._of_runs(FormerBundle, tables.former_bundles, target, tables.former_bundles.c.replaced)

    def parties(self) -> Iterator[Party]:
        """Yield the independent parties, in the order of their names."""
        return self._rows(Party, "parties", "name", "key")

    @contextmanager
    def unpacked(self, run: int) -> Iterator[Path]:
        """Yield a temporary folder with the files of a run, as its bundle has them; raise StoreFault without one."""
        digest, data = self._bundle(run)
        with TemporaryDirectory(prefix="drsi-store-") as place:
            path = Path(place) / f"{digest}{bundle.SUFFIX}"
            path.write_bytes(data)
            with bundle.opened(path) as folder:
                yield folder

    def _bundle(self, run: int) -> tuple[str, bytes]:
        """Return the bundle of a run, with its digest; raise StoreFault without one."""
        with self.database.reading() as connection:
            digest = connection.scalar(select(tables.runs.c.bundle).where(tables.runs.c.id == run))
        if digest is None:
            raise StoreFault(f"The store {self.name} has no run {run}.", remedy="Name the number of a run.")
        return digest, self.bundles.read(digest)

    def _rows(self, kind: type[Row], source: str, *order: str, **where: object) -> Iterator[Row]:
        # mypy takes the class for one of its instances, which cannot be hashed
        return self._selected(kind, _statement(kind, source, order, tuple(where)), **where)  # type: ignore[arg-type]

    def _of_runs(self, kind: type[Row], part: Table, target: str, *order: Column[str]) -> Iterator[Row]:
        """Yield the rows of a table on the runs of a target."""
        t, r = tables.targets, tables.runs
        wanted = select(r.c.id.label("run"), *(each for each in part.c if each.name != "run_id"))
        wanted = wanted.join_from(part, r).join(t).where(t.c.name == target)
        return self._selected(kind, wanted.order_by(r.c.id, *order))

    def _selected(self, kind: type[Row], wanted: Select[Any], **values_of: object) -> Iterator[Row]:
        """Yield the rows of a statement, with values for its parameters."""
        as_json = [name for name, each in _KINDS[kind].items() if get_origin(each) in (dict, tuple)]
        with (
            self.database.reading() as connection,
            connection.execution_options(yield_per=_AT_ONCE).execute(wanted, values_of) as result,
        ):
            names = [str(each) for each in result.keys()]  # noqa: SIM118 - no mapping; msgspec takes plain texts
            for row in result:
                try:
                    values = dict(zip(names, row, strict=True))
                    made = msgspec.convert(values | {name: json.loads(values[name]) for name in as_json}, kind)
                except (ValueError, TypeError) as error:
                    raise StoreFault(
                        f"The store {self.name} has a row that no version of {NAME} wrote: {error}.",
                        remedy="Undo what another program changed in it, or use a copy of it.",
                    ) from None
                yield made


def _types(kind: type) -> dict[str, Any]:
    """Return the types of the columns that a class has, by their names."""
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}


_KINDS: Final[dict[type, dict[str, Any]]] = {
    kind: _types(kind)
    for kind in (
        *(Audit, AuditedRun, Change, FailingRequirement, LatestRun, LatestVerdict, Regression),
        *(Statement, StoredFinding, StoredRun, StoredVerdict, Target),
        *(FormerBundle, Party, Proposal, Publication, Unreported, Withdrawal, Witness),
    )
}
"""The columns of each class, with their types."""


@cache
def _statement(kind: type[Any], source: str, order: tuple[str, ...], where: tuple[str, ...]) -> Select[Any]:
    """Return the rows of a table or view. A site asks for them ten thousand times, so statements are made once."""
    wanted = select(*_columns(kind)).select_from(table(source)).order_by(*map(sql, order))
    return wanted.where(*(column(name) == bindparam(name) for name in where))


@cache
def _runs() -> Select[Any]:
    t, r = tables.targets, tables.runs
    own = [r.c[name] for name in _KINDS[StoredRun] if name not in ("target", "audit")]
    wanted = select(t.c.name.label("target"), r.c.audit_id.label("audit"), *own).join_from(t, r).where(_counts())
    return wanted.where(t.c.name == bindparam("target")).order_by(r.c.started.desc(), r.c.id.desc())


def _counts() -> ColumnElement[bool]:
    """Return the condition of the view `counted_runs`."""
    r, own = tables.runs, tables.runs.alias("own")
    return (r.c.imported == "") | ~exists().where(own.c.target_id == r.c.target_id, own.c.imported == "")


@cache
def _changes() -> Select[Any]:
    t, r, v = tables.targets, tables.runs, tables.verdicts
    before = func.lag(v.c.verdict).over(partition_by=v.c.requirement, order_by=(r.c.started, r.c.id))
    every = (
        select(r.c.id.label("run"), r.c.started, v.c.requirement, v.c.position, before.label("before"), v.c.verdict)
        .join_from(t, r)
        .join(v)
        .where(t.c.name == bindparam("target"), _counts())
        .subquery()
    ).c
    wanted = select(every.run, every.requirement, every.before, every.verdict).where(every.before != every.verdict)
    return wanted.order_by(every.started.desc(), every.run.desc(), every.position)


def _columns(kind: type) -> list[ColumnClause[Any]]:
    """Return the columns of a table or view that a class has."""
    return [column(name, Boolean() if each is bool else None) for name, each in _KINDS[kind].items()]
