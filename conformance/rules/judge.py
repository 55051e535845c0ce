"""The judge: which requirements a single exchange decides. The scenario that caused it does not matter.

It is a pure function of the record. The `intent` of an exchange says what the call tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, Final

from conformance.facts.answers import ESSENTIAL, OF_A_REQUEST, accepted, finds_a_request
from conformance.facts.due import due
from conformance.facts.headlines import wrong_status
from conformance.facts.kind import kind_of
from conformance.facts.world import Facts
from conformance.model.credential_forms import ODD_BEARER
from conformance.model.error_table import CONDITIONS, IN_QUERY, Condition
from conformance.model.errors import RequirementViolated, describe
from conformance.model.exchange import Exchange, Operation, Response, header, request_id_of
from conformance.model.probe import Probe, must_answer
from conformance.model.strict_json import Content, parsed
from conformance.model.text import in_json, shorten
from conformance.rules.consistency import are_comparable, changes
from conformance.rules.requested import requested
from conformance.schema.documents import requirements_of
from conformance.schema.violations import decided_by, violations
from conformance.spec.kinds import WORDS, Due, kinds, row_of

_ROOTS = {
    Operation.SETTINGS: "4.4-object",
    Operation.DATA: "4.5-array",
    Operation.CREATE: "4.1-object",
    Operation.READ: "4.2-object",
}
"""The requirement on the kind of document of each operation."""

_OF_TYPES: Final = {
    Operation.CREATE: ("2.1-dataRequested-known", "4.1-requested-types", "4.1-body-omitted"),
    Operation.READ: ("2.1-dataRequested-known", "4.2-agrees-with-creation"),
    Operation.DELETE: ("4.3-media-type",),
}
"""The requirements on what an answer says that neither a status nor a schema decides."""


@cache
def decidable(operation: Operation) -> frozenset[str]:
    """Return the requirements that one exchange of an operation can decide: by its status, error or document."""
    found = {"0-bodies-are-json", "0-json-media-type", *_OF_TYPES.get(operation, ())}
    for (kind, _), row in kinds().items():
        if kind.startswith(f"{WORDS[operation]}."):
            found |= {*row.requirements}
            if row.document:
                found |= requirements_of(row.document) | frozenset(filter(None, [_ROOTS.get(operation)]))
    if operation is not Operation.DATA_ME:  # the specification shows no refusal of it (4.6)
        found |= requirements_of("error")
    rows = [row for row in CONDITIONS if operation in row.operations]
    return frozenset(found).union(*((f"7-{row.slug}-error", f"7-{row.slug}-message") for row in rows))


def concerned(exchange: Exchange, known: Facts) -> frozenset[str]:
    """Return the requirements that a right answer to a call keeps."""
    row = row_of(kind_of(exchange), known.state_of(exchange))
    found = {*row.requirements}
    if row.error:
        slug = next(each.slug for each in CONDITIONS if each.error == row.error)
        found |= requirements_of("error") | {f"7-{slug}-error", f"7-{slug}-message"}
    if exchange.operation is not None and (
        row.document or (exchange.operation is Operation.DELETE and row.status == 200)
    ):
        found |= {*_OF_TYPES.get(exchange.operation, ()), *filter(None, [_ROOTS.get(exchange.operation)])}
    return frozenset(found).union(requirements_of(row.document) if row.document else ())


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one exchange decides: its violations, and the requirements that its answer keeps."""

    violations: tuple[RequirementViolated, ...] = ()
    kept: frozenset[str] = frozenset()

    @classmethod
    def of(cls, violations: Iterable[RequirementViolated], decided: Iterable[str] = ()) -> Judgement:
        """Return the judgement on an answer that violates or keeps each requirement in `decided`."""
        shown = tuple(violations)
        return cls(shown, frozenset(decided) - {each.requirement for each in shown})


NOTHING: Final = Judgement()


def judge(exchange: Exchange, known: Facts) -> Judgement:
    """Return what one exchange decides, given what the whole run shows."""
    answer = exchange.response
    if answer is None or not exchange.counts or exchange.operation is None:
        return NOTHING
    required = due(exchange, known)
    if exchange.intent.open:
        made = _made_all_the_same(exchange, answer, known)
        return Judgement.of([*_refusal(exchange, answer, required), *made, *_handled(exchange, answer)])
    if exchange.redirected_to or exchange.id in known.conflicts:
        return NOTHING
    found, decided = list(_status(exchange, answer, required)), {*required.kept}
    if required.must_be_error:
        found += _refusal(exchange, answer, required)
        decided |= _decided_by_refusal(answer, required)
    elif required.must_be_json:
        if not answer.document.problem:
            violations, others = _document(exchange, answer, required.document, known)
            found += [*mislabelled_json(exchange, answer), *violations]
            decided |= {"0-bodies-are-json", *others} | _decided_by_label(answer)
        elif not answer.document.unread:
            found.append(not_json(exchange, answer))
    elif exchange.operation is Operation.DELETE and required.kept and answer.status == 200:
        wrong = [*not_ok(exchange, answer), *mislabelled_ok(exchange, answer)]
        found += wrong if required.by else []
        decided |= {"4.3-answers-ok"} if answer.media_type is None else {"4.3-answers-ok", "4.3-media-type"}
        decided -= set() if required.by else {each.requirement for each in wrong}
    return Judgement.of(found, decided)


def violated(exchanges: list[Exchange]) -> set[str]:
    """Return the requirements that the exchanges of a run violate, each by itself."""
    known = Facts.of(exchanges)
    return {violation.requirement for each in exchanges for violation in judge(each, known).violations}


def not_json(exchange: Exchange, answer: Response) -> RequirementViolated:
    """Return the violation of a body that has to be JSON and is not."""
    return RequirementViolated(
        f"The body of the answer {answer.status} to {describe(exchange)} is not JSON: {answer.document.problem}.",
        requirement="0-bodies-are-json",
        expected="well-formed JSON in UTF-8",
        actual=shorten(answer.text) or "an empty body",
        probe=Probe(kind="json"),
    )


def mislabelled_json(exchange: Exchange, answer: Response) -> Iterable[RequirementViolated]:
    """Yield a violation if the Content-Type is neither application/json nor any +json."""
    label = answer.media_type
    if label is not None and label != "application/json" and not label.endswith("+json"):
        yield RequirementViolated(
            f"The JSON body of the answer {answer.status} to {describe(exchange)} is labelled {label}.",
            requirement="0-json-media-type",
            expected="Content-Type application/json",
            actual=f"Content-Type {answer.header('content-type')}",
            probe=Probe(kind="media-type", values=("application/json", "*+json", "")),
        )


def _refusal(exchange: Exchange, answer: Response, required: Due) -> Iterable[RequirementViolated]:
    """Yield the violations of an error response: of its row of the table (7), else of its form alone."""
    if not required.must_be_error or answer.document.unread:
        return
    if answer.document.problem:
        yield not_json(exchange, answer)
        if required.row is not None:
            yield _no_error_object(exchange, answer)
        return
    yield from mislabelled_json(exchange, answer)
    yield from _error_shape(exchange, answer)
    if required.row is not None and isinstance(answer.document.value, dict):
        yield from wrong_error(exchange, answer, required.row)


def _no_error_object(exchange: Exchange, answer: Response) -> RequirementViolated:
    """Return the violation of an error of the table whose body is not even JSON."""
    came = shorten(answer.text) or "empty"
    return RequirementViolated(
        f"The body of the error response to {describe(exchange)} is not an object: it is {came}.",
        requirement="2.4-object",
        expected="an object",
        actual=f"status {answer.status}, body {came}",
        probe=Probe(kind="type", values=("object",)),
    )


def _error_shape(exchange: Exchange, answer: Response) -> Iterable[RequirementViolated]:
    for each in _violations("error", None, answer.content):
        call = f"the answer {answer.status} to {describe(exchange)}"
        yield replace(each, message=f"The error object in {call} is wrong: {each.message}")


def wrong_error(exchange: Exchange, answer: Response, row: Condition) -> Iterable[RequirementViolated]:
    """Yield a violation for each field that is not the one of a row of the table (7)."""
    body = answer.document.value
    for name, wanted in (("error", row.error), ("message", row.message)):
        given = body.get(name) if isinstance(body, dict) else None
        if given != wanted:
            actual = f"{name} {in_json(given)}" if isinstance(body, dict) and name in body else f"no {name}"
            if not isinstance(body, dict):
                actual = f"a body that is not an object: {answer.text}"
            yield RequirementViolated(
                f"{describe(exchange)}{_language(exchange)} answered {answer.status} with {shorten(actual)}; "
                f"expected {name} {in_json(wanted)}.",
                requirement=f"7-{row.slug}-{name}",
                path=f"/{name}",
                expected=f"{name} {in_json(wanted)}",
                actual=shorten(actual),
                probe=Probe(kind="equals", pointer=f"/{name}", values=(wanted,)),
            )


def _language(exchange: Exchange) -> str:
    """Return in words what may ask for a language in a call, or ""."""
    given = header(exchange.request.headers, "accept-language")
    query = exchange.request.url.partition("?")[2] if exchange.operation is Operation.DATA else ""
    return f" with ?{shorten(query, 40)}" if query else f" with Accept-Language {shorten(given, 40)}" if given else ""


def _document(
    exchange: Exchange, answer: Response, schema: str, known: Facts
) -> tuple[list[RequirementViolated], set[str]]:
    """Return what the JSON document of an accepted call violates, and the requirements that it violates or keeps."""
    assert exchange.operation is not None
    root = _ROOTS.get(exchange.operation)
    value = answer.document.value
    inside = _envelope(schema, value)
    if inside is not None and root is not None:
        wrapped = RequirementViolated(
            f"The answer to {describe(exchange)} contains the document inside {inside!r} instead of at the top.",
            requirement=root,
            expected=f"the {schema.replace('-', ' ')} itself",
            actual=shorten(answer.text),
            probe=Probe(kind="type", pointer=f"/{_ESSENTIAL[schema][0]}", values=("string", "integer")),
        )
        return [wrapped], {root}
    found, decided = [*_violations(schema, root, answer.content)], {*decided_by(schema, value, root=root)}
    if schema == "data-request" and isinstance(value, dict):
        if isinstance(value.get("dataRequested"), list):
            for requirement, violation in requested(exchange, value["dataRequested"], known):
                decided.add(requirement)
                found += filter(None, [violation])
        for number, earlier in enumerate(_earlier(exchange, known)):
            found += changes(earlier, value, both_read=number > 0)
            decided |= {"4.2-agrees-with-creation"} if are_comparable(earlier, value) else set()
    return found, decided


def _decided_by_refusal(answer: Response, required: Due) -> set[str]:
    """Return the requirements that an error response violates or keeps."""
    if answer.document.unread:
        return set()
    decided = {"0-bodies-are-json"}
    if answer.document.problem:
        return decided
    decided |= decided_by("error", answer.document.value) | _decided_by_label(answer)
    if required.row is not None and isinstance(answer.document.value, dict):
        decided |= {f"7-{required.row.slug}-error", f"7-{required.row.slug}-message"}
    return decided


def _decided_by_label(answer: Response) -> set[str]:
    return set() if answer.media_type is None else {"0-json-media-type"}


def _earlier(exchange: Exchange, known: Facts) -> Sequence[dict[str, Any]]:
    """Return the creation and the first reading of the request that an exchange reads, as far as the run has them."""
    if exchange.operation is not Operation.READ or exchange.intent.request != "existing":
        return ()
    life = known.ledger.life(request_id_of(exchange))
    return life.documents if life is not None else ()


def _made_all_the_same(exchange: Exchange, answer: Response, known: Facts) -> Iterable[RequirementViolated]:
    """Yield the violations of a data request that an unusual body created; only whether it is created is open."""
    value = answer.document.value
    odd = exchange.operation is Operation.CREATE and exchange.intent.generated
    if odd and answer.status == 200 and isinstance(value, dict) and isinstance(value.get("requestId"), str):
        yield from _violations("data-request", _ROOTS[Operation.CREATE], answer.content)
        if isinstance(value.get("dataRequested"), list):
            yield from filter(None, (each for _, each in requested(exchange, value["dataRequested"], known)))


def _handled(exchange: Exchange, answer: Response) -> Iterable[RequirementViolated]:
    """Yield the violation by an odd credential that is taken for a user's, or that the service fails to look up (5.3).

    RFC 6750 allows some characters in no token, and the specification shows no query: a server may refuse the call in
    its own words.
    """
    remedy = _OF_ODD_CREDENTIALS.get(exchange.request.credential)
    fails = exchange.request.credential == ODD_BEARER and answer.status == 500 and exchange.repeats != ""
    if exchange.operation is None or remedy is None or not (fails or finds_a_request(exchange, answer)):
        return
    yield RequirementViolated(
        wrong_status(exchange, answer.status, "401"),
        requirement=f"5.3-{WORDS[exchange.operation]}-with-bad-token",
        expected="status 401",
        actual=f"status {answer.status}, body {shorten(answer.text) or 'empty'}",
        probe=Probe(kind="other-status", values=(str(answer.status),)),
        remedy=remedy,
    )


_OF_ODD_CREDENTIALS: Final = {
    ODD_BEARER: "Give the token to SQL as a parameter, compare it as bytes, and answer 401 to every other text.",
    IN_QUERY: "Decide by the path without the query whether a call needs a token, and answer 401 without a valid one.",
}


@lru_cache(maxsize=512)  # more different bodies than a default run sees
def _violations(schema: str, root: str | None, body: Content) -> tuple[RequirementViolated, ...]:
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


def _status(exchange: Exchange, answer: Response, required: Due) -> Iterable[RequirementViolated]:
    requirement, wanted = required.by, required.status
    if not requirement or wanted is None:
        return
    if answer.status != wanted:
        violation = RequirementViolated(
            wrong_status(exchange, answer.status, str(wanted)),
            requirement=requirement,
            expected=f"status {wanted}",
            actual=f"status {answer.status}, body {shorten(answer.text) or 'empty'}",
            probe=must_answer(wanted),
        )
        yield violation
        if required.kind == "create.omitted" and requirement == "4.1-answers-200" and not accepted(exchange):
            yield replace(violation, requirement="4.1-body-omitted")


def not_ok(exchange: Exchange, answer: Response) -> list[RequirementViolated]:
    """Return a violation if the body is not the text OK, with or without a line feed after it (4.3)."""
    if answer.text.removesuffix("\n").removesuffix("\r") == "OK":
        return []
    return [
        RequirementViolated(
            f"A deletion is not confirmed with the plain text OK: the body is {shorten(answer.text)!r}. "
            f"The call: {describe(exchange)}",
            requirement="4.3-answers-ok",
            expected="the plain text OK",
            actual=shorten(repr(answer.text)),
            probe=Probe(kind="text", values=("OK",)),
        )
    ]


def mislabelled_ok(exchange: Exchange, answer: Response) -> list[RequirementViolated]:
    """Return a violation if the Content-Type is another than text/plain (4.3)."""
    if answer.media_type in (None, "text/plain"):
        return []
    return [
        RequirementViolated(
            f"The body of the answer to {describe(exchange)} is labelled {answer.media_type} instead of text/plain.",
            requirement="4.3-media-type",
            expected="Content-Type text/plain, or none",
            actual=f"Content-Type {answer.header('content-type')}",
            probe=Probe(kind="media-type", values=("text/plain", "")),
        )
    ]
