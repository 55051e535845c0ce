"""Requests that a run makes for their identifiers: as many at a time as there is room for (2.1, 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, cycle, islice
from typing import Any, Final

from conformance.client import encodings as writing
from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange
from conformance.model.identity import USER, USER_BROWSING, Identity
from conformance.randomness.sample import drawn_for, enough
from conformance.trials.limit import places


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
class Drawing:
    """All that was made for the identifiers."""

    rounds: list[Round] = field(default_factory=list)
    undecided: NotDecided | None = None
    """Why no more were made, where that is not shown by the last round."""


def draws(service: UserClient) -> Drawing:
    """Create and delete requests, once in a run, until there are enough or the target gives no more."""

    def drawn() -> Drawing:
        drawing = Drawing()
        try:
            _draw(service, drawing.rounds)
        except NotDecided as error:  # what was drawn before a budget ended may be enough
            drawing.undecided = error
        return drawing

    return service.once("draws", drawn)


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


def _draw(service: UserClient, rounds: list[Round]) -> None:
    types = service.first_types(1)
    budget, journal = service.session.target.budget, service.session.journal
    missing = enough(budget) - len(drawn_for(service.record.exchanges, USER.label))
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
        this = Round(service.session.side_by_side(creating))
        rounds.append(this)
        created = [service.created_if_possible(each) for each in this.creations]
        # Which of the creations got which identifier is chance; in their own order they are asked for the same way.
        ids = sorted(each.request_id for each in created if each is not None)
        this.alone = not held and journal.named == before + len(ids)
        this.deletions = service.session.side_by_side(
            [
                partial(service.delete, each, _in(removers, USER if place else USER_BROWSING))
                for place, each in enumerate(ids)
            ]
        )
        missing -= len(ids)
        # Where places are lost, fewer may still be held at a time.
        width = min(sum(map(accepted, this.deletions)), len(ids))
