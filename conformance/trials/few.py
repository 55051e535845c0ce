"""Why a run saw so few identifiers: the target, what was given to the run, or what the run may spend (2.1)."""

from __future__ import annotations

from conformance.client.user import UserClient, accepted
from conformance.model.errors import NotDecided, in_words
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import USER
from conformance.model.text import count
from conformance.model.verdict import Blame
from conformance.randomness.sample import FEWEST, drawn_for
from conformance.trials.draws import Drawing, draws


def too_few(service: UserClient) -> NotDecided:
    """Return the finding on a run that saw too few identifiers, with its cause, and what to do about that."""
    seen = len(drawn_for(service.record.exchanges, USER.label))
    made = [each for each in service.record.in_order() if _is_of_user(each) and accepted(each)]
    # So many creations would have been enough, had each given an identifier.
    cause = _unusable(service, made) if seen < FEWEST <= len(made) else _cause(service, draws(service), made)
    if not made:
        return cause
    why = f"{cause.message[:1].upper()}{cause.message[1:]}"
    were = "was" if seen == 1 else "were"
    return NotDecided(
        f"Only {count(seen, 'identifier')} {were} seen; {FEWEST} are needed to judge whether they are random. {why}",
        blame=cause.blame,
        remedy=cause.remedy,
        exchanges=cause.exchanges,
    )


def _cause(service: UserClient, drawing: Drawing, made: list[Exchange]) -> NotDecided:
    if drawing.undecided is not None:
        return drawing.undecided
    if len(made) > 2 * len(drawn_for(made, USER.label)):
        return _unusable(service, made)
    last = drawing.rounds[-1] if drawing.rounds else None
    for creation in last.creations if last else ():
        try:
            service.created(creation)
        except NotDecided as error:
            return error
    kept = [each for each in last.deletions if not accepted(each)] if last else []
    if kept:
        status = kept[0].response.status if kept[0].response else None
        return NotDecided(
            f"No more could be made, for a deletion that was to make room was answered {in_words(kept[0])}.",
            blame=Blame.CREDENTIAL if status == 401 else Blame.TARGET,
            remedy="See 4.3-answers-ok.",
            exchanges=kept[:1],
        )
    budget = service.session.target.budget.max_created
    if service.session.journal.spent < budget and len(drawn_for(made, USER.label)) < len(made):
        return _unusable(service, made)
    return NotDecided(
        f"The run's budget of {count(budget, 'creation')} is spent.",
        blame=Blame.CONFIGURATION,
        remedy="Raise --max-created, and run again.",
    )


def _unusable(service: UserClient, made: list[Exchange]) -> NotDecided:
    """Return the finding on creations most of which gave no identifier that is one."""
    given = [each for each in made if service.created_if_possible(each) is not None]
    what = "gave no requestId" if len(given) * 2 < len(made) else "gave a requestId that is no UUID"
    drawn = {exchange.id for _, exchange in drawn_for(made, USER.label)}
    shown = [each for each in made if each.id not in drawn]
    return NotDecided(
        f"{len(shown)} of {len(made)} creations that were accepted {what}.",
        remedy="See 2.1-requestId.",
        exchanges=shown[:3],
    )


def _is_of_user(exchange: Exchange) -> bool:
    return exchange.operation is Operation.CREATE and exchange.request.credential == USER.label
