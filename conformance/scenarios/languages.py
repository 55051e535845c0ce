"""The language scenarios: the answers in many languages, in an unsupported one, and to malformed tags (4.5)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs, urlsplit

from conformance.client.api import Api
from conformance.client.encodings import plain
from conformance.facts.answers import accepted
from conformance.facts.assumptions import languages_of
from conformance.facts.world import types_in
from conformance.model.error_table import INVALID_DATA_TYPES
from conformance.model.errors import NotDecided, answer_of, not_applicable
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.identity import ANONYMOUS, BROWSING
from conformance.model.text import shorten
from conformance.rules.expect import member
from conformance.rules.run import Run
from conformance.scenarios.basic import ASKED_TWICE
from conformance.scenarios.language_choice import (
    USUAL,
    Choice,
    askable,
    asked_in,
    language_choice,
    takes_tags,
)
from conformance.scenarios.registry import scenario

_TAG_OR_LOCALE: Final = re.compile(r"[A-Za-z]{2,3}([-_][0-9A-Za-z]{1,8})*")

MOST: Final = 20
"""Number of supported languages that a run requests."""


@scenario(parallel=True, public=True)
def languages(service: Api) -> dict[str, Exchange]:
    """Requests the data types and the settings in at most 20 supported languages, then without one, then in some again.

    Of two answers in a language, it returns the one that is not 200.
    """
    _ask_for_settings(service)
    chosen = language_choice.result(service)
    tags = list(dict.fromkeys(askable(chosen.selector, service.languages())))[:MOST]
    if not tags:
        raise not_applicable("no-language-choice", f"{chosen.selector} can carry none of supportedLanaguages.")
    answers = {tag: asked_in(service, chosen.selector, tag) for tag in tags}
    service.data()
    again = {tag: asked_in(service, chosen.selector, tag) for tag in tags[:ASKED_TWICE]}
    return answers | {tag: again[tag] for tag in again if accepted(answers[tag])}


def _ask_for_settings(service: Api) -> None:
    """Request the settings in every language: each answer must contain all parameters.

    Without a known selector, Accept-Language is used. A server may refuse a query, and what is no tag in a header.
    """
    try:
        selector = language_choice.result(service).selector
    except NotDecided:
        selector = USUAL[0]
    tags = service.tags() if selector.kind == "header" else []
    listed = list(dict.fromkeys(askable(selector, service.languages())))[:MOST]
    for each in listed + listed[:ASKED_TWICE]:
        service.settings(language=each, selector=selector, unusual=each not in tags)


def is_tag(language: str) -> bool:
    """Tell whether a language is listed by a tag or a locale, which can be requested; a name cannot."""
    return _TAG_OR_LOCALE.fullmatch(language) is not None


def in_language(chosen: Choice, exchange: Exchange) -> str:
    """Return in words the language of a call, such as ", in 'nl' by the header Accept-Language,"."""
    selector = chosen.selector
    query = parse_qs(urlsplit(exchange.request.url).query, keep_blank_values=True)
    given = header(exchange.request.headers, selector.name) if selector.kind == "header" else None
    language = given if given is not None else next(iter(query.get(selector.name, ())), None)
    return "" if language is None else f", in {shorten(language, 40)!r} by {selector.in_words},"


def assert_no_token_required(run: Run, exchange: Exchange) -> None:
    """Raise NotDecided if an answer in a language requires a token, as those without a language do (5.4)."""
    refused = run.record.answered(Operation.DATA, 401, 403)
    refused = [each for each in refused if each.intent.language is None and not each.intent.unusual]
    if answer_of(exchange).status in (401, 403) and refused:
        raise NotDecided("GET /data is refused without a token.", exchanges=[exchange])


@scenario(parallel=True, public=True)
def unsupported_language(service: Api) -> list[Exchange]:
    """Requests the data types in an unsupported language, then with a region, and again: refusals may differ."""
    chosen = language_choice.result(service)
    # In the notation of the list: a tag that is refused for its form shows nothing, and a locale may be ignored where
    # only tags are expected.
    listed = languages_of(service.settings_document())[0] or ()
    hyphen = "_" if any("_" in each for each in listed) and not takes_tags(chosen.selector) else "-"
    alone = chosen.unsupported
    asked = ((BROWSING, alone), (ANONYMOUS, f"{alone}{hyphen}US"), (ANONYMOUS, alone))
    return [service.data(caller, language=tag, selector=chosen.selector, supported=False) for caller, tag in asked]


@dataclass(frozen=True)
class Foreign:
    """A type that only another language lists, and its creations: without a language, and in it if that is refused."""

    language: str
    name: str
    listed: Exchange
    creations: list[Exchange]


@scenario()
def foreign_types(service: Api) -> list[Foreign]:
    """Creates requests for types that only one language lists, one of each language, until one is refused."""
    chosen, ever = language_choice.result(service), service.ever_listed or ()
    found: list[Foreign] = []
    for language, exchange in languages.result(service).items():
        foreign = [name for name in listed_types(exchange) if name not in ever]
        if not foreign:
            continue
        creations = [service.post([foreign[0]], body="odd", open=True)]
        if not accepted(creations[0]):
            creations.append(service.post_raw(plain([foreign[0]]), how=chosen.selector.asking(language), open=True))
        service.session.clean_up()
        found.append(Foreign(language, foreign[0], exchange, creations))
        if not accepted(creations[-1]):
            break
    return found


def listed_types(exchange: Exchange) -> list[str]:
    """Return the types that an answer of GET /data lists; none if it lists none."""
    value = answer_of(exchange).document.value
    return types_in(value) if answer_of(exchange).status == 200 and isinstance(value, list) else []


def is_refused_for_its_types(exchange: Exchange) -> bool:
    """Tell whether a creation was refused with InvalidDataTypes."""
    return bool(member(exchange, "error") == INVALID_DATA_TYPES.error)


@scenario(parallel=True, public=True)
def malformed_languages(service: Api) -> dict[str, Exchange]:
    """Requests the data types with malformed language tags."""
    selector = language_choice.result(service).selector
    # A server may refuse a long header or query in its own words, before the service reads it.
    return {
        tag: service.data(language=tag, selector=selector, supported=None, unusual=len(tag) > 100) for tag in _MALFORMED
    }


_MALFORMED: Final = ("en_", "a" * 300)
