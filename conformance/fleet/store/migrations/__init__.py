"""The schemas of a store, one after another, for Alembic. A released revision never changes."""
