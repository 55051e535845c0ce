"""Terms and records of a run, without I/O."""
