"""The pages of a site: its templates, and the words in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from conformance import __version__
from conformance.model.printable import clip
from conformance.model.text import count
from conformance.reports.html import STATES
from conformance.reports.language import day, gettext
from conformance.reports.outcome import OUTCOME_WORDS
from conformance.reports.pages import let_translate
from conformance.site import names
from conformance.store import StoredVerdict

STYLE: Final = "site.css"

LETTERS: Final = {
    "pass": "P",
    "fail": "F",
    "warn": "W",
    "inconclusive": "?",
    "observed": "O",
    "not-applicable": "–",
    "not-tested": "·",
}
"""The verdicts as the matrix shows them."""

_CELLS: Final = {
    (verdict, alert): Markup('<td class="{}">{}{}</td>').format(verdict, letter, "!" if alert else "")
    for verdict, letter in LETTERS.items()
    for alert in (False, True)
} | {None: Markup("<td></td>")}
"""The cells of the matrix: a site may have a million."""

_LONGEST: Final = 2048
"""The most characters of a text on a page; the data beside it has all."""


def page(template: str, *, root: str, built: str, **values: object) -> str:
    """Return a page. `root` leads from its folder to that of the site, `built` is the moment of the site."""
    return _environment().get_template(template).render(values | {"root": root, "built": built, "version": __version__})


class Links(dict[str, Markup]):
    """The links from the page of a service to those of requirements: a site may have a million.

    Instead of a link it has the id itself for a requirement that has no page.
    """

    def __init__(self, known: Iterable[str]) -> None:
        """Link to the requirements `known`."""
        link = Markup('<a href="../requirements/{}.html">{}</a>')
        super().__init__({id: link.format(names.of_requirement(id), id) for id in known})

    def __missing__(self, id: str) -> Markup:
        return escape(clip(id, 80))


def cells(verdicts: Mapping[str, StoredVerdict], ids: Iterable[str]) -> Markup:
    """Return the cells of a service in the matrix, one for each requirement."""
    found = map(verdicts.get, ids)
    return Markup("").join(_CELLS[(each.verdict, each.alert) if each else None] for each in found)


def style() -> str:
    """Return the style sheet."""
    return (files("conformance.site") / "templates" / STYLE).read_text("utf-8")


@cache
def _environment() -> Environment:
    """Return the environment of the templates, which escapes every value, in HTML and in XML."""
    environment = Environment(
        loader=PackageLoader("conformance.site", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_bounded,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    let_translate(environment)
    environment.globals |= {
        "STATES": STATES,
        "OUTCOMES": {outcome.value: words for outcome, words in OUTCOME_WORDS.items()},
        "LETTERS": LETTERS,
        "STYLE": STYLE,
    }
    environment.filters |= {
        "brief": _brief,
        "clip": clip,
        "count": count,
        "day": day,
        "minute": _minute,
        "service": names.of_service,
        "requirement": names.of_requirement,
    }
    return environment


def _bounded(value: object) -> object:
    return clip(value, _LONGEST) if type(value) is str else value


def _brief(text: str, most: int) -> str:
    """Return at most so many characters, followed by the number of all in the language, as `clip` does in English."""
    if len(text) <= most:
        return text
    return gettext("%(text)s… (%(number)s characters in all)", text=text[:most], number=len(text))


def _minute(moment: str) -> str:
    return gettext("%(date)s %(time)s UTC", date=day(moment), time=moment[11:16])
