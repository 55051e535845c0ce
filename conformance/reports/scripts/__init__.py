"""Reproduction scripts: Python that shows a finding of a recorded run again."""
