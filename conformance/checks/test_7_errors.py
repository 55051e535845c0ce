"""Clauses 2.4 and 7: the table of errors, with its statuses, codes and messages."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from itertools import chain, islice

import pytest

from conformance import conditions, expect
from conformance.check import REPEATS, each, requirement
from conformance.conditions import Condition
from conformance.exchange import Exchange
from conformance.expect import Broken, Undecided, answer_of, json_body, not_applicable
from conformance.language import choice
from conformance.limit import Trial, trial
from conformance.service import NOBODY, Service, Visitor


def _once(service: Service, name: str, ask: Callable[[str], list[Exchange]]) -> list[Exchange]:
    """Return the answers to what several checks look at, asked once for the run with an identifier nobody has."""
    memory = service.session.memory
    if name not in memory:
        memory[name] = ask(service.some_uuid())
    answers: list[Exchange] = memory[name]
    return answers


def _field_rows(condition: Condition) -> dict[str, tuple[str, str]]:
    return {
        f"7-{condition.slug}-error": ("error", condition.error),
        f"7-{condition.slug}-message": ("message", condition.message),
    }


@pytest.fixture
def limit_refusal(service: Service) -> Exchange:
    """The answer to a creation beyond the limit."""
    found = trial(service)
    if found.refused is None or not found.held:
        raise _never_met(found)
    return found.refused


def _never_met(found: Trial) -> Undecided:
    if found.refused is not None:
        return Undecided(
            "The first creation was refused already, so the limit may not be the reason.", exchanges=[found.refused]
        )
    if found.completed:
        return not_applicable("Requests complete at once here, so the limit is never met.", found.held[0].exchange)
    return Undecided("The limit is not enforced, so no refusal was seen. See 8-limit-enforced.")


@requirement("7-limit-reached")
def test_a_creation_beyond_the_limit_answers_400(service: Service, limit_refusal: Exchange) -> None:
    """The creation beyond maxNumberOfRequests answers 400."""
    found = trial(service)
    answer = limit_refusal.answer
    if answer is not None and answer.status != 400 and found.freed_a_place:
        # Refused while full, accepted once a place was free: whatever its status, the limit is what refused it.
        raise Broken(
            f"A creation beyond the limit answered {answer.status} instead of 400.",
            expected="status 400",
            actual=f"status {answer.status}, body {expect.shorten(answer.text) or 'empty'}",
            exchanges=[limit_refusal],
        )
    expect.status(limit_refusal, 400)


@each("field", _field_rows(conditions.LIMIT_REACHED))
def test_the_refusal_beyond_the_limit_says_so(limit_refusal: Exchange, field: tuple[str, str]) -> None:
    """error and message are those of the table."""
    expect.text_field(limit_refusal, *field)


@pytest.fixture
def wrong_types(service: Service) -> list[Exchange]:
    """The answers to creations that name an unavailable type: alone, and among known ones in every place."""
    known = service.types()
    lists = [
        [service.unknown_type()],
        [*known[:1], service.unknown_type()],
        [service.unknown_type(), *known[:1]],
        [*known[:2], service.unknown_type(), *known[2:4]],
    ]
    return _once(service, "wrong types", lambda _: [_posted(service, types) for types in lists])


def _posted(service: Service, types: list[str]) -> Exchange:
    exchange = service.post(types)
    service.session.clean_up()
    return exchange


@requirement("7-invalid-data-types")
def test_unavailable_types_answer_400(service: Service, wrong_types: list[Exchange]) -> None:
    """One unavailable type is enough for 400, every time, also one that is nearly on offer."""
    for exchange in wrong_types:
        expect.status(exchange, 400)
    made_up = (service.unknown_type() for _ in range(REPEATS // 2))
    for name in islice(chain(_nearly_known(service.types()), made_up), REPEATS // 2):
        expect.status(service.post([name]), 400)


def _nearly_known(types: list[str]) -> list[str]:
    """Return the names of two types with a letter too few and too many, where that makes another name for everybody."""
    # Letters of ASCII only: some compare names without regard to blanks, accents or the way characters are composed.
    ends_plainly = [name for name in types if name[-1:].isascii() and name[-1:].isalnum()]
    near = [each for name in ends_plainly[:2] for each in (name[:-1], f"{name}x")]
    known = {name.strip().casefold() for name in types}
    return [name for name in near if name.strip().casefold() not in known | {""}]


@each("field", _field_rows(conditions.INVALID_DATA_TYPES))
def test_the_refusal_of_unavailable_types_says_so(wrong_types: list[Exchange], field: tuple[str, str]) -> None:
    """error and message are those of the table."""
    refused = [exchange for exchange in wrong_types if answer_of(exchange).status >= 400]
    if not refused:
        raise Undecided("No creation was refused. See 7-invalid-data-types.", exchanges=wrong_types)
    for exchange in refused:
        expect.text_field(exchange, *field)


@pytest.fixture
def unsupported_language(visitor: Visitor) -> Exchange:
    """The answer to GET /data in a language that is not supported."""
    chosen = choice(visitor)
    return visitor.data(language=chosen.unsupported, selector=chosen.selector, supported=False)


@requirement("7-language-not-supported")
def test_an_unsupported_language_answers_400(unsupported_language: Exchange) -> None:
    """GET /data in a language that is not supported answers 400."""
    expect.status(unsupported_language, 400)


@each("field", _field_rows(conditions.LANGUAGE_NOT_SUPPORTED))
def test_the_refusal_of_a_language_says_so(unsupported_language: Exchange, field: tuple[str, str]) -> None:
    """error and message are those of the table; this message ends without a full stop."""
    if answer_of(unsupported_language).status in (200, 401, 403):
        raise Undecided("The language was not refused. See 7-language-not-supported.")
    expect.text_field(unsupported_language, *field)


@each("field", _field_rows(conditions.UNAUTHORIZED))
def test_a_401_says_so(visitor: Visitor, service: Service, field: tuple[str, str]) -> None:
    """error and message of a 401 are those of the table, on all three operations."""
    asked = _once(
        service,
        "401",
        lambda some: [service.post(None, NOBODY), visitor.read(some), service.delete(some, NOBODY)],
    )
    refused = [exchange for exchange in asked if answer_of(exchange).status in (401, 403)]
    if not refused:
        raise Undecided("No call without a token was refused. See 5.3.", exchanges=asked)
    for exchange in refused:
        expect.text_field(exchange, *field)


@requirement("7-not-found")
def test_an_unknown_request_answers_404(service: Service) -> None:
    """Reading and deleting a request that does not exist answer 404, every time, also where the user has another."""
    with contextlib.suppress(Undecided):
        service.create()
    for _ in range(REPEATS // 2):
        expect.status(service.read(service.some_uuid()), 404)
        expect.status(service.delete(service.some_uuid()), 404)


@each("field", _field_rows(conditions.NOT_FOUND))
def test_a_404_says_so(service: Service, field: tuple[str, str]) -> None:
    """error and message of a 404 are those of the table, on reading and on deleting."""
    asked = _once(service, "404", lambda some: [service.read(some), service.delete(some)])
    refused = [exchange for exchange in asked if answer_of(exchange).status >= 400]
    if not refused:
        raise Undecided("No call for an unknown request was refused. See 7-not-found.", exchanges=asked)
    for exchange in refused:
        expect.text_field(exchange, *field)


@each(
    "name",
    {"2.4-object": None, "2.4-error": "error", "2.4-message": "message"},
)
def test_an_error_is_an_object_with_two_strings(service: Service, name: str | None) -> None:
    """Errors of the table are objects with the strings error and message."""
    asked = _once(
        service,
        "errors",
        lambda some: [
            service.read(some, NOBODY),
            service.read(some),
            service.delete(some),
            service.post([service.unknown_type()]),
        ],
    )
    refused = [exchange for exchange in asked if answer_of(exchange).status in (400, 401, 404)]
    if not refused:
        raise Undecided("No error of the table came.", exchanges=asked)
    for exchange in refused:
        if name is None and answer_of(exchange).document.problem:
            raise _no(exchange, "an object", answer_of(exchange).text)
        body = json_body(exchange)
        if not isinstance(body, dict):
            if name is None:
                raise _no(exchange, "an object", body)
            raise Undecided("The error is no object. See 2.4-object.", exchanges=[exchange])
        if name is not None and not isinstance(body.get(name), str):
            raise _no(exchange, f"{name} as a string", body)


def _no(exchange: Exchange, wanted: str, body: object) -> Broken:
    came = expect.shorten(repr(body))
    return Broken(
        f"The error in the answer to {expect.describe(exchange)} lacks {wanted}: it is {came}.",
        expected=wanted,
        actual=came,
        exchanges=[exchange],
    )
