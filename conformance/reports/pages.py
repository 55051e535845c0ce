"""What every HTML page of the suite has in common: its templates, and the digests in its Content-Security-Policy."""

from __future__ import annotations

import base64
import hashlib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket, BytecodeCache
from markupsafe import Markup, escape

from conformance.model.printable import clip, one_line, printable
from conformance.model.text import count
from conformance.reports import again, basis, dependents, exchange_text, language, outcome, people, summary

_MOST: Final = 2048
"""The most characters of a text that a page shows, unless a template says less."""

_WORDS: Final = (again, basis, dependents, exchange_text, outcome, people, summary)
"""The modules whose words templates take, by their names."""

COMPARED: Final = 600
"""The most characters of a text in a comparison."""


_AT_A_TIME: Final = 500
"""Texts and values of a template that are joined at a time."""


def page(template: str, **values: object) -> str:
    """Return a template with these values, of which each hazardous character is an escape: no placeholder is forgotten.

    The templates have no such character themselves. They are made in pieces, which takes less memory.
    """
    pieces = _environment().get_template(template).stream(values)
    pieces.enable_buffering(_AT_A_TIME)
    return "".join(printable(piece, keep="\n\t") for piece in pieces)


def styled(template: str, *sheets: str, **values: object) -> str:
    """Return a page with style sheets in it, which take the same values; its Content-Security-Policy has their digest.

    The filter `css` escapes what the sheets take of a run: so the digest stays true.
    """
    style = "".join(page(each, **values) for each in sheets)
    return page(template, style=Markup(style), style_digest=digest(style), **values)  # noqa: S704 - our own files


class _Compiled(FileSystemBytecodeCache):
    """Compiled templates, beside the compiled modules of this package: who can write there can replace both."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):  # no space is left: the next run compiles the template again
            super().dump_bytecode(bucket)


def _compiled() -> _Compiled | None:
    """Return where templates are kept as compiled by this version of Jinja and with the settings of this module."""
    folder = Path(__file__).parent / "__pycache__"
    if sys.dont_write_bytecode or not os.access(folder, os.W_OK):
        return None
    settings = hashlib.sha256(Path(__file__).read_bytes() + version("jinja2").encode()).hexdigest()[:16]
    return _Compiled(str(folder), f"%s.{settings}.jinja")


@cache
def _environment() -> Environment:
    """Return the environment of the templates: it escapes every value, and truncates long text of the service."""
    environment = environment_of("conformance.reports", _bounded, _compiled())
    environment.filters |= {"clip": clip, "count": count, "css": _css, "shown": shown, "worded": _worded}
    environment.globals |= {each.__name__.rpartition(".")[2]: each for each in _WORDS}
    return environment


def environment_of(
    package: str, finalize: Callable[[object], object], compiled: BytecodeCache | None = None
) -> Environment:
    """Return an environment of the templates of a package, which escapes every value.

    Their messages ({% trans %}) are those of the language.
    """
    environment = Environment(
        loader=PackageLoader(package, "templates"),
        bytecode_cache=compiled,
        extensions=["jinja2.ext.i18n"],
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["ext.i18n.trimmed"] = True
    environment.newstyle_gettext = True  # type: ignore[attr-defined] # of the extension: values are named
    environment.globals |= {"gettext": _gettext, "ngettext": _ngettext, "language": language.spoken}
    return environment


def _gettext(message: str, /, **values: object) -> Markup:
    return Markup(language.gettext(message, **_escaped(values)))  # noqa: S704 - the message is of the suite


def _ngettext(one: str, many: str, num: int, /, **values: object) -> Markup:
    return Markup(language.ngettext(one, many, num, **_escaped(values)))  # noqa: S704 - the message is of the suite


def _escaped(values: dict[str, object]) -> dict[str, object]:
    """Return the values of placeholders as a page shows them; numbers stay numbers."""
    return {name: value if type(value) is int else escape(_bounded(value)) for name, value in values.items()}


def _worded(text: str) -> str:
    """Return a sentence of the suite in the language.

    One that has no translation is marked as English, because a screen reader would read it as the language of the page.
    """
    found = language.sentence(text)
    return Markup('<span lang="en">{}</span>').format(_bounded(text)) if found is None else found


def shown(value: str) -> str:
    """Return a text of a run as a comparison shows it."""
    return one_line(value, COMPARED)


def _css(value: str) -> Markup:
    """Return `value` as the contents of a CSS string, with everything escaped that could end it."""
    text = printable(clip(value, 90))
    return Markup("".join(each if each.isascii() and each.isalnum() else f"\\{ord(each):x} " for each in text))  # noqa: S704


def _bounded(value: object) -> object:
    """Return a value as a page shows it. Exchanges come as Markup and are truncated already."""
    return clip(value, _MOST) if type(value) is str else value


def digest(text: str) -> str:
    """Return the digest by which a Content-Security-Policy allows an inline script or style."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
