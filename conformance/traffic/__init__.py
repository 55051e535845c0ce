"""The one way to the target: session, record and journal of a run; several calls at a time."""
