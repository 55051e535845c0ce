"""The pages of a site: its templates, and the words in them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment
from markupsafe import Markup

from conformance import __version__
from conformance.fleet.site import names
from conformance.model.requirements import Requirement, catalogue
from conformance.reports import basis
from conformance.reports.language import ENGLISH, N_, day, gettext, spoken
from conformance.reports.outcome import OUTCOME_WORDS
from conformance.reports.pages import environment_of

STYLE: Final = "site.css"
CARDS: Final = "cards.css"

SIGNS: Final = {
    "pass": "✓",
    "fail": "✗",
    "warn": "△",
    "inconclusive": "?",
    "observed": "○",
    "not-applicable": "–",
    "not-tested": "·",
}
"""The verdicts as the matrix shows them, in every language."""

VERDICTS: Final = {
    "fail": N_("failed"),
    "warn": N_("warning"),
    "inconclusive": N_("inconclusive"),
    "observed": N_("not specified"),
    "pass": N_("passed"),
    "not-applicable": N_("not applicable"),
    "not-tested": N_("not tested"),
}
"""The verdict of one requirement. The headings of several are other messages, because languages have other forms."""

WORDS: Final = {
    # levels
    "must": N_("must"),
    "should": N_("should"),
    "open": N_("open"),
    # statements of people, and the state of a waiver in a run
    "attestation": N_("attestation"),
    "reply": N_("reply"),
    "waiver": N_("waiver"),
    "in-force": N_("waiver in force in the run"),
    "expired": N_("waiver that had expired in the run"),
    "unused": N_("waiver unused in the run"),
    # how the run of a service ended without a report
    "unreachable": N_("unreachable"),
    "not-run": N_("not run"),
    "ended": N_("ended at the deadline"),
    "broken": N_("broken off"),
    "interrupted": N_("interrupted"),
}
"""What a store records, in words."""

STATUSES: Final = {
    "valid": N_("valid"),
    "expired": N_("expired"),
    "withdrawn": N_("withdrawn"),
    "superseded": N_("superseded"),
}
"""The states of a status of a register."""

STANDINGS: Final = {"self": N_("self"), "witnessed": N_("witnessed"), "third party": N_("third party")}
"""The independence of a run."""

_LONGEST: Final = 2048
"""The most characters of a text on a page; the data beside it has all."""


def file(name: str) -> bytes:
    """Return a style sheet or script, which is the same in each site."""
    return (files("conformance.fleet.site") / "templates" / name).read_bytes()


@cache
def environment() -> Environment:
    """Return the environment of the templates, which escapes every value, in HTML and in XML."""
    environment = environment_of("conformance.fleet.site", _bounded)
    environment.globals |= {
        "OUTCOMES": {outcome.value: words for outcome, words in OUTCOME_WORDS.items()},
        "SIGNS": SIGNS,
        "STYLE": STYLE,
        "CARDS": CARDS,
        "WORDS": WORDS,
        "STATUSES": STATUSES,
        "STANDINGS": STANDINGS,
        "version": __version__,
        "english": _english,
    }
    environment.filters |= {
        "clip": brief,
        "day": day,
        "minute": _minute,
        "grounds": _grounds,
        "quotes": _quotes,
        "rests_on": _rests_on,
        "service": names.of_service,
        "verdict": _verdict,
        "requirement": names.of_requirement,
    }
    return environment


def _bounded(value: object) -> object:
    return brief(value, _LONGEST) if type(value) is str else value


def brief(text: str, most: int) -> str:
    """Return at most so many characters, followed by the number of all in the language, as `clip` does in English."""
    if len(text) <= most:
        return text
    return gettext("%(text)s… (%(number)s characters in all)", text=text[:most], number=len(text))


def _verdict(verdict: str) -> str:
    word = gettext(VERDICTS[verdict])
    return word[:1].upper() + word[1:]


def _english() -> Markup:
    """Return the attribute of an element whose text is English on each page: what the suite recorded."""
    return Markup("") if spoken() == ENGLISH else Markup(' lang="en"')


def _quotes(quoted: Mapping[str, str], requirement: str, edition: str) -> list[tuple[str, str]]:
    """Return the places of a requirement with their words in `quoted`, for a run that was judged by this edition."""
    row = _judged_by(requirement, edition)
    return [(basis.place(place), quoted[place]) for place in (row.places if row else ()) if place in quoted]


def _grounds(requirement: str, edition: str) -> tuple[str, str] | None:
    """Return on what a requirement rests and the reason of an interpretation, for a run judged by this edition."""
    found = _judged_by(requirement, edition)
    row = basis.of_catalogue(found) if found else None
    return (basis.rests_on(row), basis.reason(row)) if row else None


def _judged_by(requirement: str, edition: str) -> Requirement | None:
    """Return a requirement of the catalogue, if it was derived from this edition of the specification."""
    return catalogue().rows.get(requirement) if edition == catalogue().edition.digest else None


def _rests_on(requirement: Requirement) -> str:
    return basis.rests_on(basis.of_catalogue(requirement))


def _minute(moment: str) -> str:
    return gettext("%(date)s %(time)s UTC", date=day(moment), time=moment[11:16])
