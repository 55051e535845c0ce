"""The tables and views of a store as they are in its schema. Migrations make them; a test compares the two.

Text that is JSON has sorted members. Moments are text: both databases compare and show them alike.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Boolean, CheckConstraint, Column, ForeignKey, Index, Integer, MetaData, Table, Text

WORDS: Final = "words of the specification"
"""The setting with the words of the specification by place, as JSON, that runs in the store keep."""
SCHEMA: Final = 3
"""The schema of this version: the newest revision in `migrations/versions`."""

metadata = MetaData()


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False, server_default="")


def _number(name: str) -> Column[int]:
    return Column(name, Integer, nullable=False)


def _truth(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False)


def _of_run() -> Column[int]:
    return Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)


settings = Table(
    "settings",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

targets = Table(
    "targets",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    _text("base_url"),
    _text("authority"),
    Column("labels", Text, nullable=False, server_default="{}"),
)

audits = Table(
    "audits",
    metadata,
    Column("id", Text, primary_key=True),
    _text("name"),
    _text("started"),
    Column("finished", Text),
    _text("imported"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("target_id", ForeignKey("targets.id"), nullable=False),
    Column("audit_id", ForeignKey("audits.id"), index=True),
    _text("base_url"),
    _text("started"),
    _text("finished"),
    _text("outcome"),
    _truth("complete"),
    _text("profile"),
    _text("requirement_set"),
    _number("testable"),
    _number("decided"),
    _number("passed"),
    _number("failed"),
    _number("warnings"),
    _number("waived"),
    _number("alerts"),
    _number("exchanges"),
    _number("left_behind"),
    _text("suite_version"),
    _text("suite_build"),
    _text("catalogue"),
    _text("edition"),
    Column("labels", Text, nullable=False, server_default="{}"),
    _text("evidence"),
    _text("report"),
    Column("bundle", Text, nullable=False, index=True),
    _number("bundle_size"),
    _text("added"),
    _text("imported"),
    Index("runs_of_target", "target_id", "started", "id"),
    Index("one_run", "evidence", "started", "base_url", unique=True),
    sqlite_autoincrement=True,  # the number of a removed run is not given again
)

verdicts = Table(
    "verdicts",
    metadata,
    _of_run(),
    Column("requirement", Text, primary_key=True),
    _number("position"),
    _text("clause"),
    _text("level"),
    _text("basis"),
    _text("verdict"),
    _truth("alert"),
    _truth("waived"),
    _truth("scored"),
    _text("reason"),
    sqlite_with_rowid=False,
)

findings = Table(
    "findings",
    metadata,
    _of_run(),
    Column("requirement", Text, primary_key=True),
    Column("position", Integer, primary_key=True),
    _text("check_name"),
    _text("verdict"),
    _text("blame"),
    _text("message"),
    _text("expected"),
    _text("actual"),
    _text("remedy"),
    _truth("alert"),
    Column("exchanges", Text, nullable=False, server_default="[]"),
    sqlite_with_rowid=False,
)

statements = Table(
    "statements",
    metadata,
    _of_run(),
    Column("kind", Text, primary_key=True),
    Column("position", Integer, primary_key=True),
    _text("requirement"),
    _text("statement"),
    _text("name"),
    _text("stated"),
    _text("expires"),
    _text("state"),
    _text("finding"),
    _text("document"),
    _text("document_sha256"),
    _text("key"),
    CheckConstraint("kind IN ('attestation', 'reply', 'waiver')", name="kind_of_statement"),
    sqlite_with_rowid=False,
)

publications = Table(
    "publications",
    metadata,
    Column("target_id", ForeignKey("targets.id", ondelete="CASCADE"), primary_key=True),
    _text("basis"),
    _text("statement"),
    _text("stated"),
    _text("since"),
    _text("recorded"),
    _text("ended"),
    CheckConstraint("basis IN ('consent', 'authority')", name="basis_of_publication"),
)

withdrawals = Table(
    "withdrawals",
    metadata,
    _of_run(),
    _text("reason"),
    _text("stated"),
    _text("recorded"),
)

witnesses = Table(
    "witnesses",
    metadata,
    _of_run(),
    Column("sha256", Text, primary_key=True),
    _text("bundle"),
    _text("envelope"),
    _text("recorded"),
)

parties = Table(
    "parties",
    metadata,
    Column("key", Text, primary_key=True),
    _text("name"),
    _text("public_key"),
    _text("recorded"),
)

former_bundles = Table(
    "former_bundles",
    metadata,
    Column("bundle", Text, primary_key=True),
    Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), nullable=False, index=True),
    _text("replaced"),
)

proposals = Table(
    "proposals",
    metadata,
    Column("id", Text, primary_key=True),
    _text("kind"),
    Column("content", Text, nullable=False, server_default="{}"),
    _text("source"),
    _text("recorded"),
    _text("accepted"),
    CheckConstraint("kind IN ('runs', 'audit', 'former bundle', 'party', 'publication')", name="kind_of_proposal"),
)

unreported = Table(
    "unreported",
    metadata,
    Column("audit_id", ForeignKey("audits.id", ondelete="CASCADE"), primary_key=True),
    Column("target_id", ForeignKey("targets.id", ondelete="CASCADE"), primary_key=True),
    _text("state"),
    _text("message"),
)
