"""A store as one file, and back: a zip file with the bundles of its runs, and what else the store says, line by line.

The file has no rows of runs: an import computes them from the bundles, each of which is verified before. What rests
only on the word of the file is a proposal (`proposals.py`), or has the mark of an import.

Nothing in the file is compressed, so that an import writes no more than it reads; the bundles are compressed.
"""

from __future__ import annotations

import itertools
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, Table, select

from conformance.fleet.moments import moment, now
from conformance.fleet.store import changes, contents, publication, recorded, tables
from conformance.fleet.store.bundles import checked
from conformance.fleet.store.proposals import propose
from conformance.fleet.store.rows import StoreFault
from conformance.fleet.store.store import Store
from conformance.model import unique_keys
from conformance.model.printable import one_line, printable
from conformance.trust import archive, bundle
from conformance.trust.archive import MOST_BYTES, EvidenceFault

_DOCUMENT: Final = "store.jsonl"
_HEAD: Final = {"kind": "store", "format": 1}
_NAME: Final = re.compile(rf"evidence/[0-9a-f]{{2}}/([0-9a-f]{{64}}){re.escape(bundle.SUFFIX)}")
_STATES: Final = "unreachable|not-run|ended|broken|interrupted"
_MOST_OF_A_LINE: Final = 1 << 22
"""Most bytes of a line: a run with three statements of witnesses of the largest size."""
_MOST_OF_THE_LIST: Final = 1 << 26
"""Most bytes of the list of bundles, which the library reads as a whole: half a million bundles."""
_MOST_BUNDLES: Final = 500_000
_REMEDY: Final = "Name a file that 'store export' wrote."
_AT_ONCE: Final = 100
"""Runs that are read from a database at once."""


@dataclass
class Imported:
    """What an import did."""

    added: int = 0
    known: int = 0
    """Runs that the store had. They stay as they are."""
    refused: dict[str, str] = field(default_factory=dict)
    """Why runs were refused, by the digests of their bundles."""
    proposed: int = 0
    """Proposals that are not accepted."""


def export(store: Store, file: Path) -> int:
    """Write a store with its evidence to a file; return the number of runs.

    The file is the state of one moment. Raise StoreFault if a bundle is absent, and OSError if it cannot be written.
    """
    part = file.with_name(f".{file.name}.part")
    number = 0
    try:
        with TemporaryDirectory(prefix="drsi-export-", dir=file.parent) as folder:
            document = Path(folder) / _DOCUMENT
            with (
                zipfile.ZipFile(part, "w", zipfile.ZIP_STORED) as packed,
                document.open("w", encoding="utf-8") as lines,
                store.database.reading() as connection,
            ):
                for line in _lines(connection):
                    if line["kind"] == "run":
                        number += 1
                        if number > _MOST_BUNDLES:
                            raise StoreFault(
                                f"An export has at most {_MOST_BUNDLES:,} runs; the store has more.",
                                remedy="Remove old runs with 'store keep', or copy the database and its evidence.",
                            )
                        packed.writestr(_name(line["bundle"]), store.bundles.read(line["bundle"]))
                    lines.write(f"{json.dumps(line)}\n")
                lines.close()
                packed.write(document, _DOCUMENT)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return number


def _lines(connection: Connection) -> Iterator[dict[str, Any]]:
    """Yield what a store says: services, audits, parties, publications, and runs in the order of their addition."""
    t, r, p, u = tables.targets, tables.runs, tables.publications, tables.unreported
    yield dict(_HEAD)
    for row in connection.execute(select(t.c.name, t.c.base_url, t.c.labels).order_by(t.c.name)).mappings():
        yield {"kind": "target", **row}
    for row in connection.execute(select(tables.audits).order_by(tables.audits.c.id)).mappings():
        yield {"kind": "audit", **_of(row, "id", "name", "started", "finished")}
    for row in connection.execute(select(u, t.c.name.label("target")).join_from(u, t)).mappings():
        yield {"kind": "unreported", **_of(row, "target", "state", "message"), "audit": row["audit_id"]}
    for row in connection.execute(select(tables.parties)).mappings():
        yield {"kind": "party", **_of(row, "key", "name", "public_key")}
    for row in connection.execute(select(p, t.c.name.label("target")).join_from(p, t)).mappings():
        yield {"kind": "publication", **{name: value for name, value in row.items() if name != "target_id"}}
    every = select(r.c.id, r.c.bundle, r.c.audit_id, t.c.name.label("target")).join_from(r, t).order_by(r.c.id)
    with connection.execution_options(yield_per=_AT_ONCE).execute(every) as result:
        for row in result.mappings():
            yield {"kind": "run", **_of(row, "bundle", "target"), "audit": row["audit_id"], **_said(connection, row)}


def _said(connection: Connection, run: RowMapping) -> dict[str, Any]:
    """Return what a store says of a run beside its bundle."""

    def of_run(table: Any, *names: str) -> list[dict[str, Any]]:
        found = connection.execute(select(*(table.c[name] for name in names)).where(table.c.run_id == run["id"]))
        return [dict(each) for each in found.mappings()]

    return {
        "withdrawals": of_run(tables.withdrawals, "reason", "stated", "recorded"),
        "witnesses": [each["envelope"] for each in of_run(tables.witnesses, "envelope")],
        "former": of_run(tables.former_bundles, "bundle", "replaced"),
    }


def _of(row: RowMapping | dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: row[name] for name in names}


def take_over(store: Store, file: Path, confirm: recorded.Confirm) -> Imported:
    """Add what an exported file has to a store; return what was done.

    What the store has stays as it is. A run whose bundle is absent or altered, or that `confirm` refuses, is refused
    alone. An import that was broken off is continued by another one. Raise StoreFault for a file that is no export.
    """
    with _opened(file) as found:
        return _Import(store, file, found, confirm).made()


class _Import:
    def __init__(self, store: Store, file: Path, found: _Exported, confirm: recorded.Confirm) -> None:
        self._store = store
        self._file = file
        self._found = found
        self._confirm = confirm
        self._now = now()
        self._done = Imported()
        self._audits: set[str] = set()
        """The audits that this or another import added, and that the keeper did not accept."""
        self._unreported_in: dict[str, dict[str, tuple[str, str]]] = {}
        """For each of these audits, the services of which it has no report, with state and message."""
        self._runs: dict[str, dict[str, dict[str, Any]]] = {}
        """For the name of each service, the runs that wait for acceptance: what is said of each, by its bundle."""

    def made(self) -> Imported:
        for line in self._found.lines():
            try:
                _KINDS[line["kind"]](self, line)
            except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
                raise StoreFault(
                    f"{self._file} has a line that no version of the suite wrote: {one_line(repr(error), 200)}.",
                    remedy=_REMEDY,
                ) from None
        for audit, found in self._unreported_in.items():
            self._store.set_unreported(audit, found)
        for target, runs in self._runs.items():
            self._propose("runs", {"target": target, "runs": runs})
        self._done.proposed = sum(not each.accepted for each in self._store.proposals())
        return self._done

    def _propose(self, kind: str, content: Mapping[str, Any]) -> None:
        propose(self._store, kind, content, source=self._file.name, recorded=self._now)

    def _target(self, line: Mapping[str, Any]) -> None:
        labels = json.loads(_text(line, "labels"))
        row = {
            "name": changes.name_of_target(_text(line, "name")),
            "base_url": printable(_text(line, "base_url")),
            "labels": contents.as_text(contents.cleaned({str(key): str(value) for key, value in labels.items()})),
        }
        self._add(tables.targets, row)

    def _audit(self, line: Mapping[str, Any]) -> None:
        id, finished = _matching(line, "id", "[0-9a-f]{32}"), line["finished"]
        row = {
            "id": id,
            "name": printable(_text(line, "name")),
            "started": moment(_text(line, "started")),
            "finished": None if finished is None else moment(_text(line, "finished")),
            "imported": self._now,
        }
        self._add(tables.audits, row)
        with self._store.database.reading() as connection:
            is_own = not connection.scalar(select(tables.audits.c.imported).where(tables.audits.c.id == id))
        if not is_own:
            self._audits.add(id)
            self._propose("audit", _of(row, "id", "name", "started", "finished"))

    def _unreported(self, line: Mapping[str, Any]) -> None:
        if line["audit"] in self._audits:
            found = self._unreported_in.setdefault(line["audit"], {})
            name = changes.name_of_target(_text(line, "target"))
            found[name] = (_matching(line, "state", _STATES), _text(line, "message"))

    def _party(self, line: Mapping[str, Any]) -> None:
        names = ("key", "name", "public_key")
        self._propose("party", {name: printable(_text(line, name), keep="\n") for name in names})

    def _publication(self, line: Mapping[str, Any]) -> None:
        names = ("target", "basis", "statement", "stated", "since", "recorded", "ended")
        self._propose("publication", {name: printable(_text(line, name)) for name in names})

    def _run(self, line: Mapping[str, Any]) -> None:
        digest, target = _matching(line, "bundle", "[0-9a-f]{64}"), changes.name_of_target(_text(line, "target"))
        audit = line["audit"] if line["audit"] in self._audits else None
        with self._store.database.reading() as connection:
            is_known = publication.run_with(connection, digest) is not None
        if not is_known:
            try:
                is_known = not self._added(digest, target, audit)
            except EvidenceFault as fault:
                self._done.refused[digest] = str(fault)
                return
        self._done.known += is_known
        self._done.added += not is_known
        with self._store.database.reading() as connection:
            r = tables.runs.c
            imported = select(r.base_url).where(r.bundle == digest, r.imported != "")
            address = connection.scalar(imported)
        if address is not None:
            self._runs.setdefault(target, {})[digest] = {"address": address, "withdrawals": self._say(digest, line)}

    def _added(self, digest: str, target: str, audit: str | None) -> bool:
        """Add the run in a bundle; tell whether it was added: the store may have another bundle of it."""
        data = self._found.bundle(digest)
        with TemporaryDirectory(prefix="drsi-import-") as folder:
            path = Path(folder) / f"{digest}{bundle.SUFFIX}"
            path.write_bytes(data)
            try:
                with recorded.opened(path) as found:
                    self._confirm(found)
                    made = contents.contents(found.report)
            except EvidenceFault as fault:
                raise type(fault)(str(fault).replace(str(path), path.name), remedy=fault.remedy) from None
        with self._store.database.reading() as connection:
            if changes.kept(connection, made.run):
                return False
        made.run.update(bundle=digest, bundle_size=len(data), added=self._now, imported=self._now)
        self._store.keep_run(made, data, target, audit)
        return True

    def _say(self, digest: str, line: Mapping[str, Any]) -> list[dict[str, str]]:
        """Record what a key signed of an imported run; return its withdrawals, which are accepted with the run.

        A withdrawal is never taken back, so no file that somebody sent can make one.
        """
        said: dict[str, list[str]] = {}
        for envelope in line["witnesses"]:
            said.setdefault(publication.witnessed(envelope.encode()), []).append(envelope)
        for envelope in said.get(digest, ()):
            publication.add_witness(self._store, envelope.encode(), recorded=self._now)
        for each in line["former"]:
            former = _matching(each, "bundle", "[0-9a-f]{64}")
            content = {"run": digest, "bundle": former, "replaced": printable(_text(each, "replaced"))}
            self._propose("former bundle", content | {"witnesses": said.get(former, [])})
        return [
            {name: printable(_text(each, name)) for name in ("reason", "stated", "recorded")}
            for each in line["withdrawals"]
        ]

    def _add(self, table: Table, row: Mapping[str, Any]) -> None:
        with self._store.database.writing() as connection:
            changes.add_if_absent(connection, table, row)


_KINDS: Final[dict[str, Callable[[_Import, Mapping[str, Any]], None]]] = {
    "target": _Import._target,
    "audit": _Import._audit,
    "unreported": _Import._unreported,
    "party": _Import._party,
    "publication": _Import._publication,
    "run": _Import._run,
}


class _Exported:
    """An exported file whose list was checked: each member once, under its own name, and not compressed."""

    def __init__(self, file: Path, packed: zipfile.ZipFile) -> None:
        self._file = file
        self._packed = packed
        if _DOCUMENT not in packed.namelist():
            raise self._refused(f"it has no {_DOCUMENT}; export the store again with this version")
        for entry in packed.infolist():
            if not (entry.filename == _DOCUMENT or _NAME.fullmatch(entry.filename)):
                raise self._refused(f"expected names such as {_name('0' * 64)}, received {entry.filename[:100]!a}")
            if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
                raise self._refused(f"expected members that are not compressed, received {entry.filename} compressed")
        if len(packed.namelist()) != len({*packed.namelist()}):
            raise self._refused("expected each member once, received one twice")

    def _refused(self, reason: str) -> StoreFault:
        return StoreFault(f"{self._file} is no exported store: {reason}.", remedy=_REMEDY)

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield what the file says; raise StoreFault for what is no line of an export."""
        with _reading(self._file), self._packed.open(_DOCUMENT) as lines:
            for number in itertools.count():
                line = lines.readline(_MOST_OF_A_LINE + 1)
                if not line and number:
                    return
                if len(line) > _MOST_OF_A_LINE:
                    raise self._refused(f"line {number + 1} of {_DOCUMENT} has more than {_MOST_OF_A_LINE:,} bytes")
                try:
                    found = unique_keys.loads(line)
                except (ValueError, RecursionError):
                    raise self._refused(f"line {number + 1} of {_DOCUMENT} is not JSON") from None
                if not isinstance(found, dict) or (number == 0 and found != _HEAD):
                    raise self._refused(f"expected {_HEAD}, and then an object in each line; received another one")
                if number:
                    yield found

    def bundle(self, digest: str) -> bytes:
        """Return a bundle; raise StoreFault if it is absent or was altered."""
        try:
            entry = self._packed.getinfo(_name(digest))
        except KeyError:
            raise StoreFault("Its bundle is not in the file.", remedy="Export the store again.") from None
        if entry.file_size > MOST_BYTES:
            raise StoreFault(f"Its bundle has more than {MOST_BYTES:,} bytes.", remedy="Export the store again.")
        with _reading(self._file):
            data = self._packed.read(entry)
        return checked(digest, data)


@contextmanager
def _opened(file: Path) -> Iterator[_Exported]:
    with ExitStack() as stack:
        with _reading(file):
            opened = stack.enter_context(file.open("rb"))
            try:
                archive.check_list(file, opened, most=_MOST_OF_THE_LIST)
            except EvidenceFault as fault:
                raise StoreFault(str(fault).replace("usable bundle", "exported store"), remedy=_REMEDY) from None
            packed = stack.enter_context(zipfile.ZipFile(opened))
        yield _Exported(file, packed)


@contextmanager
def _reading(file: object) -> Iterator[None]:
    """Say of an exported file that it cannot be read. An error of the database or of the target is not of this kind."""
    try:
        yield
    except OSError as error:
        raise StoreFault(f"{file} cannot be read: {error.strerror or error}.", remedy=_REMEDY) from None
    # The last ones are for an encrypted member, one that is compressed in an unknown way, and a place that is none.
    except (zipfile.BadZipFile, EOFError, RuntimeError, ValueError) as error:
        raise StoreFault(f"{file} is no exported store, or is damaged: {error}.", remedy=_REMEDY) from None


def _text(line: Mapping[str, Any], name: str) -> str:
    value = line[name]
    if not isinstance(value, str):
        raise TypeError(f"{name} is no text")
    return value


def _matching(line: Mapping[str, Any], name: str, pattern: str) -> str:
    value = _text(line, name)
    if not re.fullmatch(pattern, value):
        raise ValueError(f"{name} is {value!r:.80}")
    return value


def _name(digest: str) -> str:
    return f"evidence/{digest[:2]}/{digest}{bundle.SUFFIX}"
