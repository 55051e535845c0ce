"""The reference service: keeps every requirement; a variant overrides one of its decisions."""
