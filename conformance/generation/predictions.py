"""The predictions of the model, which are compared with the answers of each step of a sequence.

The specification leaves open when a request completes and what another user sees of it, so the model predicts neither.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from conformance.client.user import accepted
from conformance.generation.model import Contradiction, KnownRequest, Model, Seen
from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import OTHER_USER, USER, Identity
from conformance.rules.judge import judge
from conformance.rules.requests import loss
from conformance.rules.run_context import RunContext
from conformance.scenarios.limit import read_the_limit
from conformance.schema.violations import Violation
from conformance.spec.kinds import State

_OF_ONE_ANSWER: Final = ("3-removed", "4.2-agrees-with-creation")
"""The requirements that an answer violates, given the exchanges before."""

_BEYOND: Final = 2
"""Creations beyond the limit that no room left by a wrong deletion explains."""


class Predictions:
    """The predictions of one sequence. Some make further calls, to tell what an unexpected answer means."""

    def __init__(self, model: Model, is_found: Callable[[Contradiction], bool]) -> None:
        """Compare with `model`; `is_found` tells whether a contradiction ends the sequence."""
        self.model = model
        self.service = model.service
        self._is_found = is_found

    def check(self) -> None:
        """Compare the answers of the last step with every prediction; raise Contradiction."""
        for prediction in (
            self.what_is_beyond_the_limit_is_read,
            self.what_exists_is_found,
            self.each_answer_is_right,
        ):
            for seen in self.model.seen:
                prediction(seen)

    def what_is_beyond_the_limit_is_read(self, seen: Seen) -> None:
        """After a creation beyond the limit, read each request twice, and the limit once more: the ledger judges."""
        creates = seen.exchange.operation is Operation.CREATE and accepted(seen.exchange)
        if not creates or self.model.ledger.room(seen.exchange) is not State.FULL:
            return
        for _ in range(2):
            for each in self.model.live_of(seen.who):
                self.model.read(each)
        read_the_limit(self.service, seen.who)

    def what_exists_is_found(self, seen: Seen) -> None:
        """A request in progress can be read, and an existing request deleted, after any other deletion (3, 4)."""
        request = seen.request
        if request is None or seen.status != 404 or seen.of_deleted:
            return
        others_went = self.model.ledger.deleted_since(self.model.life(request))
        if seen.exchange.operation is Operation.DELETE:
            read = self.service.read(request.id, request.owner, open=True)
            self.model.note(f"read request {request.number}", request.owner, read)
            self._is_lost(request, others_went and answer_of(read).status == 404, seen.exchange, read)
        elif not request.open:
            request.open = True
            self._is_missing(request, others_went, seen)

    def each_answer_is_right(self, seen: Seen) -> None:
        """Reading a request returns the same as its creation (4.2); a deleted request is not found (3)."""
        self.model.known.tested.update(["3-removed"] * seen.of_deleted)
        if seen.request is None or seen.status != 200:
            return
        for violation in judge(seen.exchange, RunContext(ledger=self.model.ledger)).violations:
            if violation.requirement in _OF_ONE_ANSWER:
                self._is_violated(violation, seen.exchange, seen.request.created.exchange)

    def _is_missing(self, request: KnownRequest, others_went: bool, seen: Seen) -> None:
        """After a 404 for a request that was not deleted, fill the limit, which shows whether it counts; delete it."""
        exceeded = self.model.ledger.exceeded_since(self.model.life(request))
        taken = list(self.model.taken)
        self._fill_the_limit(request.owner)
        self.model.taken = taken  # what follows does not need these calls
        deleted = self.service.delete(request.id, request.owner, open=True)
        request.deleted = True
        self.model.note(f"delete request {request.number}", request.owner, deleted)
        if answer_of(deleted).status == 404:
            self._is_lost(request, others_went, deleted, seen.exchange, exceeded=exceeded)

    def _fill_the_limit(self, owner: Identity) -> None:
        other = USER if owner == OTHER_USER else OTHER_USER
        if self.model.held(other):
            return  # the limit may be one for both
        while self.model.held(owner) <= self.model.known.limit:
            if not self.model.create(owner, "one"):
                return

    def _makes_room(self, owner: Identity) -> bool:
        """Tell whether creations beyond the limit are accepted without a deletion: they replace older requests."""
        most = self.model.known.limit + _BEYOND
        while (held := self.model.held(owner)) < most:
            if not self.model.create(owner, "one") or self.model.held(owner) == held:
                return False
        return True

    def _is_lost(
        self, request: KnownRequest, others_went: bool, *missing: Exchange, exceeded: bool | None = None
    ) -> None:
        # Either a deletion removed the request, which gave room to a creation, or that creation replaced it.
        life = self.model.life(request)
        exceeded = self.model.ledger.exceeded_since(life) if exceeded is None else exceeded
        replaced = exceeded and self._makes_room(request.owner)
        violation = loss(life, missing[0])
        if others_went and not replaced:
            message = f"Deleting one request removed another. {violation.message}"
            self._is_violated(replace(violation, requirement="3-deletes-no-other", message=message), *missing)
        self._is_violated(replace(violation, requirement="4.3-answers-ok"), *missing, request.created.exchange)

    def _is_violated(self, violation: Violation, *exchanges: Exchange) -> None:
        contradiction = Contradiction(violation, exchanges, list(self.model.taken))
        if self._is_found(contradiction):
            raise contradiction
