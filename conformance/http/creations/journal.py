"""The journal: each data request that the run creates, on disk before it is used, and what exchanges did to it."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from conformance import __version__
from conformance.facts.answers import names_a_tabled_error
from conformance.facts.creation import made_by
from conformance.facts.ledger import Ledger
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.exchange import MISSING, Exchange, Operation, Response
from conformance.model.identity import USER

CLEAN_UP: Final = "clean-up"
"""The name, in place of a check, under which the end of a run deletes what is left, and what such calls are about."""

_sync = getattr(os, "fdatasync", os.fsync)  # not every system has the cheaper one


@dataclass
class Journal:
    """Append-only list of creations and deletions; with `path` None it is kept in memory only.

    A line is synced before a creation is sent, and the one with the identifier before the response is used, so the file
    names what is left even after a crash. Lines about deletions are not synced: deleting twice does no harm.
    """

    path: Path | None = None
    pending: int = 0
    """Creations without a response so far."""
    spent: int = 0
    """Creations that count against the budget: made, perhaps made, or in progress."""
    unknown: int = 0
    """Creations with an unknown outcome: no response, or one without a usable identifier."""
    live: dict[str, str] = field(default_factory=dict)
    """Identifier of each existing request, with the label of the user that can delete it.

    An identifier is in one of `live`, `gone` and `lost`. These dicts are replaced, never changed, so that other
    threads can read them.
    """
    gone: dict[str, str] = field(default_factory=dict)
    """The same for requests whose deletion the target confirmed."""
    lost: dict[str, str] = field(default_factory=dict)
    """The same for requests whose deletion was answered 404 or 410."""
    repeated: Counter[str] = field(default_factory=Counter)
    """Number of creations that named a live identifier, or one that a deletion did not find: there may be a second.

    A confirmed deletion of such an identifier removes one of its requests.
    """
    left: str | None = None
    """The identifier of the live request that stays after the run on purpose. No number counts it."""
    has_returned: bool = False
    """Whether a request was seen after its deletion: no deletion of the service is certain."""
    clean: Callable[[str], str] = str
    """Removes the secrets from what is written."""
    seal: Callable[[str], str] | None = None
    """Returns the seal of a text, see `owners`; None leaves the lines without one."""
    first_seal: str = ""
    """The seal of the first line, to which those of all others are bound."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def created(self) -> int:
        """Number of different identifiers that creations named."""
        return len(self.live) + len(self.gone) + len(self.lost) - (self.left is not None)

    @property
    def left_behind(self) -> int:
        """Number of requests of this run that may exist at the target: live, or created without an identifier."""
        return len(self.live) + self.unknown - (self.left is not None)

    def begin(self, base_url: str, started: datetime, owners: Mapping[str, str] | None = None) -> None:
        """Write the first line: what `cleanup` and later runs need to know about the run, if it is killed.

        `owners` are the marks of its accounts.
        """
        line: dict[str, Any] = {"event": "begin", "suite": __version__, "started": f"{started:%Y-%m-%dT%H:%M:%SZ}"}
        line |= {"owners": owners} if owners else {}
        line |= {"host": socket.gethostname(), "process": str(os.getpid())}
        self._write(line | self._without_secrets("base_url", base_url))

    def intend(self, credential: str, *, at_most: int) -> bool:
        """Note that a creation is about to be sent; return False if `at_most` are spent already."""
        with self._lock:
            if self.spent >= at_most:
                return False
            self.pending += 1
            self.spent += 1
        self._write({"event": "intend", "credential": credential})
        return True

    def was_refused(self) -> None:
        """Note that the target refused the creation."""
        with self._lock:
            self.pending -= 1
            self.spent -= 1
        self._write({"event": "refused"}, lasting=False)

    def was_created(self, request_id: str, credential: str) -> None:
        """Note the identifier of a created request."""
        with self._lock:
            self.pending -= 1
            if request_id in self.live or request_id in self.lost:
                self.repeated[request_id] += 1
            # As at the end of a run, the user deletes what was created with no token of a user.
            self._live_again(request_id, credential if credential in KNOWN_CREDENTIALS else USER.label)
        self._write({"event": "created", **self._without_secrets("id", request_id), "credential": credential})

    def has_unknown_outcome(self, why: str) -> None:
        """Note a creation that may have happened but gave no identifier."""
        with self._lock:
            self.pending -= 1
            self.unknown += 1
        self._write({"event": "unknown", "why": self.clean(why)})

    def was_deleted(self, request_id: str, *, confirmed: bool) -> None:
        """Note that the target no longer has the request: it `confirmed` the deletion, or answered it 404 or 410.

        An identifier of several requests stays live until as many deletions are confirmed, or one finds none.
        """
        with self._lock:
            credential = self.live.get(request_id)
            if credential is None:
                return
            # A request of an earlier run may be gone by itself.
            confirmed |= request_id == self.left
            if confirmed and self.repeated[request_id] > 0:
                self.repeated[request_id] -= 1
            elif confirmed:
                self.live, self.gone = _without(self.live, request_id), {**self.gone, request_id: credential}
            else:
                self.live, self.lost = _without(self.live, request_id), {**self.lost, request_id: credential}
            self.left = self.left if self.left in self.live else None
        event = "deleted" if confirmed else "not found"
        self._write({"event": event, **self._without_secrets("id", request_id)}, lasting=False)

    def leave(self, request_id: str, credential: str) -> None:
        """Note a request that stays at the service on purpose, for a later run that goes on with it."""
        self.left = request_id
        self._write({"event": "left", **self._without_secrets("id", request_id), "credential": credential})

    def hand_over(self, request_id: str) -> None:
        """Note that the journal of a later run has a request that stayed on purpose."""
        self._write({"event": "handed over", **self._without_secrets("id", request_id)})

    def is_back(self, request_id: str, credential: str) -> None:
        """Note that a deleted request can be read: it has to be deleted again."""
        with self._lock:
            self.has_returned = True
            if request_id not in self.gone and request_id not in self.lost:
                return
            self._live_again(request_id, credential)
        self._write({"event": "back", **self._without_secrets("id", request_id), "credential": credential})

    def _live_again(self, request_id: str, credential: str) -> None:
        self.gone, self.lost = _without(self.gone, request_id), _without(self.lost, request_id)
        self.live = {**self.live, request_id: credential}

    def _without_secrets(self, name: str, text: str) -> dict[str, Any]:
        """Return a member of a line. A text that contained a secret is marked: it cannot be sent any more."""
        clean = self.clean(text)
        return {name: clean} if clean == text else {name: clean, "redacted": True}

    def _write(self, line: dict[str, Any], *, lasting: bool = True) -> None:
        """Append a line; a `lasting` one has to survive the end of the machine."""
        if self.path is None:
            return
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            if self.seal is not None:
                line["seal"] = self.seal(self.first_seal + json.dumps(line))
                self.first_seal = self.first_seal or line["seal"]
            file.write(json.dumps(line) + "\n")
            file.flush()
            if lasting:
                _sync(file.fileno())


def _without(requests: dict[str, str], request_id: str) -> dict[str, str]:
    return {one: credential for one, credential in requests.items() if one != request_id}


def is_clean_up(exchange: Exchange) -> bool:
    """Whether an exchange deletes what the run created; no budget prevents it."""
    return exchange.operation is Operation.DELETE and exchange.intent.request == CLEAN_UP


def record_outcome(journal: Journal, exchange: Exchange, known: Iterable[Exchange] = ()) -> None:
    """Note whether an exchange created or deleted a data request, or shows one that had been deleted.

    `known` are the exchanges so far: a server error to a creation beyond the limit leaves nothing.
    """
    credential, response = exchange.request.credential, exchange.response
    if exchange.operation is Operation.CREATE:
        _record_creation(journal, exchange, known)
    elif response is None or (
        exchange.intent.racing and (response.status in MISSING or exchange.operation is Operation.READ)
    ):
        return  # the responses to the other calls of the race decide
    elif exchange.operation is Operation.DELETE and (response.status in MISSING or 200 <= response.status < 300):
        request_id = exchange.request_id
        if journal.live.get(request_id) == credential:
            journal.was_deleted(request_id, confirmed=response.status not in MISSING)
    elif _shows_a_deleted_one(exchange, response) and credential in KNOWN_CREDENTIALS:
        journal.is_back(exchange.request_id, credential)


def _shows_a_deleted_one(exchange: Exchange, response: Response) -> bool:
    """Whether a call reads a request that was deleted when it began; a deletion beside it may have begun later."""
    if exchange.operation is not Operation.READ or exchange.intent.request not in ("deleted", "lost"):
        return False
    empty = response.text.strip() in ("", "null", "{}", "[]")  # some services answer 200 with nothing, or an error
    return response.status == 200 and not empty and not names_a_tabled_error(response)


def _record_creation(journal: Journal, creation: Exchange, known: Iterable[Exchange]) -> None:
    """Note what a creation made, as far as the clean-up has to know it."""
    made = made_by(creation)
    if made.request_id is not None:
        journal.was_created(made.request_id, creation.request.credential)
        return
    is_left = made.is_left
    if is_left and creation.status >= 500:
        ledger = Ledger.of(sorted(known, key=attrgetter("number")))
        is_left = creation.id in (each.id for each in ledger.unnamed)
    if is_left:
        journal.has_unknown_outcome(made.perhaps)
    else:
        journal.was_refused()
