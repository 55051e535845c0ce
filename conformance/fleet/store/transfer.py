"""A store as a folder of files, and back: the bundles of its runs, and what else the store says, line by line.

The folder has no rows of runs: an import computes them from the bundles, each of which is verified before. What rests
only on the word of the folder is a proposal (`proposals.py`), or has the mark of an import.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final, Literal

import msgspec
from sqlalchemy import Connection, select
from sqlalchemy import text as sql

from conformance.fleet.moments import Moment, now
from conformance.fleet.store import changes, contents, publication, recorded, tables
from conformance.fleet.store.bundles import Bundles
from conformance.fleet.store.proposals import propose
from conformance.fleet.store.rows import StoreFault
from conformance.fleet.store.store import Store
from conformance.model.printable import one_line, printable
from conformance.trust import bundle
from conformance.trust.archive import EvidenceFault

_DOCUMENT: Final = "store.jsonl"
_EVIDENCE: Final = "evidence"
_HEAD: Final = b'{"kind": "store", "format": 1}\n'
"""The first line, as every version writes it."""
_MOST_OF_A_LINE: Final = 1 << 22
"""Most bytes of a line: a run with three statements of witnesses of the largest size."""
_REMEDY: Final = "Name a folder that 'store export' wrote. The zip file of a former version has to be unpacked before."


class _Line(msgspec.Struct, frozen=True, tag_field="kind", tag=str.lower):
    """A line of the document, with the columns of the store."""


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
    """A run, whose bundle is in the folder, and what the store says of it beside."""

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


def export(store: Store, folder: Path) -> int:
    """Write a store with its evidence to a new folder; return the number of runs.

    The folder is the state of one moment. Raise StoreFault if a bundle is absent, and OSError if it cannot be written.
    """
    with (
        TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as place,
        store.database.reading() as connection,
    ):
        made = Path(place) / folder.name
        made.mkdir()
        evidence = Bundles(str(made / _EVIDENCE))
        digests = connection.scalars(select(tables.runs.c.bundle)).all()
        for digest in digests:
            evidence.put(digest, store.bundles.read(digest))
        with (made / _DOCUMENT).open("wb") as lines:
            lines.write(_HEAD)
            lines.writelines(msgspec.json.encode(line) + b"\n" for line in _lines(connection))
        made.rename(folder)
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


def take_over(store: Store, folder: Path, confirm: recorded.Confirm) -> Imported:
    """Add what an exported folder has to a store; return what was done.

    What the store has stays as it is. A run whose bundle is absent or altered, or that `confirm` refuses, is refused
    alone. An import that was broken off is continued by another one. Raise StoreFault for a folder that is no export.
    """
    return _Import(store, folder, confirm).made()


class _Import:
    def __init__(self, store: Store, folder: Path, confirm: recorded.Confirm) -> None:
        self._store = store
        self._folder = folder
        self._confirm = confirm
        self._bundles = Bundles(str(folder / _EVIDENCE))
        self._now = now()
        self._done = Imported()
        self._unreported_in: dict[str, dict[str, tuple[str, str]]] = {}
        """For each audit that an import added and the keeper did not accept, the services of which it has no report."""
        self._runs: dict[str, dict[str, dict[str, Any]]] = {}
        """For the name of each service, the runs that wait for acceptance: what is said of each, by its bundle."""

    def made(self) -> Imported:
        for line in _read(self._folder):
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
        propose(self._store, kind, content, source=self._folder.name, recorded=self._now)

    def _target(self, line: Target) -> None:
        try:
            labels = contents.cleaned(msgspec.json.decode(line.labels, type=dict[str, str]))
        except msgspec.DecodeError as error:
            raise _refused(self._folder, f"the labels of {line.name!r:.80}: {error}") from None
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
        file = f"{line.bundle}{bundle.SUFFIX}"
        if not (self._folder / _EVIDENCE / line.bundle[:2] / file).is_file():  # a link may lead to a device
            raise StoreFault("Its bundle is not in the folder.", remedy="Export the store again.")
        data = self._bundles.read(line.bundle)
        with TemporaryDirectory(prefix="drsi-import-") as folder:
            path = Path(folder) / file
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


def _read(folder: Path) -> Iterator[_Line]:
    """Yield what an exported folder says; raise StoreFault for what is no line of an export."""
    decoder = msgspec.json.Decoder(Target | Audit | Unreported | Party | Publication | Run)
    if not (folder / _DOCUMENT).is_file():
        raise _refused(folder, f"expected the file {_DOCUMENT}, received none")
    try:
        with (folder / _DOCUMENT).open("rb") as lines:
            if lines.readline(_MOST_OF_A_LINE) != _HEAD:
                raise _refused(folder, f"expected {_HEAD!r} in the first line of {_DOCUMENT}, received another one")
            for number in itertools.count(2):
                if not (line := lines.readline(_MOST_OF_A_LINE + 1)):
                    return
                if len(line) > _MOST_OF_A_LINE:
                    raise _refused(folder, f"line {number} of {_DOCUMENT} has more than {_MOST_OF_A_LINE:,} bytes")
                yield decoder.decode(line)
    except OSError as error:
        raise StoreFault(f"{folder / _DOCUMENT} cannot be read: {error.strerror or error}.", remedy=_REMEDY) from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise _refused(folder, f"line {number} of {_DOCUMENT}: {one_line(str(error), 200)}") from None


def _refused(folder: Path, reason: str) -> StoreFault:
    return StoreFault(f"{folder} is no exported store: {reason}.", remedy=_REMEDY)
