"""Clause 3: a deletion immediately makes room for a new request."""

from __future__ import annotations

from conformance.checks.marks import first, last, requirement
from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.model.errors import NotDecided, NothingToAdd, RequirementViolated, answer_of
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import USER
from conformance.model.probe import must_answer
from conformance.model.text import count
from conformance.rules import expect
from conformance.scenarios.confirmation import undeleted
from conformance.scenarios.identifiers import sampling
from conformance.scenarios.limit_findings import if_nothing_else_counts, never_met, published, too_many
from conformance.scenarios.limit_result import LimitResult
from conformance.scenarios.parallel import ParallelResult
from conformance.scenarios.retries import undecided_by_retry, was_retried


@first
@requirement("3-frees-the-limit")
def test_a_deletion_frees_the_limit_at_once(service: UserClient, limit: LimitResult) -> None:
    """With the limit reached, the service accepts a creation immediately after a deletion."""
    if limit.refused is None or not (limit.held or limit.replacements):
        raise never_met(service, limit)
    freed = limit.replacements or [
        (gone, after) for gone, after in [(limit.deleted, limit.after_deletion)] if gone and after and accepted(gone)
    ]
    if not freed:
        raise NotDecided("No deletion at the limit was accepted, so nothing was freed.", exchanges=limit.reads[:1])

    for deleted, again in freed:
        message = "After a deletion the user could not submit a new request immediately: the next creation answered "
        message += f"{answer_of(again).status}."
        if is_limit_refusal(again):
            message = if_nothing_else_counts(service, limit.limit, message, again, deleted)
        if not accepted(again) and answer_of(again).status < 500:
            # Those that took the places, and the answer that publishes how many there are.
            held = [one.exchange for one in limit.held if one.exchange.number < deleted.number]
            shown = again, deleted, *held, *published(service, deleted)
            raise expect.violated(message, "200, right after the deletion", *shown, probe=must_answer(200))
        service.created(again)
    if all(was_retried(service, again) for _, again in freed):
        raise undecided_by_retry(*freed[0])


@last
@requirement("3-frees-the-limit")
def test_each_of_several_deletions_frees_a_place(service: UserClient, limit: LimitResult) -> None:
    """After deletions of several requests, the service accepts as many creations."""
    room = min(len(limit.held), limit.limit)
    rounds = [each for each in sampling.result(service).rounds if each.alone] if limit.refused is not None else []
    if not any(1 < len(each.creations) <= room for each in rounds):
        raise NothingToAdd("The run did not create several requests after deletions, up to the limit.")
    short = next((each for each in rounds if each.refused and len(each.creations) <= room), None)
    if short is None:
        return
    if why := _other_reason(service):
        raise NotDecided(f"After deletions fewer requests could be created than before. {why}", exchanges=short.refused)
    again = [service.post(service.first_types(1), limit="freed") for _ in short.creations]
    if not any(map(is_limit_refusal, again)):
        message = "After deletions fewer requests could be created than before, but as many for one type."
        raise NotDecided(message, remedy="See 8-accepts-up-to-limit.", exchanges=[*short.refused, *again])
    made = len(short.creations) - len(short.refused)
    message = (
        f"{room} requests could exist at a time, but after deletions the service accepted only "
        f"{count(made, 'creation')}, and later {sum(map(accepted, again))}."
    )
    exchanges = [*short.refused, *again, *_deletions_before(service, short.creations[0])[-room:]]
    raise RequirementViolated(
        if_nothing_else_counts(service, limit.limit, message, *exchanges),
        expected=f"{count(len(short.creations), 'creation')} accepted",
        actual=f"{len(short.refused)} of {len(short.creations)} were refused for the limit",
        exchanges=exchanges,
        probe=must_answer(200),
    )


@first
@requirement("3-frees-the-limit-in-parallel")
def test_deletions_at_the_same_time_free_one_place(
    service: UserClient, limit: LimitResult, parallel: ParallelResult
) -> None:
    """At the limit, several simultaneous deletions of one request make room for exactly one creation."""
    refill = parallel.refill
    if parallel.beyond_budget is not None:
        raise parallel.beyond_budget
    if refill is None:
        raise never_met(service, limit, parallel.creations)
    again, beyond = refill.exchanges
    deletions = parallel.removals[0].deletions
    if is_limit_refusal(again):
        message = (
            "After several deletions of one request at the same time the user could not submit a new request: the next "
            f"creation answered {answer_of(again).status}. After one deletion alone there was room."
        )
        message = if_nothing_else_counts(service, limit.limit, message, again, *deletions)
        raise expect.violated(message, "200, right after the deletions", again, *deletions, probe=must_answer(200))
    if was_retried(service, again):
        raise undecided_by_retry(deletions[0], again)
    if accepted(again) and accepted(beyond) and refill.in_progress > limit.limit:
        why = "Deletions of one request at the same time freed more than its place; one deletion alone freed one place."
        raise too_many(service, limit.limit, refill.in_progress, why, beyond, again, *deletions, *refill.reads)


def _other_reason(service: UserClient) -> str:
    """Return another known reason for fewer accepted creations; empty if there is none."""
    if "4.1-refused-creates-nothing" in service.session.broken:
        return "Refused creations take places: see 4.1-refused-creates-nothing."
    # What a confirmed deletion left there is no other reason: it freed no place.
    undeleted(service, USER)
    journal, not_removed = service.session.journal, service.session.results.undeleted
    unknown = journal.unnamed or journal.beyond_reach or any(not not_removed.get(one) for one in journal.live)
    return "Requests of this run whose identifier is not known may have taken places." if unknown else ""


def _deletions_before(service: UserClient, exchange: Exchange) -> list[Exchange]:
    deletions = service.record.answered(Operation.DELETE, 200)
    return [each for each in deletions if each.number < exchange.number and each.request.credential == USER.label]
