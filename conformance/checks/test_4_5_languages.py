"""Clauses 2.2 and 4.5: the data types in every language, with any selector."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

import pytest

from conformance.checks.marks import Observe, last, requirement
from conformance.client import expect
from conformance.client.encodings import plain
from conformance.client.public import PublicClient
from conformance.client.user import UserClient, accepted
from conformance.model.error_table import INVALID_DATA_TYPES
from conformance.model.errors import NotDecided, NothingToAdd, answer_of, in_words, not_applicable
from conformance.model.exchange import Exchange, Operation
from conformance.model.language_selector import LanguageSelector
from conformance.model.text import count, in_json, member_in_json, shorten
from conformance.rules.run_context import types_in
from conformance.scenarios.language_choice import Choice
from conformance.scenarios.languages import assert_no_token_required, in_language, is_tag, supported_now


@requirement("4.5-supported-languages")
def test_every_supported_language_is_served(
    public_client: PublicClient, language_choice: Choice, languages: dict[str, Exchange]
) -> None:
    """GET /data answers 200 in each of supportedLanaguages."""
    by_name: list[Exchange] = []
    for language, exchange in languages.items():
        assert_no_token_required(public_client, exchange)
        refused = answer_of(exchange).status == 400
        if refused and language not in supported_now(public_client):
            raise NotDecided(f"supportedLanaguages no longer contains {language}, which it did earlier in the run.")
        if refused and not is_tag(language):
            by_name.append(exchange)
            continue
        expect.status(exchange, 200, asked=in_language(language_choice, exchange))
    if by_name:
        raise not_applicable(
            "no-language-choice",
            f"GET /data{in_language(language_choice, by_name[0])} answered 400. supportedLanaguages lists "
            "languages by name, and the specification does not say how to request them.",
            *by_name,
        )


@requirement("4.5-language-choice")
def test_the_language_is_chosen_somehow(public_client: PublicClient, language_choice: Choice, observe: Observe) -> None:
    """Shows which selector has an effect."""
    origin = "as configured" if public_client.session.target.selector else "found by trials"
    observe(f"The language of GET /data is chosen by {language_choice.selector} ({origin}).")


@pytest.fixture
def usual_types(public_client: PublicClient) -> list[Any]:
    """The data types without a language selector; otherwise NotDecided says what to configure."""
    return public_client.data_types()


@requirement("2.2-type-in-every-language")
def test_a_type_of_every_language_is_accepted(
    service: UserClient, usual_types: list[Any], language_choice: Choice, languages: dict[str, Exchange]
) -> None:
    """POST /requests accepts a type that only another language lists."""
    listed = {*types_in(usual_types), *service.types()}
    for language, exchange in languages.items():
        selector, foreign = language_choice.selector, [name for name in _types(exchange) if name not in listed]
        # The list may have changed: the type must still be listed, in this language only.
        if (
            foreign
            and foreign[0] in _types(service.data(language=language, selector=selector))
            and foreign[0] not in service.types_now()
        ):
            _assert_accepted(service, selector, language, foreign[0], exchange)


@last
@requirement("2.2-type-in-every-language")
def test_a_type_that_was_refused_is_accepted_once_it_is_listed(service: UserClient) -> None:
    """POST /requests accepts a type that it refused as unknown, after GET /data lists it."""
    lists = [
        each
        for each in service.record.answered(Operation.DATA, 200)
        if each.intent.language is None and not each.intent.generated
    ]
    refused = [each for each in service.record.answered(Operation.CREATE, 400) if _is_refused_for_its_types(each)]
    unknown = {name for each in refused for name in each.intent.types or ()}.difference(*map(_types, lists[:1]))
    appeared = [(name, each) for each in lists[1:] for name in _types(each) if name in unknown]
    if not appeared:
        raise NothingToAdd("GET /data lists no type that the service refused.")
    name, listed = appeared[-1]
    if name in service.types_now():
        again = service.post_raw(plain([name]), open=True)
        service.session.clean_up()
        if _is_refused_for_its_types(again) and name in service.types_now():
            raise expect.violated(
                f"POST /requests refuses the type {shorten(name, 60)!r} with InvalidDataTypes, as it did before "
                "GET /data listed it.",
                "POST /requests accepts each type that GET /data lists",
                *(again, listed),
            )


def _is_refused_for_its_types(exchange: Exchange) -> bool:
    return bool(expect.member(exchange, "error") == INVALID_DATA_TYPES.error)


def _assert_accepted(
    service: UserClient, selector: LanguageSelector, language: str, name: str, listed: Exchange
) -> None:
    usual = service.post([name], body="odd", open=True)
    asked = [usual] if accepted(usual) else [usual, service.post_in(language, selector, [name])]
    service.session.clean_up()
    if accepted(asked[-1]):
        return
    if not all(map(_is_refused_for_its_types, asked)):
        raise NotDecided("The service refused a creation for another reason than its types.", exchanges=asked)
    raise expect.violated(
        f"GET /data in {language!r} lists the type {shorten(name, 60)!r}, but POST /requests refuses it with "
        "InvalidDataTypes, also in that language.",
        "POST /requests accepts each type that GET /data lists, in any language",
        *(asked[-1], listed, *asked[:-1]),
    )


@requirement("4.5-languages-differ")
def test_languages_differ_in_something(
    usual_types: list[Any], languages: dict[str, Exchange], observe: Observe
) -> None:
    """Shows the differences between the languages besides the description."""
    usual = {each["type"]: each for each in usual_types if _has_type(each)}
    found = {language: each for language, each in languages.items() if answer_of(each).status == 200}
    seen: defaultdict[str, dict[str, Exchange]] = defaultdict(dict)
    for language, exchange in found.items():
        for what in _differences(usual, _listed(exchange)):
            seen[what][language] = exchange
    for what, where in seen.items():
        named = ", ".join(map(repr, where))
        observe(f"In {named}, compared with the list without a language, {what}.", *where.values())
    if not seen:
        observe(f"Nothing but the description differs between {len(found)} languages.", *found.values())


_SAME: Final = ("context", "processingGround", "isErasable", "isRectifiable")


def _differences(usual: dict[str, Any], listed: dict[str, Any]) -> Iterator[str]:
    if missing := usual.keys() - listed.keys():
        yield f"the list lacks these types: {in_json(sorted(missing), 100)}"
    if extra := listed.keys() - usual.keys():
        yield f"the list has these additional types: {in_json(sorted(extra), 100)}"
    common = sorted(usual.keys() & listed.keys())
    for name in _SAME:
        other = [each for each in common if usual[each].get(name) != listed[each].get(name)]
        if other:
            one = other[0]
            yield (
                f"{name} differs for {len(other)} of {count(len(common), 'type')}, such as "
                f"{in_json(one, 40)}: {member_in_json(listed[one], name, 40)}, not "
                f"{member_in_json(usual[one], name, 40)}"
            )


@requirement("4.5-malformed-language")
def test_malformed_languages_are_answered_somehow(
    language_choice: Choice, malformed_languages: dict[str, Exchange], observe: Observe
) -> None:
    """Shows the responses to language tags that are unknown or malformed."""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for tag, exchange in malformed_languages.items():
        alike[in_words(exchange)].append(repr(tag) if len(tag) < 10 else f"{len(tag)} letters")
    for words, tags in alike.items():
        observe(f"{', '.join(tags)} by {language_choice.selector} answered {words}.", *malformed_languages.values())


def _has_type(each: Any) -> bool:
    return isinstance(each, dict) and isinstance(each.get("type"), str)


def _listed(exchange: Exchange) -> dict[str, Any]:
    value = answer_of(exchange).document.value
    right = answer_of(exchange).status == 200 and isinstance(value, list)
    return {each["type"]: each for each in value if _has_type(each)} if right else {}


def _types(exchange: Exchange) -> list[str]:
    value = answer_of(exchange).document.value
    return types_in(value) if answer_of(exchange).status == 200 and isinstance(value, list) else []
