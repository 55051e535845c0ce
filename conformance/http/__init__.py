"""The only way to the target: limits, connections, record, journal and clean-up."""
