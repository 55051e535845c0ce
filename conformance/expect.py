"""What a check says of the target: a demand is broken, or cannot be decided, or something was seen.

A check asserts with the functions here; each raises `Broken` with what was demanded and what came. Anything a
check merely needs and does not get raises `Undecided`: it is no finding about the requirement at hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from conformance.schema import Violation
from conformance.traffic.exchange import Answer, Exchange
from conformance.verdict import Blame, Verdict
from conformance.wire.redact import shorten as shorten
from conformance.wire.trouble import Trouble


class Broken(AssertionError):
    """The demand under test is not kept, and `exchanges` show it; `steps` say in words how to get there, one by one."""

    def __init__(
        self,
        message: str,
        *,
        expected: str = "",
        actual: str = "",
        exchanges: Sequence[Exchange] = (),
        steps: Sequence[tuple[str, Exchange]] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.expected = expected
        self.actual = actual
        self.exchanges = tuple(exchanges)
        self.steps = tuple(steps)


class Undecided(Exception):
    """The requirement could not be decided, or is not applicable to this target.

    `circumstance` is set where it is not applicable: the id of what the catalogue declares for such a target.
    """

    def __init__(
        self,
        message: str,
        *,
        verdict: Verdict = Verdict.INCONCLUSIVE,
        blame: Blame = Blame.TARGET,
        remedy: str = "",
        exchanges: Sequence[Exchange] = (),
        circumstance: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.verdict = verdict
        self.blame = blame
        self.remedy = remedy
        self.exchanges = tuple(exchanges)
        self.circumstance = circumstance


class NothingToAdd(Undecided):
    """A further check of a requirement could not be exercised: the other checks of the requirement decide it."""


def not_applicable(circumstance: str, message: str, *exchanges: Exchange) -> Undecided:
    """Return the exception for a conforming target that cannot be tested, for a `circumstance` of the catalogue."""
    return Undecided(
        message,
        verdict=Verdict.NOT_APPLICABLE,
        blame=Blame.SPECIFICATION,
        exchanges=exchanges,
        circumstance=circumstance,
    )


def answer_of(exchange: Exchange) -> Answer:
    """Return the answer; raise Undecided when none came, or one that only puts off."""
    if exchange.answer is None or exchange.trouble is not None:
        blame, remedy = OF_THE_ANSWER.get(exchange.trouble, _ON_THE_WAY)
        raise Undecided(
            f"{describe(exchange)} got no answer that can be judged: {exchange.trouble_detail}.",
            blame=blame,
            remedy=remedy,
            exchanges=[exchange],
        )
    return exchange.answer


_ON_THE_WAY: Final = (Blame.NETWORK, "Make the target reachable and stable, then run again.")

OF_THE_ANSWER: Final[dict[Trouble | None, tuple[Blame, str]]] = {
    Trouble.TOO_LARGE: (
        Blame.TARGET,
        "The suite reads no more than that of one answer: let the service answer with less, then run again.",
    ),
    Trouble.CODING: (
        Blame.TARGET,
        "Let the service answer without a content coding, or with gzip or deflate, then run again.",
    ),
}
"""Where the answer came, and is the cause itself: whom to blame, and what to do."""


def describe(exchange: Exchange) -> str:
    """Return a request in a few words, such as "DELETE /requests/… with a made-up token"."""
    path = exchange.facts.get("path", exchange.question.url)
    credential, body = exchange.question.credential, exchange.question.body
    words = f"{exchange.question.method} {shorten(path, 60)}" + (f" with {credential}" if credential != "user" else "")
    if body and exchange.facts.get("body") in ("odd", "unknown type"):
        words += f" and the body {shorten(body.decode('utf-8', 'backslashreplace'), 60)}"
    return words


def keeps(exchange: Exchange, requirement_id: str, broken: Iterable[Violation]) -> None:
    """Assert that none of the violations found in an exchange is one of the requirement."""
    for violation in broken:
        if violation.requirement == requirement_id:
            raise Broken(violation.message, expected=violation.expected, actual=violation.actual, exchanges=[exchange])


def in_words(exchange: Exchange) -> str:
    """Return how a call was answered in a few words, such as "400 'InvalidDataTypes'"."""
    if exchange.answer is None:
        return f"not at all ({exchange.trouble_detail})"
    body = exchange.answer.document.value
    error = body.get("error") if isinstance(body, dict) else None
    return f"{exchange.answer.status}" + (f" {shorten(repr(error), 80)}" if error is not None else "")


def status(exchange: Exchange, *wanted: int, asked: str = "") -> Answer:
    """Assert that the answer has one of the statuses `wanted`; return the answer.

    `asked` says what else a reader has to know of the question, such as ", in 'nl'".
    """
    answer = answer_of(exchange)
    if answer.status not in wanted:
        expected = " or ".join(map(str, wanted))
        raise Broken(
            f"{describe(exchange)}{asked} answered {answer.status} instead of {expected}.",
            expected=f"status {expected}",
            actual=f"status {answer.status}, body {shorten(answer.text) or 'empty'}",
            exchanges=[exchange],
        )
    return answer


def json_body(exchange: Exchange) -> Any:
    """Return the parsed body; raise Undecided when it is not JSON (clause 0 judges that)."""
    document = answer_of(exchange).document
    if document.problem:
        raise Undecided(
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
        raise Broken(
            f"{describe(exchange)} answered with {shorten(actual)}; the specification demands the {name} {wanted!r}.",
            expected=f"{name} {wanted!r}",
            actual=shorten(actual),
            exchanges=[exchange],
        )


def plain_text(exchange: Exchange, wanted: str) -> None:
    """Assert that the body is the text `wanted`, with or without a line feed after it (clause 4.3)."""
    answer = answer_of(exchange)
    if answer.text.removesuffix("\n").removesuffix("\r") != wanted:
        raise Broken(
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
        raise Broken(
            f"{what} is not the set that it should be: {' and '.join(parts)}.",
            expected=shorten(repr(wanted), 400),
            actual=shorten(repr(given), 400),
            exchanges=[exchange],
        )
