"""What Alembic runs for a migration, in the transaction of its caller."""

from __future__ import annotations

from alembic import context

from conformance.fleet.store.database import VERSION_TABLE
from conformance.fleet.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    transactional_ddl=True,  # in SQLite too
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
