"""Clauses 3, 4.1 and 4.2: creations, readings and deletions at the same time as others.

The same calls one after another are the matter of other requirements, on which the catalogue lets these depend.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from conformance.checks.marks import first, requirement, traces
from conformance.facts.answers import accepted, is_limit_refusal, says
from conformance.facts.kind import kind_of
from conformance.judge import expect
from conformance.judge.consistency import LASTING, disagreements
from conformance.judge.exchanges import is_ok
from conformance.judge.run import Run
from conformance.model.error_table import INVALID_DATA_TYPES
from conformance.model.errors import NotDecided, Probe, RequirementViolated, answer_of, must_answer, not_applicable
from conformance.model.exchange import Exchange, Operation, is_missing, is_missing_again
from conformance.model.identity import Created
from conformance.model.text import in_json, shorten
from conformance.scenarios.races import Races
from conformance.spec.kinds import State

_ALONE: Final = ("create.known", "create.omitted", "read.own", "read.unknown", "delete.own", "delete.unknown")
"""The kinds of calls of one user that no other call disturbs."""


@first
@requirement("3-removed-in-parallel")
@traces("""
         races.removals[0].created: POST [a]      -> 200 r1
         | races.removals[0].deletions: DELETE r1 -> 200 OK
         | races.removals[0].deletions: DELETE r1 -> 404
    FAIL races.removals[0].after: GET r1          -> 200
    PASS races.removals[0].after: GET r1          -> 404
""")
def test_deletions_at_the_same_time_remove_the_request(run: Run, races: Races) -> None:
    """Each answers 200 with OK or 404, at least one answers 200, and afterwards the request no longer exists."""
    is_decided = False
    for removal in races.removals:
        _answered(removal.deletions)
        lasting = _lasting(run, races, removal.deletions)
        if wrong := [each for each in lasting if not _is_ok(each) and each.status != 404]:
            what = "One of several deletions of a request at the same time"
            raise _broken(wrong, "200 with OK, or 404", what, removal.deletions)
        confirmed = any(map(_is_ok, removal.deletions))
        is_decided |= confirmed
        if lasting == removal.deletions and not confirmed and not any(map(is_missing_again, lasting)):
            raise _broken(removal.deletions, "200 with OK for at least one", "Each of several deletions of a request")
        if confirmed and answer_of(removal.after).status != 404 and not run.facts.ledger.is_ambiguous(removal.after):
            raise expect.violated(
                "A request was read, and several calls at the same time had deleted it "
                f"({_statuses(removal.deletions)}). The service answered {answer_of(removal.after).status} instead of "
                "404.",
                "status 404",
                removal.after,
                *removal.deletions,
                probe=must_answer(404),
            )
    if not is_decided:
        deletions = [each for removal in races.removals for each in removal.deletions]
        raise NotDecided("No deletion at the same time as others was answered 200 with OK.", exchanges=deletions)


@first
@requirement("4.2-answers-while-deleted")
@traces("""
         races.removals[0].created: POST [a, b]   -> 200 r1
         | races.removals[0].deletions: DELETE r1 -> 200 OK
    FAIL | races.removals[0].reads: GET r1        -> 200 {"dataRequested": []}
    PASS | races.removals[0].reads: GET r1        -> 200
         races.removals[0].after: GET r1          -> 404
""")
def test_reading_meanwhile_shows_the_whole_request_or_nothing(run: Run, races: Races) -> None:
    """During a deletion, reading the request answers 200 with the whole request, or 404."""
    is_decided = False
    for removal in races.removals:
        _answered(removal.reads)
        for read in _lasting(run, races, removal.reads):
            is_decided = True
            if read.status not in (200, 404):
                raise _broken([read], "200 or 404", "Reading a request while it was being deleted")
            if read.status == 200 and (difference := _difference(removal.created, read)):
                raise expect.violated(
                    f"Reading a request while it was being deleted did not show it as it was created: {difference}.",
                    "the request as it was created, or 404",
                    *(read, removal.created.exchange, *removal.deletions),
                )
    if not is_decided:
        raise NotDecided("The service itself answered no reading of a request while it was being deleted.")


@first
@requirement("4.1-creates-in-parallel")
@traces("""
    FAIL | races.creations: POST [a] -> 200 r1
    FAIL | races.creations: POST [a] -> 200 r1
    PASS | races.creations: POST [a] -> 200 r1
    PASS | races.creations: POST [a] -> 200 r2
""")
def test_creations_at_the_same_time_each_make_a_request(run: Run, races: Races) -> None:
    """With room for all of them, each creation answers 200 with its own request, which exists."""
    if races.limit == 1:
        raise not_applicable("limit-of-one", "maxNumberOfRequests is 1: there is no room for several creations.")
    if len(races.creations) == 1:
        message = "The service held one request only, so the run made no creations at the same time."
        raise NotDecided(message, exchanges=races.creations)
    creations = _answered(races.creations)
    made = {each.id: each for each in creations if each.status == 200 and isinstance(each.member("requestId"), str)}
    refused = [each for each in creations if is_limit_refusal(each.response)]
    others = [each for each in creations if each.id not in made and not is_limit_refusal(each.response)]
    wrong = [each for each in others if not _has_another_reason(run, each)]
    if others and not wrong:
        raise run.why_not_created(others[0])
    if wrong:
        raise _broken(wrong, "200 with a request", "One of several creations at the same time", races.creations)
    if refused and not all(accepted(each.response) for each in races.room):
        raise run.why_not_created(refused[0])
    if refused:
        raise RequirementViolated(
            f"The service refused {len(refused)} of {len(creations)} creations at the same time with "
            "MaximumAmountOfRequestsReached, though there was room: right after them it accepted as many.",
            expected=f"status 200 to all {len(creations)}",
            actual=f"statuses {_statuses(creations)}, then {_statuses(races.room)} one after another",
            exchanges=[*refused, *races.room],
            probe=must_answer(200),
        )
    ids = [each.member("requestId").lower() for each in made.values()]
    if len(set(ids)) < len(ids):
        raise RequirementViolated(
            f"Creations at the same time got the same requestId {max(ids, key=ids.count)}, although each creates a "
            "request.",
            expected="a different requestId for each creation",
            actual=", ".join(ids),
            exchanges=creations,
            probe=Probe(kind="new-id"),
        )
    lives = [run.ledger_so_far().life(each.request_id) for each in races.reads if is_missing(each)]
    if lost := [life.lost for life in lives if life is not None and life.lost is not None]:
        raise expect.violated(
            f"{len(lost)} of {len(ids)} requests created at the same time did not exist right afterwards: "
            "reading and deleting answered 404.",
            "every request that a creation returned exists",
            *(*lost, *creations),
            probe=must_answer(200),
        )


def _answered(exchanges: list[Exchange]) -> list[Exchange]:
    """Return the exchanges with an answer other than to retry later; raise NotDecided if there are none."""
    answered = [each for each in exchanges if each.counts]
    if exchanges and not answered:
        answer_of(exchanges[0])
    return answered


def _lasting(run: Run, races: Races, exchanges: list[Exchange]) -> list[Exchange]:
    """Return the exchanges with an answer that only calls at the same time get.

    A simultaneous call cannot be made again alone, so only the next round tells a server error that comes now and then.
    """
    rounds = [{each.operation for each in [*one.deletions, *one.reads] if each.failed} for one in races.removals]
    failing = Counter(operation for one in rounds for operation in one)
    lasting = [each for each in exchanges if each.counts and (not each.failed or failing[each.operation] > 1)]
    return [each for each in lasting if not (run.facts.ledger.is_ambiguous(each) or _is_wrong_alone_too(run, each))]


def _has_another_reason(run: Run, creation: Exchange) -> bool:
    """Tell whether an answer to a creation may have another reason than the calls at the same time."""
    # What is refused because of its types may name one that the service has withdrawn.
    is_withdrawn = says(creation.response, INVALID_DATA_TYPES) and run.facts.lists_sometimes(creation.intent.types)
    # Server errors at the same time may have made requests; that these filled the limit is no reason for the errors.
    may_be_full = run.ledger_so_far().state_at(creation.id) in (State.FULL, State.EITHER)
    return is_withdrawn or (may_be_full and 400 <= creation.status < 500) or _is_wrong_alone_too(run, creation)


def _is_wrong_alone_too(run: Run, exchange: Exchange) -> bool:
    """Tell whether an answer is wrong, and a call by itself got one like it: then another requirement decides it."""
    operation = exchange.operation
    as_specified = exchange.status == 404 or _is_ok(exchange)
    if operation is None or as_specified or (exchange.status == 200 and operation is not Operation.DELETE):
        return False
    alone = (each for each in run.record.answered(operation, exchange.status) if kind_of(each) in _ALONE)
    return any(not _is_ok(each) and each.intent.body == exchange.intent.body for each in alone)


def _is_ok(deletion: Exchange) -> bool:
    """Tell whether a deletion was answered with 200 and OK."""
    return deletion.counts and deletion.status == 200 and is_ok(answer_of(deletion))


def _difference(made: Created, read: Exchange) -> str:
    """Return the difference between a reading and the creation, in words."""
    value = answer_of(read).document.value
    shown = value if isinstance(value, dict) else {}
    missing = [f"there is no {name}" for name in LASTING if name in made.document and name not in shown]
    changed = [
        f"{name} is {in_json(now, 80)}, not {in_json(then, 80)}"
        for name, then, now in disagreements(made.document, shown)
    ]
    return " and ".join([*missing, *changed])


def _broken(wrong: list[Exchange], expected: str, what: str, beside: Sequence[Exchange] = ()) -> RequirementViolated:
    """Return the finding on the wrong answers, with the calls that were made at the same time."""
    answer = answer_of(wrong[0])
    return RequirementViolated(
        f"{what} was answered {answer.status} with {shorten(answer.text, 80) or 'an empty body'} "
        f"instead of {expected}.",
        expected=expected,
        actual=f"statuses {_statuses(wrong)}, body {shorten(answer.text) or 'empty'}",
        exchanges=[*wrong, *(each for each in beside if each not in wrong)],
    )


def _statuses(exchanges: Iterable[Exchange]) -> str:
    return ", ".join(str(each.response.status if each.response else "nothing") for each in exchanges)
