"""The session of a run, its parallel calls and its token command."""
