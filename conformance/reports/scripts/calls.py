"""The calls that a reproduction script repeats: the decisive one, and the earlier ones that it depends on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cached_property
from operator import attrgetter
from typing import Final

from conformance.facts.answers import is_limit_refusal
from conformance.facts.ledger import Ledger
from conformance.facts.life import confirms
from conformance.model.errors import Probe
from conformance.model.exchange import Exchange, Operation
from conformance.model.findings import Finding
from conformance.model.text import LONGEST_TEXT
from conformance.spec.kinds import State

MOST: Final = 80
"""Most calls of a script; with more the state before the decisive call cannot be repeated."""

_IDENTIFIER: Final = re.compile("[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_ON_REQUESTS: Final = (Operation.CREATE, Operation.READ, Operation.DELETE)
_USERS: Final = ("user", "other user")


class Recorded:
    """The evidence of a run, read once for all scripts of the run."""

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self._exchanges = exchanges

    @cached_property
    def entries(self) -> dict[str, Exchange]:
        """The entries by their ids, in the order of the run."""
        return {each.id: each for each in sorted(self._exchanges, key=attrgetter("number"))}

    @cached_property
    def _ledger(self) -> Ledger:
        return Ledger.of(self.entries.values())

    def creation_of(self, request_id: str) -> Exchange | None:
        """Return the first creation that made the request with an identifier."""
        life = self._ledger.life(request_id)
        return life.created[0] if life else None

    def existing_before(self, call: Exchange) -> list[Exchange]:
        """Return the creations of the requests that existed before a call, but for those that their user missed."""
        return [
            life.created[0]
            for life in self._ledger.lives.values()
            if life.created[0].number < call.number
            and life.at_most(call.sent, call.sent)
            and not any(each.number < call.number for each in life.missing)
        ]

    def is_beyond_the_limit(self, entry: Exchange) -> bool:
        """Whether as many requests as the limit allows were in progress at a creation."""
        return entry.operation is Operation.CREATE and self._ledger.state_at(entry.id) is State.FULL

    @cached_property
    def by_question(self) -> dict[tuple[object, ...], list[Exchange]]:
        """The entries of calls that have to be answered alike."""
        groups: dict[tuple[object, ...], list[Exchange]] = {}
        for entry in self.entries.values():
            groups.setdefault(_question(entry), []).append(entry)
        return groups


def calls_of(recorded: Recorded, finding: Finding[str], probe: Probe) -> list[Exchange]:
    """Return the calls that show `finding`, which has this probe: the decisive one is the last.

    There are none if the evidence does not hold them, or if they are too many.
    """
    entries = recorded.entries
    named = [entries[each] for each in finding.exchanges if each in entries]
    if not finding.exchanges or not named or named[0].id != finding.exchanges[0] or not named[0].counts:
        return []
    decisive = named[0]
    if decisive.intent.racing and decisive.beside:  # which of the calls at the same time is answered how is chance
        return []
    before = [each for each in entries.values() if each.number < decisive.number and each.status]
    before = [each for each in before if each.operation in _ON_REQUESTS]
    if finding.steps:
        taken = [entries[step.exchange] for step in finding.steps if step.exchange in entries]
        made = [each for each in taken if each.number < decisive.number]
    elif probe.kind == "new-id":
        ids = {shown_id(each) for each in named}
        made = [each for each in before if each in named or (_is_deletion(each) and request_id(each) in ids)]
    elif recorded.is_beyond_the_limit(decisive) or _depends_on_others(decisive, before):
        made = [each for each in before if each.check == decisive.check and _changes(each, decisive)]
        made = [*recorded.existing_before(made[0] if made else decisive), *made]
    elif probe.kind == "as-created":
        made = _about(request_id(decisive), before, decisive)
        origin = recorded.creation_of(request_id(decisive)) or decisive
        between = [each for each in before if each.number > origin.number and _changes(each, decisive)]
        made += [each for each in between[-20:] if each not in made]
    elif probe.kind == "set" and decisive.operation is Operation.CREATE:  # perhaps the types are those of another
        made = [each for each in before if each.operation is Operation.CREATE and shown_id(each)][-1:]
        made += [each for each in before if made and request_id(each) == shown_id(made[0]) and _deletes(each)]
    else:
        made = _about(request_id(decisive), before, decisive)
    made = [*made, decisive]
    # A call on a request needs its creation, and perhaps the answer shows another request than its own.
    needed = map(recorded.creation_of, [*map(request_id, made), shown_id(decisive)])
    by_number = {each.number: each for each in [*made, *filter(None, needed)] if each.number <= decisive.number}
    return [by_number[number] for number in sorted(by_number)] if len(by_number) <= MOST else []


def request_id(entry: Exchange) -> str:
    """Return the identifier in the path of a reading or deletion; "" for other calls."""
    if entry.operation not in (Operation.READ, Operation.DELETE):
        return ""
    return entry.request_id


def shown_id(entry: Exchange) -> str:
    """Return the identifier of the request that the answer shows; "" if it shows none."""
    given = entry.member("requestId") if 200 <= entry.status < 300 else None
    return given if isinstance(given, str) else ""


def _is_deletion(entry: Exchange) -> bool:
    return entry.operation is Operation.DELETE


def _deletes(entry: Exchange) -> bool:
    return _is_deletion(entry) and confirms(entry)


def _depends_on_others(decisive: Exchange, before: list[Exchange]) -> bool:
    """Whether other data requests decide how the service answers: the limit, or a wrong loss."""
    if decisive.operation is Operation.CREATE:
        return is_limit_refusal(decisive.response)
    if decisive.status != 404 or decisive.request.credential not in _USERS:
        return False
    own = [each for each in before if _is_deletion(each) and request_id(each) == request_id(decisive)]
    return not any(map(_deletes, own)) and decisive.intent.request != "unknown"


def _is_refused(entry: Exchange, decisive: Exchange) -> bool:
    """Whether a deletion by the same caller was refused: where it succeeds, the decisive call would find nothing."""
    same = entry.request.credential == decisive.request.credential
    return same and _is_deletion(entry) and not _deletes(entry)


def _changes(entry: Exchange, decisive: Exchange) -> bool:
    """Whether a call may change the state that the decisive one depends on."""
    if request_id(entry) == request_id(decisive) and request_id(entry):
        return True
    return entry.request.credential in _USERS and entry.operation is not Operation.READ


def _about(id: str, before: list[Exchange], decisive: Exchange) -> list[Exchange]:
    """Return the earlier calls on the request `id`."""
    own = [each for each in before if id and request_id(each) == id and not _is_refused(each, decisive)]
    return own[-MOST // 2 :]


def rounds_of(recorded: Recorded, calls: list[Exchange]) -> int:
    """Return how often a script repeats its calls: once, or as often as needed where only some responses deviate."""
    decisive, most = calls[-1], MOST // len(calls)
    shape = _shape(decisive)
    alike = recorded.by_question[_question(decisive)]
    same = [each for each in alike if _shape(each) == shape]
    return 1 if len(same) > 0.8 * len(alike) else max(1, min(most // 3, round(4 * len(alike) / len(same))))


def _question(entry: Exchange) -> tuple[object, ...]:
    """Return what is the same in calls that have to be answered alike."""
    path = "" if request_id(entry) else entry.request.url
    intent = json.dumps(entry.intent.stated(), sort_keys=True)
    return entry.operation, entry.request.credential, path, entry.request.body, intent


def _shape(entry: Exchange) -> tuple[object, ...]:
    """Return the status, the media type and the body of a response without the parts that differ in every response."""
    answer = entry.response
    text = _IDENTIFIER.sub("U", answer.body[:LONGEST_TEXT].decode("utf-8", "replace") if answer else "")
    return entry.status, answer.header("content-type") if answer else None, re.sub("[0-9]+", "0", text)
