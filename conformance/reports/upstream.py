"""What views say of the observations of `--profile upstream`, which are beside the verdicts and never among them."""

from __future__ import annotations

from typing import Final

from conformance.model.findings import Finding
from conformance.model.upstream import UpstreamResult
from conformance.model.upstream_rows import upstream
from conformance.model.verdict import Blame, Verdict

_SOURCE: Final = upstream().source

PLACE: Final = f"{_SOURCE.name} {_SOURCE.version}"
"""Where the rows come from, which is no place of the specification."""

TITLE: Final = "Upstream, not the specification"

INTRODUCTION: Final = (
    f"What this service has of {_SOURCE.name} {_SOURCE.version}, the public ancestor of the interface. The "
    "specification does not have these things: none of them is required, none is a fault, and none is counted."
)


def said(row: UpstreamResult) -> str:
    """Return what was observed, or that nothing was, with the reason."""
    return (
        row.message
        if row.verdict is Verdict.OBSERVED
        else f"{row.verdict.capitalize().replace('-', ' ')}. {row.message}"
    )


def as_finding(row: UpstreamResult) -> Finding[str]:
    """Return an observation in the form in which timelines take what exchanges show."""
    return Finding(verdict=row.verdict, blame=Blame.SPECIFICATION, message=row.message, exchanges=row.exchanges)
