"""The judge: which requirements a single exchange decides. The scenario that caused it does not matter.

It is a pure function of the record. The `intent` of an exchange says what the call tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from typing import Final

from conformance.facts.answers import ESSENTIAL, OF_A_REQUEST, accepted, finds_a_request
from conformance.facts.due import due
from conformance.facts.headlines import wrong_status
from conformance.facts.kind import kind_of
from conformance.facts.world import Facts
from conformance.judge.consistency import LASTING, changes, requested
from conformance.model.credential_forms import ODD_BEARER
from conformance.model.error_table import CONDITIONS, IN_QUERY, Condition
from conformance.model.errors import Probe, RequirementViolated, describe, must_answer
from conformance.model.exchange import Exchange, Operation, Request, Response, header
from conformance.model.strict_json import Content, parsed
from conformance.model.text import in_json, shorten
from conformance.schema.documents import requirements_of
from conformance.schema.violations import applicable, violations
from conformance.spec.kinds import WORDS, Due, Row, kinds, row_of

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


Ruling = RequirementViolated | str
"""What an answer decides: a violation, or the id of a requirement that it keeps."""


def _of_row(operation: Operation, row: Row) -> frozenset[str]:
    """Return the requirements that a right answer to a call of an operation keeps."""
    found = {*row.requirements}
    if row.error:
        slug = next(each.slug for each in CONDITIONS if each.error == row.error)
        found |= requirements_of("error") | {f"7-{slug}-error", f"7-{slug}-message"}
    if row.document or (operation is Operation.DELETE and row.status == 200):
        found |= {*_OF_TYPES.get(operation, ()), *filter(None, [_ROOTS.get(operation)])}
    return frozenset(found).union(requirements_of(row.document) if row.document else ())


@cache
def decidable(operation: Operation) -> frozenset[str]:
    """Return the requirements that one exchange of an operation can decide: by its status, error or document."""
    rows = [row for (kind, _), row in kinds().items() if kind.startswith(f"{WORDS[operation]}.")]
    # The specification shows no refusal of GET /data/me (4.6).
    of_errors = requirements_of("error") if operation is not Operation.DATA_ME else ()
    return frozenset(_JSON).union(of_errors, *(_of_row(operation, row) for row in rows))


def concerned(exchange: Exchange, known: Facts) -> frozenset[str]:
    """Return the requirements that a right answer to a call keeps."""
    row = row_of(kind_of(exchange), known.state_of(exchange))
    return frozenset() if exchange.operation is None else _of_row(exchange.operation, row)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one exchange decides: its violations, and the requirements that its answer keeps."""

    violations: tuple[RequirementViolated, ...] = ()
    kept: frozenset[str] = frozenset()

    @classmethod
    def of(cls, decided: list[Ruling]) -> Judgement:
        """Return the judgement of what an answer decides; a requirement that it violates anywhere is not kept."""
        shown = tuple(each for each in decided if isinstance(each, RequirementViolated))
        kept = (each for each in decided if isinstance(each, str))
        return cls(shown, frozenset(kept) - {each.requirement for each in shown})


def judge(exchange: Exchange, known: Facts) -> Judgement:
    """Return what one exchange decides, given what the whole run shows."""
    answer = exchange.response
    if answer is None or not exchange.counts or exchange.operation is None:
        return Judgement()
    required, call = due(exchange, known), partial(describe, exchange)
    if exchange.intent.open:
        refusal = _refusal(call, exchange.request, answer, required.error) if required.must_be_error else ()
        shown = [*refusal, *_made_all_the_same(exchange, answer, known), *_handled(exchange, answer)]
        return Judgement(Judgement.of(shown).violations)
    if exchange.redirected_to:
        return Judgement()
    found: list[Ruling] = [*required.kept]
    if required.by and required.status not in (None, answer.status):
        found += _wrong_status(exchange, answer, required)
    if required.must_be_error:
        found += _refusal(call, exchange.request, answer, required.error)
    elif required.must_be_json:
        found += _json(call, answer)
        if not answer.document.problem:
            found += _document(exchange, answer, required.document, known)
    elif exchange.operation is Operation.DELETE and required.kept and answer.status == 200:
        # A framework may label a text as the client asks.
        asked = str(answer.media_type) in (header(exchange.request.headers, "accept") or "")
        confirmed = _confirmation(call, answer), *(() if asked else _label(call, answer, "4.3-media-type"))
        # Where it is open whether the request exists, another text is no violation.
        found += (each for each in confirmed if required.by or isinstance(each, str))
    return Judgement.of(found)


def remaining(calls: Sequence[Exchange], exchanges: Sequence[Exchange]) -> tuple[RequirementViolated, Exchange] | None:
    """Return the first violation of 3-removed by `calls`, which are some of the `exchanges`, with its call, or None."""
    known = Facts.of(exchanges)
    on_one = (each for each in calls if each.operation is not Operation.CREATE)
    wrong = (each for each in on_one if due(each, known).by == "3-removed")
    shown = ((violation, each) for each in wrong for violation in judge(each, known).violations)
    return next((one for one in shown if one[0].requirement == "3-removed"), None)


def _wrong_status(exchange: Exchange, answer: Response, required: Due) -> Iterator[Ruling]:
    # Whether a creation may go without a body is one matter, with which status it is answered another.
    is_omitted = exchange.intent.body == "omitted" and not exchange.intent.label
    is_for_the_body = is_omitted and required.by == "4.1-answers-200" and not accepted(answer)
    yield RequirementViolated(
        wrong_status(exchange, answer.status, str(required.status)),
        requirement="4.1-body-omitted" if is_for_the_body else required.by,
        expected=f"status {required.status}",
        actual=f"status {answer.status}, body {shorten(answer.text) or 'empty'}",
        probe=must_answer(str(required.status)),
    )


_JSON: Final = ("0-bodies-are-json", "0-json-media-type")


def _json(call: Callable[[], str], answer: Response) -> Iterator[Ruling]:
    """Yield whether a body that has to be JSON is, and whether its label says so."""
    if answer.document.problem and not answer.document.unread:
        yield RequirementViolated(
            f"The body of the answer {answer.status} to {call()} is not JSON: {answer.document.problem}.",
            requirement="0-bodies-are-json",
            expected="well-formed JSON in UTF-8",
            actual=shorten(answer.text) or "an empty body",
            probe=Probe(kind="json"),
        )
    elif not answer.document.problem:
        yield "0-bodies-are-json"
        yield from _label(call, answer, "0-json-media-type")


def _label(call: Callable[[], str], answer: Response, requirement: str) -> Iterator[Ruling]:
    """Yield whether the Content-Type of a body of JSON, or of the text OK (4.3), is right; nothing without one."""
    label, text = answer.media_type, requirement == "4.3-media-type"
    if label is None:
        return
    if label == "text/plain" if text else label == "application/json" or label.endswith("+json"):
        yield requirement
        return
    wanted = "text/plain" if text else "application/json"
    yield RequirementViolated(
        f"The body of the answer {answer.status} to {call()} is labelled {label} instead of {wanted}.",
        requirement=requirement,
        expected=f"Content-Type {wanted}, or none",
        actual=f"Content-Type {answer.header('content-type')}",
        probe=Probe(kind="media-type", values=(wanted, "") if text else (wanted, "*+json", "")),
    )


def is_ok(answer: Response) -> bool:
    """Tell whether the body is the text OK, with or without a line feed after it (4.3)."""
    return answer.text.removesuffix("\n").removesuffix("\r") == "OK"


def _confirmation(call: Callable[[], str], answer: Response) -> Ruling:
    if is_ok(answer):
        return "4.3-answers-ok"
    return RequirementViolated(
        f"A deletion is not confirmed with the plain text OK: the body is {shorten(answer.text)!r}. The call: {call()}",
        requirement="4.3-answers-ok",
        expected="the plain text OK",
        actual=shorten(repr(answer.text)),
        probe=Probe(kind="text", values=("OK",)),
    )


def _refusal(call: Callable[[], str], request: Request, answer: Response, row: Condition | None) -> Iterator[Ruling]:
    """Yield what an error response decides: its row of the table (7), else its form alone."""
    value = answer.document.value
    if answer.document.unread:
        return
    yield from _json(call, answer)
    if answer.document.problem:
        if row is not None:
            came = shorten(answer.text) or "empty"
            yield RequirementViolated(
                f"The body of the error response to {call()} is not an object: it is {came}.",
                requirement="2.4-object",
                expected="an object",
                actual=f"status {answer.status}, body {came}",
                probe=Probe(kind="type", values=("object",)),
            )
        return
    yield from applicable("error", value)
    for each in _violations("error", None, answer.content):
        message = f"The error object in the answer {answer.status} to {call()} is wrong: {each.message}"
        yield replace(each, message=message)
    if row is None or not isinstance(value, dict):
        return
    for name, wanted in (("error", row.error), ("message", row.message)):
        requirement = f"7-{row.slug}-{name}"
        if value.get(name) == wanted:
            yield requirement
            continue
        given = shorten(f"{name} {in_json(value[name])}" if name in value else f"no {name}")
        expected = f"{name} {in_json(wanted)}"
        yield RequirementViolated(
            f"{call()}{_language_in(request, row)} answered {answer.status} with {given}; expected {expected}.",
            requirement=requirement,
            path=f"/{name}",
            expected=expected,
            actual=given,
            probe=Probe(kind="equals", pointer=f"/{name}", values=(wanted,)),
        )


def _language_in(request: Request, row: Condition) -> str:
    """Return in words how a call asks for a language; "" if it does not."""
    if Operation.DATA in row.operations and (query := request.url.partition("?")[2]):
        return f" with ?{shorten(query, 40)}"
    language = header(request.headers, "accept-language")
    return f" with Accept-Language {shorten(language, 40)}" if language else ""


def _document(exchange: Exchange, answer: Response, schema: str, known: Facts) -> Iterator[Ruling]:
    """Yield what the JSON document of an accepted call decides."""
    assert exchange.operation is not None
    root, value = _ROOTS.get(exchange.operation), answer.document.value
    inside = _envelope(schema, value)
    if inside is not None and root is not None:
        yield RequirementViolated(
            f"The answer to {describe(exchange)} contains the document inside {inside!r} instead of at the top.",
            requirement=root,
            expected=f"the {schema.replace('-', ' ')} itself",
            actual=shorten(answer.text),
            probe=Probe(kind="type", pointer=f"/{_ESSENTIAL[schema][0]}", values=("string", "integer")),
        )
        return
    violated = _violations(schema, root, answer.content)
    yield from violated
    yield from applicable(schema, value, root=root, violated={each.requirement for each in violated})
    if schema == "data-request" and isinstance(value, dict):
        if isinstance(value.get("dataRequested"), list):
            yield from requested(exchange, value["dataRequested"], known)
        existing = exchange.operation is Operation.READ and exchange.intent.request == "existing"
        life = known.ledger.life(exchange.request_id) if existing else None
        for number, earlier in enumerate(life.documents if life is not None else ()):
            yield from changes(earlier, value, both_read=number > 0)
            # Without a lasting field beside the identifier, nothing shows that they agree.
            if any(name in earlier and name in value for name in LASTING[1:]):
                yield "4.2-agrees-with-creation"


def _made_all_the_same(exchange: Exchange, answer: Response, known: Facts) -> Iterator[Ruling]:
    """Yield what a data request that an unusual body created violates; only whether it is created is open."""
    value = answer.document.value
    odd = exchange.operation is Operation.CREATE and exchange.intent.generated
    if odd and answer.status == 200 and isinstance(value, dict) and isinstance(value.get("requestId"), str):
        yield from _violations("data-request", "4.1-object", answer.content)
        if isinstance(value.get("dataRequested"), list):
            yield from requested(exchange, value["dataRequested"], known)


def _handled(exchange: Exchange, answer: Response) -> Iterator[Ruling]:
    """Yield the violation by an odd credential that is taken for a user's, or that the service fails to look up (5.3).

    RFC 6750 allows some characters in no token, and the specification shows no query: a server may refuse the call in
    its own words.
    """
    remedy = _OF_ODD_CREDENTIALS.get(exchange.request.credential)
    fails = exchange.request.credential == ODD_BEARER and answer.status == 500 and exchange.repeats != ""
    if exchange.operation is None or remedy is None or not (fails or finds_a_request(exchange.operation, answer)):
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
