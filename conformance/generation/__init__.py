"""Generated calls: schemathesis draws single calls, a hypothesis state machine draws sequences of calls."""
