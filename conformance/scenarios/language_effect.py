"""Does a query parameter choose the language of GET /data, or do its texts differ for another reason? (4.5)"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from conformance.client.public import PublicClient
from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange
from conformance.model.target import LanguageSelector

_TEXTS: Final = ("type", "description", "processingGround")
"""What may be written in a language; context is a link, which may well repeat the query of the call."""

_FIRST: Final = "ABBA"
"""In this order, so that texts that take turns from answer to answer do not pass for two languages."""

_THEN: Final = "BAABBAABABBA"
"""With the first ones and one between, this order has no period up to twelve: so many nodes in turn never keep it."""

_TRIED: Final = 2
"""So many other languages are compared with the first."""


def changes(visitor: PublicClient, selector: LanguageSelector, languages: list[str]) -> bool:
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
            return _again(visitor, selector, spoken, {"A": said[0], "B": said[1]})
    return False


def _again(
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
