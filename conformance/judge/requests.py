"""What the life of a request says of clauses 3, 4.2 and 4.3: lost requests, and those that no answer tells apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from conformance.facts.ledger import Ledger
from conformance.facts.life import Doubt, Life, confirms
from conformance.judge.limit import Decision
from conformance.model.errors import NotDecided, RequirementViolated, describe, must_answer, not_applicable
from conformance.model.exchange import Exchange, Operation
from conformance.model.requirements import Requirement

_OF_ONE_REQUEST: Final = frozenset(
    [
        "3-deletes-completed",
        "3-deletes-no-other",
        "3-removed",
        "3-removed-in-parallel",
        "4.1-refused-creates-nothing",
        "4.2-agrees-with-creation",
        "4.2-answers-200",
        "4.2-answers-while-deleted",
        "4.3-answers-ok",
        "5.3-rejected-delete-deletes-nothing",
    ]
)
"""Requirements on one request, which only its identifier distinguishes from others."""


def losses(ledger: Ledger) -> Iterator[tuple[RequirementViolated, list[Exchange]]]:
    """Yield the violations by requests that their own deletion does not find, each with the deletions that show it.

    By inference from clause 3 they exist: a creation returned them, and nothing may have removed them.
    """
    shown: dict[str, tuple[RequirementViolated, list[Exchange]]] = {}
    for life in ledger.lives.values():
        if (missing := life.lost) is not None:
            violation = _loss(life, missing)
            shown.setdefault(violation.requirement, (violation, []))[1].append(missing)
    yield from shown.values()


def _loss(life: Life, missing: Exchange) -> RequirementViolated:
    """Return the violation by a deletion that does not find a request which exists."""
    state = " It had been shown completed." if life.completed else ""
    status = missing.status
    return RequirementViolated(
        f"An existing request cannot be deleted: {status} instead of 200. POST had returned it "
        f"({life.created[0].id}), and no DELETE of it had answered 200: so it exists, by inference from clause 3."
        f"{state} The call: {describe(missing)}",
        requirement="3-deletes-completed" if life.completed else "4.3-answers-ok",
        expected="status 200 with the plain text OK",
        actual=f"status {status}",
        probe=must_answer(200),
    )


def keeps_others(ledger: Ledger) -> Decision:
    """Return whether deletions removed no other request (3): a reading of one that remained, the loss of one, or why.

    A request is lost by a deletion of another one if nothing else happened since the last reading that shows it.
    """
    unclear, changes = None, [*(each.exchange for each in ledger.creations), *ledger.deletions]
    for life in ledger.lives.values():
        missing, first = life.lost, min(life.missing, key=lambda each: each.sent, default=None)
        if missing is None or first is None:
            continue
        between = [each for each in changes if life.last_shown.over < each.sent <= first.over and each is not missing]
        others = [each for each in between if ledger.life(each.request_id) is not life]
        deletions = [each for each in others if each.operation is Operation.DELETE]
        unclear = missing if deletions and unclear is None else unclear
        if deletions and len(deletions) == len(between) and life.last_shown.operation is Operation.READ:
            return RequirementViolated(
                f"Deleting one request removed another: {describe(missing)} was answered {missing.status}, "
                "and only calls to delete another request came since it was last shown.",
                expected="only the named request is removed",
                actual=f"status {missing.status} to deleting another request",
                exchanges=[missing, *deletions, life.last_shown],
                probe=must_answer(200),
            )
    if unclear is not None:
        message = f"{describe(unclear)} was answered {unclear.status}, and other calls may be the reason."
        return NotDecided(message, exchanges=[unclear])
    removed = [each for life in ledger.lives.values() for each in life.deleted if confirms(each)]
    for life in ledger.lives.values():
        for shown in (*life.in_progress, *life.completed) if life.is_told_apart else ():
            others = [each for each in removed if each not in life.deleted and shown.sent > each.over]
            others = [each for each in others if _may_concern(each, life, ledger) and each.sent > life.created[0].over]
            if shown.operation is Operation.READ and others:
                return shown
    message = "No request was read after the deletion of another one, so the run cannot see whether it remains."
    completed = ledger.completed
    return not_applicable("completes-at-once", message, completed[0]) if completed else NotDecided(message)


def _may_concern(deletion: Exchange, life: Life, ledger: Ledger) -> bool:
    """Tell whether a deletion may remove a request too: of its own user, or of another one who can have no second."""
    user = deletion.request.credential
    return user == life.owner or max(ledger.limits(user), default=0) == 1


def undecided(row: Requirement, ledger: Ledger) -> NotDecided | None:
    """Return why no answer can show that a requirement on one request is satisfied, or None."""
    if row.id not in _OF_ONE_REQUEST or not any(len(life.created) > 1 for life in ledger.lives.values()):
        return None
    return NotDecided(
        "The service gave several requests one requestId, so the responses cannot be assigned to requests.",
        remedy=Doubt.IDENTIFIER.remedy,
    )
