"""The sequences of a run: played once, read by several checks, each counter-example made as short as it gets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Final

from conformance.client.user import UserClient
from conformance.courses import course
from conformance.model.errors import NotDecided, NothingToAdd, RequirementViolated
from conformance.model.identity import USER
from conformance.rules.judge import judge
from conformance.rules.run_context import RunContext
from conformance.search.model import CounterExample
from conformance.search.play import Play
from conformance.search.smallest import Allowance, smallest
from conformance.search.step import Steps, shorter
from conformance.trials.limit import trial_so_far

WALKS: Final = 2
"""Sequences of a default run, the tour among them."""

SPARE: Final = 100
"""Exchanges that a run may spend on making a sequence shorter; ten times that in a thorough run."""


@dataclass
class Sequences:
    """What was found, and which demands were exercised on the way."""

    found: CounterExample | None = None
    undecided: NotDecided | None = None
    """Why the sequences were not all played."""
    exercised: set[str] = field(default_factory=set)
    first: int = 0
    """How many exchanges there were before."""


def sequences(service: UserClient) -> Sequences:
    """Play the sequences of this run, once."""

    def play() -> Sequences:
        result = Sequences(first=len(service.record))
        with service.session.aside("sequences"):
            try:
                _Search(service, result).run()
            except NotDecided as error:
                result.undecided = error
            service.session.clean_up()
        met = trial_so_far(service)
        if met is not None and not met.stayed_full:
            # Where requests make room by completing it is the walk's luck to meet the limit before they do.
            result.exercised.discard("8-limit-enforced")
        return result

    return service.once("sequences", play)


def demand(service: UserClient, requirement: str) -> None:
    """Raise RequirementViolated with the shortest sequence that violates a requirement."""
    result = sequences(service)
    example = result.found
    if example is not None and example.requirement == requirement:
        for exchange in service.record.in_order()[result.first :]:
            # One finding speaks for all the steps in which the same showed.
            exchange.facts.setdefault("told", []).append(requirement)
        raise RequirementViolated(
            f"{example.message} Steps of the shortest sequence that shows it: {len(example.taken)}.",
            expected=example.expected,
            actual=example.actual,
            exchanges=example.exchanges,
            steps=example.taken,
        )
    if requirement not in result.exercised:
        raise NothingToAdd("The sequences of this run gave no occasion for this.")


@course(0)
def hypothesis_at_hand(service: UserClient) -> Callable[[], object]:  # noqa: ARG001
    """Loads hypothesis, which takes a tenth of a second, while others wait for answers and only where it is needed."""
    return partial(import_module, "conformance.search.machine")


class _Search:
    def __init__(self, service: UserClient, result: Sequences) -> None:
        self.service = service
        self.result = result
        self.limit = service.limit()
        if self.limit <= 0:
            raise NothingToAdd(f"maxNumberOfRequests is {self.limit}: no request can be in progress.")
        exchanges = service.record.in_order()
        self.peaks: Counter[str] = Counter()
        self.freed: set[str] = set()
        met = trial_so_far(service)
        if met is not None and met.freed_a_place:
            self.peaks[USER.label] = min(len(met.held), met.limit)
            self.freed.add(USER.label)
        known = RunContext.of(exchanges)
        self.known_broken = {violation.requirement for exchange in exchanges for violation in judge(exchange, known)}
        """What any answer so far has shown to be broken needs no sequence to show it."""

    def run(self) -> None:
        # See hypothesis_at_hand.
        from conformance.search.machine import walk

        session = self.service.session
        thorough = session.target.budget.times
        walk(
            self.play,
            self._note,
            lambda: self.result.found is not None,
            seed=session.chance.getrandbits(64),
            count=WALKS * thorough,
        )
        if self.result.found is not None:
            self._shorten(self.result.found, Allowance(SPARE * thorough))

    def play(self) -> Play:
        """Return the beginning of another sequence, with nothing left of the one before."""
        self.service.session.clean_up()
        return Play(
            self.service,
            self.limit,
            alone=self.service.session.target.account_is_empty and self._counting_is_sound(),
            peaks=self.peaks,
            freed=self.freed,
            exercised=self.result.exercised,
        )

    def _counting_is_sound(self) -> bool:
        """Tell whether creations and deletions do what they should, and the limit was met at the number that is stated.

        Where one of them is broken, what is refused short of the limit says no more than that.
        """
        met = trial_so_far(self.service)
        broken = self.known_broken | self.service.session.broken
        upset = any(each.startswith(("3-", "4.1-", "4.3-")) for each in broken)
        return not upset and (met is None or met.refused is None or met.held_when_refused >= self.limit)

    def _note(self, example: CounterExample) -> None:
        if example.requirement not in self.known_broken:
            self.result.found = example

    def _shorten(self, example: CounterExample, allowance: Allowance) -> None:
        def prove(steps: Steps) -> CounterExample | None:
            return self._again(steps, example.requirement)

        def affordable(steps: Steps) -> bool:
            creations = sum(step.action == "create" for step in steps)
            return self._may_create(creations) and allowance.spend(len(steps) + creations)

        _, shortest = smallest(example.asked, example, shorter, prove, affordable)
        if shortest is example and affordable(example.asked) and prove(example.asked) is None:
            example.message += " It did not show again when the same was tried once more."
        self.result.found = shortest

    def _again(self, steps: Steps, requirement: str) -> CounterExample | None:
        play = self.play()
        for step in steps:
            if play.can(step) and (example := play.take(step)) is not None:
                self.service.session.clean_up()
                return example if example.requirement == requirement else None
        example = play.finish()
        return example if example is not None and example.requirement == requirement else None

    def _may_create(self, creations: int) -> bool:
        session = self.service.session
        return session.journal.spent + creations <= session.target.budget.max_created
