"""The sequence scenario: runs the state machine once and keeps the shortest contradiction for the checks."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Final, cast

from conformance.client.public import PublicClient
from conformance.client.user import UserClient
from conformance.generation.model import Contradiction, Known, KnownRequest, Model, SequenceEnded
from conformance.model.confirmations import if_empty
from conformance.model.errors import NotDecided, NothingToAdd
from conformance.model.exchange import Operation
from conformance.model.identity import OTHER_USER, USER
from conformance.rules.judge import judge
from conformance.rules.run_context import RunContext
from conformance.scenarios.limit import limit
from conformance.scenarios.limit_findings import unconfirmed
from conformance.scenarios.registry import scenario

EXAMPLES: Final = 1
"""Sequences of a default run; a thorough run has ten times as many."""

SPARE: Final = 250
"""Exchanges that a run may use to shrink a sequence; a thorough run ten times as many."""


@dataclass
class Sequences:
    """The findings, and the requirements that the sequences tested."""

    found: Contradiction | None = None
    undecided: NotDecided | None = None
    """Why the sequences ended early."""
    tested: set[str] = field(default_factory=set)
    doubts: dict[str, NotDecided] = field(default_factory=dict)
    """By requirement: a contradiction that would be a violation if nothing else counts against the limit."""
    first: int = 0
    """Number of exchanges before."""


@scenario(calls=120)
def sequences(service: UserClient) -> Sequences:
    """Sends the sequences of the state machine."""
    result = Sequences(first=len(service.record))
    with service.session.attributed_to("sequences"):
        try:
            Search(service, result).run()
        except NotDecided as error:
            result.undecided = error
    met = limit.so_far(service)
    if met is not None and not met.stayed_full:
        # If requests complete and so make room, a sequence reaches the limit only by chance.
        result.tested.discard("8-limit-enforced")
    return result


def assert_not_violated(service: UserClient, result: Sequences, requirement: str) -> None:
    """Raise RequirementViolated with the shortest sequence that violates it, NothingToAdd if none tested it."""
    found = result.found
    if found is not None and found.violation.requirement == requirement:
        for exchange in service.record.in_order()[result.first :]:
            # One finding covers all steps that show the same violation.
            exchange.told.append(requirement)
        message = f"{found.violation.message} Steps of the shortest sequence that shows it: {len(found.taken)}."
        message = if_empty(message) if found.if_empty else message
        raise replace(found.violation, message=message).shown_by(found.exchanges, found.taken)
    if requirement in result.doubts:
        raise result.doubts[requirement]
    if requirement not in result.tested:
        raise NothingToAdd("No sequence of this run tested this.")


@scenario(calls=0, background=True)
def hypothesis_at_hand(public: PublicClient) -> object:  # noqa: ARG001
    """Imports hypothesis while other calls wait for their answers."""
    return import_module("conformance.generation.machine")


@dataclass(frozen=True)
class SequenceStep:
    """One step of a sequence: the rule, its argument, and the number of its request."""

    rule: str
    choice: Any
    number: int


class Search:
    """The sequences of a run: hypothesis runs them until the first contradiction, then shrinks that sequence."""

    def __init__(self, service: UserClient, result: Sequences) -> None:
        self.service = service
        self.result = result
        self.known = Known(service.limit(), tested=result.tested)
        if self.known.limit <= 0:
            raise NothingToAdd(f"maxNumberOfRequests is {self.known.limit}: no request can be in progress.")
        met = limit.so_far(service)
        if met is not None and met.freed_a_place:
            self.known.peaks[USER.label] = min(len(met.held), met.limit)
            self.known.freed.add(USER.label)
        exchanges = service.record.in_order()
        knowledge = RunContext.of(exchanges)
        self.known_broken = {violation.requirement for each in exchanges for violation in judge(each, knowledge)}
        """Requirements that single answers violate need no sequence."""
        self.shrinking_until = 0
        """Number of exchanges at which shrinking ends."""
        self.steps: list[SequenceStep] = []
        """The steps of the last sequence."""
        self.error: Exception | None = None
        """The reason for the end of the search, if not a contradiction."""

    def run(self) -> None:
        """Run the sequences; raise the error that ended them, if any."""
        hypothesis_at_hand.result(self.service)
        from hypothesis import seed as seeded
        from hypothesis.stateful import run_state_machine_as_test

        from conformance.generation.hypothesis_runs import homeless, quiet
        from conformance.generation.machine import STEPS, Requests

        session = self.service.session
        seed, examples = session.chance.getrandbits(64), EXAMPLES * session.target.budget.times

        @seeded(seed)
        def machine() -> Requests:
            return Requests(self)

        with homeless(), suppress(SequenceEnded):
            # Hypothesis accepts any function that returns a machine, but declares a class.
            run_state_machine_as_test(cast("type[Requests]", machine), settings=quiet(examples, steps=STEPS))
        if self.error is not None:
            raise self.error
        if self.result.found is not None and not self._shrink(seed):
            found = self.result.found
            again = "It did not show again when the run repeated the steps, or they could not be repeated."
            found.violation = replace(found.violation, message=f"{found.violation.message} {again}")

    def _shrink(self, seed: int) -> bool:
        """Shrink the sequence that ended in a contradiction; tell whether the contradiction showed again.

        Hypothesis' first example takes the first choice each time, so to hypothesis no sequence of the machine is
        simpler. Here it shrinks the selection of steps: it drops all steps of a rule or about a request, then single
        steps.
        """
        from conformance.generation.hypothesis_runs import shrink

        *steps, last = self.steps
        tried = False

        def fails(kept: tuple[int, ...]) -> Contradiction | None:
            nonlocal tried
            contradiction = self._replay([*(steps[index] for index in kept), last])
            tried = True
            return contradiction

        return shrink(steps, fails, seed=seed, groups=lambda step: (step.rule, step.number)) is not None or not tried

    def _replay(self, sequence: list[SequenceStep]) -> Contradiction | None:
        """Repeat a sequence without impossible steps; return the contradiction at its end."""
        from conformance.generation.machine import Requests

        machine = Requests(self)
        requests: dict[int, KnownRequest] = {}
        try:
            for step in sequence:
                choice = machine.model.live if step.rule == "delete_rest" else step.choice
                if isinstance(choice, KnownRequest):
                    choice = requests.get(step.number)
                if choice is None or not machine.model.is_possible(step.rule, choice):
                    continue
                getattr(machine, step.rule)(choice)
                if len(machine.model.requests) > len(requests):
                    requests[step.number] = machine.model.requests[-1]
                for each in machine.invariants:
                    each.function(machine)
        except Contradiction as contradiction:
            return contradiction
        return None

    def note_step(self, rule: str, choice: object, next_number: int) -> None:
        """Add a step to the present sequence; it is about the next request if `choice` is not one."""
        self.steps.append(
            SequenceStep(rule, choice, choice.number if isinstance(choice, KnownRequest) else next_number)
        )

    def begin(self) -> Model:
        """Begin another sequence."""
        self.steps = []
        session = self.service.session
        session.clean_up()
        budget = session.target.budget
        if self.result.found is not None:
            taken = [exchange.operation for _, exchange in self.result.found.taken]
            created = session.journal.spent + taken.count(Operation.CREATE)
            if len(self.service.record) + len(taken) > self.shrinking_until or created > budget.max_created:
                raise SequenceEnded
        # The limit scenario uses the first user; the second user may have another limit.
        users = [USER] if OTHER_USER.label not in session.credentials else [OTHER_USER, USER]
        return Model(self.service, self.known, users, counting_is_sound=self._counting_is_sound())

    def found(self, contradiction: Contradiction) -> bool:
        """Keep the shortest sequence of the first violated requirement; tell whether it is a finding."""
        best, requirement = self.result.found, contradiction.violation.requirement
        if requirement in self.known_broken or (best is not None and requirement != best.violation.requirement):
            return False
        if contradiction.if_empty and not self.service.session.target.account_is_empty:
            doubt = unconfirmed(contradiction.violation.message, *contradiction.exchanges)
            self.result.doubts.setdefault(requirement, doubt)
            return False
        if best is None:
            self.shrinking_until = len(self.service.record) + SPARE * self.service.session.target.budget.times
        if best is None or len(contradiction.taken) < len(best.taken):
            self.result.found = contradiction
        return True

    def _counting_is_sound(self) -> bool:
        """Tell whether a refusal below the limit shows wrong counting.

        It does not if creation or deletion violate requirements, or if the limit scenario met an early refusal.
        """
        met = limit.so_far(self.service)
        broken = self.known_broken | self.service.session.broken
        upset = any(each.startswith(("3-", "4.1-", "4.3-")) for each in broken)
        return not upset and (met is None or met.refused is None or met.held_when_refused >= self.known.limit)
