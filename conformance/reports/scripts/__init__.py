"""Reproduction scripts: POSIX sh with curl that shows a finding of a recorded run again."""
