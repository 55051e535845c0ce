"""What every HTML page of the suite has in common: its templates, and the digests in its Content-Security-Policy."""

from __future__ import annotations

import base64
import hashlib
from functools import cache, partial
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from conformance.model.target import MOST_OF_A_NONCE
from conformance.model.text import clip, count, one_line, printable

LENGTHS: Final = {
    "name": 12,
    "brief": 40,
    "line": 65,
    "short": 85,
    "reason": 130,
    "nonce": MOST_OF_A_NONCE,
    "long": 180,
    "sentence": 600,
}
"""The most characters that the filter of each name leaves."""

COMPARED: Final = 600
"""The most characters of a text in a comparison."""


def page(template: str, **values: object) -> str:
    """Return a template with these values."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    """Return the environment of the templates: it escapes every value, and truncates long text of the service."""
    environment = Environment(
        loader=PackageLoader("conformance.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_bounded,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    lengths = {name: partial(_fitting, length=length) for name, length in LENGTHS.items()}
    environment.filters |= lengths | {"clip": clip, "count": count, "css": _css, "shown": shown}
    return environment


def shown(value: str) -> str:
    """Return a text of a run as a comparison shows it."""
    return one_line(value, COMPARED)


def _css(value: str) -> Markup:
    """Return `value` as the contents of a CSS string, with everything escaped that could end it."""
    text = printable(clip(value, 90))
    return Markup("".join(each if each.isascii() and each.isalnum() else f"\\{ord(each):x} " for each in text))  # noqa: S704


def _fitting(text: str, *, length: int) -> str:
    """Return at most `length` characters; escapes count as what they take on the page."""
    fitting = printable(text[: length + 1])
    return fitting if len(fitting) <= length else f"{fitting[:length]}…"


def _bounded(value: object) -> object:
    """Return a value as a page shows it. Exchanges come as Markup and are truncated already."""
    return clip(value, 2048) if type(value) is str else value


def digest(text: str) -> str:
    """Return the digest by which a Content-Security-Policy allows an inline script or style."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
