"""The predictions of the model, which are compared with the answers of each step of a sequence.

The specification leaves open when a request completes and what another user sees of it, so the model predicts neither.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from conformance.client.user import accepted
from conformance.generation.model import Contradiction, KnownRequest, Model, Seen
from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange
from conformance.model.identity import OTHER_USER, USER, Identity
from conformance.model.probe import Probe, must_answer
from conformance.model.text import shorten
from conformance.rules.consistency import changes
from conformance.scenarios.limit import read_the_limit
from conformance.schema.violations import Violation

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
            self.what_was_created_is_what_is_read,
            self.what_was_deleted_is_gone,
        ):
            for seen in self.model.seen:
                prediction(seen)

    def what_is_beyond_the_limit_is_read(self, seen: Seen) -> None:
        """After a creation beyond the limit, read each request twice, and the limit once more: the ledger judges."""
        if seen.held < self.model.known.limit or not accepted(seen.exchange):
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
        if seen.exchange.request.method == "DELETE":
            read = self.service.read(request.id, request.owner, open=True)
            self.model.note(f"read request {request.number}", request.owner, read)
            self._is_lost(request, seen.others_went and answer_of(read).status == 404, seen.exchange, read)
        elif not request.open:
            request.open = True
            self._is_missing(request, seen)

    def what_was_created_is_what_is_read(self, seen: Seen) -> None:
        """Reading a request returns the same as its creation (4.2)."""
        body = answer_of(seen.exchange).document.value
        if not seen.request or seen.request.deleted or not isinstance(body, dict) or seen.status != 200:
            return
        for violation in changes(seen.request.created.document, body):
            self._is_violated(violation, seen.exchange, seen.request.created.exchange)

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
        """After a 404 for a request that was not deleted, fill the limit, which shows whether it counts; delete it."""
        others_went, exceeded = self.model.deleted_since(request), self.model.exceeded_since(request)
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
        exceeded = self.model.exceeded_since(request) if exceeded is None else exceeded
        replaced = exceeded and self._makes_room(request.owner)
        if others_went and not replaced:
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
            "Deleting a request that exists answered 404 instead of 200"
            + (
                ", after a creation beyond the limit was accepted: it may have replaced the request."
                if replaced
                else "."
            ),
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
    ) -> None:
        self._is_violated(Violation(requirement, "", message, expected, actual, probe), *exchanges)

    def _is_violated(self, violation: Violation, *exchanges: Exchange) -> None:
        contradiction = Contradiction(violation, exchanges, list(self.model.taken))
        if self._is_found(contradiction):
            raise contradiction
