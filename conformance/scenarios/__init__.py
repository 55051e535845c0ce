"""Scenarios: sequences of calls that a run makes once, and whose results several checks read."""
