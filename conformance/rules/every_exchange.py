"""The findings of all recorded exchanges: violations that single exchanges show, and lost requests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from conformance.facts.due import due
from conformance.model.deviations import deviations
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.errors import answer_of, describe
from conformance.model.exchange import ErrorKind, Exchange, Operation, is_missing, request_id_of, state_of
from conformance.model.findings import Crashes
from conformance.model.formats import is_uuid
from conformance.model.probe import must_answer
from conformance.model.requirements import all_testable, catalogue
from conformance.rules.guards import Run, doubt
from conformance.rules.judge import judge
from conformance.schema.violations import Violation


@dataclass(frozen=True)
class Loss:
    """One lost request; `suspects` are the calls in between that could have removed it, by the violated requirement."""

    creation: Exchange
    missing: Exchange
    """The DELETE that answered that the request does not exist."""
    completed: bool
    """Whether an answer had shown the request completed."""
    suspects: Mapping[str, Sequence[Exchange]]


def _deletes_another(exchange: Exchange, creation: Exchange) -> bool:
    """Tell whether a user's call deletes another request, or one that does not exist.

    A form of the token that the service does not refuse is a user's too.
    """
    accepted = exchange.response is not None and exchange.response.status not in (401, 403)
    user = accepted or exchange.request.credential in KNOWN_CREDENTIALS
    return user and exchange.operation is Operation.DELETE and request_id_of(exchange) != _created_id(creation)


def _is_refused_creation(exchange: Exchange, _creation: Exchange) -> bool:
    refused = exchange.response is not None and exchange.response.status >= 400
    return refused and exchange.operation is Operation.CREATE


def _deletes_without_token(exchange: Exchange, creation: Exchange) -> bool:
    without = exchange.request.credential not in KNOWN_CREDENTIALS
    return without and exchange.operation is Operation.DELETE and request_id_of(exchange) == _created_id(creation)


def _is_racing_creation(exchange: Exchange, creation: Exchange) -> bool:
    """Tell whether a call is the creation in a race, or another creation while it was under way."""
    if exchange is creation:
        return bool(creation.intent.racing)
    overlap = _began(exchange) < _ended(creation) and _ended(exchange) > _began(creation)
    return overlap and exchange.operation is Operation.CREATE and bool(_created_id(exchange))


REMOVING: Final[Mapping[str, Callable[[Exchange, Exchange], bool]]] = {
    "3-deletes-no-other": _deletes_another,
    "4.1-refused-creates-nothing": _is_refused_creation,
    "5.3-rejected-delete-deletes-nothing": _deletes_without_token,
    "4.1-creates-in-parallel": _is_racing_creation,
}
"""For each requirement whose violation removes a request: is a call one that it is about, given the creation?"""


def losses(exchanges: Sequence[Exchange]) -> list[Loss]:
    """Return the losses of a run whose exchanges are given in their order."""
    creations = {
        request_id: each
        for each in exchanges
        if each.operation is Operation.CREATE and is_uuid(request_id := _created_id(each))
    }
    about = _about(creations, exchanges)
    found = ((id, _missing(about[id], creation.request.credential)) for id, creation in creations.items())
    return [_loss(creations[id], missing, about[id], exchanges) for id, missing in found if missing is not None]


def deleted(exchanges: Iterable[Exchange]) -> frozenset[str]:
    """Return the identifiers of the requests whose deletion the service confirmed."""
    return frozenset(
        request_id_of(each)
        for each in exchanges
        if each.operation is Operation.DELETE and each.response is not None and each.response.status < 300
    )


def unexplained(found: Sequence[Loss], violated: Collection[str]) -> list[Loss]:
    """Return the losses that no violation of the requirements `violated` explains."""
    return [loss for loss in found if not any(loss.suspects.get(each) for each in violated)]


def denied(lost: Mapping[str, str], exchanges: Sequence[Exchange]) -> list[str]:
    """Return the requests whose owner the service answered 404 to DELETE, and that no other call may have removed.

    `lost` has the credential of each. By inference from clause 3 they still exist.
    """
    about = _about(lost, exchanges) if lost else {}
    return [id for id, owner in lost.items() if _missing(about[id], owner) is not None]


def _about(ids: Iterable[str], exchanges: Sequence[Exchange]) -> dict[str, list[Exchange]]:
    """Return the readings and deletions of each request, in their order."""
    about: dict[str, list[Exchange]] = {request_id: [] for request_id in ids}
    for each in exchanges:
        if each.operation in (Operation.READ, Operation.DELETE) and (request_id := request_id_of(each)) in about:
            about[request_id].append(each)
    return about


def _missing(about: Sequence[Exchange], owner: str) -> Exchange | None:
    """Return the first deletion by the owner that answers 404, unless an earlier call may have removed the request."""
    for each in about:
        if each.operation is not Operation.DELETE:
            continue
        if each.intent.racing or _may_have_removed(each) or each.intent.request == "foreign":
            return None  # another user's deletion may remove a request, with any answer (5-isolation)
        if is_missing(each) and each.request.credential == owner:
            return each
    return None


def _may_have_removed(deletion: Exchange) -> bool:
    """Tell whether the service said that it deleted, or did not say that it did not."""
    answer = deletion.response
    return answer is None or deletion.error is not None or answer.status < 300 or answer.status >= 500


def _loss(creation: Exchange, missing: Exchange, about: Sequence[Exchange], exchanges: Sequence[Exchange]) -> Loss:
    seen = [creation, *(each for each in about if _shows(each, creation) and _ended(each) <= _began(missing))]
    since = max(map(_began, seen))
    between = [creation, *(each for each in exchanges if _ended(each) > since and _began(each) < _ended(missing))]
    return Loss(
        creation=creation,
        missing=missing,
        completed=any(state_of(each) for each in seen),
        suspects={
            requirement: [each for each in between if removes(each, creation)]
            for requirement, removes in REMOVING.items()
        },
    )


def _shows(exchange: Exchange, creation: Exchange) -> bool:
    """Tell whether its owner read the request."""
    answered = exchange.response is not None and exchange.response.status == 200
    owner = exchange.request.credential == creation.request.credential
    return answered and owner and exchange.operation is Operation.READ


def _created_id(creation: Exchange) -> str:
    answer = creation.response
    given = answer.member("requestId") if answer is not None and answer.status == 200 else None
    return given if isinstance(given, str) else ""


def _began(exchange: Exchange) -> float:
    return exchange.started.timestamp()


def _ended(exchange: Exchange) -> float:
    return exchange.started.timestamp() + exchange.seconds


EVERY_EXCHANGE = "every exchange of the run"
"""The name of the check of these findings."""

_OF_REQUESTS = ("0", "2.1", "2.4", "3", "5", "7")
JUDGED = {
    Operation.SETTINGS: ("0", "1.4", "2.3", "4.4", "5.4"),
    Operation.DATA: ("0", "2.2", "2.4", "4.5", "5.4", "7", "9"),
    Operation.DATA_ME: ("0", "4.6"),
    Operation.CREATE: (*_OF_REQUESTS, "4.1"),
    Operation.READ: (*_OF_REQUESTS, "4.2"),
    Operation.DELETE: (*_OF_REQUESTS, "4.3"),
}
"""The clauses whose requirements a single exchange of an operation can violate."""

Shown = tuple[Violation, list[Exchange]]
"""A violation, with the exchanges that show it."""


def of_every_exchange(run: Run, crashes: Crashes) -> list[Shown]:
    """Return the violations that single exchanges show, each kind of violation once, the plainest call first."""
    found: dict[tuple[str, str, tuple[object, ...]], Shown] = {}
    known = run.known
    doubts = (known.uncertain, known.conflicts)
    for exchange in run.exchanges:
        violations: tuple[Violation, ...] = ()
        with crashes.noted(EVERY_EXCHANGE, _judged(exchange.operation)):
            violations = judge(exchange, known)
        for violation in violations:
            what = f"{exchange.operation} {violation.path} {violation.actual}"
            # An answer that something else may explain takes nothing from those that it does not explain.
            shape = violation.requirement, what, (doubt(exchange, run), *(exchange.id in each for each in doubts))
            known_violation, shown = found.get(shape, (violation, []))
            plainer = not shown or deviations(exchange) < deviations(shown[0])
            found[shape] = (violation, [exchange, *shown]) if plainer else (known_violation, [*shown, exchange])
    return list(found.values())


def of_silences(exchanges: Sequence[Exchange]) -> list[Shown]:
    """Return the violations by calls that have to be refused, and to which the service closes the connection twice.

    The second time is on a connection of its own. The service answers other calls between two of these closures, and
    closes the connection to no valid call beside them: otherwise it was out of service.
    """
    by_id = {each.id: each for each in exchanges}
    found: dict[str, tuple[int, list[Exchange]]] = {}
    for again in exchanges:
        first, required = by_id.get(again.repeats), due(again)
        if first is None or not (_is_silent(first) and _is_silent(again)) or not required.must_refuse:
            continue
        if required.status is not None and not _out_of_service(first, again, exchanges):
            found.setdefault(required.by, (required.status, []))[1].extend((again, first))
    return [
        (_silence(requirement, status, shown[0]), shown)
        for requirement, (status, shown) in found.items()
        if _answers_between(shown, exchanges)
    ]


def _silence(requirement: str, status: int, again: Exchange) -> Violation:
    return Violation(
        requirement,
        "",
        f"The service closes the connection without an answer to {describe(again)}, again on a connection of its "
        f"own, and answers other calls: {status} is due.",
        f"status {status}",
        "no answer: the connection was closed twice",
        must_answer(status),
    )


def _is_silent(exchange: Exchange) -> bool:
    return exchange.error is ErrorKind.CLOSED and exchange.response is None


def _out_of_service(first: Exchange, again: Exchange, exchanges: Sequence[Exchange]) -> bool:
    """Tell whether a valid call was closed too, with no answer to any call between it and these two."""
    answers = [_ended(each) for each in exchanges if each.response is not None]
    since = max((end for end in answers if end <= _began(first)), default=float("-inf"))
    until = min((end for end in answers if end >= _ended(again)), default=float("inf"))
    return any(_is_silent(each) and due(each).must_accept and since <= _ended(each) <= until for each in exchanges)


def _answers_between(silences: Sequence[Exchange], exchanges: Sequence[Exchange]) -> bool:
    """Tell whether the service answered a call between two of these closures."""
    first, last = min(map(_ended, silences)), max(map(_began, silences))
    return any(each.response is not None and first <= _began(each) and _ended(each) <= last for each in exchanges)


def of_losses(found: Sequence[Loss]) -> list[Shown]:
    """Return the violations that lost requests show, each with the deletions that show it."""
    by_requirement: dict[str, Shown] = {}
    for loss in found:
        requirement = "3-deletes-completed" if loss.completed else "4.3-answers-ok"
        state = " It had been shown completed." if loss.completed else ""
        status = answer_of(loss.missing).status
        violation = Violation(
            requirement,
            "",
            f"An existing request cannot be deleted: {status} instead of 200. POST had returned it "
            f"({loss.creation.id}), and no DELETE of it had answered 200: so it exists, by inference from clause 3."
            f"{state} The call: {describe(loss.missing)}",
            "status 200 with the plain text OK",
            f"status {status}",
            must_answer(200),
        )
        by_requirement.setdefault(requirement, (violation, []))[1].append(loss.missing)
    return list(by_requirement.values())


@cache
def _judged(operation: Operation | None) -> frozenset[str]:
    """Return the testable requirements that a single exchange of `operation` can violate."""
    clauses = JUDGED[operation] if operation else ()
    return all_testable() & frozenset[str]().union(*map(catalogue().select, clauses))
