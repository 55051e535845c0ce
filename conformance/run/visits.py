"""Two visits to a service: the calls about a request that one run left on purpose, and what a later run says of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from conformance.facts.life import Life, confirms
from conformance.judge.moments import moment_of
from conformance.model.exchange import EARLIER, Exchange
from conformance.model.findings import Note
from conformance.model.text import time_in_words
from conformance.model.verdict import Blame
from conformance.trace.trace import Trace

_GO_ON: Final = (
    "Later: 'drsi-conformance check --resume RUN' with this folder and a token of the same user. 'drsi-conformance "
    "cleanup RUN' deletes it."
)

_FROM: Final = ", which an earlier run made on "
ON_PURPOSE: Final = "(--leave)"
"""What each note on such a request has, or _FROM."""

_SOON: Final = 60.0
"""Seconds after a creation in which a request in progress says nothing of how long it takes."""


def calls_about_left_request(trace: Trace) -> list[Exchange]:
    """Return the calls about the request that a run left, its creation first, as a later run begins with them.

    The list is empty if the run left none.
    """
    life = trace.facts.ledger.life(trace.conditions.left) if trace.conditions.left else None
    if life is None or not life.is_told_apart:
        return []
    about = [each for each in trace.exchanges if each is life.created[0] or each.request_id == life.request_id]
    return [
        replace(each, id=f"e{place}", ended=place, check=EARLIER, beside="", repeats="", redirected_from="")
        for place, each in enumerate(about, 1)
    ]


def notes_on_left_request(trace: Trace) -> Iterator[Note]:
    """Yield what the reader has to know of a request that an earlier run left, and of one that this run leaves."""
    earlier = [each for each in trace.facts.ledger.lives.values() if each.is_of_an_earlier_run]
    for life in earlier:
        became, remedy = _became(life, stays=life.request_id == trace.conditions.left)
        message = f"The data request {life.request_id}{_FROM}{_day(life.created[0])}, {became}"
        last = max((*life.completed, *life.missing, life.last_shown), key=lambda each: each.sent)
        shown = (life.created[0].id, last.id)
        yield Note(blame=Blame.CONFIGURATION, message=message, remedy=remedy, exchanges=shown)
    if trace.conditions.left and trace.conditions.left not in [each.request_id for each in earlier]:
        message = f"The data request {trace.conditions.left} stays at the service on purpose {ON_PURPOSE}."
        yield Note(blame=Blame.CONFIGURATION, message=message, remedy=_GO_ON)


def is_on_left_request(note: Note) -> bool:
    """Tell whether a note is on a request that a run or an earlier one left on purpose, or should have left."""
    return _FROM in note.message or ON_PURPOSE in note.message


def _became(life: Life, *, stays: bool) -> tuple[str, str]:
    """Return in words what became of a request of an earlier run, and what to do about it."""
    creation = life.created[0]
    signs = [*life.completed, *(each for each in life.missing if any(map(confirms, life.deleted)))]
    readings = [each for each in life.in_progress if each.check != EARLIER]
    if signs:
        sign = min(signs, key=lambda each: each.sent)
        known = max(life.in_progress, key=lambda each: each.sent, default=creation)
        completed = moment_of(sign, "completedAt")
        took = f"at most {_after(creation, sign)} after its creation"
        if known.sent[0] - creation.over[0] > _SOON:
            took = f"between {_after(creation, known)} and {_after(creation, sign)} after its creation"
        if completed is not None:
            # Both by the clock of the service, if it shows both.
            seconds = (completed - (moment_of(creation, "createdAt") or creation.started)).total_seconds()
            took = f"{time_in_words(max(seconds, 0))} after its creation, by its completedAt"
        return (
            f"was completed {took}. For the person, Art. 12(3) GDPR sets one month, which may be extended; the "
            f"specification sets no time, so this decides nothing.{' It stays at the service.' if stays else ''}",
            _GO_ON if stays else "",
        )
    if readings:
        return f"is still in progress after {_after(creation, readings[-1])}, and stays at the service.", _GO_ON
    if life.missing:
        return (
            f"was not found {_after(creation, life.missing[0])} later. This is no fault: the service may have removed "
            "it since, or the token is of another user.",
            "If the token is of another user, give that of the user who made the earlier run.",
        )
    return "was not asked for, or not shown, in this run.", _GO_ON


def _after(creation: Exchange, later: Exchange) -> str:
    return time_in_words(later.sent[0] - creation.over[0])


def _day(creation: Exchange) -> str:
    return f"{creation.started:%Y-%m-%d}"
