"""The clauses of the specification, and their headings in our own words."""

from __future__ import annotations

from typing import Final

TITLES: Final = {
    "0": "Preamble: bodies",
    "1": "Purpose",
    "2.1": "Data request",
    "2.2": "Data type",
    "2.3": "Settings",
    "2.4": "Error object",
    "3": "States and transitions",
    "4.1": "POST /requests",
    "4.2": "GET /requests/{requestId}",
    "4.3": "DELETE /requests/{requestId}",
    "4.4": "GET /settings",
    "4.5": "GET /data",
    "4.6": "GET /data/me",
    "5": "Authentication",
    "6": "Events",
    "7": "Errors",
    "8": "Limits",
    "9": "Versioning",
}
"""The heading of each clause that has one."""


def heading_of(clause: str) -> str:
    """Return the clause under whose heading `clause` is shown: itself, or the nearest one above it."""
    while clause not in TITLES and "." in clause:
        clause = clause.rpartition(".")[0]
    return clause


def titled(clause: str) -> str:
    """Return a clause with the heading under which it is shown."""
    return f"{clause} {TITLES.get(heading_of(clause), '')}".strip()
