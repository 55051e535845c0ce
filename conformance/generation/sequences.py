"""The sequence scenarios: the tour, which is the same in each run, and the sequences that hypothesis generates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Final, cast

from conformance.client.public import PublicClient
from conformance.client.user import UserClient
from conformance.facts.ledger import Ledger
from conformance.generation.model import Contradiction, Known, Model, SequenceEnded
from conformance.generation.tour import TOUR
from conformance.generation.walk import Step, Walk, numbers_of, selected
from conformance.model.errors import NotDecided, NothingToAdd
from conformance.model.exchange import Exchange
from conformance.model.identity import OTHER_USER, USER
from conformance.rules.judge import judge, violated
from conformance.rules.requests import loss
from conformance.rules.run_context import RunContext
from conformance.scenarios.registry import scenario
from conformance.schema.violations import Violation
from conformance.trace.codec import OF_THE_CALLS

STEPS: Final = 20
"""Steps of a generated sequence."""

EXAMPLES: Final = 2
"""Sequences that hypothesis generates in a default run."""

THOROUGH: Final = 50
"""The same of a thorough run."""

SPARE: Final = 250
"""Exchanges that a run may use to shrink a sequence; a thorough run ten times as many."""

SHRINKING: Final = 30.0
"""Seconds that a run may use for it."""


@dataclass
class Sequences:
    """The findings, and the requirements that the sequences tested."""

    known: Known
    broken: set[str]
    """Requirements that single answers before violate: they need no sequence."""
    shown: list[tuple[str, Exchange]] = field(default_factory=list)
    """The steps of the shortest sequence that contradicts the model, in words, each with its exchange."""
    requirement: str = ""
    """What it seems to violate; the check judges it."""
    decisive: list[Exchange] = field(default_factory=list)
    """The exchanges that show the contradiction."""
    found: Contradiction | None = field(default=None, metadata=OF_THE_CALLS)
    undecided: NotDecided | None = None
    """Why the sequences ended early."""
    steps: list[Step] = field(default_factory=list, metadata=OF_THE_CALLS)
    """The steps that ended in the contradiction when it first showed."""
    repetitions: int = 0
    """Number of sequences since then, which repeat some of these steps."""
    shown_again: bool = False
    """Whether one of them ended in the same contradiction."""


@scenario(calls=40)
def tour(service: UserClient) -> Sequences:
    """Sends the calls of the tour, which are the same in each run."""
    known, exchanges = Known(service.limit()), service.record.in_order()
    result = Sequences(known, violated(exchanges))
    if known.limit <= 0:
        result.undecided = NothingToAdd(f"maxNumberOfRequests is {known.limit}: no request can be in progress.")
    return _searched(service, result, "tour", Search.tour)


@scenario(calls=60)
def sequences(service: UserClient) -> Sequences:
    """Sends the sequences that hypothesis generates; the result is that of the tour and of them."""
    return _searched(service, tour.result(service), "sequences", Search.generate)


@scenario(calls=0, background=True)
def hypothesis_at_hand(public: PublicClient) -> None:  # noqa: ARG001 - a scenario has a client
    """Imports hypothesis while other calls wait for their answers."""
    import_module("conformance.generation.machine")


def _searched(service: UserClient, result: Sequences, name: str, search: Callable[[Search], None]) -> Sequences:
    """Return `result` with what a search found; its calls are attributed to `name`."""
    if result.undecided is None:
        with service.session.attributed_to(name):
            try:
                search(Search(service, result))
            except NotDecided as error:
                result.undecided = error
            service.session.clean_up()
    return result


def assert_not_violated(result: Sequences, requirement: str, exchanges: list[Exchange]) -> None:
    """Raise RequirementViolated if the shortest sequence violates it, NothingToAdd if none tested it.

    `exchanges` are those of the run, in their order.
    """
    for violation in _violations_of(result.decisive, exchanges) if requirement == result.requirement else ():
        if violation.requirement == requirement:
            message = violation.message.removesuffix(".")
            message += f". Steps of the shortest sequence that shows it: {len(result.shown)}."
            message += _NOT_AGAIN if result.repetitions and not result.shown_again else ""
            raise replace(violation, message=message).shown_by(result.decisive, result.shown)
    if requirement not in result.known.tested:
        raise NothingToAdd("No sequence of this run tested this.")


def _violations_of(decisive: list[Exchange], exchanges: list[Exchange]) -> Iterator[Violation]:
    """Yield what the exchanges that contradict the model violate: each by itself, and by a request that is lost."""
    known = RunContext.of(exchanges)
    for each in decisive:
        yield from judge(each, known).violations
    for life in known.ledger.lives.values():
        if (missing := life.lost) is not None and missing in decisive:
            violation = loss(life, missing)
            yield violation
            first = min(each.number for each in life.missing)
            before = Ledger.of(each for each in exchanges if each.number < first)
            then = before.life(life.request_id)
            # Either a deletion removed the request, or a creation beyond the limit replaced it.
            if then is not None and before.deleted_since(then) and not before.exceeded_since(then):
                message = f"Deleting one request removed another. {violation.message}"
                yield replace(violation, requirement="3-deletes-no-other", message=message)


_NOT_AGAIN: Final = " It did not show again when the run repeated the steps, or they could not be repeated."


class Search:
    """The sequences of a run, until the first contradiction; then shorter ones that show the same."""

    def __init__(self, service: UserClient, result: Sequences) -> None:
        self.service = service
        self.result = result
        self.error: Exception | None = None
        """The reason for the end of hypothesis' search, if not a contradiction."""
        self._walk: Walk | None = None
        """The present sequence of hypothesis."""
        self._left = 0
        """Steps that remain for the sequences of hypothesis."""

    def tour(self) -> None:
        """Play the tour."""
        self._play(TOUR)

    def generate(self) -> None:
        """Generate sequences; raise the error that ended them, if any."""
        seed = self.service.session.chance.getrandbits(64)
        if self.service.session.without == "hypothesis":
            return
        hypothesis_at_hand.result(self.service)
        if self.result.found is None:
            self._run_machine(seed)
        if self.error is not None:
            raise self.error
        if self.result.found is not None:
            self._shorten(self.result.steps, seed)

    def new_walk(self) -> Walk:
        """Return a walk without any step."""
        # The limit scenario uses the first user; the second user may have another limit.
        users = [USER] if OTHER_USER.label not in self.service.session.credentials else [OTHER_USER, USER]
        model = Model(self.service, self.result.known, users)
        return Walk(model, self._is_found)

    def begin(self, walk: Walk) -> None:
        """Begin a sequence of hypothesis; raise SequenceEnded if no steps are left for another one."""
        self._left -= len(self._walk.steps) if self._walk is not None else 0
        if 2 * self._left < STEPS:
            raise SequenceEnded
        self._walk = walk
        walk.model.begin()

    def _run_machine(self, seed: int) -> None:
        """Let hypothesis generate sequences until a contradiction."""
        from hypothesis import seed as seeded
        from hypothesis.errors import HypothesisException
        from hypothesis.stateful import run_state_machine_as_test

        from conformance.generation.hypothesis_runs import isolated, quiet
        from conformance.generation.machine import Requests

        examples = THOROUGH if self.service.session.target.budget.thorough else EXAMPLES
        self._left = examples * STEPS

        @seeded(seed)
        def machine() -> Requests:
            return Requests(self)

        # Hypothesis tries short sequences as well: the number of steps limits all of them.
        how = quiet(2 * examples, steps=STEPS)
        with isolated(), suppress(SequenceEnded, HypothesisException):
            # Hypothesis accepts any function that returns a machine, but declares a class.
            run_state_machine_as_test(cast("type[Requests]", machine), settings=how)
        if self.result.found is not None and self._walk is not None:
            self.result.steps = self._walk.steps

    def _shorten(self, steps: list[Step], seed: int) -> None:
        """Let hypothesis leave out steps of the sequence that ended in the contradiction, and play what is left."""
        from conformance.generation.hypothesis_runs import shrink

        session = self.service.session
        last, numbers = len(steps) - 1, numbers_of(steps)
        exchanges = len(self.service.record) + SPARE * session.target.budget.times
        moment = session.clock.seconds() + SHRINKING

        def fails(kept: tuple[int, ...]) -> Contradiction | None:
            if len(self.service.record) + len(kept) > exchanges or session.clock.seconds() > moment:
                raise SequenceEnded
            creations = sum(steps[index].does == "creates" for index in kept)
            if session.journal.spent + creations > session.target.budget.max_created:
                raise SequenceEnded
            return self._play(selected(steps, (*kept, last)))

        shrink(range(last), fails, seed=seed, groups=lambda index: (steps[index].does, numbers[index]))

    def _play(self, steps: Iterable[Step]) -> Contradiction | None:
        """Play a sequence; return the contradiction that ended it, if one did."""
        walk = self.new_walk()
        walk.model.begin()
        self.result.repetitions += self.result.found is not None
        try:
            for step in steps:
                walk.play(step)
        except Contradiction as contradiction:
            self.result.steps = self.result.steps or walk.steps
            return contradiction
        return None

    def _is_found(self, contradiction: Contradiction) -> bool:
        """Keep the shortest sequence of the first violated requirement; tell whether it is a finding."""
        best, requirement = self.result.found, contradiction.violation.requirement
        if requirement in self.result.broken or (best is not None and requirement != best.violation.requirement):
            return False
        self.result.shown_again |= best is not None
        if best is None or len(contradiction.taken) < len(best.taken):
            self.result.found = contradiction
            self.result.requirement = requirement
            self.result.shown, self.result.decisive = contradiction.taken, [*contradiction.exchanges]
        return True
