"""The tables and views of a store. The members of the classes in `rows.py` are columns; the others are named here.

Text that is JSON has sorted members. Moments are text: both databases compare and show them alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final, get_origin, get_type_hints

from sqlalchemy import (
    DDL,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    event,
)

from conformance.fleet.store.rows import (
    Audit,
    Party,
    Proposal,
    Publication,
    Statement,
    StoredFinding,
    StoredRun,
    StoredVerdict,
    Target,
    Withdrawal,
    Witness,
)

WORDS: Final = "words of the specification"
"""The setting with the words of the specification by place, as JSON, that runs in the store keep."""
SCHEMA: Final = 1
"""The schema of this version."""

metadata = MetaData()


def _columns(kind: type, *, without: tuple[str, ...] = (), keys: tuple[str, ...] = ()) -> Iterator[Column[Any]]:
    """Yield a column for each member of a class, except those that a join gives; `keys` are in the primary key."""
    hints = get_type_hints(kind)
    for name in (each.name for each in fields(kind) if each.name not in without):
        of_number = {int: Integer, bool: Boolean}.get(hints[name])
        if of_number:
            yield Column(name, of_number, nullable=False, primary_key=name in keys)
        elif hints[name] == str | None:
            yield Column(name, Text)
        else:
            empty = {dict: "{}", tuple: "[]"}.get(get_origin(hints[name]), "")
            yield Column(name, Text, nullable=False, server_default=empty, primary_key=name in keys)


def _run_id() -> Column[int]:
    return Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)


def _target_id() -> Column[int]:
    return Column("target_id", ForeignKey("targets.id", ondelete="CASCADE"), primary_key=True)


store_schema = Table("store_schema", metadata, Column("version_num", Text, primary_key=True))
"""The schema of the store, where Alembic would keep it: a later version can upgrade the store with it."""

settings = Table("settings", metadata, Column("name", Text, primary_key=True), Column("value", Text, nullable=False))

targets = Table(
    "targets", metadata, Column("id", Integer, primary_key=True), *_columns(Target), UniqueConstraint("name")
)

audits = Table("audits", metadata, *_columns(Audit, keys=("id",)))

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("target_id", ForeignKey("targets.id"), nullable=False),
    Column("audit_id", ForeignKey("audits.id"), index=True),
    *_columns(StoredRun, without=("id", "target", "audit")),
    Index("runs_of_target", "target_id", "started", "id"),
    Index("one_run", "evidence", "started", "base_url", unique=True),
    Index("runs_of_bundle", "bundle"),
    sqlite_autoincrement=True,  # the number of a removed run is not given again
)

verdicts = Table(
    "verdicts",
    metadata,
    _run_id(),
    *_columns(StoredVerdict, keys=("requirement",)),
    Column("position", Integer, nullable=False),
    sqlite_with_rowid=False,
)

findings = Table(
    "findings",
    metadata,
    _run_id(),
    *_columns(StoredFinding, keys=("requirement", "position")),
    sqlite_with_rowid=False,
)

statements = Table(
    "statements",
    metadata,
    _run_id(),
    *_columns(Statement, keys=("kind", "position")),
    CheckConstraint("kind IN ('attestation', 'reply', 'waiver')", name="kind_of_statement"),
    sqlite_with_rowid=False,
)

publications = Table(
    "publications",
    metadata,
    _target_id(),
    *_columns(Publication, without=("target",)),
    CheckConstraint("basis IN ('consent', 'authority')", name="basis_of_publication"),
)

withdrawals = Table("withdrawals", metadata, _run_id(), *_columns(Withdrawal, without=("run",)))

witnesses = Table("witnesses", metadata, _run_id(), *_columns(Witness, without=("run",), keys=("sha256",)))

parties = Table("parties", metadata, *_columns(Party, keys=("key",)))

proposals = Table(
    "proposals",
    metadata,
    *_columns(Proposal, keys=("id",)),
    CheckConstraint("kind IN ('runs', 'audit', 'party', 'publication')", name="kind_of_proposal"),
)

unreported = Table(
    "unreported",
    metadata,
    Column("audit_id", ForeignKey("audits.id", ondelete="CASCADE"), primary_key=True),
    _target_id(),
    Column("state", Text, nullable=False),
    Column("message", Text, nullable=False),
)

_LATEST_RUNS: Final = """
CREATE VIEW latest_runs AS
SELECT r.*, t.name AS target, r.audit_id AS audit,
    (SELECT count(*) FROM runs AS every WHERE every.target_id = t.id) AS runs
FROM targets AS t
JOIN runs AS r ON r.id = (
    SELECT latest.id FROM runs AS latest WHERE latest.target_id = t.id
    ORDER BY latest.started DESC, latest.id DESC LIMIT 1
)
"""

_LATEST_VERDICTS: Final = """
CREATE VIEW latest_verdicts AS
SELECT l.target, l.id AS run, l.base_url, l.started, l.outcome, v.requirement, v.position, v.clause, v.level, v.basis,
    v.verdict, v.alert, v.waived, v.scored, v.reason
FROM latest_runs AS l
JOIN verdicts AS v ON v.run_id = l.id
"""

_FAILING_REQUIREMENTS: Final = """
CREATE VIEW failing_requirements AS
SELECT v.requirement, v.clause, l.target, l.id AS run, l.base_url, l.started,
    (
        SELECT min(r.started) FROM runs AS r
        JOIN verdicts AS f ON f.run_id = r.id AND f.requirement = v.requirement AND f.verdict = 'fail'
        WHERE r.target_id = l.target_id AND r.started > coalesce((
            SELECT max(s.started) FROM runs AS s
            JOIN verdicts AS p ON p.run_id = s.id AND p.requirement = v.requirement AND p.verdict = 'pass'
            WHERE s.target_id = l.target_id
        ), '')
    ) AS since,
    v.waived,
    coalesce((
        SELECT g.message FROM findings AS g
        WHERE g.run_id = l.id AND g.requirement = v.requirement AND g.verdict = 'fail' ORDER BY g.position LIMIT 1
    ), '') AS message
FROM latest_runs AS l
JOIN verdicts AS v ON v.run_id = l.id
WHERE v.verdict = 'fail' AND v.scored
"""

_REGRESSIONS: Final = """
CREATE VIEW regressions AS
SELECT f.requirement, f.clause, f.target, f.run, f.base_url, f.started, f.since, f.waived, f.message,
    b.id AS run_before, b.started AS started_before, r.suite_build, b.suite_build AS suite_build_before
FROM failing_requirements AS f
JOIN runs AS r ON r.id = f.run
JOIN runs AS b ON b.id = (
    SELECT s.id FROM runs AS s
    JOIN verdicts AS d ON d.run_id = s.id AND d.requirement = f.requirement AND d.verdict IN ('pass', 'fail')
    WHERE s.target_id = r.target_id AND (s.started, s.id) < (r.started, r.id)
    ORDER BY s.started DESC, s.id DESC LIMIT 1
)
JOIN verdicts AS p ON p.run_id = b.id AND p.requirement = f.requirement AND p.verdict = 'pass'
"""

for _view in (_LATEST_RUNS, _LATEST_VERDICTS, _FAILING_REQUIREMENTS, _REGRESSIONS):
    event.listen(metadata, "after_create", DDL(_view))  # type: ignore[no-untyped-call]
_MARK: Final = f"INSERT INTO store_schema VALUES ('{SCHEMA}')"  # noqa: S608
event.listen(metadata, "after_create", DDL(_MARK))  # type: ignore[no-untyped-call]
