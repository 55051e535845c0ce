"""Journals on the disk: what a run that is over may have left at the service, and whether a run is in progress."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from conformance.http.creations.locks import lock
from conformance.model.errors import ConfigurationFault
from conformance.model.exchange import same_origin
from conformance.model.option_values import checked_base_url
from conformance.model.printable import one_line

NAMES: Final = "journal*.jsonl"
"""The names of the journals in the folder of a run."""

_MEMBERS: Final = {
    "begin": ("base_url", "started", "host", "process"),
    "intend": ("credential",),
    "refused": (),
    "created": ("id", "credential"),
    "unknown": ("why",),
    "deleted": ("id",),
    "not found": ("id",),
    "back": ("id", "credential"),
    "left": ("id", "credential"),
    "handed over": ("id",),
}
"""The events, each with the members that it has; all of them are texts. Only the first line begins."""


_SEGMENT: Final = re.compile(r"[A-Za-z0-9._~!$&'()*+,=:@-]+")
"""One segment of a path (RFC 3986, 3.3) that no server decodes or splits again: a journal may come from others."""


@dataclass
class Remains:
    """What a run may have left at the service at `base_url`, as its journal says.

    `base_url` is None if the journal is empty, or if the address contains a secret, which the journal does not.
    """

    base_url: str | None = None
    started: str = ""
    owners: dict[str, str] = field(default_factory=dict)
    """The marks of the accounts, see `owners`; empty in the journals of versions that wrote none."""
    first_seal: str = ""
    """The seal of the first line if this user wrote every line on this machine; else empty."""
    process: str = ""
    """The process of the run and its machine, in words."""
    live: dict[str, str] = field(default_factory=dict)
    """Identifiers of the requests that may exist, each with the label of the credential that created it."""
    shared: Counter[str] = field(default_factory=Counter)
    """Further requests with each of these identifiers: creations that named one that was live."""
    hidden: dict[str, str] = field(default_factory=dict)
    """The same for identifiers that are not sent: a secret in them is marked, or they are no segment of a path."""
    left: str = ""
    """The identifier of the request among `live` that stayed on purpose; empty for none."""
    not_found: set[str] = field(default_factory=set)
    """Identifiers of requests that the service did not find when they were deleted."""
    unnamed: int = 0
    """Most requests that may exist without an identifier in the journal: no answer to their creation gave one."""

    @property
    def total(self) -> int:
        """Most requests that may exist."""
        return len(self.live) + len(self.hidden) + self.unnamed


def read(path: Path, seal: Callable[[str], str] | None = None) -> Remains:
    """Return what the journal `path` says is left. The last line may be cut: the run may have died while it wrote.

    `seal` is that of this user: without it no journal counts as written by this user.

    Raises ConfigurationFault for a file that is no journal, and OSError for one that cannot be read.
    """
    *lines, last = path.read_bytes().split(b"\n")
    is_cut = b'{"'.startswith(last[:2]) and not _event(last)
    lines += [] if is_cut else [last]
    remains = Remains()
    remains.first_seal = _first_seal(lines, seal) if seal else ""
    for number, line in enumerate(lines, 1):
        event = _event(line)
        fits = event is not None and (event["event"] == "begin") is (number == 1)
        if event is not None and fits:
            _apply(event, remains)
        if not fits or remains.unnamed < 0:
            raise ConfigurationFault(
                f"{path} cannot be read as the journal of a run: line {number} is not one that a run writes there.",
                remedy="Name the folder of a run, or the journal.jsonl that 'drsi-conformance check' left in it.",
            )
    return remains


def _first_seal(lines: list[bytes], seal: Callable[[str], str]) -> str:
    """Return the seal of the first line if each line has the right one, or ""."""
    first = ""
    with suppress(RecursionError):
        for line in lines:
            event = _event(line) or {}
            given = event.pop("seal", "")
            if given != seal(first + json.dumps(event)):
                return ""
            first = first or given
        return first
    return ""


def _apply(event: dict[str, Any], remains: Remains) -> None:
    match event["event"]:
        case "begin":
            remains.base_url = None if event.get("redacted") else checked_base_url(event["base_url"])
            remains.started = one_line(event["started"], 40)
            marks = event.get("owners")
            remains.owners = {name: str(mark) for name, mark in marks.items()} if isinstance(marks, dict) else {}
            remains.process = one_line(f"process {event['process']} on {event['host']}", 300)
        case "intend":
            remains.unnamed += 1
        case "refused":
            remains.unnamed -= 1
        case "created" | "back" | "left":
            if event["event"] == "created":
                remains.unnamed -= 1
                if event["id"] in remains.live or event["id"] in remains.not_found:
                    remains.shared[event["id"]] += 1
            _place(event, remains)[event["id"]] = event["credential"]
            remains.not_found.discard(event["id"])
            remains.left = event["id"] if event["event"] == "left" else remains.left
        case "deleted" | "not found" | "handed over":
            if event["event"] == "deleted" and remains.shared[event["id"]] > 0:
                remains.shared[event["id"]] -= 1
            else:
                _place(event, remains).pop(event["id"], None)
            if event["event"] == "not found" and event["id"] != remains.left:  # that may be gone by itself
                remains.not_found.add(event["id"])
    remains.left = remains.left if remains.left in remains.live else ""


def _place(event: dict[str, Any], remains: Remains) -> dict[str, str]:
    is_sent = _SEGMENT.fullmatch(event["id"]) and event["id"] not in (".", "..") and not event.get("redacted")
    return remains.live if is_sent else remains.hidden


def _event(line: bytes) -> dict[str, Any] | None:
    """Return the event that a line states, or None if it is no line of a journal."""
    with suppress(ValueError, RecursionError):
        event = json.loads(line)
        if isinstance(event, dict):
            texts = _MEMBERS.get(str(event.get("event")))
            if texts is not None and all(isinstance(event.get(name), str) for name in texts):
                return event
    return None


def mend(path: Path) -> None:
    """Complete a cut last line, or remove it if it says nothing, so that further lines can follow."""
    whole, newline, last = path.read_bytes().rpartition(b"\n")
    if last:
        with path.open("r+b") as file:
            if _event(last) is None:
                file.truncate(len(whole + newline))
            else:
                file.seek(0, 2)
                file.write(b"\n")


def in_folders(folder: Path, names: str) -> list[Path]:
    """Return the files with such names in the folders within `folder`, without those that disappear meanwhile."""
    found: list[Path] = []
    for each in sorted(folder.glob("*")):
        with suppress(OSError):
            found += sorted(each.glob(names))
    return found


def unfinished(folder: Path, base_url: str, seal: Callable[[str], str] | None = None) -> Iterator[tuple[Path, Remains]]:
    """Yield the journals in the folders within `folder` by which a run that is over left something at this service."""
    for path in in_folders(folder, NAMES):
        with suppress(OSError, ConfigurationFault):
            if not path.is_file() or not _is_of(path, base_url):
                continue
            if (remains := read(path, seal)).total and not is_in_progress(path):
                yield path, remains


def _is_of(path: Path, base_url: str) -> bool:
    """Whether the first line of a journal names this service: a folder may hold the journals of many others."""
    with path.open("rb") as file:
        begun = _event(file.readline())
    if begun is None or begun["event"] != "begin" or begun.get("redacted"):
        return False
    return same_origin(checked_base_url(begun["base_url"]), base_url)


def claim(path: Path) -> IO[bytes] | None:
    """Return the journal, open; until it is closed it counts as that of a run in progress. None if it is one already.

    The system releases the claim when the process ends, however it ends.
    """
    file = path.open("ab")
    if lock(file, exclusive=True):
        return file
    file.close()
    return None


def is_in_progress(path: Path) -> bool:
    """Tell whether the run of a journal is in progress."""
    with path.open("rb") as file:
        return not lock(file, exclusive=False)
