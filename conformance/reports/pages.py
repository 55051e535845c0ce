"""What every HTML page of the suite has in common: its templates, and the digests in its Content-Security-Policy."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable

from jinja2 import Environment, PackageLoader, StrictUndefined

from conformance.model.text import clip


def templates(**filters: Callable[..., object]) -> Environment:
    """Return the environment of the templates: it escapes every value, and truncates long text of the service."""
    environment = Environment(
        loader=PackageLoader("conformance.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_bounded,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= filters
    return environment


def _bounded(value: object) -> object:
    """Return a value as a page shows it. Exchanges come as Markup and are truncated already."""
    return clip(value, 2048) if type(value) is str else value


def digest(text: str) -> str:
    """Return the digest by which a Content-Security-Policy allows an inline script or style."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
