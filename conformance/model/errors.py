"""Exceptions of the suite: a requirement is violated, a requirement cannot be decided, a configuration is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from conformance.model.exchange import Exchange, Response
from conformance.model.text import shorten
from conformance.model.transport_error import ErrorKind
from conformance.model.verdict import Blame, Verdict


class ConfigurationFault(ValueError):
    """Something the user gave cannot be used; the message says what to do, or `remedy` does."""

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


class PassingFault(ConfigurationFault):
    """One that may be over when the same is tried again."""


class RequirementViolated(AssertionError):
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


class NotDecided(Exception):
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


class NothingToAdd(NotDecided):
    """A further check of a requirement could not be exercised: the other checks of the requirement decide it."""


def not_applicable(circumstance: str, message: str, *exchanges: Exchange) -> NotDecided:
    """Return the exception for a conforming target that cannot be tested, for a `circumstance` of the catalogue."""
    return NotDecided(
        message,
        verdict=Verdict.NOT_APPLICABLE,
        blame=Blame.SPECIFICATION,
        exchanges=exchanges,
        circumstance=circumstance,
    )


def answer_of(exchange: Exchange) -> Response:
    """Return the answer; raise NotDecided when none came, or one that only puts off."""
    if exchange.response is None or exchange.error is not None:
        blame, remedy = OF_THE_ANSWER.get(exchange.error, _ON_THE_WAY)
        raise NotDecided(
            f"{describe(exchange)} got no answer that can be judged: {exchange.error_detail}.",
            blame=blame,
            remedy=remedy,
            exchanges=[exchange],
        )
    return exchange.response


_ON_THE_WAY: Final = (Blame.NETWORK, "Make the target reachable and stable, then run again.")

OF_THE_ANSWER: Final[dict[ErrorKind | None, tuple[Blame, str]]] = {
    ErrorKind.TOO_LARGE: (
        Blame.TARGET,
        "The suite reads no more than that of one answer: let the service answer with less, then run again.",
    ),
    ErrorKind.CODING: (
        Blame.TARGET,
        "Let the service answer without a content coding, or with gzip or deflate, then run again.",
    ),
}
"""Where the answer came, and is the cause itself: whom to blame, and what to do."""


def describe(exchange: Exchange) -> str:
    """Return a request in a few words, such as "DELETE /requests/… with a made-up token"."""
    path = exchange.facts.get("path", exchange.request.url)
    credential, body = exchange.request.credential, exchange.request.body
    words = f"{exchange.request.method} {shorten(path, 60)}" + (f" with {credential}" if credential != "user" else "")
    if body and exchange.facts.get("body") in ("odd", "unknown type"):
        words += f" and the body {shorten(body.decode('utf-8', 'backslashreplace'), 60)}"
    return words


def in_words(exchange: Exchange) -> str:
    """Return how a call was answered in a few words, such as "400 'InvalidDataTypes'"."""
    if exchange.response is None:
        return f"not at all ({exchange.error_detail})"
    body = exchange.response.document.value
    error = body.get("error") if isinstance(body, dict) else None
    return f"{exchange.response.status}" + (f" {shorten(repr(error), 80)}" if error is not None else "")
