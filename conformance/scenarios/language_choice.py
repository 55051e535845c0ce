"""The scenario that finds the selector of the language of GET /data, which the specification leaves open (4.5)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Final

from conformance.client.api import Api
from conformance.model.error_table import LANGUAGE_NOT_SUPPORTED
from conformance.model.errors import NotDecided, answer_of, describe, in_words, not_applicable
from conformance.model.exchange import Exchange, Operation
from conformance.model.target import NO_SELECTOR, LanguageSelector
from conformance.rules.expect import assert_in_some_language, member
from conformance.scenarios.registry import scenario

USUAL: Final = (
    LanguageSelector("header", "Accept-Language"),
    LanguageSelector("query", "language"),
    LanguageSelector("query", "lang"),
    LanguageSelector("query", "locale"),
)

_PRIVATE: Final = ("qaa", "qtz")
"""Reserved for private use: no language has this code, and services that support every language do not list it."""

_SELDOM_SUPPORTED: Final = ("eo", "la", "mi", "zu", "is", "cy", "mt", "eu", "kl", *_PRIVATE)

_ANY: Final = ("*", "mul")
"""Entries that stand for every language: then no language is unsupported."""

_OF_TWO_LETTERS: Final = re.compile(r"[A-Za-z]{2}([-_][0-9A-Za-z]+)*")


@dataclass(frozen=True, slots=True)
class Choice:
    """A selector that is known to have an effect, with a language that the service does not support."""

    selector: LanguageSelector
    unsupported: str


def is_spoken(code: str, languages: list[str]) -> bool:
    """Tell whether `languages` contain the language `code`, with any region or script."""
    return any(language.lower().replace("_", "-").partition("-")[0] == code for language in languages)


def askable(selector: LanguageSelector, languages: list[str]) -> list[str]:
    """Return the languages that this selector can carry: a header carries printable ASCII only."""
    if selector.kind != "header":
        return [language for language in languages if language.isprintable()]
    return [
        language
        for language in languages
        if language.isascii() and language.isprintable() and language == language.strip()
    ]


@scenario(parallel=True, public=True)
def language_choice(service: Api) -> Choice:
    """Finds a selector of the language; raises not-applicable if no usual selector has an effect.

    A selector has an effect if it makes the service refuse an unsupported language and not a supported one. A query
    parameter also has an effect if it changes the texts.
    """
    found = _find(service)
    if found is None and service.session.target.selector is not None:
        raise not_applicable(
            "no-language-choice", "supportedLanaguages leaves no usual language that the service does not support."
        )
    if found is None:
        answers = service.record.answered(Operation.DATA)
        if answers and not any(answer_of(each).status == 200 for each in answers):
            assert_in_some_language(answers[0])
            raise NotDecided(
                f"The run cannot tell how a language is chosen: {describe(answers[0])} was answered "
                f"{in_words(answers[0])}.",
                exchanges=answers[:1],
            )
        raise _no_selector(service)
    if NO_SELECTOR in service.session.target.confirmations:
        service.session.results.selector_denied = str(found.selector)
    return found


def _no_selector(service: Api) -> NotDecided:
    """Return that no selector is known; with several languages, only the tester can say whether there is one."""
    session, languages = service.session, service.languages()
    beginning, confirmed = "The run found no selector of the language", NO_SELECTOR in session.target.confirmations
    if confirmed:
        beginning = (
            "If GET /data has no language selector, as --language-selector none confirms, no client can ask for one"
        )
    elif len(languages) > 1 and _unsupported(languages) is not None:
        session.results.selector_is_unknown = True
        session.notes.append(
            f"The settings publish {len(languages)} languages, but no usual selector has an effect, so the "
            "requirements on languages are not applicable. Name the selector with --language-selector, or confirm "
            "with --language-selector none that there is none."
        )
    return not_applicable(
        "no-language-choice",
        f"{beginning}: Accept-Language and the query parameters language, lang and locale make GET /data refuse no "
        "language, and the parameters change no texts. With Accept-Language, a service may choose another language."
        f"{'' if confirmed else ' If it has a selector, name it with --language-selector.'}",
    )


def asked_in(service: Api, selector: LanguageSelector, tag: str, **how: Any) -> Exchange:
    """Request the data types in a supported language; if Accept-Language refuses a locale, then by its tag."""
    exchange = service.data(language=tag, selector=selector, **how)
    if takes_tags(selector) and "_" in tag and answer_of(exchange).status == 400:
        return service.data(language=tag.replace("_", "-"), selector=selector, **how)
    return exchange


def takes_tags(selector: LanguageSelector) -> bool:
    """Tell whether a selector names languages by tags alone, as Accept-Language does (RFC 9110), and not by locales."""
    return selector.kind == "header" and selector.name.lower() == "accept-language"


def _find(service: Api) -> Choice | None:
    configured = service.session.target.selector
    try:
        languages = service.languages()
    except NotDecided:
        if configured is None:
            raise
        return Choice(configured, _PRIVATE[0])
    unsupported = _unsupported(languages)
    if unsupported is None:
        return None
    if configured is not None:
        return Choice(configured, unsupported)
    unanswered = None
    for selector in USUAL:
        refused = service.data(language=unsupported, selector=selector, supported=False, unusual=True)
        if not refused.counts:
            unanswered = unanswered or refused
            continue
        known = askable(selector, languages)
        has_effect = _serves if _refuses(refused) else _changes
        if has_effect(service, selector, known):
            return Choice(selector, unsupported)
        refused.intent = replace(refused.intent, open=True)
    if unanswered is not None:
        answer_of(unanswered)  # raises NotDecided: this selector may have an effect
    return None


def _unsupported(languages: list[str]) -> str | None:
    """Return a language that the service does not support; None if it supports every one."""
    if any(is_spoken(each, languages) for each in _ANY):
        return None
    # A name, or a code of three letters, may stand for a language that has a code of two letters.
    codes = _SELDOM_SUPPORTED if all(map(_OF_TWO_LETTERS.fullmatch, languages)) else _PRIVATE
    return next((code for code in codes if not is_spoken(code, languages)), None)


def _refuses(exchange: Exchange) -> bool:
    return answer_of(exchange).status >= 400 or bool(member(exchange, "error") == LANGUAGE_NOT_SUPPORTED.error)


def _serves(service: Api, selector: LanguageSelector, languages: list[str]) -> bool:
    """Tell whether one of the first supported languages is served, or any call where the selector can carry none."""
    asked = (asked_in(service, selector, each, unusual=True) for each in languages[:3])
    return any(answer_of(each).status == 200 for each in (asked if languages else [service.data()]))


_TEXTS: Final = ("type", "description", "processingGround")
"""Fields that a language may change; context is a link, which may repeat the query of the call."""

_IN_TURN: Final = "ABBA"
"""In this order, texts that alternate between answers do not look like two languages."""


def _changes(service: Api, selector: LanguageSelector, languages: list[str]) -> bool:
    """Tell whether a query parameter changes the texts each time; Accept-Language is a preference of the client.

    Differences between two answers in the same language, or outside the fields of 2.2, have another cause.
    """
    if selector.kind != "query" or len(languages) < 2:
        return False
    spoken = dict(zip("AB", languages, strict=False))
    asked = [service.data(language=spoken[each], selector=selector, unusual=True) for each in _IN_TURN]
    texts = [_texts(exchange) for exchange in asked]
    return None not in texts and texts[0] == texts[3] != texts[1] == texts[2]


def _texts(exchange: Exchange) -> frozenset[str] | None:
    """Return the texts of each type, in any order; None if the answer is no list."""
    listed = answer_of(exchange).document.value
    if answer_of(exchange).status != 200 or not isinstance(listed, list):
        return None
    return frozenset(repr([each.get(name) for name in _TEXTS]) for each in listed if isinstance(each, dict))
