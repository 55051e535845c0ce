"""Searching for what nobody thought of: generated calls, sequences of calls under a model, and the smallest example."""
