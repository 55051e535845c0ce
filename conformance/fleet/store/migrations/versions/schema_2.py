"""Schema 2: what may be published of a target, withdrawals, witnesses, independent parties, and replaced bundles."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, server_default="")


def _of_run() -> sa.Column[int]:
    return sa.Column("run_id", sa.Integer, sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)


def upgrade() -> None:
    """Make the tables, which are empty: nothing that a store had before may be published."""
    op.create_table(
        "publications",
        sa.Column("target_id", sa.Integer, sa.ForeignKey("targets.id", ondelete="CASCADE"), primary_key=True),
        *map(_text, ("basis", "statement", "stated", "since", "recorded", "ended")),
        sa.CheckConstraint("basis IN ('consent', 'authority')", name="basis_of_publication"),
    )
    op.create_table("withdrawals", _of_run(), *map(_text, ("reason", "stated", "recorded")))
    op.create_table(
        "witnesses",
        _of_run(),
        sa.Column("sha256", sa.Text, primary_key=True),
        *map(_text, ("bundle", "envelope", "recorded")),
    )
    op.create_table(
        "parties", sa.Column("key", sa.Text, primary_key=True), *map(_text, ("name", "public_key", "recorded"))
    )
    op.create_table(
        "former_bundles",
        sa.Column("bundle", sa.Text, primary_key=True),
        sa.Column("run_id", sa.Integer, sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False, index=True),
        _text("replaced"),
    )
