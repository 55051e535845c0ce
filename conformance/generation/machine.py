"""The state machine that hypothesis runs: rules send one call each, invariants compare the answer with the model.

The specification leaves open when a request completes and what another user sees of it, so the model predicts neither.
In hypothesis' first example, each step takes the first possible rule by name, with the first value of its strategy.
Names put checks before creations, and creations before deletions. With the orders of the model, the first example tries
each rule in each important state.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from conformance.client.user import accepted, is_limit_refusal
from conformance.generation.model import Contradiction, Creation, KnownRequest, Model, Seen, SequenceEnded
from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange, state_of
from conformance.model.identity import OTHER_USER, USER, Identity
from conformance.model.probe import Probe, must_answer
from conformance.model.text import count, shorten
from conformance.rules.consistency import changes
from conformance.scenarios.confirmation import undeleted
from conformance.scenarios.limit_findings import still_holds
from conformance.schema.violations import Violation

if TYPE_CHECKING:
    from conformance.generation.sequences import Search

STEPS: Final = 33
"""Steps of a sequence."""

_Method = Callable[..., None]


def _guarded(method: _Method) -> _Method:
    """Let any error end the search: hypothesis would repeat the sequence that raised it."""

    @wraps(method)
    def guarded(self: Requests, *arguments: Any, **named: Any) -> None:
        try:
            method(self, *arguments, **named)
        except SequenceEnded:
            raise
        except Exception as error:
            self.search.error = error
            raise SequenceEnded from None

    return guarded


def _step(choices: Callable[[Model], list[Any]]) -> Callable[[_Method], _Method]:
    """Declare a rule: a step with one of the model's `choices`, possible if there are any."""

    def declare(method: _Method) -> _Method:
        @_guarded
        @wraps(method)
        def step(self: Requests, choice: Any) -> None:
            self.search.note_step(method.__name__, choice, len(self.model.requests) + 1)
            method(self, choice)

        strategy = st.runner().flatmap(lambda machine: st.sampled_from(choices(machine.model)))
        possible = precondition(lambda machine: bool(choices(machine.model)))
        declared: _Method = possible(rule(choice=strategy)(step))
        return declared

    return declare


def _prediction(method: _Method) -> _Method:
    """Declare an invariant, which is checked for each answer of the last step."""

    @_guarded
    @wraps(method)
    def check(self: Requests) -> None:
        for seen in self.model.seen:
            method(self, seen)

    declared: _Method = invariant()(check)
    return declared


class Requests(RuleBasedStateMachine):
    """The data requests of one or two users.

    Defined once: hypothesis keeps every class of this kind until the process ends.
    """

    def __init__(self, search: Search) -> None:
        super().__init__()
        self.search = search
        self._begin()

    @_guarded
    def _begin(self) -> None:
        self.model = self.search.begin()
        self.service = self.model.service

    @_step(lambda model: model.users[: bool(model.live) and not model.unknown_was_deleted])
    def ask_to_delete_unknown(self, who: Identity) -> None:
        """A user deletes a request that does not exist."""
        self.model.unknown_was_deleted = True
        exchange = self.service.delete(self.service.some_uuid(), who)
        self.model.see("delete a request that does not exist", Seen(exchange, who))
        self.model.note_deletion(who)

    @_step(Model.to_show)
    def check_by_another(self, request: KnownRequest) -> None:
        """Another user reads a request: the answer is open, its effect is not."""
        who = USER if request.owner == OTHER_USER else OTHER_USER
        request.shown_to_other = True
        exchange = self.service.read(request.id, who, request="foreign", open=True)
        self.model.see(f"read request {request.number}", Seen(exchange, who))
        self.model.note_change()

    @_step(Model.to_look_for)
    def check_deleted(self, request: KnownRequest) -> None:
        """The owner reads a deleted request."""
        request.looks += 1
        request.look_is_due = False
        exchange = self.service.read(request.id, request.owner, request="deleted")
        self.model.see(f"read request {request.number}", Seen(exchange, request.owner, request))

    @_step(Model.to_read)
    def check_existing(self, request: KnownRequest) -> None:
        """The owner reads a request."""
        self.model.read(request)

    @_step(Model.to_create)
    def create(self, creation: Creation) -> None:
        """A user creates a request, up to one more than the limit."""
        self.model.create(creation)

    @_step(Model.to_delete_again)
    def delete_again(self, request: KnownRequest) -> None:
        """The owner deletes a deleted request."""
        request.deleted_again = True
        exchange = self.service.delete(request.id, request.owner, request="deleted")
        self.model.see(f"delete request {request.number}", Seen(exchange, request.owner, request))
        self.model.note_deletion(request.owner)

    @_step(Model.to_delete)
    def delete_one(self, request: KnownRequest) -> None:
        """The owner deletes a request."""
        self.model.delete(request, self.service.delete(request.id, request.owner))

    @_step(lambda model: [model.live])
    def delete_rest(self, requests: list[KnownRequest]) -> None:
        """The owners delete all remaining requests at the same time; each request has to exist. Always possible."""
        deletions = [partial(self.service.delete, each.id, each.owner) for each in requests]
        answers = list(zip(requests, self.service.session.parallel(deletions), strict=True))
        # Any of the other deletions may have removed a missing request.
        seen: list[Seen] = []
        for request, exchange in sorted(answers, key=lambda each: not accepted(each[1])):
            self.model.delete(request, exchange)
            seen += self.model.seen
        self.model.seen = seen

    @_prediction
    def in_progress_never_exceeds_the_limit(self, seen: Seen) -> None:
        """The number of requests in progress never exceeds maxNumberOfRequests (8)."""
        limit = self.model.known.limit
        if seen.held < limit or not accepted(seen.exchange):
            return
        # A state may change between two readings, so only requests in progress in both readings count.
        readings = [[self.model.read(each) for each in self.model.live_of(seen.who)] for _ in range(2)]
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
                probe=must_answer("4xx"),
            )

    @_prediction
    def below_the_limit_there_is_room(self, seen: Seen) -> None:
        """Only the limit refuses a creation, and a deletion frees a place (3, 8)."""
        known = self.model.known
        if not is_limit_refusal(seen.exchange) or seen.held >= known.limit or not self.model.all_is_known:
            return
        # The limit may apply to each user or to all: the sequence may reach neither.
        if self.model.held(USER) + self.model.held(OTHER_USER) >= known.limit or undeleted(self.service, seen.who):
            return
        still_holds(self.service, known.limit)
        before = known.peaks[seen.who.label]
        freed = before > seen.held and seen.who.label in known.freed
        was = f"{before} had been accepted before a deletion" if freed else "no deletion preceded"
        self._contradicts(
            "3-frees-the-limit" if freed else "8-accepts-up-to-limit",
            f"A creation was refused with {count(seen.held, 'request')} in progress: maxNumberOfRequests is "
            f"{known.limit}, and {was}.",
            "status 200",
            f"status {seen.status}, body {shorten(answer_of(seen.exchange).text)}",
            seen.exchange,
            probe=must_answer(200),
            if_empty=True,
        )

    @_prediction
    def what_exists_is_found(self, seen: Seen) -> None:
        """A request in progress can be read, and an existing request deleted, after any other deletion (3, 4)."""
        request = seen.request
        if request is None or seen.status != 404 or seen.of_deleted:
            return
        if seen.exchange.request.method == "DELETE":
            read = self.service.read(request.id, request.owner, open=True)
            self.model.note(f"read request {request.number}", request.owner, read)
            self._is_lost(request, seen.others_went and answer_of(read).status == 404, seen.exchange, read)
        elif not request.open:
            request.open = True
            self._is_missing(request, seen)

    @_prediction
    def what_was_created_is_what_is_read(self, seen: Seen) -> None:
        """Reading a request returns the same as its creation (4.2)."""
        body = answer_of(seen.exchange).document.value
        if not seen.request or seen.request.deleted or not isinstance(body, dict) or seen.status != 200:
            return
        for violation in changes(seen.request.created.document, body):
            self._is_violated(violation, seen.exchange, seen.request.created.exchange)

    @_prediction
    def what_was_deleted_is_gone(self, seen: Seen) -> None:
        """Reading or deleting a deleted request does not answer 200 (3)."""
        if not seen.of_deleted:
            return
        self.model.known.tested.add("3-removed")
        if seen.status == 200:
            word = "Reading" if seen.exchange.request.method == "GET" else "Deleting"
            self._contradicts(
                "3-removed",
                f"{word} a deleted request answered 200 instead of 404.",
                "status 404",
                f"status 200, body {shorten(answer_of(seen.exchange).text)}",
                seen.exchange,
                probe=must_answer(404),
            )

    def _is_missing(self, request: KnownRequest, seen: Seen) -> None:
        """Judge a 404 for a request that was not deleted: it is completed, lost, or in progress because it counts."""
        # Without isCompleted, a request that counts may be completed: another requirement then fails.
        if isinstance(request.created.document.get("isCompleted"), bool) and self._counts(request.owner):
            self._contradicts(
                "4.2-answers-200",
                "Reading a request that counts against the limit and is therefore in progress answered "
                "404 instead of 200.",
                "status 200",
                "status 404",
                seen.exchange,
                self.model.taken[-1][1],
                probe=must_answer(200),
                if_empty=True,
            )
        others_went = self.model.deleted_since(request)
        deleted = self.service.delete(request.id, request.owner, open=True)
        request.deleted = True
        self.model.note(f"delete request {request.number}", request.owner, deleted)
        if answer_of(deleted).status == 404:
            self._is_lost(request, others_went, deleted, seen.exchange)

    def _counts(self, owner: Identity) -> bool:
        """Tell whether the next creation is refused with exactly the limit in progress, including this request."""
        other = USER if owner == OTHER_USER else OTHER_USER
        if not self.model.all_is_known or self.model.held(other):
            return False
        while self.model.held(owner) <= self.model.known.limit:
            held = self.model.held(owner)
            if not self.model.create(Creation(owner, "one")):
                return is_limit_refusal(self.model.seen[0].exchange) and held == self.model.known.limit
        return False

    def _is_lost(self, request: KnownRequest, others_went: bool, *missing: Exchange) -> None:
        if others_went:
            self._contradicts(
                "3-deletes-no-other",
                "Deleting one request removed another: deleting the other answers 404.",
                "the other request still exists",
                "status 404 to deleting it",
                *missing,
                probe=must_answer(200),
            )
        self._contradicts(
            "4.3-answers-ok",
            "Deleting a request that exists answered 404 instead of 200.",
            "status 200",
            "status 404",
            *missing,
            request.created.exchange,
            probe=must_answer(200),
        )

    def _contradicts(
        self,
        requirement: str,
        message: str,
        expected: str,
        actual: str,
        *exchanges: Exchange,
        probe: Probe,
        if_empty: bool = False,
    ) -> None:
        self._is_violated(Violation(requirement, "", message, expected, actual, probe), *exchanges, if_empty=if_empty)

    def _is_violated(self, violation: Violation, *exchanges: Exchange, if_empty: bool = False) -> None:
        contradiction = Contradiction(violation, exchanges, list(self.model.taken), if_empty=if_empty)
        if self.search.found(contradiction):
            raise contradiction
