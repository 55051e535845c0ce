"""The assertions of the checks.

An assertion that does not hold raises RequirementViolated with what was expected and what was received. What a check
merely needs and does not get raises NotDecided: it says nothing about the requirement at hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conformance.model.errors import NotDecided, RequirementViolated, answer_of, describe
from conformance.model.exchange import Exchange, Response
from conformance.model.text import shorten as shorten
from conformance.schema.violations import Violation


def keeps(exchange: Exchange, requirement_id: str, broken: Iterable[Violation]) -> None:
    """Assert that none of the violations found in an exchange is one of the requirement."""
    for violation in broken:
        if violation.requirement == requirement_id:
            raise RequirementViolated(
                violation.message, expected=violation.expected, actual=violation.actual, exchanges=[exchange]
            )


def status(exchange: Exchange, *wanted: int, asked: str = "") -> Response:
    """Assert that the answer has one of the statuses `wanted`; return the answer.

    `asked` says what else a reader has to know of the question, such as ", in 'nl'".
    """
    answer = answer_of(exchange)
    if answer.status not in wanted:
        expected = " or ".join(map(str, wanted))
        raise RequirementViolated(
            f"{describe(exchange)}{asked} answered {answer.status} instead of {expected}.",
            expected=f"status {expected}",
            actual=f"status {answer.status}, body {shorten(answer.text) or 'empty'}",
            exchanges=[exchange],
        )
    return answer


def json_body(exchange: Exchange) -> Any:
    """Return the parsed body; raise NotDecided when it is not JSON (clause 0 judges that)."""
    document = answer_of(exchange).document
    if document.problem:
        raise NotDecided(
            f"The body of the answer to {describe(exchange)} could not be read as JSON: {document.problem}.",
            remedy="See 0-bodies-are-json.",
            exchanges=[exchange],
        )
    return document.value


def text_field(exchange: Exchange, name: str, wanted: str) -> None:
    """Assert that the JSON object in the answer has the string `wanted` in field `name` (clause 7)."""
    body = json_body(exchange)
    given = body.get(name) if isinstance(body, dict) else None
    if not isinstance(body, dict):
        actual = f"a body that is no object: {shorten(answer_of(exchange).text)}"
    elif name not in body:
        actual = f"no {name} among {', '.join(map(repr, body)) or 'no fields'}"
    else:
        actual = f"{name} {given!r}"
    if given != wanted:
        raise RequirementViolated(
            f"{describe(exchange)} answered with {shorten(actual)}; the specification demands the {name} {wanted!r}.",
            expected=f"{name} {wanted!r}",
            actual=shorten(actual),
            exchanges=[exchange],
        )


def plain_text(exchange: Exchange, wanted: str) -> None:
    """Assert that the body is the text `wanted`, with or without a line feed after it (clause 4.3)."""
    answer = answer_of(exchange)
    if answer.text.removesuffix("\n").removesuffix("\r") != wanted:
        raise RequirementViolated(
            f"{describe(exchange)} answered with the body {shorten(answer.text)!r} instead of the plain text {wanted}.",
            expected=f"the plain text {wanted}",
            actual=f"{shorten(answer.text)!r}",
            exchanges=[exchange],
        )


def same_set(given: Iterable[Any], wanted: Iterable[str], *, what: str, exchange: Exchange) -> None:
    """Assert that two lists hold the same values, whatever their order and repetition."""
    given, wanted = list(given), list(wanted)
    known, seen = set(wanted), {value for value in given if isinstance(value, str)}
    extra = [value for value in given if not isinstance(value, str) or value not in known]
    missing = [value for value in wanted if value not in seen]
    if extra or missing:
        parts = [f"it lacks {shorten(repr(missing))}"] * bool(missing) + [f"it adds {shorten(repr(extra))}"] * bool(
            extra
        )
        raise RequirementViolated(
            f"{what} is not the set that it should be: {' and '.join(parts)}.",
            expected=shorten(repr(wanted), 400),
            actual=shorten(repr(given), 400),
            exchanges=[exchange],
        )
