"""What a check says about the limit: too many requests, and why the run cannot tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.http.creations.outcomes import counts_as_refused
from conformance.model.confirmations import if_empty
from conformance.model.deviations import deviations
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.errors import NotDecided, RequirementViolated, answer_of, describe, in_words, not_applicable
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import OTHER_USER, USER, Identity
from conformance.model.probe import must_answer
from conformance.model.strict_json import parse
from conformance.model.text import count
from conformance.model.verdict import Blame
from conformance.rules.run import Run
from conformance.scenarios.limit_result import LimitResult

STAY_IN_PROGRESS: Final = (
    "Configure the service so that requests stay in progress during the run, or so that completed requests can be "
    "read, then run again."
)


def assert_unchanged(service: UserClient, number: int) -> None:
    """Raise NotDecided if the limit has changed."""
    service.settings_now()
    now = service.limit()
    if now != number:
        raise NotDecided(
            f"maxNumberOfRequests was {number} and is {now} now: it changed during the run.",
            remedy="Run again while the limit stays the same.",
        )


def assert_not_allowed(service: UserClient, number: int, found: int, holder: Identity) -> None:
    """Raise NotDecided if the settings show the user of `found` requests, by the token, a limit that allows them."""
    asked = service.settings(holder, offered=True)
    shown = asked.response.member("maxNumberOfRequests") if asked.response else None
    if type(shown) is int and shown >= found:
        raise NotDecided(
            f"{describe(asked)} shows {shown} as maxNumberOfRequests, and without a token it is {number}.",
            remedy="Let GET /settings show one limit, with and without a token.",
            exchanges=[asked],
        )


def still_holds(service: UserClient, number: int) -> None:
    """Raise NotDecided if the limit has changed, or requests that the run cannot delete or name may count."""
    assert_unchanged(service, number)
    journal = service.session.journal
    failures = service.session.deletion_failures
    if kept := journal.beyond_reach | {one for one in journal.live if failures[one]}:
        raise NotDecided(
            f"{count(len(kept), 'request')} that this run made and could not delete may count.",
            remedy="Let the service delete what it creates, and create nothing with a token that it does not accept "
            "(4.3-answers-ok, 5.3-create-with-bad-token, 5.3-create-without-token). Then run again.",
        )
    created = (each for each in service.record.in_order() if each.operation is Operation.CREATE)
    hung_up = sum(each.request.credential in KNOWN_CREDENTIALS and counts_as_refused(each) for each in created)
    if unknown := journal.unknown + journal.doubtful + hung_up:
        raise NotDecided(
            f"{count(unknown, 'creation')} without a usable answer may have created a request that counts.",
            remedy="Find out why: no answer, 502 to 504, or a server error. Delete what they left, and run again.",
        )


def published(service: UserClient, before: Exchange) -> list[Exchange]:
    """Return the plainest answer before an exchange that published the settings, and with them the limit."""
    known = [each for each in service.record.answered(Operation.SETTINGS, 200) if each.number < before.number]
    return sorted(known, key=deviations)[:1]


def if_nothing_else_counts(service: UserClient, number: int, message: str, *exchanges: Exchange) -> str:
    """Return the message of a finding that rests on the empty account; raise NotDecided if more may count than known.

    A creation for JSON of another kind, which failed with 500 before the latest exchange, may have created a request.
    """
    target = service.session.target
    if not target.account_is_empty:
        raise NotDecided(
            f"{message} The run cannot tell whether the service counts wrongly, or whether requests that this run did "
            "not make count as well: older ones of the account, or those of others.",
            blame=Blame.CONFIGURATION,
            remedy=f"{target.perhaps_not_empty} confirm with --empty-account that nothing else counts, and run again.",
            exchanges=exchanges,
        )
    still_holds(service, number)
    latest = max(each.number for each in exchanges)
    failed = [
        each
        for each in service.record.answered(Operation.CREATE, 500)
        if each.number < latest
        and each.intent.body == "odd"
        and each.request.credential in KNOWN_CREDENTIALS
        and parse(each.request.body).problem is None
    ]
    if failed:
        raise NotDecided(
            f"{describe(failed[0])} was answered 500 before, and may have created a request that counts.",
            remedy="Let the service answer such a body with 400, and run again.",
            exchanges=failed[:1],
        )
    return if_empty(message)


def too_many(service: UserClient, limit: int, found: int, why: str, *exchanges: Exchange) -> RequirementViolated:
    """Return the finding that `found` requests of a user are in progress at once, unless another limit allows them."""
    assert_unchanged(service, limit)  # what a creation of unknown outcome made counts as well, not in place of these
    holder = next(each for each in (USER, OTHER_USER) if each.label == exchanges[-1].request.credential)
    assert_not_allowed(service, limit, found, holder)
    return RequirementViolated(
        f"{count(found, 'request')} in progress at once, but maxNumberOfRequests is {limit}. {why}".rstrip(),
        expected=f"at most {count(limit, 'request')} in progress",
        actual=f"{count(found, 'request')} read as in progress",
        exchanges=[*exchanges, *published(service, exchanges[0])],
        probe=must_answer("4xx"),
    )


def too_soon(example: Exchange, *, some_stay: bool) -> NotDecided:
    """Return why completed requests keep the run from filling the limit; `some_stay` if others stay in progress."""
    aim = "keep every place of the limit taken" if some_stay else "reach the limit"
    which = "Some requests" if some_stay else "Requests"
    return not_applicable("completes-at-once", f"{which} complete too soon for the run to {aim}.", example)


def may_be_completed(read: Exchange) -> NotDecided:
    """Return why a reading that finds nothing, without another call at the same time, does not show a whole request."""
    message = f"{describe(read)} was answered {in_words(read)}. The request may have completed"
    return NotDecided(f"{message}: completed requests need not be readable.", remedy=STAY_IN_PROGRESS, exchanges=[read])


def gone_as_completed(service: UserClient, read: Exchange) -> bool:
    """Tell whether a reading answered 410, as readings of existing requests do without a call at the same time."""
    gone = service.record.answered(Operation.READ, 410) if answer_of(read).status == 410 else []
    return any(each.intent.request == "existing" and not each.intent.racing for each in gone)


def never_met(run: Run, found: LimitResult, together: Sequence[Exchange] = ()) -> NotDecided:
    """Return why the scenario shows nothing at the limit; `together` are creations that were to fill it again."""
    unlike = [each for each in together if not accepted(each)]
    if found.is_enforced and unlike:
        return NotDecided(
            f"The run could not fill the limit again: of {len(together)} creations at the same time, {len(unlike)} "
            f"were not answered 200. The first of them was answered {in_words(unlike[0])}.",
            blame=Blame.NETWORK if unlike[0].error is not None else Blame.TARGET,
            exchanges=unlike,
        )
    if found.limit <= 0 and found.refused is not None:
        return not_applicable("limit-of-none", f"maxNumberOfRequests is {found.limit}: no request can be created.")
    if found.completed:
        return too_soon(found.completed[0].exchange, some_stay=bool(found.in_progress or found.dropped))
    if found.refused is not None and not found.held:
        return run.why_not_created(found.refused)
    if found.unread and found.refused is None and not found.shared:
        return NotDecided(
            f"The run did not reach the limit: the service accepted {count(len(found.held), 'creation')} one after "
            f"another, and GET answered {answer_of(found.unread[0]).status} to requests that POST had just shown in "
            "progress. They may have completed in between: completed requests take no place, and need not be readable.",
            remedy=STAY_IN_PROGRESS,
            exchanges=found.unread[:1],
        )
    if found.shared:
        message = "The run cannot count requests that have the same requestId."
        return NotDecided(message, remedy="See 2.1-requestId-unique.", exchanges=found.reads[:1])
    if found.stayed_full and found.deleted is not None and found.after_deletion is not None:
        return _not_filled_again(found, found.deleted, found.after_deletion)
    subject = "requests completed that GET does not return any more, or the service" if found.unread else "the service"
    or_else, also = (", or a deletion freed no place", " and 3-frees-the-limit") if found.refused else ("", "")
    return NotDecided(
        f"The run did not reach the limit: {subject} accepted more creations than it allows{or_else}.",
        remedy=f"See 8-limit-enforced{also}.",
        exchanges=found.reads[:1],
    )


def _not_filled_again(found: LimitResult, deletion: Exchange, creation: Exchange) -> NotDecided:
    """Return why the limit, which was full, was not full again after a deletion and the creation that followed."""
    if found.is_enforced:
        why, shown = "a request was lost, or GET did not answer 404 after its deletion", found.reads[:1]
        see = "3-removed, 3-removed-in-parallel and 4.1-creates-in-parallel"
    elif not accepted(deletion):
        answer_of(deletion)  # raises what explains that there is none
        why, shown = f"{describe(deletion)} was answered {in_words(deletion)}", [deletion]
        see = "4.3-answers-ok"
    else:
        answer_of(creation)
        why, shown = f"after a deletion, {describe(creation)} was answered {in_words(creation)}", [deletion, creation]
        see = "3-frees-the-limit" if is_limit_refusal(creation) else "4.1-answers-200"
    return NotDecided(f"The run could not fill the limit again: {why}.", remedy=f"See {see}.", exchanges=shown)
