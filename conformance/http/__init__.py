"""The only way to the target: limits, connections, recorder, journal and clean-up."""
