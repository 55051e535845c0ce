"""The language scenarios: how GET /data is asked for a language, and its answers in many of them (4.5)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import parse_qs, urlsplit

from conformance.client.public import PublicClient
from conformance.model.error_table import LANGUAGE_NOT_SUPPORTED
from conformance.model.errors import NotDecided, answer_of, not_applicable
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.identity import BROWSING, NOBODY
from conformance.model.target import LanguageSelector
from conformance.model.text import shorten
from conformance.rules.assumptions import languages_of
from conformance.scenarios.registry import scenario

USUAL: Final = (
    LanguageSelector("header", "Accept-Language"),
    LanguageSelector("query", "language"),
    LanguageSelector("query", "lang"),
    LanguageSelector("query", "locale"),
)

_PRIVATE: Final = ("qaa", "qtz")
"""Reserved for local use: nothing is called so, and who supports every language does not list them."""

_SELDOM_SUPPORTED: Final = ("eo", "la", "mi", "zu", "is", "cy", "mt", "eu", "kl", *_PRIVATE)

_ANY: Final = ("*", "mul")
"""What stands for every language where it is listed: then there is none that is not supported."""

_TAG_OR_LOCALE: Final = re.compile(r"[A-Za-z]{2,3}([-_][0-9A-Za-z]{1,8})*")
_OF_TWO_LETTERS: Final = re.compile(r"[A-Za-z]{2}([-_][0-9A-Za-z]+)*")


MOST: Final = 20
"""So many of the supported languages are asked for."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A selector that is known to have an effect, with a language that the target does not support."""

    selector: LanguageSelector
    unsupported: str
    heard: dict[str, Exchange] = field(default_factory=dict)
    """Answers in supported languages that were asked for to find out."""


def supported(visitor: PublicClient) -> list[str]:
    """Return supportedLanaguages but for empty ones; raise NotDecided when the settings do not tell them."""
    listed, assumption = languages_of(visitor.settings_document())
    if listed is None:
        raise NotDecided("The settings name no supportedLanaguages.", remedy="See 2.3-supportedLanaguages.")
    visitor.session.assume(assumption)
    return [language for language in listed if language]


def supported_now(visitor: PublicClient) -> list[str]:
    """Ask for the settings anew, and return supportedLanaguages as `supported` does."""
    visitor.session.results.settings = None
    return supported(visitor)


def is_spoken(code: str, languages: list[str]) -> bool:
    """Tell whether one of `languages` is that of `code`, whatever its region or script."""
    return any(language.lower().replace("_", "-").partition("-")[0] == code for language in languages)


def askable(selector: LanguageSelector, languages: list[str]) -> list[str]:
    """Return the languages that can be asked for in this way: a header carries printable ASCII only."""
    if selector.kind != "header":
        return [language for language in languages if language.isprintable()]
    return [
        language
        for language in languages
        if language.isascii() and language.isprintable() and language == language.strip()
    ]


@scenario(calls=15, background=True)
def language_choice(visitor: PublicClient) -> Choice:
    """Finds out how the language is chosen; raises not-applicable when no usual selector has an effect.

    A selector has an effect when an unsupported language is refused by it and a supported one is not (a service
    that merely refuses what it does not know refuses both), or when a query parameter, and not merely the address,
    changes what is said.
    """
    found = _find(visitor)
    if found is None:
        raise not_applicable(
            "no-language-choice",
            "No usual selector (Accept-Language; query language, lang, locale) has an effect on GET /data. "
            "If this target chooses the language in another way, name it with --language-selector.",
        )
    return found


@scenario(calls=3 * MOST + 2, background=True)
def languages(visitor: PublicClient) -> dict[str, Exchange]:
    """Asks for the data types in the supported languages, at most 20; for the settings too, and at last in none."""
    _ask_for_settings(visitor)
    chosen = language_choice.result(visitor)
    tags = list(dict.fromkeys(askable(chosen.selector, supported(visitor))))[:MOST]
    if not tags:
        raise not_applicable(
            "no-language-choice", f"None of supportedLanaguages can be asked for by {chosen.selector}."
        )
    heard = dict(chosen.heard)
    for tag in tags:
        if tag not in heard:
            heard[tag] = visitor.data(language=tag, selector=chosen.selector)
        if chosen.selector.name.lower() == "accept-language" and "_" in tag and answer_of(heard[tag]).status == 400:
            # That header names languages by tags only (RFC 9110): one listed as a locale is asked for by its tag.
            heard[tag] = visitor.data(language=tag.replace("_", "-"), selector=chosen.selector)
    visitor.data()
    return {each: heard[each] for each in tags}


def _ask_for_settings(visitor: PublicClient) -> None:
    """Ask for the settings in every language: whatever language they are in, all of them are due.

    Where no way is known to choose one, the usual one is taken; how that is answered but for a 200 is open.
    """
    try:
        selector = language_choice.result(visitor).selector
    except NotDecided:
        selector = USUAL[0]
    for each in list(dict.fromkeys(askable(selector, supported(visitor))))[:MOST]:
        visitor.settings(language=each, selector=selector, unusual=True)


def is_tag(language: str) -> bool:
    """Tell whether a language is listed by a tag or a locale, which say how to ask for it; a name does not."""
    return _TAG_OR_LOCALE.fullmatch(language) is not None


def in_language(chosen: Choice, exchange: Exchange) -> str:
    """Return in words which language a call asked for, such as ", in 'nl' by header:Accept-Language,"."""
    selector = chosen.selector
    query = parse_qs(urlsplit(exchange.request.url).query, keep_blank_values=True)
    given = header(exchange.request.headers, selector.name) if selector.kind == "header" else None
    language = given if given is not None else next(iter(query.get(selector.name, ())), None)
    return "" if language is None else f", in {shorten(language, 40)!r} by {selector},"


def demand_no_token(visitor: PublicClient, exchange: Exchange) -> None:
    """Raise NotDecided where an answer in a language wants a token, as those in no language do too (5.4)."""
    plain = visitor.record.answered(Operation.DATA, 401, 403)
    if answer_of(exchange).status in (401, 403) and any(each.intent.language is None for each in plain):
        raise NotDecided("GET /data asks for a token. See 5.4-data-without-token.", exchanges=[exchange])


@scenario(calls=2, background=True)
def unsupported_language(visitor: PublicClient) -> list[Exchange]:
    """Asks for the data types in a language that is not supported, the second time as some region speaks it."""
    chosen = language_choice.result(visitor)
    # As the others are written: a tag that is refused for its form says nothing.
    hyphen = "_" if any("_" in each for each in languages_of(visitor.settings_document())[0] or ()) else "-"
    asked = ((BROWSING, chosen.unsupported), (NOBODY, f"{chosen.unsupported}{hyphen}US"))
    return [visitor.data(caller, language=tag, selector=chosen.selector, supported=False) for caller, tag in asked]


@scenario(calls=2, background=True)
def malformed_languages(visitor: PublicClient) -> dict[str, Exchange]:
    """Asks for the data types with tags that name no language."""
    selector = language_choice.result(visitor).selector
    return {tag: visitor.data(language=tag, selector=selector, supported=None) for tag in _MALFORMED}


_MALFORMED: Final = ("en_", "a" * 300)


def _find(visitor: PublicClient) -> Choice | None:
    configured = visitor.session.target.language_selector
    try:
        languages = supported(visitor)
    except NotDecided:
        if configured is None:
            raise
        return Choice(configured, _PRIVATE[0])
    if any(is_spoken(each, languages) for each in _ANY):
        return None
    # A name, or a code of three letters, may well stand for a language that has a code of two.
    codes = _SELDOM_SUPPORTED if all(map(_OF_TWO_LETTERS.fullmatch, languages)) else _PRIVATE
    unsupported = next((code for code in codes if not is_spoken(code, languages)), None)
    if unsupported is None:
        return None
    if configured is not None:
        return Choice(configured, unsupported)
    for selector in USUAL:
        refused = visitor.data(language=unsupported, selector=selector, supported=False, unusual=True)
        if refused.error is not None:
            continue
        known = askable(selector, languages)
        if not _refuses(refused):
            if _changes(visitor, selector, known):
                return Choice(selector, unsupported)
        elif (heard := _served(visitor, selector, known)) is not None:
            return Choice(selector, unsupported, heard)
        refused.intent = replace(refused.intent, open=True)
    return None


def _refuses(exchange: Exchange) -> bool:
    body = answer_of(exchange).document.value
    named = isinstance(body, dict) and body.get("error") == LANGUAGE_NOT_SUPPORTED.error
    return answer_of(exchange).status >= 400 or named


def _served(visitor: PublicClient, selector: LanguageSelector, languages: list[str]) -> dict[str, Exchange] | None:
    """Return the answers in supported languages up to the first that is not refused; None where all are."""
    if not languages:
        return {} if answer_of(visitor.data()).status == 200 else None
    heard: dict[str, Exchange] = {}
    for language in languages[:3]:
        heard[language] = visitor.data(language=language, selector=selector, unusual=True)
        if answer_of(heard[language]).status == 200:
            return heard
    return None


_TEXTS: Final = ("type", "description", "processingGround")
"""What may be written in a language; context is a link, which may well repeat the query of the call."""

_FIRST: Final = "ABBA"
"""In this order, so that texts that take turns from answer to answer do not pass for two languages."""

_THEN: Final = "BAABBAABABBA"
"""With the first ones and one between, this order has no period up to twelve: so many nodes in turn never keep it."""

_TRIED: Final = 2
"""So many other languages are compared with the first."""


def _changes(visitor: PublicClient, selector: LanguageSelector, languages: list[str]) -> bool:
    """Tell whether a query parameter changes what is said; Accept-Language is a preference that may be disregarded.

    What differs between two answers in the same language, and what is not described in 2.2, has another cause.
    """
    if selector.kind != "query":
        return False
    for other in languages[1 : 1 + _TRIED]:
        spoken = {"A": languages[0], "B": other}
        asked = [visitor.data(language=spoken[each], selector=selector, unusual=True) for each in _FIRST]
        said = [_said(exchange) for exchange in asked]
        if None not in said and said[0] == said[3] != said[1] == said[2]:
            return _once_more(visitor, selector, spoken, {"A": said[0], "B": said[1]})
    return False


def _once_more(
    visitor: PublicClient, selector: LanguageSelector, spoken: dict[str, str], said: dict[str, frozenset[str] | None]
) -> bool:
    """Tell whether the texts stay those of their language, each time at an address that nobody has asked before.

    Texts that follow the address, or are kept by it, do not. Who refuses a parameter without meaning knows this one,
    and is asked in the usual way.
    """
    selectors = [replace(selector, name=f"x-none={number}&{selector.name}") for number in range(len(_THEN) + 1)]
    tried = visitor.data(language=spoken["A"], selector=selectors.pop(), open=True, unusual=True)
    if answer_of(tried).status == 400:
        selectors = [selector] * len(_THEN)
    return all(
        _said(visitor.data(language=spoken[each], selector=one, open=True, unusual=True)) == said[each]
        for each, one in zip(_THEN, selectors, strict=True)
    )


def _said(exchange: Exchange) -> frozenset[str] | None:
    """Return what a list says of each type, whatever its order; None for an answer that is no list."""
    listed = answer_of(exchange).document.value
    if answer_of(exchange).status != 200 or not isinstance(listed, list):
        return None
    return frozenset(repr([each.get(name) for name in _TEXTS]) for each in listed if isinstance(each, dict))
