"""A store as one file, and back: a zip file with the bundles of its runs, and what else the store says, line by line.

The file has no rows of runs: an import computes them from the bundles, each of which is verified before. What rests
only on the word of the file is a proposal (`proposals.py`), or has the mark of an import.

Nothing in the file is compressed, so that an import writes no more than it reads; the bundles are compressed.
"""

from __future__ import annotations

import itertools
import re
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final, Literal

import msgspec
from sqlalchemy import Connection, select
from sqlalchemy import text as sql

from conformance.fleet.moments import Moment, now
from conformance.fleet.store import changes, contents, publication, recorded, tables
from conformance.fleet.store.bundles import checked
from conformance.fleet.store.proposals import propose
from conformance.fleet.store.rows import StoreFault
from conformance.fleet.store.store import Store
from conformance.model.printable import one_line, printable
from conformance.trust import archive, bundle
from conformance.trust.archive import MOST_BYTES, EvidenceFault

_DOCUMENT: Final = "store.jsonl"
_HEAD: Final = b'{"kind": "store", "format": 1}\n'
"""The first line, as every version writes it."""
_NAME: Final = re.compile(rf"evidence/[0-9a-f]{{2}}/([0-9a-f]{{64}}){re.escape(bundle.SUFFIX)}")
_MOST_OF_A_LINE: Final = 1 << 22
"""Most bytes of a line: a run with three statements of witnesses of the largest size."""
_MOST_OF_THE_LIST: Final = 1 << 26
"""Most bytes of the list of bundles, which the library reads as a whole: half a million bundles."""
_REMEDY: Final = "Name a file that 'store export' wrote."


class _Line(msgspec.Struct, frozen=True, tag_field="kind", tag=str.lower):
    """A line of the file, with the columns of the store."""


class Target(_Line, frozen=True):
    """A service."""

    name: str
    base_url: str
    labels: str


class Audit(_Line, frozen=True):
    """Runs that belong together."""

    id: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}\Z")]
    name: str
    started: Moment
    finished: Moment | None


class Unreported(_Line, frozen=True):
    """A service of which an audit has no report."""

    audit: str
    target: str
    state: Literal["unreachable", "not-run", "ended", "broken", "interrupted"]
    message: str


class Party(_Line, frozen=True):
    """An independent party."""

    key: str
    name: str
    public_key: str


class Publication(_Line, frozen=True):
    """A consent or an authority to publish a service."""

    target: str
    basis: str
    statement: str
    stated: str
    since: str
    recorded: str
    ended: str


class Withdrawal(msgspec.Struct, frozen=True):
    """The withdrawal of a run. It is accepted with the run: it stays for ever, so no file of others can make one."""

    reason: str
    stated: str
    recorded: str


class Run(_Line, frozen=True):
    """A run, whose bundle is in the file, and what the store says of it beside."""

    bundle: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
    target: str
    audit: str | None
    withdrawals: list[Withdrawal]
    witnesses: list[str]


_QUERIES: Final[dict[type[_Line], str]] = {
    Target: "SELECT * FROM targets ORDER BY name",
    Audit: "SELECT * FROM audits ORDER BY id",
    Unreported: "SELECT u.*, audit_id AS audit, name AS target FROM unreported AS u JOIN targets ON id = target_id",
    Party: "SELECT * FROM parties",
    Publication: "SELECT p.*, name AS target FROM publications AS p JOIN targets ON id = target_id",
}
"""What the lines before those of the runs are made of."""


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
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_STORED) as packed, store.database.reading() as connection:
            digests = connection.scalars(select(tables.runs.c.bundle)).all()
            for digest in digests:
                packed.writestr(_name(digest), store.bundles.read(digest))
            with packed.open(_DOCUMENT, "w", force_zip64=True) as lines:
                lines.write(_HEAD)
                for line in _lines(connection):
                    lines.write(msgspec.json.encode(line) + b"\n")
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return len(digests)


def _lines(connection: Connection) -> Iterator[_Line]:
    """Yield what a store says; the runs come last, in the order of their addition."""
    for kind, query in _QUERIES.items():
        for row in connection.execute(sql(query)).mappings():
            yield kind(**{name: row[name] for name in kind.__struct_fields__})
    r, t, w, s = tables.runs, tables.targets, tables.withdrawals, tables.witnesses
    runs = select(r.c.id, r.c.bundle, r.c.audit_id, t.c.name).join_from(r, t).order_by(r.c.id)
    for run in connection.execute(runs).all():
        withdrawals = select(w.c.reason, w.c.stated, w.c.recorded).where(w.c.run_id == run.id)
        witnesses = select(s.c.envelope).where(s.c.run_id == run.id, s.c.bundle == run.bundle)
        yield Run(
            bundle=run.bundle,
            target=run.name,
            audit=run.audit_id,
            withdrawals=[Withdrawal(*row) for row in connection.execute(withdrawals)],
            witnesses=list(connection.scalars(witnesses)),
        )


def take_over(store: Store, file: Path, confirm: recorded.Confirm) -> Imported:
    """Add what an exported file has to a store; return what was done.

    What the store has stays as it is. A run whose bundle is absent or altered, or that `confirm` refuses, is refused
    alone. An import that was broken off is continued by another one. Raise StoreFault for a file that is no export.
    """
    with _opened(file) as exported:
        return _Import(store, exported, confirm, file.name).made()


class _Import:
    def __init__(self, store: Store, exported: _Exported, confirm: recorded.Confirm, source: str) -> None:
        self._store = store
        self._exported = exported
        self._confirm = confirm
        self._source = source
        self._now = now()
        self._done = Imported()
        self._unreported_in: dict[str, dict[str, tuple[str, str]]] = {}
        """For each audit that an import added and the keeper did not accept, the services of which it has no report."""
        self._runs: dict[str, dict[str, dict[str, Any]]] = {}
        """For the name of each service, the runs that wait for acceptance: what is said of each, by its bundle."""

    def made(self) -> Imported:
        for line in self._exported.lines():
            match line:
                case Target():
                    self._target(line)
                case Audit():
                    self._audit(line)
                case Unreported() if line.audit in self._unreported_in:
                    name = changes.name_of_target(line.target)
                    self._unreported_in[line.audit][name] = (line.state, line.message)
                case Party():
                    self._propose("party", msgspec.structs.asdict(line))
                case Publication():
                    self._propose("publication", msgspec.structs.asdict(line))
                case Run():
                    self._run(line)
        for audit, found in self._unreported_in.items():
            self._store.set_unreported(audit, found)
        for target, runs in self._runs.items():
            self._propose("runs", {"target": target, "runs": runs})
        self._done.proposed = sum(not each.accepted for each in self._store.proposals())
        return self._done

    def _propose(self, kind: str, content: Mapping[str, Any]) -> None:
        propose(self._store, kind, content, source=self._source, recorded=self._now)

    def _target(self, line: Target) -> None:
        try:
            labels = contents.cleaned(msgspec.json.decode(line.labels, type=dict[str, str]))
        except msgspec.DecodeError as error:
            raise self._exported.refused(f"the labels of {line.name!r:.80}: {error}") from None
        name = changes.name_of_target(line.name)
        row = {"name": name, "base_url": printable(line.base_url), "labels": contents.as_text(labels)}
        with self._store.database.writing() as connection:
            changes.add_if_absent(connection, tables.targets, row)

    def _audit(self, line: Audit) -> None:
        audits = tables.audits
        row = msgspec.structs.asdict(line) | {"name": printable(line.name)}
        with self._store.database.writing() as connection:
            changes.add_if_absent(connection, audits, row | {"imported": self._now})
            imported = connection.scalar(select(audits.c.imported).where(audits.c.id == line.id))
        if imported:
            self._unreported_in[line.id] = {}
            self._propose("audit", row)

    def _run(self, line: Run) -> None:
        target = changes.name_of_target(line.target)
        with self._store.database.reading() as connection:
            is_known = publication.run_with(connection, line.bundle) is not None
        try:
            is_known = is_known or not self._added(line, target)
        except EvidenceFault as fault:
            self._done.refused[line.bundle] = str(fault)
            return
        self._done.known += is_known
        self._done.added += not is_known
        r = tables.runs.c
        with self._store.database.reading() as connection:
            address = connection.scalar(select(r.base_url).where(r.bundle == line.bundle, r.imported != ""))
        if address is not None:
            said = {"address": address, "withdrawals": msgspec.to_builtins(line.withdrawals)}
            self._runs.setdefault(target, {})[line.bundle] = said
            for envelope in line.witnesses:
                if publication.witnessed(envelope.encode()) == line.bundle:
                    publication.add_witness(self._store, envelope.encode(), recorded=self._now)

    def _added(self, line: Run, target: str) -> bool:
        """Add the run in a bundle; tell whether it was added: the store may have another bundle of it."""
        data = self._exported.bundle(line.bundle)
        with TemporaryDirectory(prefix="drsi-import-") as folder:
            path = Path(folder) / f"{line.bundle}{bundle.SUFFIX}"
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
        made.run.update(bundle=line.bundle, bundle_size=len(data), added=self._now, imported=self._now)
        self._store.keep_run(made, data, target, line.audit if line.audit in self._unreported_in else None)
        return True


class _Exported:
    """An exported file whose list was checked: each member once, under its own name, and not compressed."""

    def __init__(self, file: Path, packed: zipfile.ZipFile) -> None:
        self._file = file
        self._packed = packed
        for entry in packed.infolist():
            if not (entry.filename == _DOCUMENT or _NAME.fullmatch(entry.filename)):
                raise self.refused(f"expected names such as {_name('0' * 64)}, received {entry.filename[:100]!a}")
            if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
                raise self.refused(f"expected members that are not compressed, received {entry.filename} compressed")
        if _DOCUMENT not in packed.namelist() or len(packed.namelist()) != len({*packed.namelist()}):
            raise self.refused(f"expected {_DOCUMENT} and bundles, each once; received one twice, or without it")

    def refused(self, reason: str) -> StoreFault:
        """Return the fault for a file that is no export."""
        return StoreFault(f"{self._file} is no exported store: {reason}.", remedy=_REMEDY)

    def lines(self) -> Iterator[_Line]:
        """Yield what the file says; raise StoreFault for what is no line of an export."""
        decoder = msgspec.json.Decoder(Target | Audit | Unreported | Party | Publication | Run)
        with _reading(self._file), self._packed.open(_DOCUMENT) as lines:
            if lines.readline(_MOST_OF_A_LINE) != _HEAD:
                raise self.refused(f"expected {_HEAD!r} in its first line, received another one")
            for number in itertools.count(2):
                if not (line := lines.readline(_MOST_OF_A_LINE + 1)):
                    return
                if len(line) > _MOST_OF_A_LINE:
                    raise self.refused(f"line {number} of {_DOCUMENT} has more than {_MOST_OF_A_LINE:,} bytes")
                try:
                    yield decoder.decode(line)
                except (msgspec.DecodeError, RecursionError) as error:
                    raise self.refused(f"line {number} of {_DOCUMENT}: {one_line(str(error), 200)}") from None

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
            archive.check_list(file, opened, most=_MOST_OF_THE_LIST)
            packed = stack.enter_context(zipfile.ZipFile(opened))
        yield _Exported(file, packed)


@contextmanager
def _reading(file: Path) -> Iterator[None]:
    """Say of an exported file that it cannot be read. An error of the database or of the target is not of this kind."""
    try:
        yield
    except OSError as error:
        raise StoreFault(f"{file} cannot be read: {error.strerror or error}.", remedy=_REMEDY) from None
    except StoreFault:
        raise
    except EvidenceFault as fault:
        raise StoreFault(str(fault).replace("usable bundle", "exported store"), remedy=_REMEDY) from None
    # The last ones are for an encrypted member, one that is compressed in an unknown way, and a place that is none.
    except (zipfile.BadZipFile, EOFError, RuntimeError, ValueError) as error:
        raise StoreFault(f"{file} is no exported store, or is damaged: {error}.", remedy=_REMEDY) from None


def _name(digest: str) -> str:
    return f"evidence/{digest[:2]}/{digest}{bundle.SUFFIX}"
