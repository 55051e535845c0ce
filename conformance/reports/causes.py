"""Findings with one cause: requirements that one response violates in the same way are shown as one."""

from __future__ import annotations

import re
from typing import Any

from conformance.reports.failures import Rows

_VALUE = re.compile(r'"[^"]*"|\d+')

Sign = tuple[str, str]
"""An exchange and the deviation that it shows."""


def by_cause(rows: Rows) -> list[Rows]:
    """Return `rows` in groups of one cause, each group at the place of its first row.

    Two requirements have one cause if the same exchange shows both with the same deviation, such as null.
    """
    causes: list[tuple[set[Sign], Rows]] = []
    for row, findings in rows:
        signs = {(exchange, deviation(finding)) for finding in findings for exchange in finding["exchanges"]}
        first, *others = [cause for cause in causes if cause[0] & signs] or [(set(), [])]
        if not first[1]:
            causes.append(first)
        for other in others:
            causes.remove(other)
            first[0].update(other[0])
            first[1].extend(other[1])
        first[0].update(signs)
        first[1].append((row, findings))
    return [group for _, group in causes]


def deviation(finding: dict[str, Any]) -> str:
    """Return what was received instead, without its values: the strings "3" and "4" are one deviation."""
    return _VALUE.sub("…", finding["actual"] or finding["message"])
