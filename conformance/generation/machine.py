"""The state machine that hypothesis runs: rules send a call each, invariants compare its answer with the model.

The specification leaves open when a request completes and what another user sees of it: nothing is predicted of that.

Hypothesis' first example takes the first rule whose precondition holds, with the first value of its strategy, at each
step. It sorts rules by the number of their arguments, then by name: here checks come before creations, and creations
before deletions. With the orders that the model gives, the first example tries each rule in each state that matters.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any, Final, TypeVar, cast

from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from conformance.client.user import UserClient, accepted, is_limit_refusal
from conformance.generation.model import ENOUGH, Contradiction, Creation, Model, Request
from conformance.generation.seeded import homeless, quiet
from conformance.generation.shrink import Ended, shrink
from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange, state_of
from conformance.model.identity import OTHER_USER, USER, Identity
from conformance.model.text import count, shorten
from conformance.rules.consistency import disagreements
from conformance.scenarios.confirmation import undeleted
from conformance.scenarios.limit import still_holds

LONGEST: Final = 40
"""Steps of a complete sequence."""

SHORT: Final = 5

_Act = TypeVar("_Act", bound=Callable[..., None])


@dataclass
class Search:
    """What the sequences of one search have in common."""

    begin: Callable[[], tuple[Model, bool]]
    """Begins another sequence: its model, and whether a refusal short of the limit can be blamed on the service."""
    found: Callable[[Contradiction], bool]
    """Called for each contradiction; False if it is no finding, so that the sequence goes on."""
    steps: list[Step] = field(default_factory=list)
    """The steps of the last sequence."""
    error: Exception | None = None
    """What ended the search, if not a contradiction."""


@dataclass(frozen=True)
class Step:
    """One step of a sequence: the rule, its argument, and the number of the request that it is about."""

    rule: str
    creation: Creation | None
    number: int


@dataclass
class _Seen:
    """One answer and what the model knew before it."""

    exchange: Exchange
    who: Identity
    request: Request | None = None
    held: int = 0
    others_went: bool = False


def _drawn(choices: Callable[[Model], list[Any]]) -> st.SearchStrategy[Any]:
    return st.runner().flatmap(lambda machine: st.sampled_from(choices(machine.model)))


def _if_any(choices: Callable[[Model], list[Any]]) -> Callable[[_Act], _Act]:
    return precondition(lambda machine: machine.steps < machine.length and bool(choices(machine.model)))


def _ending_the_search(act: _Act) -> _Act:
    """Let whatever a method raises end the search; hypothesis would repeat it."""

    @wraps(act)
    def guarded(self: Requests, *arguments: Any, **named: Any) -> None:
        try:
            act(self, *arguments, **named)
        except Ended:
            raise
        except Contradiction as contradiction:
            self.contradiction = contradiction
            raise Ended from None
        except Exception as error:
            self.search.error = error
            raise Ended from None

    return cast("_Act", guarded)


def _step(act: _Act) -> _Act:
    """Let a rule record itself as a step."""

    @wraps(act)
    def recorded(self: Requests, *arguments: Any, **named: Any) -> None:
        given = next(iter([*arguments, *named.values()]), None)
        number = given.number if isinstance(given, Request) else len(self.model.requests) + 1
        self.search.steps.append(Step(act.__name__, given if isinstance(given, Creation) else None, number))
        act(self, *arguments, **named)

    return _ending_the_search(cast("_Act", recorded))


class Requests(RuleBasedStateMachine):
    """The data requests of one or two users.

    Defined once: hypothesis keeps every class of this kind as long as the process runs.
    """

    def __init__(self, search: Search) -> None:
        super().__init__()
        self.search = search
        self.steps = 0
        self.length = LONGEST
        self.seen: list[_Seen] = []
        self.contradiction: Contradiction | None = None
        search.steps = []
        self._begin()

    @_ending_the_search
    def _begin(self) -> None:
        self.model, self.counting_is_sound = self.search.begin()
        self.service: UserClient = self.model.service

    @initialize(length=st.sampled_from((LONGEST, *[SHORT] * 5)))
    def limit_steps(self, length: int) -> None:
        """Most examples after the first one are short."""
        self.length = length

    # ------------------------------------------------------------------ rules

    @_if_any(Model.to_read)
    @rule(request=_drawn(Model.to_read))
    @_step
    def check_existing(self, request: Request) -> None:
        """The owner reads a request."""
        self._read(request, request.owner)

    @_if_any(Model.to_look_for)
    @rule(request=_drawn(Model.to_look_for))
    @_step
    def check_deleted(self, request: Request) -> None:
        """The owner reads a deleted request."""
        request.looks += 1
        request.look_is_due = False
        exchange = self.service.read(request.id, request.owner, request="deleted")
        self._note(f"read request {request.number}", _Seen(exchange, request.owner, request))

    @_if_any(Model.to_show)
    @rule(request=_drawn(Model.to_show))
    @_step
    def check_by_another(self, request: Request) -> None:
        """Another user reads a request: the answer is open, what it changes is not."""
        who = USER if request.owner == OTHER_USER else OTHER_USER
        request.shown_to_other = True
        exchange = self.service.read(request.id, who, request="foreign", open=True)
        self._note(f"read request {request.number}", _Seen(exchange, who))
        self.model.note_change()

    @_if_any(Model.to_create)
    @rule(creation=_drawn(Model.to_create))
    @_step
    def create(self, creation: Creation) -> None:
        """A user creates a request, up to one more than the limit."""
        self._create(creation)

    @_if_any(Model.to_delete_again)
    @rule(request=_drawn(Model.to_delete_again))
    @_step
    def delete_again(self, request: Request) -> None:
        """The owner deletes a deleted request."""
        request.deleted_again = True
        exchange = self.service.delete(request.id, request.owner, request="deleted")
        self._note(f"delete request {request.number}", _Seen(exchange, request.owner, request))
        self.model.note_deletion(request.owner)

    @_if_any(Model.to_delete)
    @rule(request=_drawn(Model.to_delete))
    @_step
    def delete_one(self, request: Request) -> None:
        """The owner deletes a request."""
        self._deleted(request, self.service.delete(request.id, request.owner))

    @rule(requests=st.runner().map(lambda machine: machine.model.live))
    @_step
    def delete_rest(self, requests: list[Request]) -> None:
        """The owners delete all that is left, at the same time; each request has to be there."""
        deletions = [partial(self.service.delete, each.id, each.owner) for each in requests]
        answers = list(zip(requests, self.service.session.parallel(deletions), strict=True))
        # A request that is missing may have been removed by any of the other deletions.
        for request, exchange in sorted(answers, key=lambda each: not accepted(each[1])):
            self._deleted(request, exchange)

    @_if_any(lambda model: model.live * (not model.unknown_was_deleted))
    @rule()
    @_step
    def delete_unknown(self) -> None:
        """A user deletes a request that does not exist."""
        who = self.model.users[0]
        self.model.unknown_was_deleted = True
        exchange = self.service.delete(self.service.some_uuid(), who)
        self._note("delete a request that does not exist", _Seen(exchange, who))
        self.model.note_deletion(who)

    # ------------------------------------------------------------------ invariants

    @invariant()
    @_ending_the_search
    def in_progress_never_exceeds_the_limit(self) -> None:
        """What is in progress at once is within maxNumberOfRequests (8)."""
        limit = self.model.known.limit
        for seen in self.seen:
            if seen.held < limit or not accepted(seen.exchange):
                continue
            own = self.model.live_of(seen.who)
            # A state may change between two readings: what is in progress in both is in progress at once.
            readings = [[self._read(each, seen.who) for each in own] for _ in range(2)]
            both = [again for one, again in zip(*readings, strict=True) if state_of(one) is state_of(again) is False]
            if len(both) > limit:
                still_holds(self.service, limit)
                self._contradicts(
                    "8-limit-enforced",
                    f"{count(len(both), 'request')} in progress at once; maxNumberOfRequests is {limit}.",
                    f"at most {count(limit, 'request')} in progress",
                    f"{count(len(both), 'request')} read as in progress after the last creation",
                    seen.exchange,
                    *both,
                )

    @invariant()
    @_ending_the_search
    def below_the_limit_there_is_room(self) -> None:
        """A creation is refused at the limit only, and a deletion frees a place (3, 8)."""
        limit, known = self.model.known.limit, self.model.known
        for seen in self.seen:
            if not is_limit_refusal(seen.exchange) or seen.held >= limit or not self.all_is_known:
                continue
            # Whether the limit is each user's or shared is open: neither may be reached.
            if self.model.held(USER) + self.model.held(OTHER_USER) >= limit or undeleted(self.service, seen.who):
                continue
            still_holds(self.service, limit)
            before = known.peaks[seen.who.label]
            freed = before > seen.held and seen.who.label in known.freed
            was = f"{before} had been accepted before a deletion" if freed else "the account held no others"
            self._contradicts(
                "3-frees-the-limit" if freed else "8-accepts-up-to-limit",
                f"A creation was refused with {count(seen.held, 'request')} in progress: maxNumberOfRequests is "
                f"{limit}, and {was}.",
                "status 200",
                f"status {answer_of(seen.exchange).status}, body {shorten(answer_of(seen.exchange).text)}",
                seen.exchange,
            )

    @invariant()
    @_ending_the_search
    def what_exists_is_found(self) -> None:
        """A request in progress can be read, and one that exists can be deleted, whatever else was deleted (3, 4)."""
        for seen in self.seen:
            request = seen.request
            if request is None or answer_of(seen.exchange).status != 404 or _of_deleted(seen.exchange):
                continue
            if seen.exchange.request.method == "DELETE":
                read = self.service.read(request.id, request.owner, open=True)
                self.model.note(f"read request {request.number}", request.owner, read)
                self._is_lost(request, seen.others_went and answer_of(read).status == 404, seen.exchange, read)
            elif not request.open:
                request.open = True
                self._is_missing(request, seen)

    @invariant()
    @_ending_the_search
    def what_was_created_is_what_is_read(self) -> None:
        """Reading a request returns what its creation returned (4.2)."""
        for seen in self.seen:
            body = answer_of(seen.exchange).document.value
            if not seen.request or seen.request.deleted or not isinstance(body, dict) or _status(seen) != 200:
                continue
            for name, then, now in disagreements(seen.request.created.document, body):
                self._contradicts(
                    "4.2-agrees-with-creation",
                    f"{name} is {shorten(repr(now), 90)} on reading, but creation returned {shorten(repr(then), 90)}.",
                    shorten(repr(then)),
                    shorten(repr(now)),
                    seen.exchange,
                    seen.request.created.exchange,
                )

    @invariant()
    @_ending_the_search
    def what_was_deleted_is_gone(self) -> None:
        """Reading or deleting a deleted request does not answer 200 (3)."""
        for seen in self.seen:
            if not _of_deleted(seen.exchange):
                continue
            self.model.known.tested.add("3-removed")
            if _status(seen) == 200:
                word = "Reading" if seen.exchange.request.method == "GET" else "Deleting"
                self._contradicts(
                    "3-removed",
                    f"{word} a deleted request answered 200 instead of 404.",
                    "status 404",
                    f"status 200, body {shorten(answer_of(seen.exchange).text)}",
                    seen.exchange,
                )

    # ------------------------------------------------------------------ how

    @property
    def all_is_known(self) -> bool:
        """Whether only requests that the run knows of can count against the limit."""
        journal = self.service.session.journal
        return self.counting_is_sound and not journal.unnamed and not journal.lost

    def _note(self, words: str, *seen: _Seen) -> None:
        self.steps += 1
        self.seen = list(seen)
        for each in seen:
            self.model.note(words, each.who, each.exchange)

    def _create(self, creation: Creation) -> bool:
        """Create a request; tell whether it was accepted."""
        owner, kind = creation
        model, known, label = self.model, self.model.known, creation.owner.label
        held, listed = model.held(owner), self.service.types()
        types = {"one": listed[:1], "two": listed[1:3], "all": []}[kind] or None
        meant: dict[str, Any] = {"limit": "reached"} if held >= known.limit else {}
        exchange = self.service.post(types, owner, **meant)
        what = {"one": "one type", "two": "two types", "all": "all types, without a body"}[kind]
        self._note(f"create request {len(model.requests) + 1} for {what}", _Seen(exchange, owner, held=held))
        model.kinds[kind] += 1
        if held >= min(known.limit, ENOUGH) or not accepted(exchange):
            model.refused.add(label)
        if not accepted(exchange):
            if is_limit_refusal(exchange) and held >= known.limit:
                known.tested.add("8-limit-enforced")
            if owner == model.users[0] and not model.requests:
                model.users = [*model.users[1:], owner]  # the first user can create nothing
            return False
        created = self.service.created(exchange)
        if any(each.id == created.request_id for each in model.live):
            return False  # the service returned an existing request: answers cannot be assigned to either (2.1)
        model.add(created)
        if held + 1 == known.limit:
            known.tested.add("8-accepts-up-to-limit")
        if label in known.freed and known.peaks[label] > held:
            known.tested.add("3-frees-the-limit")
        known.peaks[label] = max(known.peaks[label], held + 1)
        return True

    def _read(self, request: Request, who: Identity) -> Exchange:
        exchange = self.service.read(request.id, who)
        tested, since = self.model.known.tested, self.model.deleted_since(request)
        self._note(f"read request {request.number}", _Seen(exchange, who, request, others_went=since))
        body = answer_of(exchange).document.value
        if answer_of(exchange).status == 200 and isinstance(body, dict):
            tested.add("4.2-agrees-with-creation")
            tested.update(["4.2-answers-200"] * (body.get("isCompleted") is False) + ["3-deletes-no-other"] * since)
        request.read = True
        if answer_of(exchange).status != 404:
            request.seen = len(self.model.taken)
        return exchange

    def _deleted(self, request: Request, exchange: Exchange) -> None:
        before, seen = self.seen, _Seen(exchange, request.owner, request, others_went=self.model.deleted_since(request))
        self._note(f"delete request {request.number}", seen)
        request.deleted = request.look_is_due = True
        if accepted(exchange):
            known = self.model.known
            known.tested.update(["4.3-answers-ok"] + ["3-deletes-no-other"] * seen.others_went)
            self.model.note_deletion(request.owner)
            known.freed.add(request.owner.label)
        if before and _status(before[0]) == 404:
            self.seen = before

    def _is_missing(self, request: Request, seen: _Seen) -> None:
        """A request that was not deleted answers 404: it is completed, or gone, or counts and so is in progress."""
        if self._counts(request.owner):
            self._contradicts(
                "4.2-answers-200",
                "Reading a request that counts against the limit, so is in progress, answered 404 instead of 200.",
                "status 200",
                "status 404",
                seen.exchange,
                self.model.taken[-1][1],
            )
        others_went = self.model.deleted_since(request)
        deleted = self.service.delete(request.id, request.owner, open=True)
        request.deleted = True
        self.model.note(f"delete request {request.number}", request.owner, deleted)
        if answer_of(deleted).status == 404:
            self._is_lost(request, others_went, deleted, seen.exchange)

    def _counts(self, owner: Identity) -> bool:
        """Tell whether the next creation is refused with exactly the limit in progress, this request among them."""
        other = USER if owner == OTHER_USER else OTHER_USER
        if not self.all_is_known or self.model.held(other):
            return False
        while self.model.held(owner) <= self.model.known.limit:
            held = self.model.held(owner)
            if not self._create(Creation(owner, "one")):
                return is_limit_refusal(self.seen[0].exchange) and held == self.model.known.limit
        return False

    def _is_lost(self, request: Request, others_went: bool, *missing: Exchange) -> None:
        if others_went:
            self._contradicts(
                "3-deletes-no-other",
                "Deleting one request removed another: deleting the other answers 404.",
                "the other request still exists",
                "status 404 to deleting it",
                *missing,
            )
        self._contradicts(
            "4.3-answers-ok",
            "Deleting a request that exists answered 404 instead of 200.",
            "status 200",
            "status 404",
            *missing,
            request.created.exchange,
        )

    def _contradicts(self, requirement: str, message: str, expected: str, actual: str, *exchanges: Exchange) -> None:
        contradiction = Contradiction(requirement, message, expected, actual, *exchanges)
        contradiction.taken = list(self.model.taken)
        if self.search.found(contradiction):
            raise contradiction


_OF_DELETED: Final = ("check_deleted", "delete_again")
"""The rules about a request that was deleted before."""


def _of_deleted(exchange: Exchange) -> bool:
    return exchange.intent.request == "deleted"


def _status(seen: _Seen) -> int:
    return answer_of(seen.exchange).status


def run(search: Search, *, seed: int, examples: int) -> None:
    """Run so many sequences, up to the first contradiction; raise what else ended the search."""

    @seeded(seed)
    def machine() -> Requests:
        return Requests(search)

    with homeless(), suppress(Ended):
        # Hypothesis takes any function that returns a machine, but declares a class.
        run_state_machine_as_test(cast("type[Requests]", machine), settings=quiet(examples, steps=LONGEST + 2))
    if search.error is not None:
        raise search.error


def shrunk(search: Search, *, seed: int) -> bool:
    """Shrink the sequence that ended in a contradiction; tell whether it showed again.

    Hypothesis' first example takes the first choice each time, so to hypothesis no sequence of the machine is simpler.
    Here it shrinks which of the steps to keep: it drops all steps of a rule or about a request first, then single ones.
    """
    *steps, last = search.steps
    tried = False

    def fails(kept: tuple[int, ...]) -> Contradiction | None:
        nonlocal tried
        contradiction = _replayed(search, [*(steps[index] for index in kept), last])
        tried = True
        return contradiction

    return shrink(steps, fails, seed=seed, groups=lambda step: (step.rule, step.number)) is not None or not tried


def _replayed(search: Search, sequence: list[Step]) -> Contradiction | None:
    """Replay a sequence, without the steps that are impossible; return the contradiction in which it ends."""
    machine = Requests(search)
    requests: dict[int, Request] = {}
    try:
        for step in sequence:
            if step.creation is not None:
                machine.create(step.creation)
                if len(machine.model.requests) > len(requests):
                    requests[step.number] = machine.model.requests[-1]
            elif step.rule == "delete_unknown":
                machine.delete_unknown()
            elif step.rule == "delete_rest":
                machine.delete_rest(machine.model.live)
            elif step.number in requests and requests[step.number].deleted == (step.rule in _OF_DELETED):
                getattr(machine, step.rule)(requests[step.number])
            for each in machine.invariants:
                each.function(machine)
    except Ended:
        if machine.contradiction is None:
            raise
    return machine.contradiction
