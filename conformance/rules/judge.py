"""The judge: which requirements a single exchange violates. The check that caused it does not matter.

It is a pure function of the record. The `intent` of an exchange says what the call tests.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from conformance.facts.answers import ESSENTIAL, OF_A_REQUEST, remedy_of_a_refusal
from conformance.facts.due import Due, due
from conformance.facts.headlines import wrong_status
from conformance.model.bodies import Content, parsed
from conformance.model.error_table import Condition
from conformance.model.errors import describe
from conformance.model.exchange import SEEN_BODIES, Exchange, Operation, Response, header, request_id_of
from conformance.model.probe import Probe, must_answer
from conformance.model.text import in_json, shorten
from conformance.rules.consistency import changes
from conformance.rules.requested import requested
from conformance.rules.run_context import RunContext
from conformance.schema.violations import Violation, violations

_ROOTS = {
    Operation.SETTINGS: "4.4-object",
    Operation.DATA: "4.5-array",
    Operation.CREATE: "4.1-object",
    Operation.READ: "4.2-object",
}
"""The requirement on the kind of document of each operation."""

ROOTS = frozenset(_ROOTS.values())
"""Requirements on the kind of document; a document that violates one has no fields to check."""


def judge(exchange: Exchange, known: RunContext) -> tuple[Violation, ...]:
    """Return the violations that one exchange shows, given what the whole run shows."""
    answer = exchange.response
    if answer is None or exchange.error is not None or exchange.operation is None:
        return ()
    required = due(exchange, known)
    if exchange.intent.open:
        return (*_refusal(exchange, answer, required), *_made_all_the_same(exchange, answer, known))
    if exchange.redirected_to or exchange.id in known.passing_errors | known.conflicts:
        return ()
    found = list(_status(exchange, answer, required))
    if required.must_be_error:
        found += _refusal(exchange, answer, required)
    elif required.must_be_json:
        if not answer.document.problem:
            found += [*mislabelled_json(exchange, answer), *_document(exchange, answer, required.document, known)]
        elif not answer.document.unread:
            found.append(not_json(exchange, answer))
    return tuple(found)


def violated(exchanges: list[Exchange]) -> set[str]:
    """Return the requirements that the exchanges of a run violate, each by itself."""
    known = RunContext.of(exchanges)
    return {violation.requirement for each in exchanges for violation in judge(each, known)}


def not_json(exchange: Exchange, answer: Response) -> Violation:
    """Return the violation of a body that has to be JSON and is not."""
    return Violation(
        "0-bodies-are-json",
        "",
        f"The body of the answer {answer.status} to {describe(exchange)} is not JSON: {answer.document.problem}.",
        "well-formed JSON in UTF-8",
        shorten(answer.text) or "an empty body",
        Probe(kind="json"),
    )


def mislabelled_json(exchange: Exchange, answer: Response) -> Iterable[Violation]:
    """Yield a violation if the Content-Type is neither application/json nor any +json."""
    label = answer.media_type
    if label is not None and label != "application/json" and not label.endswith("+json"):
        yield Violation(
            "0-json-media-type",
            "",
            f"The JSON body of the answer {answer.status} to {describe(exchange)} is labelled {label}.",
            "Content-Type application/json",
            f"Content-Type {answer.header('content-type')}",
            Probe(kind="media-type", values=("application/json", "*+json", "")),
        )


def _refusal(exchange: Exchange, answer: Response, required: Due) -> Iterable[Violation]:
    """Yield the violations of an error response: of its row of the table (7), else of its form alone."""
    if not required.must_be_error or answer.document.unread:
        return
    if answer.document.problem:
        yield not_json(exchange, answer)
        return
    yield from mislabelled_json(exchange, answer)
    yield from _error_shape(exchange, answer)
    if required.row is not None and isinstance(answer.document.value, dict):
        yield from wrong_error(exchange, answer, required.row)


def _error_shape(exchange: Exchange, answer: Response) -> Iterable[Violation]:
    for each in _violations("error", None, answer.content):
        call = f"the answer {answer.status} to {describe(exchange)}"
        yield replace(each, message=f"The error object in {call} is wrong: {each.message}")


def wrong_error(exchange: Exchange, answer: Response, row: Condition) -> Iterable[Violation]:
    """Yield a violation for each field that is not the one of a row of the table (7)."""
    body = answer.document.value
    for name, wanted in (("error", row.error), ("message", row.message)):
        given = body.get(name) if isinstance(body, dict) else None
        if given != wanted:
            actual = f"{name} {in_json(given)}" if isinstance(body, dict) and name in body else f"no {name}"
            if not isinstance(body, dict):
                actual = f"a body that is not an object: {answer.text}"
            yield Violation(
                f"7-{row.slug}-{name}",
                f"/{name}",
                f"{describe(exchange)}{_language(exchange)} answered {answer.status} with {shorten(actual)}; "
                f"expected {name} {in_json(wanted)}.",
                f"{name} {in_json(wanted)}",
                shorten(actual),
                Probe(kind="equals", pointer=f"/{name}", values=(wanted,)),
            )


def _language(exchange: Exchange) -> str:
    """Return in words what may ask for a language in a call, or ""."""
    given = header(exchange.request.headers, "accept-language")
    query = exchange.request.url.partition("?")[2] if exchange.operation is Operation.DATA else ""
    return f" with ?{shorten(query, 40)}" if query else f" with Accept-Language {shorten(given, 40)}" if given else ""


def _document(exchange: Exchange, answer: Response, schema: str, known: RunContext) -> Iterable[Violation]:
    assert exchange.operation is not None
    root = _ROOTS.get(exchange.operation)
    value = answer.document.value
    inside = _envelope(schema, value)
    if inside is not None and root is not None:
        yield Violation(
            root,
            "",
            f"The answer to {describe(exchange)} contains the document inside {inside!r} instead of at the top.",
            f"the {schema.replace('-', ' ')} itself",
            shorten(answer.text),
            Probe(kind="type", pointer=f"/{_ESSENTIAL[schema][0]}", values=("string", "integer")),
        )
        return
    yield from _violations(schema, root, answer.content)
    if schema != "data-request" or not isinstance(value, dict):
        return
    if isinstance(value.get("dataRequested"), list):
        yield from requested(exchange, value["dataRequested"], known)
    given = value.get("requestId")
    if exchange.operation is Operation.CREATE and isinstance(given, str) and known.ledger.given[given] > 1:
        message, wanted = f"Two creations returned the requestId {in_json(given, 60)}.", "a new requestId each time"
        yield Violation("2.1-requestId-unique", "", message, wanted, "the requestId of another", Probe(kind="new-id"))
    if exchange.operation is Operation.READ and exchange.intent.request == "existing":
        life = known.ledger.life(request_id_of(exchange))
        for number, earlier in enumerate(life.documents if life is not None else ()):
            yield from changes(earlier, value, both_read=number > 0)


def _made_all_the_same(exchange: Exchange, answer: Response, known: RunContext) -> Iterable[Violation]:
    """Yield the violations of a data request that an unusual body created; only whether it is created is open."""
    value = answer.document.value
    odd = exchange.operation is Operation.CREATE and exchange.intent.generated
    if odd and answer.status == 200 and isinstance(value, dict) and isinstance(value.get("requestId"), str):
        yield from _violations("data-request", _ROOTS[Operation.CREATE], answer.content)
        if isinstance(value.get("dataRequested"), list):
            yield from requested(exchange, value["dataRequested"], known)


@lru_cache(maxsize=SEEN_BODIES)
def _violations(schema: str, root: str | None, body: Content) -> tuple[Violation, ...]:
    """Return the violations of a schema in a body."""
    return violations(schema, parsed(body).value, root=root)


_ESSENTIAL = {"settings": ESSENTIAL, "data-request": OF_A_REQUEST}


def _envelope(schema: str, value: object) -> str | None:
    """Return the name of the member that contains the document, if an object wraps it."""
    essential = _ESSENTIAL.get(schema, ())
    if not isinstance(value, dict) or any(name in value for name in essential):
        return None
    for name, inner in value.items():
        if isinstance(inner, dict) and any(each in inner for each in essential):
            return str(name)
    return None


def _status(exchange: Exchange, answer: Response, required: Due) -> Iterable[Violation]:
    requirement, wanted = required.by, required.status
    if not requirement or wanted is None:
        return
    if answer.status != wanted:
        yield Violation(
            requirement,
            "",
            wrong_status(exchange, answer.status, str(wanted)),
            f"status {wanted}",
            f"status {answer.status}, body {shorten(answer.text) or 'empty'}",
            must_answer(wanted),
            remedy_of_a_refusal(exchange) if requirement == "4.1-answers-200" else "",
        )
    elif requirement == "4.3-answers-ok":
        yield from not_ok(exchange, answer) or mislabelled_ok(exchange, answer)


def not_ok(exchange: Exchange, answer: Response) -> list[Violation]:
    """Return a violation if the body is not the text OK, with or without a line feed after it (4.3)."""
    if answer.text.removesuffix("\n").removesuffix("\r") == "OK":
        return []
    return [
        Violation(
            "4.3-answers-ok",
            "",
            f"A deletion is not confirmed with the plain text OK: the body is {shorten(answer.text)!r}. "
            f"The call: {describe(exchange)}",
            "the plain text OK",
            shorten(repr(answer.text)),
            Probe(kind="text", values=("OK",)),
        )
    ]


def mislabelled_ok(exchange: Exchange, answer: Response) -> list[Violation]:
    """Return a violation if the Content-Type is another than text/plain (4.3)."""
    if answer.media_type in (None, "text/plain"):
        return []
    return [
        Violation(
            "4.3-media-type",
            "",
            f"The body of the answer to {describe(exchange)} is labelled {answer.media_type} instead of text/plain.",
            "Content-Type text/plain, or none",
            f"Content-Type {answer.header('content-type')}",
            Probe(kind="media-type", values=("text/plain", "")),
        )
    ]
