"""Schema 3: what was imported and what an import proposes, and the services of which an audit has no report."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

from conformance.fleet.store.migrations.versions import schema_1

revision = "3"
down_revision = "2"

_COUNTED_RUNS: Final = """
CREATE VIEW counted_runs AS
SELECT r.* FROM runs AS r
WHERE r.imported = '' OR NOT EXISTS (
    SELECT 1 FROM runs AS own WHERE own.target_id = r.target_id AND own.imported = ''
)
"""
"""Imported runs count only for a service of which the store has no run of its own."""

_VIEWS: Final = ("latest_runs", "latest_verdicts", "failing_requirements", "regressions")


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, server_default="")


def upgrade() -> None:
    """Add the columns and tables. What a store had before is its own, also what an earlier version imported."""
    for name in reversed(_VIEWS):
        op.execute(f"DROP VIEW {name}")
    op.add_column("runs", _text("imported"))
    op.add_column("audits", _text("imported"))
    op.create_table(
        "proposals",
        sa.Column("id", sa.Text, primary_key=True),
        _text("kind"),
        sa.Column("content", sa.Text, nullable=False, server_default="{}"),
        *map(_text, ("source", "recorded", "accepted")),
        sa.CheckConstraint(
            "kind IN ('runs', 'audit', 'former bundle', 'party', 'publication')", name="kind_of_proposal"
        ),
    )
    op.create_table(
        "unreported",
        sa.Column("audit_id", sa.Text, sa.ForeignKey("audits.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("target_id", sa.Integer, sa.ForeignKey("targets.id", ondelete="CASCADE"), primary_key=True),
        *map(_text, ("state", "message")),
    )
    op.execute(_COUNTED_RUNS)
    for view in schema_1.VIEWS:
        counted = view.replace(" runs AS ", " counted_runs AS ")
        op.execute(counted.replace("r.added,", "r.added, r.imported,"))
