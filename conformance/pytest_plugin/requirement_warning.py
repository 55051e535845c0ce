"""The warning of pytest for what is no failure."""

from __future__ import annotations


class RequirementWarning(UserWarning):
    """A recommendation that the service does not follow, or an alert."""
