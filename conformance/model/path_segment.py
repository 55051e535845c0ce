"""An identifier that the target chose, as one segment of a path."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote

from conformance.model.errors import NotDecided
from conformance.model.text import shorten
from conformance.model.verdict import Blame

_LONGEST: Final = 512
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]")
_HALVES: Final = re.compile(r"[\ud800-\udfff]")


def segment(request_id: str) -> str:
    """Return an identifier as exactly one path segment; raise NotDecided for one that cannot be one."""
    if why := _why_not(request_id):
        raise NotDecided(
            f"The target's identifier {shorten(repr(request_id), 40)} is not sent: {why}.",
            blame=Blame.TARGET,
            remedy="See 2.1-requestId.",
        )
    return quote(request_id, safe="")


def _why_not(request_id: str) -> str:
    """Return why an identifier cannot stand in the path of a call; empty where it can."""
    if request_id in ("", ".", ".."):
        return "it would change the path of the call"
    if len(request_id) > _LONGEST:
        return f"it has {len(request_id):,} characters, and a path can be expected to take {_LONGEST}"
    if _CONTROLS.search(request_id):
        return "it holds control characters, which servers and gateways refuse in a path"
    if _HALVES.search(request_id):
        return "it holds half a character (a lone surrogate), which has no form in a path"
    return ""
