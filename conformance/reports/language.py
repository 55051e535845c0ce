"""The language of a view: its messages, numbers and dates. Modules mark their messages here; English needs no package.

A message is written in English, with named placeholders: `gettext("Set %(name)s", name=…)`. Its translations are in
`translations/`, a folder for each language, as gettext catalogues (.po). Babel reads them when a language is asked for,
because it is needed for dates and numbers anyway: so the repository and the wheel have no compiled files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, reduce
from gettext import NullTranslations
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from babel import Locale
    from babel.messages import Catalog

ENGLISH: Final = "en"

DATA: Final = "data"
"""The context of sentences of the tables of the suite, as reports quote them."""


@dataclass(frozen=True)
class Language:
    """What a language says: English by itself, each other one by its catalogue and Babel."""

    code: str
    name: str
    """As its speakers write it."""
    translations: NullTranslations = field(default_factory=NullTranslations)
    locale: Locale | None = None


_current: ContextVar[Language] = ContextVar("language", default=Language(ENGLISH, "English"))  # noqa: B039 - it has no state


def translations() -> Traversable:
    """Return the folder of the catalogues."""
    return files("conformance.reports") / "translations"


@cache
def languages() -> tuple[str, ...]:
    """Return the codes of the languages: English, and each that has a catalogue."""
    return (ENGLISH, *sorted(each.name for each in translations().iterdir() if each.is_dir()))


def catalogue(code: str) -> Catalog:
    """Return the catalogue of a language; raise ModuleNotFoundError without Babel."""
    from babel.messages.pofile import read_po

    with (translations() / code / "LC_MESSAGES" / "messages.po").open("rb") as file:
        return read_po(file, locale=code, abort_invalid=True)


@cache
def language(code: str) -> Language:
    """Return a language of `languages`; raise ModuleNotFoundError for another one than English without Babel."""
    if code == ENGLISH:
        return Language(ENGLISH, "English")
    from babel import Locale
    from babel.messages.mofile import write_mo
    from babel.support import Translations

    locale, compiled = Locale(code), BytesIO()
    write_mo(compiled, catalogue(code))
    compiled.seek(0)
    return Language(code, str(locale.get_language_name(code)).capitalize(), Translations(compiled), locale)


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Let everything that is worded meanwhile, in this thread, be in a language; raise as `language`."""
    before = _current.set(language(code))
    try:
        yield
    finally:
        _current.reset(before)


def spoken() -> str:
    """Return the code of the language in which texts are worded now."""
    return _current.get().code


def gettext(message: str, /, **values: object) -> str:
    """Return a message in the language, with its values: integers are numbers of the language."""
    return _current.get().translations.gettext(message) % shown(values)


def ngettext(one: str, many: str, num: int, /, **values: object) -> str:
    """Return a message that counts, in the form of `num`, which it shows as %(num)s."""
    return _current.get().translations.ngettext(one, many, num) % shown({"num": num, **values})


def listed(texts: Iterable[str]) -> str:
    """Return texts as a list, such as "one; another", with the spaces of the language; empty of none."""
    return reduce(lambda one, other: gettext("%(one)s; %(other)s", one=one, other=other) if one else other, texts, "")


def N_(message: str) -> str:  # noqa: N802 - extractors know this name
    """Mark a message that is translated later, where it is shown."""
    return message


def sentence(text: str) -> str | None:
    """Return a sentence of the suite that a report quotes in the language; None if it has no translation."""
    found = _current.get().translations.pgettext(DATA, text)
    return None if _current.get().locale and found == text else found


def shown(values: dict[str, object]) -> dict[str, object]:
    """Return the values of placeholders, with integers as numbers of the language."""
    return {name: _number(value) if type(value) is int else value for name, value in values.items()}


def _number(number: int) -> str:
    """Return a number with the separators of thousands of the language."""
    locale = _current.get().locale
    if locale is None:
        return f"{number:,}"
    from babel.numbers import format_decimal

    return format_decimal(number, locale=locale)


def day(text: str) -> str:
    """Return a date (RFC 3339 full-date, or the beginning of a date-time) as the language writes it."""
    locale = _current.get().locale
    try:
        date = datetime.fromisoformat(text[:10]).date()
    except ValueError:  # a report of another program
        return text[:10]
    if locale is None:
        return date.isoformat()
    from babel.dates import format_date

    words = format_date(date, "long", locale=locale)
    # Babel has no ordinal numbers, and French writes the first day of a month as one: 1er avril.
    return re.sub("^1 ", "1er ", words) if locale.language == "fr" else words


def babel() -> str:
    """Return the version of Babel that is installed, from which dates and numbers come; empty without it."""
    try:
        return metadata.version("babel")
    except metadata.PackageNotFoundError:
        return ""


def generator() -> str:
    """Return what made the dates and numbers of a translated page, as the page names it; empty in English."""
    return "" if spoken() == ENGLISH else f"Babel {babel()}"


def made_with(page: bytes) -> str:
    """Return the version of Babel that a translated page names; empty if it names none."""
    found = re.search(rb'<meta name="generator" content="Babel ([0-9.]{1,20})">', page)
    return found[1].decode() if found else ""
