"""Generated calls: schemathesis generates single calls, a hypothesis state machine generates sequences."""
