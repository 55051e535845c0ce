"""Clauses 2.2 and 4.5: the data types in every language, with any selector."""

from __future__ import annotations

import re
from typing import Any, Final

from conformance.checks.marks import Observe, needs, requirement, traces
from conformance.facts.answers import accepted, says
from conformance.facts.assumptions import document_of, languages_of
from conformance.judge import expect
from conformance.judge.run import Run
from conformance.model.error_table import INVALID_DATA_TYPES
from conformance.model.errors import NotDecided, answer_of, choice, not_applicable
from conformance.model.exchange import Exchange, Operation
from conformance.model.text import count, in_json, quoted
from conformance.scenarios.languages import Choice

_TAG_OR_LOCALE: Final = re.compile(r"[A-Za-z]{2,3}([-_][0-9A-Za-z]{1,8})*")
"""What lists a language so that it can be requested; a name does not."""


@requirement("4.5-supported-languages")
@traces("""
    FAIL languages[nl]: GET /data -> 400 LanguageNotSupported
    PASS languages[nl]: GET /data -> 200
         language_choice = {"selector": {"kind": "header", "name": "Accept-Language"}}
""")
def test_every_supported_language_is_served(run: Run, language_choice: Choice, languages: dict[str, Exchange]) -> None:
    """GET /data answers 200 in each of supportedLanaguages."""
    by_name: list[Exchange] = []
    for language, exchange in languages.items():
        refused = answer_of(exchange).status == 400
        if refused and not _is_always_listed(run, language):
            message = f"The settings listed {language!r} not all the time, and GET /data refused it."
            raise NotDecided(message, exchanges=[exchange])
        if refused and not _TAG_OR_LOCALE.fullmatch(language):
            by_name.append(exchange)
            continue
        expect.status(exchange, 200, asked=language_choice.selector.words_of(exchange.request))
    if by_name:
        raise not_applicable(
            "no-language-choice",
            f"GET /data{language_choice.selector.words_of(by_name[0].request)} answered 400. supportedLanaguages lists "
            "languages by name, and the specification does not say how to request them.",
            *by_name,
        )


def _is_always_listed(run: Run, language: str) -> bool:
    """Tell whether every answer of GET /settings lists a language: a service may withdraw one during a run."""
    answers = run.record.answered(Operation.SETTINGS, 200)
    shown = (document_of(answer_of(each).document.value, dict)[0] for each in answers)
    lists = [languages_of(each)[0] for each in shown if each is not None]
    return all(language in each for each in lists if each is not None)


@requirement("4.5-language-choice")
def test_the_language_is_chosen_somehow(language_choice: Choice, observe: Observe) -> None:
    """Shows which selector has an effect."""
    observe(f"The language of GET /data is chosen by {language_choice.selector}.")


@needs("languages")
@requirement("2.2-type-in-every-language")
@traces("""
         foreign_types[0]: GET /data -> 200 [c]
    FAIL foreign_types[0]: POST [c]  -> 400 InvalidDataTypes
    PASS foreign_types[0]: POST [c]  -> 200 r1
         language_choice = {"selector": {"kind": "header", "name": "Accept-Language"}}
""")
def test_a_type_of_every_language_is_accepted(
    run: Run, language_choice: Choice, foreign_types: list[list[Exchange]]
) -> None:
    """POST /requests accepts a type that only another language lists."""
    expect.a_list_of_data_types(run.record.answered(Operation.DATA, 200))
    for listed, *creations in foreign_types:
        decisive = creations[-1]
        if accepted(decisive.response):
            continue
        if not all(says(each.response, INVALID_DATA_TYPES) for each in creations):
            message = "The service refused a creation for another reason than its types."
            raise NotDecided(message, exchanges=creations)
        language = language_choice.selector.words_of(listed.request)
        raise expect.violated(
            f"GET /data{language} lists the type {quoted(decisive.request.body, 60)}, but POST /requests refuses it "
            "with InvalidDataTypes, also in that language.",
            "POST /requests accepts each type that GET /data lists, in any language",
            *(decisive, listed, *creations[:-1]),
        )


@requirement("4.5-languages-differ")
@traces("""
    FAIL languages[nl]: GET /data -> 200 [a]
    PASS languages[nl]: GET /data -> 200
         languages[fr]: GET /data -> 200
""")
def test_languages_differ_in_something(run: Run, languages: dict[str, Exchange], observe: Observe) -> None:
    """Shows the types that are listed in some languages only, or with other values than another description."""
    lists = {language: _without_descriptions(each) for language, each in languages.items() if each.status == 200}
    longest = max(lists.values(), key=len, default={})
    for language, types in lists.items():
        if types and types.keys() < longest.keys():
            missing = sorted(longest.keys() - types.keys())
            words = "The list of a language lacks types that another language has"
            which = f", in {language!r}: {count(len(missing), 'type')}, such as {in_json(missing[0], 40)}"
            observe(choice(words, 1, languages[language], detail=which), languages[language], alert=True)
            return
    plain = (each for each in run.record.answered(Operation.DATA, 200) if each.intent.language is None)
    usual = next(filter(None, map(_without_descriptions, plain)), {})
    shown, which = list[Exchange](), ""
    for language, listed in lists.items():
        different = sorted(name for name in usual.keys() | listed.keys() if usual.get(name) != listed.get(name))
        if different:
            shown.append(languages[language])
            which = which or f", in {language!r}: {count(len(different), 'type')}, such as {in_json(different[0], 40)}"
    if shown:
        words = "More than the description of types differs between languages"
        observe(choice(words, len(shown), shown[0], detail=which), *shown)


def _without_descriptions(exchange: Exchange) -> dict[str, dict[str, Any]]:
    """Return the types that an answer lists, each with the fields that need no translation."""
    listed = answer_of(exchange).document.value
    elements = listed if isinstance(listed, list) else []
    named = [each for each in elements if isinstance(each, dict) and isinstance(each.get("type"), str)]
    return {each["type"]: {name: each[name] for name in each if name != "description"} for each in named}
