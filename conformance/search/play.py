"""Plays a sequence of steps against the target, beside a model that predicts from the specification alone.

The model knows what creation returned, what was deleted, and the limit. That a request completes, at any moment, is
open; so is what a user sees of another's request. A prediction that fails is a counter-example.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from conformance.client.expect import shorten
from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange, state_of
from conformance.model.identity import OTHER_USER, USER, Identity
from conformance.model.text import count
from conformance.rules.consistency import disagreements
from conformance.search.model import CounterExample, Held
from conformance.search.step import NOBODYS, Step
from conformance.trials.ghosts import some_are_back
from conformance.trials.limit import still_holds


@dataclass
class Play:
    """One sequence under way. Raises NotDecided where the target gives no answer, or the budget ends."""

    service: UserClient
    limit: int
    alone: bool
    """Whether nobody but this run makes requests for these users, and nothing is known to upset what counts."""
    peaks: Counter[str]
    """How many requests each user was seen to hold at once, in all sequences of the run."""
    freed: set[str]
    """Users who deleted a request, in any sequence of the run."""
    requests: dict[int, Held] = field(default_factory=dict)
    asked: list[Step] = field(default_factory=list)
    taken: list[tuple[str, Exchange]] = field(default_factory=list)
    exercised: set[str] = field(default_factory=set)
    deletions: list[int] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    """Users whose last creation was refused, and who deleted nothing since."""

    def can(self, step: Step) -> bool:
        """Tell whether there is what the step needs: its user, its request, and something to learn."""
        session = self.service.session
        if step.who.label not in session.credentials:
            return False
        held = self.requests.get(step.request)
        if step.action == "create":
            return held is None
        if held is None:
            return step.request == NOBODYS
        if held.deleted and held.created.request_id not in session.journal.gone:
            return False  # the target answered 404 to its deletion, or something else: nothing is known of it
        return held.created.owner == step.who or (step.action == "read" and not held.deleted)

    def take(self, *steps: Step) -> CounterExample | None:
        """Take a step, or side by side several that change nothing; return what is first shown to be broken."""
        self.asked += steps
        if steps[0].action == "create":
            return self._create(steps[0])
        answers = self.service.session.side_by_side([partial(self._ask, step) for step in steps])
        seen = (self._see(step, exchange) for step, exchange in zip(steps, answers, strict=True))
        return next(filter(None, seen), None)

    def _ask(self, step: Step) -> Exchange:
        ask = self.service.read if step.action == "read" else self.service.delete
        if step.request == NOBODYS:
            return ask(self.service.some_uuid(), step.who)
        held = self.requests[step.request]
        if held.deleted:
            return ask(held.created.request_id, step.who, request="deleted")
        foreign = {} if step.who == held.created.owner else {"request": "foreign", "open": True}
        return ask(held.created.request_id, step.who, **foreign)

    def _see(self, step: Step, exchange: Exchange) -> CounterExample | None:
        held = self.requests.get(step.request)
        if held is None or step.who != held.created.owner:
            self._note(step, exchange)
            return None
        if exchange.facts["request"] == "deleted":
            return self._gone(step, exchange)
        return self._read(step, held, exchange) if step.action == "read" else self._deleted(step, held, exchange)

    @property
    def certain(self) -> bool:
        """Whether what this run knows to exist is all that can count against the limit."""
        journal = self.service.session.journal
        return self.alone and not journal.unnamed and not journal.lost

    def finish(self) -> CounterExample | None:
        """Delete what is left, side by side, each of which has to be there."""
        left = [
            (Step("delete", n, who=held.created.owner), held) for n, held in self.requests.items() if not held.deleted
        ]
        deletions = [partial(self.service.delete, held.created.request_id, step.who) for step, held in left]
        answers = zip(left, self.service.session.side_by_side(deletions), strict=True)
        # Whoever was not there any more may have been removed by any of the others.
        found = []
        for (step, held), exchange in sorted(answers, key=lambda each: not accepted(each[1])):
            self.asked.append(step)
            found.append(self._deleted(step, held, exchange))
        return next(filter(None, found), None)

    # ------------------------------------------------------------------ creation and the limit (4.1, 8, 3)

    def _create(self, step: Step) -> CounterExample | None:
        owner, held = step.who.label, self.service.held(step.who.label)
        listed = self.service.types()
        types = {"one": listed[:1], "two": listed[1:3], "all": []}[step.types] or None
        exchange = self.service.post(types, step.who, **self._at_the_limit(held))
        self._note(step, exchange)
        if is_limit_refusal(exchange):
            self.refused.add(owner)
            if held >= self.limit:
                self.exercised.add("8-limit-enforced")
                return None
            return self._short_of_the_limit(exchange, step.who, held)
        if not accepted(exchange):
            return None
        created = self.service.created(exchange)
        if any(each.created.request_id == created.request_id for each in self.requests.values() if not each.deleted):
            return None  # nobody can tell which of the two an answer is about, nor that they are two (2.1)
        self.requests[step.request] = Held(created, len(self.taken), open=created.completed)
        if held + 1 == self.limit:
            self.exercised.add("8-accepts-up-to-limit")
        if owner in self.freed and self.peaks[owner] > held:
            self.exercised.add("3-frees-the-limit")
        self.peaks[owner] = max(self.peaks[owner], held + 1)
        return self._too_many(exchange, owner) if held >= self.limit else None

    def _at_the_limit(self, held: int) -> dict[str, Any]:
        """Return what a judge has to know of a creation when its user holds so many requests already."""
        return {"limit": "reached"} if held >= self.limit else {}

    def _short_of_the_limit(self, exchange: Exchange, who: Identity, held: int) -> CounterExample | None:
        """A refusal short of the limit is a fault only where nothing else can count: nobody's else, of either user."""
        owner = who.label
        total = self.service.held(USER.label) + self.service.held(OTHER_USER.label)
        if not self.certain or total >= self.limit or some_are_back(self.service, who):
            return None
        still_holds(self.service, self.limit)
        before = self.peaks[owner]
        freed = before > held and owner in self.freed
        was = f"{before} had been accepted before a deletion" if freed else "the account held no others"
        return self._broken(
            "3-frees-the-limit" if freed else "8-accepts-up-to-limit",
            f"A creation was refused with {count(held, 'request')} in progress: maxNumberOfRequests is {self.limit}, "
            f"and {was}.",
            "status 200",
            f"status {answer_of(exchange).status}, body {shorten(answer_of(exchange).text)}",
            [exchange],
        )

    def _too_many(self, exchange: Exchange, owner: str) -> CounterExample | None:
        own = {n: held for n, held in self.requests.items() if held.created.owner.label == owner and not held.deleted}
        # A state may change between two readings: what is in progress in both is taken to be so.
        before = {n: self.service.read(held.created.request_id, held.created.owner) for n, held in own.items()}
        in_progress = []
        for number, held in own.items():
            read = self.service.read(held.created.request_id, held.created.owner)
            self._note(Step("read", number, who=held.created.owner), read)
            if state_of(read) is False and state_of(before[number]) is False:
                in_progress.append(read)
        if len(in_progress) <= self.limit:
            return None
        still_holds(self.service, self.limit)
        return self._broken(
            "8-limit-enforced",
            f"{count(len(in_progress), 'request')} in progress at once; maxNumberOfRequests is {self.limit}.",
            f"at most {count(self.limit, 'request')} in progress",
            f"{count(len(in_progress), 'request')} read as in progress after the last creation",
            [exchange, *in_progress],
        )

    # ------------------------------------------------------------------ reading (4.2)

    def _read(self, step: Step, held: Held, exchange: Exchange) -> CounterExample | None:
        self._note(step, exchange)
        if answer_of(exchange).status == 404:
            return self._missing(step, held, exchange)
        body = answer_of(exchange).document.value
        if answer_of(exchange).status != 200 or not isinstance(body, dict):
            return None
        self.exercised.add("4.2-agrees-with-creation")
        if body.get("isCompleted") is False:
            self.exercised.add("4.2-answers-200")
        if self._since(held):
            self.exercised.add("3-deletes-no-other")
        held.seen = len(self.taken)
        for name, then, now in disagreements(held.created.document, body):
            return self._broken(
                "4.2-agrees-with-creation",
                f"{name} is {shorten(repr(now), 90)} on reading, but creation returned {shorten(repr(then), 90)}.",
                shorten(repr(then)),
                shorten(repr(now)),
                [exchange, held.created.exchange],
            )
        return None

    def _missing(self, step: Step, held: Held, exchange: Exchange) -> CounterExample | None:
        """A request answers 404 that was not deleted: it is completed, or gone, or it counts and so is in progress."""
        if held.open:
            return None
        held.open = True
        if self._counts(step):
            return self._broken(
                "4.2-answers-200",
                "Reading a request that counts against the limit, so is in progress, answered 404 instead of 200.",
                "status 200",
                "status 404",
                [exchange, self.taken[-1][1]],
            )
        deleted = self.service.delete(held.created.request_id, step.who, open=True)
        others_went, held.deleted = self._since(held), True
        self._note(Step("delete", step.request, who=step.who), deleted)
        return self._lost(held, others_went, deleted, exchange) if answer_of(deleted).status == 404 else None

    def _counts(self, step: Step) -> bool:
        """Tell whether the next creation is refused with exactly the limit in progress, this request among them."""
        other = USER if step.who == OTHER_USER else OTHER_USER
        if not self.certain or self.service.held(other.label):
            return False
        number = max(self.requests)
        while self.service.held(step.who.label) <= self.limit:
            number += 1
            creation = Step("create", number, who=step.who)
            full = self._at_the_limit(self.service.held(step.who.label))
            exchange = self.service.post(self.service.first_types(1), step.who, **full)
            self._note(creation, exchange)
            if not accepted(exchange):
                return is_limit_refusal(exchange) and self.service.held(step.who.label) == self.limit
            self.requests[number] = Held(self.service.created(exchange), len(self.taken))
        return False

    # ------------------------------------------------------------------ deletion (4.3, 3)

    def _deleted(self, step: Step, held: Held, exchange: Exchange) -> CounterExample | None:
        others_went = self._since(held)
        self._note(step, exchange)
        held.deleted = True
        status = answer_of(exchange).status
        if accepted(exchange):
            self.exercised |= {"4.3-answers-ok"} | ({"3-deletes-no-other"} if others_went else set())
            self.deletions.append(len(self.taken))
            self.freed.add(step.who.label)
            return None
        if status != 404:
            return None
        read = self.service.read(held.created.request_id, step.who, open=True)
        self._note(Step("read", step.request, who=step.who), read)
        return self._lost(held, others_went and answer_of(read).status == 404, exchange, read)

    def _lost(self, held: Held, others_went: bool, *missing: Exchange) -> CounterExample:
        if others_went:
            return self._broken(
                "3-deletes-no-other",
                "Deleting one request removed another: deleting the other answers 404.",
                "the other request still exists",
                "status 404 to deleting it",
                list(missing),
            )
        return self._broken(
            "4.3-answers-ok",
            "Deleting a request that exists answered 404 instead of 200.",
            "status 200",
            "status 404",
            [*missing, held.created.exchange],
        )

    def _gone(self, step: Step, exchange: Exchange) -> CounterExample | None:
        self._note(step, exchange)
        self.exercised.add("3-removed")
        if answer_of(exchange).status != 200:
            return None
        word = "Reading" if step.action == "read" else "Deleting"
        return self._broken(
            "3-removed",
            f"{word} a deleted request answered 200 instead of 404.",
            "status 404",
            f"status 200, body {shorten(answer_of(exchange).text)}",
            [exchange],
        )

    # ------------------------------------------------------------------ what happened

    def _since(self, held: Held) -> bool:
        """Tell whether a request was deleted since this one was last seen."""
        return bool(self.deletions) and self.deletions[-1] > held.seen

    def _note(self, step: Step, exchange: Exchange) -> None:
        status = answer_of(exchange).status
        self.taken.append((f"{step.in_words}: {status}", exchange))
        if step.action == "delete":
            self.refused.discard(step.who.label)
            if step.request == NOBODYS:
                self.deletions.append(len(self.taken))

    def _broken(
        self, requirement: str, message: str, expected: str, actual: str, exchanges: Sequence[Exchange]
    ) -> CounterExample:
        return CounterExample(
            requirement, message, expected, actual, list(exchanges), tuple(self.asked), list(self.taken)
        )
