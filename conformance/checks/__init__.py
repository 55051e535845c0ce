"""The checks, one file per clause of the specification."""
