"""The language scenarios: which selector has an effect, and the answers in languages of every kind (1.4, 4.5, 7).

The specification leaves open how a client chooses the language of GET /data (4.5).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from conformance.facts.answers import accepted
from conformance.facts.assumptions import languages_of
from conformance.facts.world import types_in
from conformance.model.error_table import LANGUAGE_NOT_SUPPORTED
from conformance.model.errors import NotDecided, answer_of, not_applicable
from conformance.model.exchange import Exchange
from conformance.model.identity import ANONYMOUS, BROWSING, Identity
from conformance.model.target import NO_SELECTOR, SEVERAL, LanguageSelector
from conformance.scenarios.api import Api
from conformance.scenarios.registry import scenario

USUAL: Final = (
    LanguageSelector("header", "Accept-Language"),
    LanguageSelector("query", "language"),
    LanguageSelector("query", "lang"),
    LanguageSelector("query", "locale"),
)

MOST: Final = 24
"""Number of supported languages that a run requests: the European Union has so many."""

_PRIVATE: Final = ("qaa", "qtz")
"""Reserved for private use: no language has this code, and services that support every language do not list it."""

_SELDOM_SUPPORTED: Final = ("eo", "la", "mi", "zu", "is", "cy", "mt", "eu", "kl", *_PRIVATE)

_OFTEN_SUPPORTED: Final = ("en", "de", "fr", "es")

_ANY: Final = ("*", "mul")
"""Entries that stand for every language: then no language is unsupported."""

_OF_TWO_LETTERS: Final = re.compile(r"[A-Za-z]{2}([-_][0-9A-Za-z]+)*")


@dataclass(frozen=True, slots=True)
class Choice:
    """A selector that is known to have an effect, with two languages that the service does not support."""

    selector: LanguageSelector
    unsupported: str
    common: str = ""
    """One that many services support: another part of the service may. Runs of former builds have none."""


@scenario(beside_others=True, public=True)
def language_choice(service: Api) -> Choice:
    """Finds a selector of the language; raises not-applicable if no usual selector has an effect.

    A selector has an effect if it makes the service refuse an unsupported language and not a supported one. A query
    parameter also has an effect if it changes the texts.
    """
    configured = service.target.selector
    try:
        listed = service.languages()
    except NotDecided:
        if configured is None:
            raise
        return Choice(configured, *_PRIVATE)
    if (unsupported := unsupported_of(listed)) is None:
        message = "supportedLanaguages leaves no usual language that the service does not support."
        raise not_applicable("no-language-choice", message)
    for selector in (configured,) if configured else USUAL:
        if configured or _has_effect(service, selector, unsupported, listed):
            if NO_SELECTOR in service.target.confirmations:
                service.session.results.selector_denied = str(selector)
            return Choice(selector, unsupported, unsupported_of(listed, _OFTEN_SUPPORTED) or unsupported)
    service.data_types()  # without a list, the run cannot tell how a language is chosen
    raise _no_selector(service, len(listed))


def _no_selector(service: Api, languages: int) -> NotDecided:
    """Return that no selector is known; with several languages, only the tester can say whether there is one."""
    beginning = "The run found no selector of the language (if it has one, name it with --language-selector)"
    if NO_SELECTOR in service.target.confirmations:
        beginning = "As --language-selector none confirms, no client can ask for a language"
    elif languages > 1:
        service.session.results.selector_is_unknown = True
        service.session.notes.append(
            f"The settings publish {languages} languages, but no usual selector has an effect, so the requirements on "
            "languages are not applicable. Name the selector with --language-selector, or confirm with "
            "--language-selector none that there is none."
        )
    return not_applicable(
        "no-language-choice",
        f"{beginning}: Accept-Language and the query parameters language, lang and locale make GET /data refuse no "
        "language, and the parameters change no texts.",
    )


def unsupported_of(languages: list[str], codes: Sequence[str] = _SELDOM_SUPPORTED) -> str | None:
    """Return a language of `codes` that the service does not support; None if it supports every one."""
    spoken = {language.lower().replace("_", "-").partition("-")[0] for language in languages}
    # A name, or a code of three letters, may stand for a language that has a code of two letters.
    codes = codes if all(map(_OF_TWO_LETTERS.fullmatch, languages)) else _PRIVATE
    return None if spoken.intersection(_ANY) else next((code for code in codes if code not in spoken), None)


def with_unsupported_language(service: Api, caller: Identity) -> Identity:
    """Return a caller that prefers a language that the service does not support, as browsers do, and takes any other.

    Only GET /data may refuse a language (7, table, row 3).
    """
    with suppress(NotDecided):
        if code := unsupported_of(service.languages()):
            return replace(caller, language=f"{code}, *;q=0.5")
    return caller


def _has_effect(service: Api, selector: LanguageSelector, unsupported: str, languages: list[str]) -> bool:
    """Tell whether a selector makes the service refuse one language and serve another, or changes the texts."""
    refused, known = (
        _data_in(service, selector, unsupported, language="unsupported", unusual=True),
        _askable(selector, languages),
    )
    answer = answer_of(refused)
    is_empty = bool(known) and answer.document.value == []  # without a language to compare, it may be a filter
    if answer.status < 400 and not is_empty and refused.member("error") != LANGUAGE_NOT_SUPPORTED.error:
        return _changes_texts(service, selector, known)
    asked = (_data_in(service, selector, each, unusual=True) for each in known[:3])
    served = (answer_of(each) for each in (asked if known else [service.data()]))
    return any(each.status == 200 and each.document.value != answer.document.value for each in served)


def _changes_texts(service: Api, selector: LanguageSelector, languages: list[str]) -> bool:
    """Tell whether a query parameter changes the texts each time; Accept-Language is a preference of the client.

    In this order, texts that alternate between answers do not look like two languages, and those that vary at random,
    as with two releases behind a balancer, seldom do.
    """
    if selector.kind != "query" or len(languages) < 2:
        return False
    one, other = languages[:2]
    texts: dict[str, frozenset[str]] = {}
    for tag in (one, other, other, one, other, one, one, other):
        text = _texts(_data_in(service, selector, tag, unusual=True))
        if text is None or texts.setdefault(tag, text) != text or len({*texts.values()}) < len(texts):
            return False
    return True


def _texts(exchange: Exchange) -> frozenset[str] | None:
    """Return what a language may change of each type, in any order; None if the answer is no list.

    The context is a link, which may repeat the query of the call.
    """
    listed = answer_of(exchange).document.value
    if answer_of(exchange).status != 200 or not isinstance(listed, list):
        return None
    names = ("type", "description", "processingGround")
    return frozenset(repr([each.get(name) for name in names]) for each in listed if isinstance(each, dict))


def _askable(selector: LanguageSelector, languages: Iterable[str]) -> list[str]:
    """Return at most MOST different languages that a selector can carry: a header carries printable ASCII only."""
    known = [language for language in dict.fromkeys(languages) if language.isprintable()]
    if selector.kind == "header":
        known = [language for language in known if language.isascii() and language == language.strip()]
    return known[:MOST]


def _data_in(service: Api, selector: LanguageSelector, tag: str, **how: Any) -> Exchange:
    """Request the data types in a language; if Accept-Language refuses a locale, then by its tag."""
    how = {"language": "supported", **how}
    exchange = service.data(how=selector.asking(tag), **how)
    if _takes_tags(selector) and "_" in tag and answer_of(exchange).status == 400:
        return service.data(how=selector.asking(tag.replace("_", "-")), **how)
    return exchange


def _takes_tags(selector: LanguageSelector) -> bool:
    """Tell whether a selector names languages by tags alone, as Accept-Language does (RFC 9110), and not by locales."""
    return selector.kind == "header" and selector.name.lower() == "accept-language"


@scenario(beside_others=True, public=True)
def languages(service: Api) -> dict[str, Exchange]:
    """Requests the settings and the data types in at most 24 supported languages, then in some again.

    Between them it requests the data types without a language. Of two answers in a language, it returns the one that
    is not 200.
    """
    _ask_for_settings(service)
    selector = language_choice.result(service).selector
    tags = _askable(selector, service.languages())
    if not tags:
        raise not_applicable("no-language-choice", f"{selector} can carry none of supportedLanaguages.")
    answers = {tag: _data_in(service, selector, tag) for tag in tags}
    service.data()
    again = {tag: _data_in(service, selector, tag) for tag in tags[:SEVERAL]}
    return answers | {tag: again[tag] for tag in again if accepted(answers[tag].response)}


def _ask_for_settings(service: Api) -> None:
    """Request the settings in every language: each answer must contain all parameters.

    Without a known selector, Accept-Language is used. A server may refuse a query, and what is no tag in a header.
    """
    try:
        selector = language_choice.result(service).selector
    except NotDecided:
        selector = USUAL[0]
    tags = service.tags() if selector.kind == "header" else []
    listed = _askable(selector, service.languages())
    for each in listed + listed[:SEVERAL]:
        service.settings(how=selector.asking(each), language="supported", unusual=each not in tags)


@scenario(beside_others=True, public=True)
def unsupported_language(service: Api) -> list[Exchange]:
    """Requests the data types in an unsupported language, then with a region, and in a common one: refusals differ."""
    chosen = language_choice.result(service)
    # In the notation of the list: a tag that is refused for its form shows nothing, and a locale may be ignored where
    # only tags are expected.
    locales = any("_" in each for each in languages_of(service.settings_document())[0] or ()) and not _takes_tags(
        chosen.selector
    )
    alone, regional = chosen.unsupported, f"{chosen.unsupported}{'_' if locales else '-'}US"
    asked = ((BROWSING, alone), (ANONYMOUS, regional), (ANONYMOUS, chosen.common))
    return [service.data(caller, chosen.selector.asking(tag), language="unsupported") for caller, tag in asked]


@scenario(beside_others=True, public=True)
def malformed_languages(service: Api) -> None:
    """Requests the data types with malformed language tags."""
    selector = language_choice.result(service).selector
    for tag in ("en_", "a" * 300):
        # A server may refuse a long header or query in its own words, before the service reads it.
        service.data(how=selector.asking(tag), language="malformed", unusual=len(tag) > 100)


@scenario()
def foreign_types(service: Api) -> list[list[Exchange]]:
    """Creates requests for types that only one language lists, one of each language, until one is refused.

    Returns each list with the creations: without a language, and in it if that is refused.
    """
    chosen, ever = language_choice.result(service), service.known_types
    found: list[list[Exchange]] = []
    for language, exchange in languages.result(service).items():
        value = answer_of(exchange).document.value if answer_of(exchange).status == 200 else None
        name = next((each for each in types_in(value if isinstance(value, list) else []) if each not in ever), None)
        if name is None:
            continue
        creations = [service.post([name], body="odd", open=True)]
        if not accepted(creations[0].response):
            creations.append(service.post([name], how=chosen.selector.asking(language), body="odd", open=True))
        service.session.clean_up()
        found.append([exchange, *creations])
        if not accepted(creations[-1].response):
            break
    return found
