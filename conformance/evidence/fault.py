"""The exception for evidence that cannot be packed or read."""

from __future__ import annotations


class EvidenceFault(Exception):
    """Evidence or a key that cannot be used; the message says what was expected and received, `remedy` what to do."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


class Altered(EvidenceFault):
    """A bundle whose files are not those of its manifest."""
