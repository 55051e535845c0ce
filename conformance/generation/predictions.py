"""The predictions of the model, which are compared with the answers of each step of a sequence.

The specification leaves open when a request completes and what another user sees of it, so the model predicts neither.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from conformance.client.user import accepted, is_limit_refusal
from conformance.generation.model import Contradiction, KnownRequest, Model, Seen
from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange, state_of
from conformance.model.identity import OTHER_USER, USER, Identity
from conformance.model.probe import Probe, must_answer
from conformance.model.text import count, shorten
from conformance.rules.consistency import changes
from conformance.scenarios.confirmation import undeleted
from conformance.scenarios.limit_findings import assert_not_allowed, assert_unchanged
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
            self.in_progress_never_exceeds_the_limit,
            self.below_the_limit_there_is_room,
            self.what_exists_is_found,
            self.what_was_created_is_what_is_read,
            self.what_was_deleted_is_gone,
        ):
            for seen in self.model.seen:
                prediction(seen)

    def in_progress_never_exceeds_the_limit(self, seen: Seen) -> None:
        """The number of requests in progress never exceeds maxNumberOfRequests (8)."""
        limit = self.model.known.limit
        if seen.held < limit or not accepted(seen.exchange):
            return
        # A state may change between two readings, so only requests in progress in both readings count.
        readings = [[self.model.read(each) for each in self.model.live_of(seen.who)] for _ in range(2)]
        both = [again for one, again in zip(*readings, strict=True) if state_of(one) is state_of(again) is False]
        if len(both) > limit:
            assert_unchanged(self.service, limit)
            assert_not_allowed(self.service, limit, len(both), seen.who)
            self._contradicts(
                "8-limit-enforced",
                f"{count(len(both), 'request')} in progress at once; maxNumberOfRequests is {limit}.",
                f"at most {count(limit, 'request')} in progress",
                f"{count(len(both), 'request')} read as in progress after the last creation",
                seen.exchange,
                *both,
                probe=must_answer("4xx"),
            )

    def below_the_limit_there_is_room(self, seen: Seen) -> None:
        """Only the limit refuses a creation, and a deletion frees a place (3, 8)."""
        known = self.model.known
        if not is_limit_refusal(seen.exchange) or seen.held >= known.limit or not self.model.knows_what_counts:
            return
        # The limit may apply to each user or to all: the sequence may reach neither.
        if self.model.held(USER) + self.model.held(OTHER_USER) >= known.limit or undeleted(self.service, seen.who):
            return
        before = known.peaks[seen.who.label]
        freed = before > seen.held and seen.who.label in known.freed
        was = f"{before} had been accepted before a deletion" if freed else "no deletion preceded in the sequence"
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
        if not self.model.knows_what_counts or self.model.held(other):
            return False
        while self.model.held(owner) <= self.model.known.limit:
            held = self.model.held(owner)
            if not self.model.create(owner, "one"):
                return is_limit_refusal(self.model.seen[0].exchange) and held == self.model.known.limit
        return False

    def _makes_room(self, owner: Identity) -> bool:
        """Tell whether creations beyond the limit are accepted without a deletion: they replace older requests."""
        most = self.model.known.limit + _BEYOND
        while (held := self.model.held(owner)) < most:
            if not self.model.create(owner, "one") or self.model.held(owner) == held:
                return False
        return True

    def _is_lost(self, request: KnownRequest, others_went: bool, *missing: Exchange) -> None:
        # Either a deletion removed the request, which gave room to a creation, or that creation replaced it.
        replaced = self.model.exceeded_since(request) and self._makes_room(request.owner)
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
        if_empty: bool = False,
    ) -> None:
        self._is_violated(Violation(requirement, "", message, expected, actual, probe), *exchanges, if_empty=if_empty)

    def _is_violated(self, violation: Violation, *exchanges: Exchange, if_empty: bool = False) -> None:
        contradiction = Contradiction(violation, exchanges, list(self.model.taken), if_empty=if_empty)
        if self._is_found(contradiction):
            raise contradiction
