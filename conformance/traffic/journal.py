"""Every data request the run creates, on disk before it is used, so that nothing is left behind."""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

_sync = getattr(os, "fdatasync", os.fsync)  # not every system has the cheaper one


@dataclass
class Journal:
    """Append-only ledger of creations and deletions; `path` None keeps it in memory only.

    A line is written and synced before a creation is asked for, and again with the identifier before anything
    else is done with the answer: whatever ends the run, the file names what is left. What only makes that list
    shorter is not synced: deleting once more what is gone does no harm.

    A token that an identifier holds is left out, and its name stands there: whoever deletes by hand can put it back.
    """

    path: Path | None = None
    pending: int = 0
    """Creations asked for that have not been answered yet."""
    named: int = 0
    """Creations whose answer named an identifier, the same one again included."""
    unknown: int = 0
    """Creations whose outcome is not known: no answer came, or one without a usable identifier."""
    live: dict[str, str] = field(default_factory=dict)
    """Identifier of each request that exists as far as is known, with the label of the credential that made it.

    An identifier is in one of this dict, `gone` and `lost`. They are replaced and never changed: a thread that reads
    one is not disturbed by another.
    """
    gone: dict[str, str] = field(default_factory=dict)
    """The same of each request whose deletion the target confirmed."""
    lost: dict[str, str] = field(default_factory=dict)
    """The same of each request that the target answered 404 for when it was to be deleted."""
    repeated: Counter[str] = field(default_factory=Counter)
    """How often a creation named an identifier that was live already: whether it made a second request is not known."""
    clean: Callable[[str], str] = str
    """Takes the secrets out of what the target said before it is written."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _syncing: threading.Lock = field(default_factory=threading.Lock)
    _written: int = 0
    _synced: int = 0
    """Lines that are in the file, and how many of them certainly reached the disk."""

    @property
    def created(self) -> int:
        """Different identifiers that creations named: the sum of `deleted`, `not_found` and those still live."""
        return len(self.live) + len(self.gone) + len(self.lost)

    @property
    def deleted(self) -> int:
        """Those of the identifiers whose deletion the target confirmed."""
        return len(self.gone)

    @property
    def not_found(self) -> int:
        """Those of the identifiers that the target answered 404 for when they were to be deleted."""
        return len(self.lost)

    @property
    def left_behind(self) -> int:
        """Requests that are or may be at the target because of this run: live, or made without an identifier."""
        return len(self.live) + self.unknown

    @property
    def unnamed(self) -> int:
        """Requests that may exist beside the live ones, without an identifier of their own."""
        return self.unknown + self.repeated.total()

    @property
    def spent(self) -> int:
        """Creations that count against the budget: made, perhaps made, or being asked for."""
        return self.named + self.unknown + self.pending

    def intend(self, credential: str, *, at_most: int) -> bool:
        """Note that a creation is about to be asked for; return False when `at_most` are spent already."""
        with self._lock:
            if self.spent >= at_most:
                return False
            self.pending += 1
        self._write({"event": "intend", "credential": credential})
        return True

    def was_refused(self) -> None:
        """Note that the creation asked for was not made."""
        with self._lock:
            self.pending -= 1
        self._write({"event": "refused"}, sync=False)

    def was_created(self, request_id: str, credential: str) -> None:
        """Note the identifier of a request that the target says it created."""
        with self._lock:
            self.pending -= 1
            self.named += 1
            if request_id in self.live:
                self.repeated[request_id] += 1
            self.live = {**self.live, request_id: credential}
            self.gone, self.lost = _without(self.gone, request_id), _without(self.lost, request_id)
        self._write({"event": "created", "id": self.clean(request_id), "credential": credential})

    def has_unknown_outcome(self, why: str) -> None:
        """Note a creation that may have happened but gave no identifier."""
        with self._lock:
            self.pending -= 1
            self.unknown += 1
        self._write({"event": "unknown", "why": self.clean(why)})

    def was_deleted(self, request_id: str, *, confirmed: bool) -> None:
        """Note that the target no longer has the request: it `confirmed` the deletion, or answered it 404."""
        with self._lock:
            credential = self.live.get(request_id)
            if credential is None:
                return
            self.live = _without(self.live, request_id)
            if confirmed:
                self.gone = {**self.gone, request_id: credential}
            else:
                self.lost = {**self.lost, request_id: credential}
        self._write({"event": "deleted" if confirmed else "not found", "id": self.clean(request_id)}, sync=False)

    def is_back(self, request_id: str, credential: str) -> None:
        """Note that a request can be read that was taken to be gone: it has to be deleted again."""
        with self._lock:
            if request_id not in self.gone and request_id not in self.lost:
                return
            self.gone, self.lost = _without(self.gone, request_id), _without(self.lost, request_id)
            self.live = {**self.live, request_id: credential}
        self._write({"event": "back", "id": self.clean(request_id), "credential": credential})

    def is_deleted_by(self, request_id: str, credential: str) -> None:
        """Note that a live request is deleted with another credential than the one that made it."""
        with self._lock:
            if request_id in self.live:
                self.live = {**self.live, request_id: credential}

    def _write(self, line: dict[str, str], *, sync: bool = True) -> None:
        if self.path is None:
            return
        with self.path.open("a", encoding="utf-8") as file:
            with self._lock:
                file.write(json.dumps(line) + "\n")
                file.flush()
                self._written += 1
                written = self._written
            if not sync:
                return
            with self._syncing:
                # One sync does for every line written before it began: creations side by side share it.
                if self._synced < written:
                    reached = self._written
                    _sync(file.fileno())
                    self._synced = reached


def _without(requests: dict[str, str], request_id: str) -> dict[str, str]:
    return {one: credential for one, credential in requests.items() if one != request_id}
