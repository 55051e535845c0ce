"""The state machine that hypothesis walks: which step comes next, given what was drawn and what there is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal, cast

from hypothesis import seed as seeded
from hypothesis import strategies
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from conformance.model.identity import OTHER_USER, USER, Identity
from conformance.search.hypotheses import by_the_seed_alone, home, quiet
from conformance.search.model import CounterExample
from conformance.search.play import Play
from conformance.search.step import NOBODYS, TOUR, Step, Steps, swapped

STEPS: Final = 4
"""Steps of a walk, before what is left is deleted."""

_LAST: Final = max(step.request for steps in TOUR for step in steps)

Turn = Literal[
    "tour", "create one", "create two", "create all", "read", "delete", "read gone", "delete gone", "foreign", "unknown"
]
_TURNS: Final[tuple[Turn, ...]] = (
    "tour",
    "create one",
    "create two",
    "create all",
    "read",
    "read",
    "delete",
    "delete",
    "read gone",
    "delete gone",
    "foreign",
    "unknown",
)


@dataclass
class _Shared:
    """What the sequences of one search share."""

    new_play: Callable[[], Play]
    found: Callable[[CounterExample], None]
    over: Callable[[], bool]
    raised: list[Exception] = field(default_factory=list)

    def quietly(self, act: Callable[..., None], *values: object) -> None:
        """Raise nothing while hypothesis looks on: it would play the same again, to see whether it comes again."""
        if self.over() or self.raised:
            return
        try:
            act(*values)
        except Exception as error:  # raised again in the end, whatever it is
            self.raised.append(error)


class _Walk(RuleBasedStateMachine):
    """One rule only: of several, hypothesis leaves some out of a whole example, and there are few examples.

    Made once: hypothesis keeps every class of this kind for ever, and with it all that the class refers to.
    """

    def __init__(self, search: _Shared) -> None:
        super().__init__()
        self.search = search
        self.play: Play | None = None
        self.turns = 0
        self.tour = iter(TOUR)
        search.quietly(self._begin)

    def _begin(self) -> None:
        self.play = self.search.new_play()
        # The limit of the first user is met on the way in other trials; the second one may have none.
        if OTHER_USER.label in self.play.service.session.credentials:
            self.tour = iter(map(swapped, TOUR))

    @rule(
        turn=strategies.sampled_from(_TURNS),
        who=strategies.sampled_from((USER, USER, OTHER_USER)),
        pick=strategies.integers(0, 7),
    )
    def step(self, turn: Turn, who: Identity, pick: int) -> None:
        self.turns += 1
        if self.turns <= STEPS or turn == "tour":
            self.search.quietly(self._take, turn, who, pick)

    def _take(self, turn: Turn, who: Identity, pick: int) -> None:
        assert self.play is not None
        if turn == "tour" and len(self.play.asked) == 1 and not self.play.requests:
            self.tour = iter(TOUR)  # the second user can create nothing
        steps = next(self.tour, ()) if turn == "tour" else _steps(self.play, turn, who, pick)
        possible = [step for step in steps if self.play.can(step)]
        if possible and (example := self.play.take(*possible)) is not None:
            self.search.found(example)

    def teardown(self) -> None:
        self.search.quietly(self._end)

    def _end(self) -> None:
        assert self.play is not None
        if (example := self.play.finish()) is not None:
            self.search.found(example)


def walk(
    new_play: Callable[[], Play],
    found: Callable[[CounterExample], None],
    over: Callable[[], bool],
    *,
    seed: int,
    count: int,
) -> None:
    """Play `count` sequences, the tour first, until `over` says that it is enough; `found` is told of what is found.

    Raises what a play raised.
    """
    search = _Shared(new_play, found, over)

    @seeded(seed)
    def machine() -> _Walk:
        return _Walk(search)

    with home(), by_the_seed_alone():
        # Hypothesis takes whatever returns a machine, but says so in its manual only.
        run_state_machine_as_test(cast("type[_Walk]", machine), settings=quiet(examples=count, steps=len(TOUR)))
    if search.raised:
        raise search.raised[0]


def _steps(play: Play, turn: Turn, who: Identity, pick: int) -> Steps:
    """Return the step that a turn comes to, if any: a creation where there is nothing yet of what it needs."""
    here = [number for number, held in play.requests.items() if not held.deleted]
    own = [number for number in here if play.requests[number].created.owner == who]
    gone = [number for number, held in play.requests.items() if held.deleted]
    pool = {"read": own, "delete": own, "read gone": gone, "delete gone": gone, "foreign": here}.get(turn, [])
    if turn == "unknown":
        return (Step("delete", NOBODYS, who=who),)
    if pool:
        number = pool[pick % len(pool)]
        owner = play.requests[number].created.owner
        if turn == "foreign":
            return (Step("read", number, who=OTHER_USER if owner == USER else USER),)
        return (Step("delete" if turn.startswith("delete") else "read", number, who=owner),)
    if who.label in play.refused:
        return ()
    kind: Literal["one", "two", "all"] = "two" if turn == "create two" else "all" if turn == "create all" else "one"
    return (Step("create", max(play.requests, default=_LAST) + 1, kind, who),)
