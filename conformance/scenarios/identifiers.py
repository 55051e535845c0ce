"""The sampling scenario: requests that are made for their identifiers, as many at a time as there is room (2.1, 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, cycle, islice
from typing import Any, Final

from conformance.client import encodings as writing
from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.identifiers.sample import FEWEST, enough, observed_ids
from conformance.model.errors import NotDecided, in_words
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import USER, USER_BROWSING, Identity
from conformance.model.text import count
from conformance.model.verdict import Blame
from conformance.scenarios.limit import places
from conformance.scenarios.registry import scenario


@dataclass
class Round:
    """Creations that were asked for side by side, and the deletions of what they made."""

    creations: list[Exchange]
    deletions: list[Exchange] = field(default_factory=list)
    alone: bool = False
    """Whether the run held nothing else meanwhile."""

    @property
    def refused(self) -> list[Exchange]:
        """The creations that were refused because of the limit."""
        return [each for each in self.creations if is_limit_refusal(each)]


@dataclass
class Sampling:
    """All that was made for the identifiers."""

    rounds: list[Round] = field(default_factory=list)
    undecided: NotDecided | None = None
    """Why no more were made, where that is not shown by the last round."""


@scenario(calls=300)
def sampling(service: UserClient) -> Sampling:
    """Creates and deletes requests until there are enough identifiers or the target gives no more."""
    found = Sampling()
    try:
        _sample(service, found.rounds)
    except NotDecided as error:  # what was drawn before a budget ended may be enough
        found.undecided = error
    return found


_WAYS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"written": writing.on_lines},
    {"caller": USER_BROWSING},
    {"written": writing.apart},
    {"written": writing.tight},
)
"""As clients write it, and whether or not they ask for JSON."""


def _in_turn(service: UserClient) -> Iterator[str]:
    """Yield the languages of the target and none, over and over: what is made and confirmed is the same in all.

    None follows twice where they are so many that each would always come with the same way to write.
    """
    languages = [*service.tags(), ""]
    return cycle([*languages, ""] if len(languages) % len(_WAYS) == 0 else languages)


def _in(languages: Iterator[str], caller: Identity) -> Identity:
    return replace(caller, language=next(languages))


def _sample(service: UserClient, rounds: list[Round]) -> None:
    types = service.first_types(1)
    budget, journal = service.session.target.budget, service.session.journal
    missing = enough(budget) - len(observed_ids(service.record.exchanges, USER.label))
    missing = min(missing, budget.max_created - journal.spent)
    width = min(budget.concurrency, places(service))
    # Twice everything to begin with: what is held already is not to be handed out again.
    ways: Iterator[dict[str, Any]] = chain([{"types": None}] * 2, cycle(_WAYS))
    creators, removers = _in_turn(service), _in_turn(service)
    while missing > 0 and width > 0:
        at_once = min(missing, width)
        creating = [
            partial(service.post, **{"types": types} | how | {"caller": _in(creators, how.get("caller", USER))})
            for how in islice(ways, at_once)
        ]
        before, held = journal.named, len(journal.live.keys() - service.session.kept) + journal.pending
        this = Round(service.session.parallel(creating))
        rounds.append(this)
        created = [service.created_if_possible(each) for each in this.creations]
        # Which of the creations got which identifier is chance; in their own order they are asked for the same way.
        ids = sorted(each.request_id for each in created if each is not None)
        this.alone = not held and journal.named == before + len(ids)
        this.deletions = service.session.parallel(
            [
                partial(service.delete, each, _in(removers, USER if place else USER_BROWSING))
                for place, each in enumerate(ids)
            ]
        )
        missing -= len(ids)
        # Where places are lost, fewer may still be held at a time.
        width = min(sum(map(accepted, this.deletions)), len(ids))


def too_few(service: UserClient, sampling: Sampling) -> NotDecided:
    """Return the finding on a run that saw too few identifiers, with its cause, and what to do about that."""
    seen = len(observed_ids(service.record.exchanges, USER.label))
    made = [each for each in service.record.in_order() if _is_of_user(each) and accepted(each)]
    # So many creations would have been enough, had each given an identifier.
    cause = _unusable(service, made) if seen < FEWEST <= len(made) else _cause(service, sampling, made)
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


def _cause(service: UserClient, found: Sampling, made: list[Exchange]) -> NotDecided:
    if found.undecided is not None:
        return found.undecided
    if len(made) > 2 * len(observed_ids(made, USER.label)):
        return _unusable(service, made)
    last = found.rounds[-1] if found.rounds else None
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
    if service.session.journal.spent < budget and len(observed_ids(made, USER.label)) < len(made):
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
    drawn = {exchange.id for _, exchange in observed_ids(made, USER.label)}
    shown = [each for each in made if each.id not in drawn]
    return NotDecided(
        f"{len(shown)} of {len(made)} creations that were accepted {what}.",
        remedy="See 2.1-requestId.",
        exchanges=shown[:3],
    )


def _is_of_user(exchange: Exchange) -> bool:
    return exchange.operation is Operation.CREATE and exchange.request.credential == USER.label
