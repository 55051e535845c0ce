"""Exceptions of the suite: a requirement is violated, a requirement cannot be decided, a configuration is wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Final, Literal

from conformance.model.exchange import ErrorKind, Exchange, Response, Superseded
from conformance.model.text import count, in_json, quoted, shorten
from conformance.model.verdict import Blame, Verdict


@dataclass(eq=False)
class ConfigurationFault(ValueError):
    """An unusable value in the configuration; the message or `remedy` says what to do."""

    message: str
    _: KW_ONLY
    remedy: str = ""

    def __post_init__(self) -> None:
        super().__init__(self.message)


class PassingFault(ConfigurationFault):
    """A configuration fault that may disappear when the run tries again."""


Kind = Literal[
    "status",  # the status is one of `values`; x stands for any digit: "4xx"
    "other-status",  # it is none of `values`
    "media-type",  # the media type of the body is one of `values`; * stands for anything, "" for no Content-Type
    "text",  # the body is the text `values[0]`, perhaps with a line break after it
    "json",  # the body is well-formed JSON
    "type",  # the value has one of the JSON types `values`
    "format",  # the value is a string of the format `values[0]`: "uuid", "uuid4", "date-time", "iri" or "idn-email"
    "equals",  # the value is the string `values[0]`
    "absent",  # there is no value
    "among",  # each element of the array is one of `values`
    "set",  # the array and `values` are the same set
    "as-created",  # the value is that of the response that created the request
    "recent",  # the value is a date-time at most `values[0]` seconds from the call
    "new-id",  # requestId is that of no other request that the calls created
]


@dataclass(frozen=True, kw_only=True)
class Probe:
    """What the first exchange of a finding does not meet: its response, or the value in its JSON body at `pointer`.

    `pointer` is a JSON Pointer. In an array, the probe is about all elements, not only about the index that it names.
    """

    kind: Kind
    pointer: str = ""
    values: tuple[str, ...] = ()
    optional: bool = False
    """Whether there may be no value at all."""


def must_answer(wanted: int | str) -> Probe:
    """Return the probe that the status is `wanted`."""
    return Probe(kind="status", values=(str(wanted),))


@dataclass(eq=False)
class RequirementViolated(AssertionError):
    """A violation of a requirement, with the exchanges that show it, the plainest first."""

    message: str
    _: KW_ONLY
    requirement: str = ""
    """Empty where a check raises it, which names its requirement."""
    path: str = ""
    """The place in the document, as a JSON Pointer, also of an absent property."""
    expected: str = ""
    actual: str = ""
    exchanges: Sequence[Exchange] = ()
    steps: Sequence[tuple[str, Exchange]] = ()
    """The calls that lead to it, each in words."""
    probe: Probe | None = None
    """What the response in the first of `exchanges` does not meet."""
    remedy: str = ""
    """What to do about it, where that is more particular than the remedy of the requirement."""
    others: Sequence[RequirementViolated] = ()
    """Further violations of the same requirement, which other exchanges show."""

    def __post_init__(self) -> None:
        super().__init__(self.message)


@dataclass(eq=False)
class NotDecided(Exception):
    """The requirement is inconclusive, or not applicable: then `circumstance` is an id of the catalogue."""

    message: str
    _: KW_ONLY
    verdict: Verdict = Verdict.INCONCLUSIVE
    blame: Blame = Blame.TARGET
    remedy: str = ""
    exchanges: Sequence[Exchange] = ()
    circumstance: str = ""

    def __post_init__(self) -> None:
        super().__init__(self.message)


class NothingToAdd(NotDecided):
    """An additional check of a requirement was not possible; the other checks of the requirement decide."""


@dataclass(eq=False)
class Crashed(Exception):
    """An exception of a scenario that the suite did not expect, in words, with its traceback."""

    message: str
    traceback: str


def not_applicable(circumstance: str, message: str, *exchanges: Exchange) -> NotDecided:
    """Return the exception for a service that cannot be tested because of a `circumstance` of the catalogue."""
    return NotDecided(
        message,
        verdict=Verdict.NOT_APPLICABLE,
        blame=Blame.SPECIFICATION,
        exchanges=exchanges,
        circumstance=circumstance,
    )


def answer_of(exchange: Exchange) -> Response:
    """Return the response; raise NotDecided if there is none, or one that decides nothing."""
    if exchange.response is None or not exchange.counts:
        blame, remedy = why_it_decides_nothing(exchange)
        message = f"{describe(exchange)} got no usable response: {trouble_of(exchange)}."
        raise NotDecided(message, blame=blame, remedy=remedy, exchanges=[exchange])
    return exchange.response


def why_it_decides_nothing(exchange: Exchange) -> tuple[Blame, str]:
    """Return blame and remedy for an exchange without an answer that counts."""
    kind = exchange.superseded or exchange.error
    blame = Blame.TARGET if kind in _BY_THE_TARGET else Blame.NETWORK
    return blame, _REMEDIES.get(
        kind, "Make the service reachable and stable, or ask it less often (--rate); run again."
    )


def trouble_of(exchange: Exchange) -> str:
    """Return in words why there is no answer that counts; "" if there is one."""
    if exchange.superseded is None:
        return exchange.error_detail
    return f"status {exchange.status}, {_SUPERSEDED[exchange.superseded]}"


_SUPERSEDED: Final = {
    Superseded.RATE_LIMITED: "which asks to send fewer calls",
    Superseded.UNAVAILABLE: "which something before the service answers while the service is away",
    Superseded.PASSING: "which did not come again",
    Superseded.MISPLACED: "probably the answer to the unread body of an earlier call on the connection",
    Superseded.EXPIRED: "because the token had expired",
}

_BY_THE_TARGET: Final = (Superseded.MISPLACED, ErrorKind.TOO_LARGE, ErrorKind.CODING)

_REMEDIES: Final[dict[ErrorKind | Superseded | None, str]] = {
    ErrorKind.DNS: "Check the host name.",
    ErrorKind.CONNECT: "Check host and port, and that the service is running and reachable from here.",
    ErrorKind.PROXY: "Let the proxy pass these calls, or reach the service without it: --proxy, HTTPS_PROXY, "
    "HTTP_PROXY, ALL_PROXY and NO_PROXY decide.",
    ErrorKind.DEADLINE: "Let the service answer sooner, or give each call more time with --timeout, such as "
    "--timeout 60, then run again.",
    ErrorKind.CLOSED: "Run again: a service may close an idle connection just when a call is sent. If it happens "
    "again, check scheme and port of the base_url, and why the service or its gateway closes the connection.",
    ErrorKind.NOT_HTTP: "Check scheme and port: what answers there does not speak HTTP as it should.",
    ErrorKind.TRUNCATED: "See why the service ends its answer in the middle.",
    ErrorKind.TOO_LARGE: "Let the service send a smaller response (the suite reads no more than this), then run again.",
    ErrorKind.CODING: "Let the service send no content coding, or gzip or deflate, then run again.",
    Superseded.RATE_LIMITED: "Raise the service's rate limit for the accounts of the run, or send fewer requests per "
    "second with --rate, then run again.",
    Superseded.UNAVAILABLE: "Run again when the service is available. If it is, check the host name: gateways answer "
    "so for names that they do not serve.",
    Superseded.MISPLACED: "Let the service read or discard the body of each call that it refuses, then run again.",
}

SUCH_AS: Final = ", such as that to"
"""What follows the number of answers in the message of a choice, and never stands before it."""

UUID: Final = re.compile(r"\b([0-9a-fA-F]{8})(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
"""An identifier, of which a text for people shows the first eight digits; the evidence has all."""


def describe(exchange: Exchange) -> str:
    """Return a call in a few words, such as "DELETE /requests/0b7e1f24… with a made-up token"."""
    path = UUID.sub(r"\1…", exchange.path)
    credential, body = exchange.request.credential, exchange.request.body
    own = ", who created it" if exchange.intent.request in ("existing", "clean-up") else ""
    by = {"user": "", "other user": f" as the other user{own}"}.get(credential, f" with {credential}")
    words = f"{exchange.request.method} {shorten(path, 60)}{by}"
    if exchange.intent.label == "empty":
        words += " without content but with a Content-Type"
    if body and exchange.intent.body in ("odd", "unknown type"):
        words += f" {'and' if by else 'with'} the body {quoted(body, 60)}"
    return words


def in_words(exchange: Exchange) -> str:
    """Return the response in a few words, such as '400 "InvalidDataTypes"'."""
    if exchange.response is None:
        return f"not at all ({exchange.error_detail})"
    return answer_in_words(exchange.response)


def answer_in_words(answer: Response) -> str:
    """Return a response in a few words."""
    error = answer.member("error")
    return f"{answer.status}" + (f" {in_json(error, 80)}" if error is not None else "")


def choice(words: str, number: int, clearest: Exchange, *, of: int = 0, detail: str = "") -> str:
    """Return the message of a choice in an open matter, which `choice_in` reads: how many answers (of all) show it."""
    answers = f"{number:,} of {count(of, 'answer')}" if of else count(number, "answer")
    return f"{words.replace(SUCH_AS, '…')}: {answers}{SUCH_AS} {describe(clearest)}{detail}."
