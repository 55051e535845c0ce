"""The limit as inequalities over the ledger: what clause 8 and the freed place of clause 3 demand of each creation.

A statement has three ends: an exchange that decided it positively, a violation, or why the run cannot tell. A refusal
is compared with the lowest limit in force, an excess with the highest, because the settings may change during a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final
from weakref import WeakKeyDictionary

from conformance.facts.ledger import USUAL
from conformance.facts.limit import LimitFacts
from conformance.facts.ranges import Doubt
from conformance.model.errors import NotDecided, RequirementViolated, answer_of, describe, in_words, not_applicable
from conformance.model.exchange import Exchange, Operation, request_id_of
from conformance.model.probe import must_answer
from conformance.model.target import if_empty
from conformance.model.text import count
from conformance.model.verdict import Blame
from conformance.spec.kinds import State
from conformance.trace.trace import Exchanges, Recorded

Decision = Exchange | RequirementViolated | NotDecided
"""The exchange that decided a statement positively, the violation, or why it is not decided."""

_NO_PLACES: Final = "limit-of-none"
"""The circumstance in which no scenario can create a request: it says more than why each of them ended."""
_ORDER: Final = tuple(Doubt)
_NO_REFUSALS: Final = (401, 403)
"""Statuses about the caller, which say nothing of the limit."""


class Limit(LimitFacts):
    """The statements about the limit, and what each of them shows."""

    # The statements.

    def is_enforced(self) -> Decision:
        """No more requests of a user are in progress than the limit allows, created one after another (8)."""
        for each in self.ledger.accepted:
            if not each.intent.racing and self.exceeds(each):
                return self._too_many(each, "")
        return self._refused_at_the_limit() or self._undecided()

    def holds_in_parallel(self) -> Decision:
        """The same for creations at the same time, for one place that is left (8)."""
        bursts = [(burst, [each for each in burst if self.is_accepted(each)]) for burst in self.bursts()]
        for burst, accepted in bursts:
            over = next((each for each in accepted if self.exceeds(each)), None)
            if over is not None and len(accepted) > 1:
                why = (
                    f"The service accepted {len(accepted)} of {len(burst)} creations at the same time; one after "
                    "another it refused those beyond the limit."
                )
                return self._too_many(over, why, *accepted)
        for burst, accepted in bursts:
            answered = [each for each in burst if each.response is not None]
            last = next(iter(accepted), burst[-1])
            held, highest = self.held(last).own, self.ledger.highest(last)
            is_race = 0 < highest - held + len(accepted) < len(burst)  # for fewer places than there are creations
            refused = any(map(self.is_refusal, burst)) or (len(accepted) == 1 and held == highest)
            if is_race and len(accepted) <= 1 and len(answered) > 1 and refused and held <= highest:
                return last
        return self.why_not_met()

    def is_reached(self) -> Decision:
        """The limit refuses no creation before as many requests are in progress as it allows (8)."""
        for each in self._refused_with_room():
            before = self.before(each)
            if before.last_deletion is None or not before.was_full:
                return self._refused_too_early(each)
        return self._filled() or self.why_not_met()

    def is_freed(self) -> Decision:
        """Right after a deletion at the limit the user can create again (3)."""
        for each in self._refused_with_room():
            before = self.before(each)
            if before.was_full and before.deletion is not None and not before.deletion.intent.racing:
                return self._freed_no_place(each, before.deletion)
        return self._filled_again() or self.why_not_met()

    def is_freed_in_parallel(self) -> Decision:
        """Several simultaneous deletions of one request make room for exactly one creation (3)."""
        refilled = None
        for creation in self.creations:
            deletions = self.simultaneous_deletions_before(creation)
            if len(deletions) < 2 or self.was_deferred(creation):
                continue
            if self.is_refusal(creation) and self.has_room(creation) and self.before(creation).was_full:
                message = (
                    "After several deletions of one request at the same time the user could not submit a new request: "
                    f"the next creation answered {answer_of(creation).status}."
                )
                return self._violated(message, "200, right after the deletions", creation, *deletions)
            refilled = refilled or (creation if self.is_accepted(creation) else None)
        if refilled is None:
            return self.why_not_met()
        after = [each for each in self.creations_of(refilled.request.credential) if each.is_after(refilled)]
        over = next((each for each in after[:1] if self.is_accepted(each) and self.exceeds(each)), None)
        if over is not None:
            why = "Deletions of one request at the same time freed more than its place."
            return self._too_many(over, why, refilled)
        refused = after and after[0].response is not None and not self.is_accepted(after[0])
        return refilled if refused else self.why_not_met()

    def ignores_completed(self) -> Decision:
        """A completed request takes no place (8)."""
        beside = None
        for each in self.creations:
            user, completed = each.request.credential, self.ledger.completed_before(each.request.credential, each)
            held, lowest = self.held(each), self.ledger.lowest(each)
            possible = held.possible if completed and self.is_refusal(each) else None
            if possible is not None and possible - len(completed) < lowest <= possible:
                reads = [life.completed[-1] for life in completed]
                most = count(possible - len(completed), "request")
                return self._violated(
                    f"The service refused a creation because of the limit with at most {most} in progress and "
                    f"{len(completed)} completed, although maxNumberOfRequests is {lowest}: completed "
                    "requests count against the limit.",
                    "only requests in progress count",
                    each,
                    *reads,
                )
            gone = completed or self.ledger.unreadable_before(user, each)
            if gone and self.is_accepted(each) and held.own > self.ledger.highest(each) >= held.certain:
                beside = beside or each
        return beside or not_applicable(
            "none-completes", "The run saw no completed request at the limit.", *self.creations[-1:]
        )

    def hides_what_counts(self) -> RequirementViolated | None:
        """Return the violation that a reading did not find a request that counts, and is therefore in progress (4.2).

        As many requests as the limit allows may exist when a later creation is refused for it: so each of them counts.
        """
        unread = [(life, read) for life in self.ledger.lives.values() for read in life.missing]
        unread = [(life, read) for life, read in unread if read.operation is Operation.READ and life.is_told_apart]
        for refused in self.creations if unread else ():
            if not self.is_refusal(refused) or self.held(refused).is_above(self.ledger.lowest(refused)) is not False:
                continue
            for life, read in unread:
                counts = life.in_progress and not life.completed and life.at_most(refused) and refused.is_after(read)
                removed = any(not each.is_after(refused) for each in life.suspects)
                if counts and life.owner == refused.request.credential and not removed:
                    return self._violated(
                        f"Reading a request was answered {in_words(read)} instead of 200: it counts against the limit, "
                        "so it is in progress.",
                        "status 200",
                        read,
                        refused,
                        refused=refused,
                    )
        return None

    def assert_room(self, refused: Exchange) -> None:
        """Raise NotDecided unless there was certainly room for a creation that was refused."""
        if self.has_room(refused) is not True:
            raise self.doubt_at(refused)

    def _refused_at_the_limit(self) -> Exchange | None:
        """Return a creation that was refused for the limit before more requests existed than it allows, or at it.

        None if one was accepted that may have been beyond the limit.
        """
        one_by_one = (each for each in self.ledger.accepted if not each.intent.racing)
        if any(self.ledger.room(each) is State.FULL for each in one_by_one):
            return None
        usual = [each for each in self.creations if each.intent.body in USUAL]
        refused = [each for each in usual if self.is_at_limit(each)]
        if not self.completed():
            refused = refused or [each for each in usual if self.is_refusal(each)]
        # After a server error, or where the service asks to retry later, a request may be stored all the same.
        answered = ((each.status if each.counts else 0, each) for each in refused)
        return next((each for status, each in answered if 400 <= status < 500 and status not in _NO_REFUSALS), None)

    def _refused_with_room(self) -> Iterator[Exchange]:
        """Yield the creations that were refused for the limit although there was room."""
        for each in self.creations:
            if each.intent.body in USUAL and not each.intent.racing and self.is_refusal(each) and self.has_room(each):
                yield each

    def _filled(self) -> Exchange | None:
        """Return a creation that was accepted as the last one that the limit allows."""
        if not self.ledger.is_complete:
            return None
        return next(filter(self._fills, self.creations), None)

    def _fills(self, creation: Exchange) -> bool:
        """Tell whether a creation was accepted as the last one that the limit allows, or beyond it."""
        return self.is_accepted(creation) and 0 < self.ledger.highest(creation) <= self.held(creation).certain

    def _filled_again(self) -> Exchange | None:
        """Return a creation that took the place of a request in progress that was deleted at the limit.

        All others stayed in progress meanwhile, and the limit refused creations.
        """
        if not self.ledger.is_complete:
            return None
        for each in self.creations:
            if self._fills(each) and not self.was_deferred(each):
                deletion = self.before(each).last_deletion
                life = self.ledger.life(request_id_of(deletion)) if deletion is not None else None
                took_a_place = life is not None and life.is_told_apart and life.in_progress and not life.completed
                if took_a_place and self._is_the_last(each):
                    return each
        return None

    def _is_the_last(self, creation: Exchange) -> bool:
        """Tell whether the next creation of the user was refused, without a deletion in between."""
        after = [each for each in self.creations_of(creation.request.credential) if each.is_after(creation)]
        if not after or self.is_accepted(after[0]) or after[0].response is None:
            return False
        deletion = self.before(after[0]).last_deletion
        return deletion is None or creation.is_after(deletion)

    # Findings.

    def _too_many(self, creation: Exchange, why: str, *more: Exchange) -> RequirementViolated:
        user, highest, moment = creation.request.credential, self.ledger.highest(creation), creation.finished
        held = [life for life in self.ledger.of_user(user) if life.is_certainly_in_progress(moment)]
        reads = [next(one for one in life.in_progress if one.began >= moment) for life in held]
        return RequirementViolated(
            f"{count(len(held), 'request')} in progress at once, but maxNumberOfRequests is {highest}. {why}".rstrip(),
            expected=f"at most {count(highest, 'request')} in progress",
            actual=f"{count(len(held), 'request')} read as in progress",
            exchanges=[creation, *(each for each in more if each is not creation), *reads, *self.published(creation)],
            probe=must_answer("4xx"),
        )

    def _refused_too_early(self, creation: Exchange) -> RequirementViolated:
        possible = self.held(creation).possible or 0
        held = f"with at most {count(possible, 'request')} in progress" if possible else "with none in progress"
        lives = [life for life in self.ledger.of_user(creation.request.credential) if life.deleted]
        deleted = [life for life in lives if any(creation.is_after(each) for each in life.deleted)]
        before = f", after it had confirmed {count(len(deleted), 'deletion')}" if deleted and not possible else ""
        return self._violated(
            f"The service refused a creation because of the limit {held}{before}, although "
            f"maxNumberOfRequests is {self.ledger.lowest(creation)}.",
            "status 200",
            creation,
        )

    def _freed_no_place(self, creation: Exchange, deletion: Exchange) -> RequirementViolated:
        held = count(self.held(creation).possible or 0, "request")
        return self._violated(
            "After a deletion the user could not submit a new request immediately: a creation was answered "
            f"{in_words(creation)}, with at most {held} in progress, and maxNumberOfRequests is "
            f"{self.ledger.lowest(creation)}.",
            "200, right after the deletion",
            creation,
            deletion,
        )

    def _violated(
        self, message: str, expected: str, judged: Exchange, *shown: Exchange, refused: Exchange | None = None
    ) -> RequirementViolated:
        """Return the violation that an answer shows, with what may count when a creation is refused: else this one."""
        user = judged.request.credential
        lives = (life for life in self.ledger.of_user(user) if life.at_most(judged))
        held = [one for life in lives for one in life.created if judged.is_after(one)]
        held += self.ledger.unnamed_at(user, refused or judged)
        return RequirementViolated(
            if_empty(message),
            expected=expected,
            actual=in_words(judged),
            exchanges=[judged, *shown, *held, *self.published(judged)],
            probe=must_answer(200),
        )

    def why_not_met(self) -> NotDecided:
        """Return why no creation of the run decided about the limit."""
        limits = [number for user in self.users for number in self.ledger.limits(user)]
        if not limits:
            return NotDecided(
                "The settings do not show the limit, maxNumberOfRequests, as an integer, or nothing could be created."
            )
        if max(limits) <= 0 and not any(map(self.exceeds, self.ledger.accepted)):
            return not_applicable(_NO_PLACES, "maxNumberOfRequests is 0 or below: no request can be created.")
        return self._undecided()

    def _undecided(self) -> NotDecided:
        """Return the doubt of the refusal, or else of the creation, at which the most requests may exist."""
        exceeding = [each for each in self.ledger.accepted if self.exceeds(each)]
        if exceeding:
            message = "The service accepts more requests than the limit allows."
            return NotDecided(message, exchanges=exceeding[:1])
        refused = [each for each in self.creations if self.is_refusal(each)]
        # Where the limit refused something, a confirmed account would decide, so completion is not the reason.
        if (completed := self.completed()) and (self.ledger.is_complete or not refused):
            message = "Requests complete too soon for the run to see the limit reached, or to keep it reached."
            return not_applicable("completes-at-once", message, completed[0])
        widest = max(refused or self.creations, key=lambda each: self.held(each).own, default=None)
        if widest is None:
            return NotDecided("No user of the run created a request.")
        return self.doubt_at(widest)

    def doubt_at(self, creation: Exchange) -> NotDecided:
        """Return why it is unknown whether there was room for a creation."""
        widths = self.held(creation).widths
        if self.ledger.highest(creation) <= 0:
            return NotDecided(
                f"maxNumberOfRequests is {max(self.ledger.limits(creation.request.credential))}.",
                blame=Blame.CONFIGURATION,
                remedy="Set maxNumberOfRequests to at least 1 for this account, and run again.",
                exchanges=[creation],
            )
        if self.is_refusal(creation) and self.has_room(creation):
            return NotDecided(
                "If nothing else counts against the limit, as the tester confirmed, the service counts requests that "
                "it deleted, that its DELETE does not find, or whose identifier it did not return.",
                blame=Blame.CONFIGURATION,
                remedy=f"{self.perhaps_not_empty} and run again.",
                exchanges=[creation],
            )
        if not widths:
            highest = count(self.ledger.highest(creation), "request")
            return NotDecided(
                f"The run did not see {highest} in progress, as many as the limit allows.",
                exchanges=[creation],
            )
        width = min(widths, key=lambda each: _ORDER.index(each.doubt))
        remedy = width.doubt.remedy
        if width.doubt is Doubt.ACCOUNT:
            remedy = f"{self.perhaps_not_empty} {remedy}".strip()
        return NotDecided(
            f"{describe(creation)} was answered {in_words(creation)}. {width.reason}",
            blame=width.doubt.blame,
            remedy=remedy,
            exchanges=[creation],
        )


_KNOWN: WeakKeyDictionary[Exchanges, tuple[int, Limit]] = WeakKeyDictionary()
"""What the exchanges of a run showed last, with their number."""


def limit_so_far(run: Recorded) -> Limit:
    """Return what the exchanges of the run so far show of the limit."""
    record, target = run.record, run.target
    number, limit = _KNOWN.get(record, (0, None))
    over = [each for each in record.in_order() if each.response is not None or each.error is not None]
    if limit is None or number != len(over):
        empty, why = target.account_is_empty, target.perhaps_not_empty
        limit = Limit(over, empty=empty, perhaps_not_empty=why)
        _KNOWN[record] = len(over), limit
    return limit


def decide(run: Recorded, statement: Callable[[Limit], Decision], *results: object) -> None:
    """Raise what the exchanges say of a statement about the limit, unless one of them decided it.

    `results` are those of the scenarios that test it. The NotDecided that ended one says more than that nothing
    decided the statement.
    """
    decision = statement(limit_so_far(run))
    if isinstance(decision, Exchange):
        run.rests_on(decision)
    if isinstance(decision, RequirementViolated):
        raise decision
    if isinstance(decision, NotDecided):
        if decision.circumstance == _NO_PLACES:
            raise decision
        ended = (each for each in results if isinstance(each, NotDecided))
        raise next((reason for reason in ended if not reason.circumstance), decision)
