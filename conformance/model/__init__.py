"""Terms and records of a run: no I/O."""
