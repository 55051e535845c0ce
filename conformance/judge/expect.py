"""The assertions of the checks.

An assertion raises RequirementViolated with the expected and the actual value. It raises NotDecided if a precondition
is missing that says nothing about the requirement, such as a response.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from conformance.facts.answers import wants_a_language
from conformance.facts.headlines import wrong_status
from conformance.model.errors import NotDecided, Probe, RequirementViolated, answer_of, describe, must_answer
from conformance.model.exchange import Exchange, Response
from conformance.model.text import shorten
from conformance.model.verdict import Blame

_CHANCE: Final = re.compile("[0-9a-f]{8,}")
"""What tells the unknown types of a run apart."""


def received(exchange: Exchange) -> str:
    """Return what a finding shows as the actual value of a call: the status and the body."""
    answer = answer_of(exchange)
    return f"status {answer.status}, body {shorten(answer.text) or 'empty'}"


def a_list_of_data_types(answers: Iterable[Exchange]) -> None:
    """Raise NotDecided unless an answer of GET /data is a list of objects; an empty one is."""
    for answer in answers:
        value = answer.response.document.value if answer.response is not None else None
        if isinstance(value, list) and (not value or any(isinstance(each, dict) for each in value)):
            return
    raise NotDecided("GET /data showed no list of data types.")


def violated(
    message: str, expected: str, *exchanges: Exchange, probe: Probe | None = None, remedy: str = ""
) -> RequirementViolated:
    """Return the finding that the response in the first of `exchanges` is not the expected one."""
    actual = received(exchanges[0])
    return RequirementViolated(
        message, expected=expected, actual=actual, exchanges=exchanges, probe=probe, remedy=remedy
    )


def refusal(answer: Response, asked: str) -> tuple[object, ...]:
    """Return what a client compares: the status, the names of members and of validators, error and message (2.4).

    A text may repeat the identifier `asked`, or the type that was asked for, which tells nothing.
    """
    texts = (str(answer.member(name)).replace(asked, "") for name in ("error", "message"))
    value = answer.document.value
    names = sorted(value) if isinstance(value, dict) else []
    names += [name for name in ("etag", "last-modified") if answer.header(name)]
    return answer.status, tuple(names), *(_CHANCE.sub("", text) for text in texts)


def status(exchange: Exchange, wanted: int, asked: str = "") -> None:
    """Assert that the response has the status `wanted`.

    `asked` adds to the description of the call in the message, such as ", in 'nl'".
    """
    given = answer_of(exchange).status
    if given != wanted:
        message = wrong_status(exchange, given, str(wanted), asked)
        raise violated(message, f"status {wanted}", exchange, probe=must_answer(wanted))


def assert_read(exchange: Exchange) -> None:
    """Raise NotDecided if the suite does not read the body because it is beyond a limit of the suite."""
    document = answer_of(exchange).document
    if document.unread:
        raise NotDecided(
            f"The body of the answer to {describe(exchange)} is not read: {document.problem}.",
            blame=Blame.SUITE,
            remedy="Let the service answer with a smaller document while it is tested; this limit is no rule for it.",
            exchanges=[exchange],
        )


def json_body(exchange: Exchange) -> Any:
    """Return the parsed body; raise NotDecided if it is not JSON, which 0-bodies-are-json judges, or is not read."""
    assert_read(exchange)
    document = answer_of(exchange).document
    if document.problem:
        raise NotDecided(
            f"The body of the answer to {describe(exchange)} could not be read as JSON: {document.problem}.",
            exchanges=[exchange],
        )
    return document.value


def assert_in_some_language(exchange: Exchange) -> None:
    """Raise NotDecided if GET /data answers only calls with a language: the run needs a selector for that."""
    if wants_a_language(exchange):
        raise NotDecided(
            "GET /data without a language answers LanguageNotSupported, and the specification does not "
            "say how to choose one.",
            blame=Blame.CONFIGURATION,
            remedy="Name the selector of this service with --language-selector, such as header:Accept-Language or "
            "query:lang, and run again.",
            exchanges=[exchange],
        )


def document(name: str, exchange: Exchange, kind: type) -> Any:
    """Return the document of a response, of type `kind`; raise NotDecided if there is none."""
    assert_in_some_language(exchange)
    if answer_of(exchange).status != 200 or not isinstance(json_body(exchange), kind):
        raise NotDecided(
            f"This needs the {name}, but {describe(exchange)} answered {answer_of(exchange).status} "
            f"with {shorten(answer_of(exchange).text, 80) or 'an empty body'}.",
            exchanges=[exchange],
        )
    return json_body(exchange)
