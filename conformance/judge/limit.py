"""The limit as inequalities over the ledger: what clause 8 and the freed place of clause 3 demand of each creation.

A statement has three ends: an exchange that decided it positively, a violation, or why the run cannot tell. A refusal
is compared with the lowest limit in force, an excess with the highest, because the settings may change during a run.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from conformance.facts.ledger import USUAL, Creation, Ledger
from conformance.facts.life import Doubt
from conformance.model.deviations import deviations
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.errors import (
    NotDecided,
    RequirementViolated,
    describe,
    in_words,
    must_answer,
    not_applicable,
)
from conformance.model.exchange import RETRY_LATER, Exchange, Moment, Operation
from conformance.model.target import if_empty
from conformance.model.text import count
from conformance.model.verdict import Blame
from conformance.spec.kinds import State

Decision = Exchange | RequirementViolated | NotDecided
"""The exchange that decided a statement positively, the violation, or why it is not decided."""

NO_PLACES: Final = "limit-of-none"
"""The circumstance in which no scenario can create a request: it says more than why each of them ended."""
_NO_REFUSALS: Final = (401, 403)
"""Statuses about the caller, which say nothing of the limit."""
_NOT_UNLIMITED: Final = "0 or -1 does not mean unlimited: publish the number that the service enforces."


class Limit:
    """The statements about the limit, and what each of them shows."""

    def __init__(self, ledger: Ledger, perhaps_not_empty: str = "") -> None:
        """Judge the exchanges of a ledger; `perhaps_not_empty` is that of the target."""
        self.ledger = ledger
        self.perhaps_not_empty = perhaps_not_empty
        self.creations = [each for user in KNOWN_CREDENTIALS for each in ledger.creations if each.user == user]
        """The creations of known users, one user after the other."""
        made = [each for each in self.creations if each.made is not None and ledger.nothing_else_counts]
        self.filling = [each for each in made if 0 < each.highest <= each.held.certain]
        """Those that were accepted as the last one that the limit allows, or beyond it."""
        self.accepted = [each for each in self.ledger.creations if each.made is not None]

    # The statements.

    def is_enforced(self) -> Decision:
        """No more requests of a user are in progress than the limit allows, created one after another (8)."""
        one_by_one = [each for each in self.accepted if not each.exchange.intent.racing]
        if exceeding := [each for each in one_by_one if each.exceeds]:
            return self._too_many(exceeding[0], "")
        usual = [each for each in self.creations if each.exchange.intent.body in USUAL]
        refused = [each for each in usual if each.made is None and each.held.certain >= each.highest]
        if not self.ledger.completed:
            refused = refused or [each for each in usual if each.is_limit_refusal]
        if any(each.state is State.FULL for each in one_by_one):
            refused = []  # one was accepted that may have been beyond the limit
        # After a server error, or where the service asks to retry later, a request may be stored all the same.
        counting = (each.exchange for each in refused if each.exchange.counts)
        decides = (each for each in counting if 400 <= each.status < 500 and each.status not in _NO_REFUSALS)
        return next(decides, None) or self._undecided()

    def holds_in_parallel(self) -> Decision:
        """The same for creations at the same time, for one place that is left (8)."""
        bursts = [(burst, [each for each in burst if each.made is not None]) for burst in self._bursts()]
        for burst, accepted in bursts:
            over = next((each for each in accepted if each.exceeds), None)
            if over is not None and len(accepted) > 1:
                why = (
                    f"The service accepted {len(accepted)} of {len(burst)} creations at the same time; one after "
                    "another it refused those beyond the limit."
                )
                return self._too_many(over, why, *(each.exchange for each in accepted))
        for burst, accepted in bursts:
            answered = [each for each in burst if each.exchange.response is not None]
            last = next(iter(accepted), burst[-1])
            held, highest = last.held.own, last.highest
            is_race = 0 < highest - held + len(accepted) < len(burst)  # for fewer places than there are creations
            refused = any(each.is_limit_refusal for each in burst) or (len(accepted) == 1 and held == highest)
            if is_race and len(accepted) <= 1 and len(answered) > 1 and refused:
                return last.exchange
        return self.why_not_met()

    def accepts_up_to_limit(self) -> Decision:
        """The limit refuses no creation before as many requests are in progress as it allows (8)."""
        for each in self._refused_with_room():
            if self._freed_by(each.user, each.exchange.sent) is None or not self._was_full(each):
                possible = each.held.possible or 0
                held = f"with at most {count(possible, 'request')} in progress" if possible else "with none in progress"
                return self._violated(
                    f"The service refused a creation because of the limit {held}, although "
                    f"maxNumberOfRequests is {each.lowest}.",
                    "status 200",
                    each.exchange,
                )
        return self.filling[0].exchange if self.filling else self.why_not_met()

    def is_freed(self) -> Decision:
        """Right after a deletion at the limit the user can create again (3)."""
        for each in self._refused_with_room():
            deletion = self._deletion_before(each.user, each.exchange.sent)
            if deletion is not None and not deletion.intent.racing and self._was_full(each):
                return self._violated(
                    "After a deletion the user could not submit a new request immediately: a creation was answered "
                    f"{in_words(each.exchange)}, with at most {count(each.held.possible or 0, 'request')} in progress, "
                    f"and maxNumberOfRequests is {each.lowest}.",
                    "200, right after the deletion",
                    each.exchange,
                    deletion,
                )
        filled = (each.exchange for each in self.filling if self._takes_a_freed_place(each))
        return next(filled, None) or self.why_not_met()

    def is_freed_in_parallel(self) -> Decision:
        """Several simultaneous deletions of one request make room for exactly one creation (3)."""
        refilled = None
        for each in self.creations:
            racing = each.exchange.intent.racing
            deletions = [] if racing else self._simultaneous_deletions_before(each.user, each.exchange.sent)
            if len(deletions) < 2 or self._was_deferred(each.exchange.repeats):
                continue
            if each.is_limit_refusal and each.is_below_limit and self._was_full(each):
                message = (
                    "After several deletions of one request at the same time the user could not submit a new request: "
                    f"the next creation answered {each.exchange.status}."
                )
                return self._violated(message, "200, right after the deletions", each.exchange, *deletions)
            refilled = refilled or (each if each.made is not None else None)
        after = None if refilled is None else self._next(refilled.user, refilled.exchange.over)
        if refilled is None or after is None:
            return self.why_not_met()
        if after.made is not None and after.exceeds and self._was_refused_before(after):
            return self._too_many(after, "The deletions freed more than the place of one request.", refilled.exchange)
        return refilled.exchange if after.made is None and after.exchange.response is not None else self.why_not_met()

    def ignores_completed(self) -> Decision:
        """A completed request takes no place (8)."""
        beside = None
        for each in self.creations:
            since, until = each.exchange.sent, each.exchange.over
            completed = self.ledger.completed_before(each.user, since, until)
            possible = each.held.possible if completed and each.is_limit_refusal else None
            if possible is not None and possible - len(completed) < each.lowest <= possible:
                most = count(possible - len(completed), "request")
                return self._violated(
                    f"The service refused a creation because of the limit with at most {most} in progress and "
                    f"{len(completed)} completed, although maxNumberOfRequests is {each.lowest}: completed "
                    "requests count against the limit.",
                    "only requests in progress count",
                    each.exchange,
                    *(life.completed[-1] for life in completed),
                )
            gone = completed or self.ledger.unreadable_before(each.user, since, until)
            if gone and each.made is not None and each.held.own > each.highest >= each.held.certain:
                beside = beside or each.exchange
        last = [each.exchange for each in self.creations[-1:]]
        return beside or not_applicable("none-completes", "The run saw no completed request at the limit.", *last)

    def hides_what_counts(self) -> RequirementViolated | None:
        """Return the violation that a reading did not find a request that counts, and is therefore in progress (4.2).

        As many requests as the limit allows may exist when a later creation is refused for it: so each of them counts.
        """
        unread = [(life, read) for life in self.ledger.lives.values() for read in life.missing]
        unread = [(life, read) for life, read in unread if read.operation is Operation.READ and life.is_told_apart]
        for each in self.creations:
            refused = each.exchange
            if not each.is_limit_refusal or each.held.is_below(each.lowest + 1) is not True:
                continue
            for life, read in unread:
                counts = life.in_progress and not life.completed and life.at_most(refused.sent, refused.over)
                counts = counts and refused.sent > read.over
                removed = any(one.sent <= refused.over for one in life.suspects)
                if counts and life.owner == each.user and not removed:
                    return self._violated(
                        f"Reading a request was answered {in_words(read)} instead of 200: it counts against the limit, "
                        "so it is in progress.",
                        "status 200",
                        read,
                        refused,
                        refused=refused,
                    )
        return None

    def assert_below_limit(self, refused: Exchange) -> None:
        """Raise NotDecided unless there was certainly room for a creation that was refused, as for those before it."""
        if self.ledger.by_id[refused.id].is_below_limit is not True:
            raise self.doubt_at(refused)
        user = self.ledger.by_id[refused.id].user
        before = (each.exchange for each in self._refused_with_room() if each.user == user)
        earlier = next((each for each in before if each.over < refused.sent), None)
        if earlier is not None:
            message = f"{describe(earlier)} was refused below the limit too, before the creations that must be refused."
            raise NotDecided(message, exchanges=[earlier, refused])

    # What came before a creation, and after it.

    def _bursts(self) -> Iterator[list[Creation]]:
        """Yield the groups of a user's creations at the same time."""
        racing = (each for each in self.creations if each.exchange.intent.racing)
        for _, group in groupby(racing, key=lambda each: (each.user, each.exchange.beside.rpartition("#")[0])):
            yield [*group]

    def _refused_with_room(self) -> Iterator[Creation]:
        """Yield the creations that were refused for the limit although there was room."""
        for each in self.creations:
            intent = each.exchange.intent
            if intent.body in USUAL and not intent.racing and each.is_limit_refusal and each.is_below_limit:
                yield each

    def _takes_a_freed_place(self, creation: Creation) -> bool:
        """Tell whether a creation took the place of a request in progress that was deleted at the limit.

        All others stayed in progress meanwhile, and the limit refused the next creation.
        """
        user, sent = creation.user, creation.exchange.sent
        deletion = None if self._was_deferred(creation.exchange.repeats) else self._freed_by(user, sent)
        life = self.ledger.life(deletion.request_id) if deletion is not None else None
        if life is None or not life.is_told_apart or not life.in_progress or life.completed:
            return False
        after = self._next(user, creation.exchange.over)
        if after is None or after.made is not None or after.exchange.response is None:
            return False
        removed = self._freed_by(user, after.exchange.sent)
        return removed is None or sent > removed.over

    def _was_deferred(self, first: str) -> bool:
        """Tell whether the service had answered to retry later to a creation, which was then made again."""
        known = self.ledger.by_id.get(first)
        return known is not None and known.exchange.superseded in RETRY_LATER

    def _accepted_before(self, user: str, moment: Moment) -> list[Creation]:
        return [each for each in self.accepted if each.user == user and each.exchange.over < moment]

    def _was_full(self, creation: Creation) -> bool:
        """Tell whether as many requests as the limit allows had been accepted before a creation."""
        accepted = self._accepted_before(creation.user, creation.exchange.sent)
        return any(each.held.own >= creation.lowest for each in accepted)

    def _was_refused_before(self, creation: Creation) -> bool:
        """Tell whether the limit had refused a creation of the user when no more were in progress than it allows."""
        refused = (each for each in self.creations if each.user == creation.user and each.is_limit_refusal)
        since = creation.exchange.sent
        return any(each.exchange.over < since and each.held.certain <= each.highest for each in refused)

    def _deletion_before(self, user: str, moment: Moment) -> Exchange | None:
        """Return the last deletion of a request of a user that was confirmed before a moment."""
        deleted = (each for life in self.ledger.of_user(user) for each in life.deleted)
        return max((each for each in deleted if each.over < moment), key=lambda each: each.over, default=None)

    def _freed_by(self, user: str, moment: Moment) -> Exchange | None:
        """Return this deletion, unless a creation of the user was accepted since."""
        deletion, accepted = self._deletion_before(user, moment), self._accepted_before(user, moment)
        refilled = deletion is not None and any(each.exchange.over > deletion.over for each in accepted)
        return None if refilled else deletion

    def _simultaneous_deletions_before(self, user: str, moment: Moment) -> list[Exchange]:
        """Return the simultaneous deletions of one request that were the last ones before a moment."""
        deletion = self._freed_by(user, moment)
        life = self.ledger.life(deletion.request_id) if deletion is not None and deletion.intent.racing else None
        if life is None or not life.is_told_apart:
            return []
        together = (each for each in self.ledger.deletions if each.intent.racing and each.over < moment)
        return [each for each in together if self.ledger.life(each.request_id) is life]

    def _next(self, user: str, moment: Moment) -> Creation | None:
        """Return the first creation of a user after a moment."""
        mine = (each for each in self.creations if each.user == user)
        return next((each for each in mine if each.exchange.sent > moment), None)

    # Findings.

    def _too_many(self, creation: Creation, why: str, *more: Exchange) -> RequirementViolated:
        moment, shown, highest = creation.exchange.over, creation.exchange, creation.highest
        held = [life for life in self.ledger.of_user(creation.user) if life.is_certainly_in_progress(moment)]
        reads = [next(one for one in life.in_progress if one.sent >= moment) for life in held]
        return RequirementViolated(
            f"{count(len(held), 'request')} in progress at once, but maxNumberOfRequests is {highest}. {why}".rstrip(),
            expected=f"at most {count(max(0, highest), 'request')} in progress",
            actual=f"{count(len(held), 'request')} read as in progress",
            exchanges=[shown, *(each for each in more if each is not shown), *reads, *self._published(shown, highest)],
            probe=must_answer("4xx"),
            remedy=_NOT_UNLIMITED if highest <= 0 else "",
        )

    def _violated(
        self, message: str, expected: str, judged: Exchange, *shown: Exchange, refused: Exchange | None = None
    ) -> RequirementViolated:
        """Return the violation that an answer shows, with what may count when a creation is refused: else this one."""
        user = judged.request.credential
        lives = (life for life in self.ledger.of_user(user) if life.at_most(judged.sent, judged.over))
        held = [one for life in lives for one in life.created if judged.sent > one.over]
        held += self.ledger.unnamed_at(user, (refused or judged).over)
        return RequirementViolated(
            if_empty(message),
            expected=expected,
            actual=in_words(judged),
            exchanges=[judged, *shown, *held, *self._published(judged, min(self.ledger.limits(user), default=0))],
            probe=must_answer(200),
        )

    def _published(self, judged: Exchange, limit: int) -> list[Exchange]:
        """Return the plainest answer that published a limit to the user of a call, if possible before it."""
        others = KNOWN_CREDENTIALS.keys() - {judged.request.credential}
        shown = [each for number, each in self.ledger.published if number == limit]
        shown = [each for each in shown if each.request.credential not in others]
        return sorted(shown, key=lambda each: (judged.sent <= each.over, deviations(each)))[:1]

    # Why the run cannot tell.

    def why_not_met(self) -> NotDecided:
        """Return why no creation of the run decided about the limit."""
        limits = [number for user in {each.user for each in self.creations} for number in self.ledger.limits(user)]
        if not limits:
            return NotDecided(
                "The settings do not show the limit, maxNumberOfRequests, as an integer, or nothing could be created."
            )
        if max(limits) <= 0 and not any(each.exceeds for each in self.accepted):
            return not_applicable(NO_PLACES, "maxNumberOfRequests is 0 or below: no request can be created.")
        return self._undecided()

    def _undecided(self) -> NotDecided:
        """Return the doubt of the refusal, or else of the creation, at which the most requests may exist."""
        exceeding = [each.exchange for each in self.accepted if each.exceeds]
        if exceeding:
            message = "The service accepts more requests than the limit allows."
            return NotDecided(message, exchanges=exceeding[:1])
        refused = [each for each in self.creations if each.is_limit_refusal]
        # Where the limit refused something, a confirmed account would decide, so completion is not the reason.
        if (completed := self.ledger.completed) and (self.ledger.nothing_else_counts or not refused):
            message = "Requests complete too soon for the run to see the limit reached, or to keep it reached."
            return not_applicable("completes-at-once", message, completed[0])
        widest = max(refused or self.creations, key=lambda each: each.held.own, default=None)
        if widest is None:
            return NotDecided("No user of the run created a request.")
        return self.doubt_at(widest.exchange)

    def doubt_at(self, refused: Exchange) -> NotDecided:
        """Return why it is unknown whether there was room for a creation."""
        creation = self.ledger.by_id[refused.id]
        if creation.highest <= 0:
            return NotDecided(
                f"maxNumberOfRequests is {creation.highest}.",
                blame=Blame.CONFIGURATION,
                remedy="Set maxNumberOfRequests to at least 1 for this account, and run again.",
                exchanges=[refused],
            )
        if creation.is_limit_refusal and creation.is_below_limit:
            return NotDecided(
                "If nothing else counts against the limit, as the tester confirmed, the service compares with another "
                "number than it publishes, or counts requests that it deleted, that its DELETE does not find, or whose "
                "identifier it did not return.",
                blame=Blame.CONFIGURATION,
                remedy=f"{self.perhaps_not_empty} and run again.",
                exchanges=[refused],
            )
        if not creation.held.widths:
            requests = count(creation.highest, "request")
            message = f"The run did not see {requests} in progress, as many as the limit allows."
            if creation.held.certain >= creation.highest:
                message = f"With {requests} in progress, {describe(refused)} was answered {in_words(refused)}."
            elif creation.lowest < creation.highest:
                limits = (creation.lowest, creation.highest)
                return NotDecided(
                    f"{message} In one run GET /settings shows maxNumberOfRequests as {limits[0]} and as {limits[1]}.",
                    remedy="Let each answer to GET /settings show the number that the service enforces, also those of "
                    "other instances and caches. If somebody changed the number during the run, run again.",
                    exchanges=[refused, *(one for each in limits for one in self._published(refused, each))],
                )
            return NotDecided(message, exchanges=[refused])
        width = min(creation.held.widths, key=lambda each: [*Doubt].index(each.doubt))
        remedy, about = width.doubt.remedy, width.exchange
        call = "" if about is None else f"{describe(about)} was answered {in_words(about)}"
        if width.doubt is Doubt.ACCOUNT:
            remedy = f"{self.perhaps_not_empty} {remedy}".strip()
        return NotDecided(
            f"{describe(refused)} was answered {in_words(refused)}. {width.doubt.reason.format(call)}",
            blame=width.doubt.blame,
            remedy=remedy,
            exchanges=[refused],
        )
