"""Schema 1: targets, audits, runs, verdicts, findings and statements, and the views on them."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, server_default="")


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False)


def _truth(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean, nullable=False)


def _of_run() -> sa.Column[int]:
    return sa.Column("run_id", sa.Integer, sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)


def upgrade() -> None:
    """Make the tables and the views in an empty database."""
    _tables_of_runs()
    _tables_in_runs()
    for view in VIEWS:
        op.execute(view)


def _tables_of_runs() -> None:
    op.create_table(
        "settings", sa.Column("name", sa.Text, primary_key=True), sa.Column("value", sa.Text, nullable=False)
    )
    op.create_table(
        "targets",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        _text("base_url"),
        _text("authority"),
        sa.Column("labels", sa.Text, nullable=False, server_default="{}"),
    )
    op.create_table(
        "audits",
        sa.Column("id", sa.Text, primary_key=True),
        _text("name"),
        _text("started"),
        sa.Column("finished", sa.Text),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("target_id", sa.Integer, sa.ForeignKey("targets.id"), nullable=False),
        sa.Column("audit_id", sa.Text, sa.ForeignKey("audits.id"), index=True),
        *map(_text, ("base_url", "started", "finished", "outcome")),
        _truth("complete"),
        *map(_text, ("profile", "requirement_set")),
        *map(_number, ("testable", "decided", "passed", "failed", "warnings", "waived", "alerts")),
        *map(_number, ("exchanges", "left_behind")),
        *map(_text, ("suite_version", "suite_build", "catalogue", "edition")),
        sa.Column("labels", sa.Text, nullable=False, server_default="{}"),
        *map(_text, ("evidence", "report")),
        sa.Column("bundle", sa.Text, nullable=False, index=True),
        _number("bundle_size"),
        _text("added"),
        sqlite_autoincrement=True,
    )
    op.create_index("runs_of_target", "runs", ["target_id", "started", "id"])
    op.create_index("one_run", "runs", ["evidence", "started", "base_url"], unique=True)


def _tables_in_runs() -> None:
    op.create_table(
        "verdicts",
        _of_run(),
        sa.Column("requirement", sa.Text, primary_key=True),
        _number("position"),
        *map(_text, ("clause", "level", "basis", "verdict")),
        *map(_truth, ("alert", "waived", "scored")),
        _text("reason"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "findings",
        _of_run(),
        sa.Column("requirement", sa.Text, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        *map(_text, ("check_name", "verdict", "blame", "message", "expected", "actual", "remedy")),
        _truth("alert"),
        sa.Column("exchanges", sa.Text, nullable=False, server_default="[]"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "statements",
        _of_run(),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        *map(_text, ("requirement", "statement", "name", "stated", "expires", "state", "finding")),
        *map(_text, ("document", "document_sha256", "key")),
        sa.CheckConstraint("kind IN ('attestation', 'reply', 'waiver')", name="kind_of_statement"),
        sqlite_with_rowid=False,
    )


_LATEST_RUNS: Final = """
CREATE VIEW latest_runs AS
SELECT r.id, t.name AS target, r.audit_id AS audit, r.base_url, r.started, r.finished, r.outcome, r.complete, r.profile,
    r.requirement_set, r.testable, r.decided, r.passed, r.failed, r.warnings, r.waived, r.alerts, r.exchanges,
    r.left_behind, r.suite_version, r.suite_build, r.catalogue, r.edition, r.labels, r.evidence, r.report, r.bundle,
    r.bundle_size, r.added, r.target_id,
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

VIEWS: Final = (_LATEST_RUNS, _LATEST_VERDICTS, _FAILING_REQUIREMENTS, _REGRESSIONS)
