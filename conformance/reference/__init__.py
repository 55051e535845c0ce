"""The reference service: meets every requirement; a variant overrides one of its decisions."""
