"""What the whole run says about a finding: one that may be the doing of something else accuses nobody twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from conformance.conditions import INVALID_DATA_TYPES, KNOWN_CREDENTIALS, ON_DATA_REQUESTS
from conformance.judging.knowledge import Knowledge, blames_the_token, names_fleeting
from conformance.judging.lifetimes import Lifetimes, is_missing
from conformance.judging.remark import CheckResult, Remark
from conformance.requirements import Requirement
from conformance.traffic.exchange import Exchange, Operation, Renewal, had_expired, header
from conformance.traffic.record import request_id_of
from conformance.verdict import Blame, Verdict

_ACCUSES: Final = (Verdict.FAIL, Verdict.WARN)

_NO_OTHER: Final = "3-deletes-no-other"

_COMPLETED: Final = "3-deletes-completed"

_ANSWERS_OK: Final = "4.3-answers-ok"

_DUE_TO_DELETIONS: Final = frozenset([_COMPLETED, _ANSWERS_OK])
"""What every deletion of a request that exists is due."""

_BY_CHANCE: Final = 4
"""So many requests of a run may be completed, and kept no longer, right before they are to be deleted."""

_SHOWN_BY_ABSENCE: Final = _DUE_TO_DELETIONS | frozenset(
    [
        "3-removed-in-parallel",
        "4.1-creates-in-parallel",
        "4.1-refused-creates-nothing",
        "4.2-answers-200",
        "5.3-rejected-delete-deletes-nothing",
    ]
)
"""What may be shown by a request that is not there any more, whatever removed it."""

_TOLD_BY_IDENTIFIER: Final = (_SHOWN_BY_ABSENCE - {"4.1-creates-in-parallel"}) | frozenset(
    [_NO_OTHER, "3-removed", "4.2-agrees-with-creation"]
)
"""What is said of one request, which only its identifier tells from others; the form of an answer is another matter."""


@dataclass(frozen=True)
class Settling:
    """The whole run, as far as it says something about what single checks said."""

    known: Knowledge
    alive: Mapping[str, Sequence[Exchange]]
    """For each token of a known user, as it was sent, the exchanges on data requests in which it was accepted."""
    lifetimes: Lifetimes
    deletes_others: bool
    """Whether deletions were seen to remove requests that they do not name."""

    @classmethod
    def of(cls, said: Iterable[CheckResult], exchanges: Sequence[Exchange], known: Knowledge) -> Settling:
        """Gather what the whole run says."""
        others = any(
            remark.verdict is Verdict.FAIL
            for result in said
            if result.requirement.id == _NO_OTHER
            for remark in result.remarks
        )
        return cls(known, _accepted(exchanges), Lifetimes.of(exchanges), others)

    def settled(self, said: CheckResult) -> CheckResult:
        """Return what a check said, with every finding made inconclusive that something else may be behind."""
        return replace(said, remarks=[self._settled(remark, said.requirement) for remark in said.remarks])

    def _settled(self, remark: Remark, row: Requirement) -> Remark:
        if remark.verdict not in _ACCUSES or not remark.exchanges:
            return remark
        if self._is_about_the_token(remark, row):
            return _inconclusive(
                remark,
                f"The token was refused here, so this was not exercised: {remark.message}",
                "See 5.1-accepts-bearer.",
                Blame.CREDENTIAL,
            )
        if self._has_expired(remark):
            return _inconclusive(
                remark,
                f"{remark.message} The token was not accepted again afterwards: it may have expired in the middle of "
                "the run.",
                _for_a_lasting_token(remark.exchanges),
                Blame.CREDENTIAL,
            )
        if any(names_fleeting(shown, self.known) and _is_for_its_types(shown) for shown in remark.exchanges):
            return _inconclusive(
                remark,
                f"{remark.message} A data type was refused that GET /data did not list all the time: it may have been "
                "taken off the list in the course of the run.",
                "Run again while the organisation's data types stay the same.",
            )
        if shared := self._shared_identifier(remark, row):
            return _inconclusive(
                remark,
                f"Several requests were given the requestId {shared}, so this may be about another of them: "
                f"{remark.message}",
                "See 2.1-requestId-unique.",
            )
        missing = [shown for shown in remark.exchanges if is_missing(shown)]
        if missing and row.id in _SHOWN_BY_ABSENCE | {_NO_OTHER} and self._were_over(missing, row):
            return _inconclusive(
                remark,
                f"{remark.message} The request may have ended by itself before: it was completed, or none was seen "
                "to live so long, and how long a completed one is kept is not stated.",
                "Let requests live for a few seconds, and run again.",
            )
        if missing and row.id in _SHOWN_BY_ABSENCE and self.deletes_others:
            return _inconclusive(
                remark,
                f"Deletions remove requests that they do not name here, so one of them may be behind this: "
                f"{remark.message}",
                f"See {_NO_OTHER}.",
            )
        return remark

    def _were_over(self, missing: Sequence[Exchange], row: Requirement) -> bool:
        """Tell whether each request that was missing may have ended by itself."""
        if any(self.lifetimes.is_found_after(shown) for shown in missing):
            return False
        if row.id != _COMPLETED and all(self.lifetimes.was_completed_before(shown) for shown in missing):
            return True
        if row.id in _DUE_TO_DELETIONS and self.lifetimes.some_vanished:
            return True
        if row.id == _ANSWERS_OK and self.lifetimes.not_deleted <= _BY_CHANCE:
            return True
        return all(self.lifetimes.is_older_than_any(shown) for shown in missing)

    def _is_about_the_token(self, remark: Remark, row: Requirement) -> bool:
        """Tell whether a finding rests on a known token being refused, which 5.1 is about and no other requirement."""
        shown = remark.exchanges[-1]
        return (
            row.clause != "5.1"
            and _is_refused(shown)
            and shown.operation in ON_DATA_REQUESTS
            and blames_the_token(shown, self.known)
        )

    def _has_expired(self, remark: Remark) -> bool:
        """Tell whether a finding rests on a 401 after which the same token was not accepted any more.

        The token may have expired in the middle of the run: that is no fault of the target. What another token brings
        says nothing of this one, nor do calls that need none.
        """
        refused = [shown for shown in remark.exchanges if _is_refused(shown)]
        return bool(refused) and not any(
            _is_asked_after(accepted, shown) for shown in refused for accepted in self.alive.get(_token_of(shown), ())
        )

    def _shared_identifier(self, remark: Remark, row: Requirement) -> str | None:
        """Return the identifier of several requests by which a finding tells one of them from the others, if any."""
        if row.id not in _TOLD_BY_IDENTIFIER:
            return None
        by_identifier = (Operation.READ, Operation.DELETE)
        named = (request_id_of(each) for each in remark.exchanges if each.operation in by_identifier)
        return next((one for one in named if one in self.known.shared), None)


def _inconclusive(remark: Remark, message: str, remedy: str, blame: Blame = Blame.TARGET) -> Remark:
    return Remark(Verdict.INCONCLUSIVE, blame, message, remedy=remedy, exchanges=remark.exchanges)


def _is_refused(exchange: Exchange) -> bool:
    refused = exchange.answer is not None and exchange.answer.status == 401 and not had_expired(exchange)
    return refused and exchange.question.credential in KNOWN_CREDENTIALS


_COMMANDS: Final = {"user": "--token-command", "other user": "--other-token-command"}


def _for_a_lasting_token(exchanges: Iterable[Exchange]) -> str:
    """Return what to do about a token that was not accepted again, by what its command gave where there is one."""
    came = {each.facts.get("renewal"): _COMMANDS[each.question.credential] for each in exchanges if _is_refused(each)}
    if option := came.get(Renewal.SAME_AGAIN):
        return f"{option} printed the same token again: have it print a new one each time, and run again."
    if option := came.get(Renewal.FAILED):
        return f"{option} gave no other token when it was run again: see why, and run again."
    if option := came.get(Renewal.IN_VAIN):
        return f"See that what {option} prints is accepted, and for longer than one call takes, and run again."
    option = next(iter(came.values()), _COMMANDS["user"])
    return f"Use a token that outlives the run, or {option}, and run again."


def _is_for_its_types(exchange: Exchange) -> bool:
    """Tell whether a creation was refused because of the types that it names (7)."""
    body = exchange.answer.document.value if exchange.answer is not None and exchange.answer.status == 400 else None
    return isinstance(body, dict) and body.get("error") == INVALID_DATA_TYPES.error


def _token_of(exchange: Exchange) -> str:
    """Return what tells one token of the run from another: a command may have given a user several."""
    return f"{exchange.question.credential} {header(exchange.question.headers, 'authorization')}"


def _is_asked_after(later: Exchange, earlier: Exchange) -> bool:
    """Tell whether one was asked when the other was answered: what was begun ahead may have come late."""
    return later.is_after(earlier) and later.started.timestamp() >= earlier.started.timestamp() + earlier.seconds


def _accepted(exchanges: Sequence[Exchange]) -> Mapping[str, Sequence[Exchange]]:
    accepted: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in exchanges:
        known_user = exchange.operation in ON_DATA_REQUESTS and exchange.question.credential in KNOWN_CREDENTIALS
        if known_user and exchange.answer is not None and exchange.answer.status not in (401, 403):
            accepted[_token_of(exchange)].append(exchange)
    return accepted
