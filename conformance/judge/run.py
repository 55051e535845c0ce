"""What a check reads of a run. A check makes no call: scenarios do, and their results are its arguments."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from conformance.facts.answers import is_limit_refusal
from conformance.facts.ledger import Ledger
from conformance.facts.world import Facts
from conformance.judge.limit import NO_PLACES, Decision, Limit
from conformance.model.errors import NotDecided, answer_of
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import Created, created_by
from conformance.model.target import Target
from conformance.model.text import shorten
from conformance.model.verdict import Blame
from conformance.trace.trace import Exchanges, Trace


class Run:
    """A run and what its answers mean; no member of it makes a call. A scenario reads its run so far like this."""

    record: Exchanges
    target: Target
    """The target, with the options of the run."""
    facts: Facts
    """What all its exchanges show together, once it is over."""
    users: Collection[str]
    """The labels of the users whose tokens the run has."""
    ever_listed: frozenset[str] | None = None
    """Every identifier of a data type that the service listed during the run; None if it listed none."""
    clock_was_set = 0.0
    """The seconds by which the wall clock of this machine was set during the run; negative if it was set back."""

    def rests_on(self, exchanges: Iterable[Exchange]) -> None:
        """Note the exchanges that decide a check: they are evidence of the verdict."""

    def decide(self, decision: Decision, *results: object) -> None:
        """Raise what the exchanges say of a statement, unless one of them decided it.

        `results` are those of the scenarios that test it. The NotDecided that ended one says more than that nothing
        decided the statement, but no more than a circumstance of the service.
        """
        if isinstance(decision, Exchange):
            self.rests_on([decision])
            return
        if isinstance(decision, NotDecided) and decision.circumstance != NO_PLACES:
            ended = [each for each in results if isinstance(each, NotDecided)]
            ended = [each for each in ended if not (each.circumstance and decision.circumstance)]
            decision = min(ended, key=lambda each: each.circumstance != "", default=decision)
        raise decision

    def ledger_so_far(self) -> Ledger:
        """Return which requests exist, as the exchanges of the run so far show it."""
        over = (each for each in self.record.in_order() if each.response is not None or each.error is not None)
        return Ledger.of(over, empty=self.target.account_is_empty)

    def limit_so_far(self) -> Limit:
        """Return what they show of the limit."""
        return Limit(self.ledger_so_far(), self.target.perhaps_not_empty)

    def creations(self) -> list[Exchange]:
        """Return every POST of the run with a 200."""
        return self.record.answered(Operation.CREATE, 200)

    def created(self, exchange: Exchange) -> Created:
        """Return the request that a POST created; raise NotDecided with the reason if it created none."""
        answer_of(exchange)
        if (created := created_by(exchange)) is None:
            raise self.why_not_created(exchange)
        return created

    def why_not_created(self, exchange: Exchange) -> NotDecided:
        """Return the reason why a POST created no request."""
        answer = answer_of(exchange)
        if is_limit_refusal(exchange.response):
            doubt = self.limit_so_far().doubt_at(exchange)
            message, blame, remedy = doubt.message, doubt.blame, doubt.remedy
            message = f"The service refused a creation because the limit is reached: {message}"
        else:
            body = shorten(answer.text, 80) or "an empty body"
            message = f"This check needs a data request, but creating one answered {answer.status} with {body}."
            blame, remedy = Blame.TARGET, ""
            if answer.status == 401:
                blame = Blame.CREDENTIAL
                remedy = "If the token has expired, use one that outlives the run, and run again."
        return NotDecided(message, blame=blame, remedy=remedy, exchanges=[exchange])


class TracedRun(Run):
    """A run that is over, as its trace has it."""

    def __init__(self, trace: Trace) -> None:
        conditions, self.trace = trace.conditions, trace
        self.record = trace
        self.facts = trace.facts
        self.target = trace.target
        self.users = conditions.users
        self.ever_listed = None if conditions.ever_listed is None else frozenset(conditions.ever_listed)
        self.clock_was_set = conditions.clock_was_set

    def rests_on(self, exchanges: Iterable[Exchange]) -> None:
        """Note the exchanges that decide a check: they are evidence of the verdict."""
        self.trace.consulted.extend(exchanges)

    def ledger_so_far(self) -> Ledger:
        """Return which requests exist, as the exchanges of the run show it."""
        return self.facts.ledger
