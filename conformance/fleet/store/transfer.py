"""A store as a folder of files, and back: the bundles of its runs, and what else the store says, line by line.

The folder has no rows of runs: an import verifies their bundles, and what the keeper accepts is computed from them. All
that it says is a proposal (`proposals.py`), but for the names of services.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final

import msgspec

from conformance.fleet.store import changes, contents, publication, recorded, tables
from conformance.fleet.store.bundles import Bundles
from conformance.fleet.store.proposals import propose
from conformance.fleet.store.rows import Audit, Party, Publication, StoreFault, Target, Unreported
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
_REMEDY: Final = "Name a folder that 'store export' wrote."


@dataclass(frozen=True)
class ExportedWithdrawal:
    """The withdrawal of a run. It is accepted with the run: it stays for ever, so no file of others can make one."""

    reason: str
    stated: str
    recorded: str


@dataclass(frozen=True, kw_only=True)
class ExportedRun:
    """A run, whose bundle is in the folder, and what the store says of it beside."""

    bundle: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
    target: str
    audit: str | None
    withdrawals: list[ExportedWithdrawal]
    witnesses: list[str]


_Line = Target | Audit | Unreported | Party | Publication | ExportedRun
_KINDS: Final[dict[str, type[_Line]]] = {
    "target": Target,
    "audit": Audit,
    "unreported": Unreported,
    "party": Party,
    "publication": Publication,
    "run": ExportedRun,
}
"""What a line of the document is, by its member `kind`."""


@dataclass
class Imported:
    """What an import did."""

    runs: int = 0
    """Runs that are proposed."""
    known: int = 0
    """Runs that the store had. They stay as they are."""
    refused: dict[str, str] = field(default_factory=dict)
    """Why runs were refused, by the digests of their bundles."""
    proposed: int = 0
    """Proposals that are not accepted."""


def export(store: Store, folder: Path) -> int:
    """Write a store with its evidence to a new folder; return the number of runs.

    Who allowed an audit stays out. Raise StoreFault if a bundle is absent, and OSError
    if it cannot be written.
    """
    with TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as place:
        made = Path(place) / folder.name
        made.mkdir()
        evidence = Bundles(str(made / _EVIDENCE))
        lines = list(_lines(store))
        digests = [line.bundle for line in lines if isinstance(line, ExportedRun)]
        for digest in digests:
            evidence.put(digest, store.bundles.read(digest))
        kinds = {of: kind for kind, of in _KINDS.items()}
        rows = (msgspec.json.encode({"kind": kinds[type(line)], **asdict(line)}) + b"\n" for line in lines)
        (made / _DOCUMENT).write_bytes(_HEAD + b"".join(rows))
        made.rename(folder)
    return len(digests)


def _lines(store: Store) -> Iterator[_Line]:
    """Yield what a store says; the runs come last."""
    targets = [replace(each, authority="") for each in store.targets()]
    yield from targets
    yield from store.audits()
    yield from store.unreported()
    yield from store.parties()
    yield from store.publications()
    for target in targets:
        withdrawals, witnesses = list(store.withdrawals(target.name)), list(store.witnesses(target.name))
        for run in list(store.runs(target.name)):
            yield ExportedRun(
                bundle=run.bundle,
                target=target.name,
                audit=run.audit,
                withdrawals=[
                    ExportedWithdrawal(each.reason, each.stated, each.recorded)
                    for each in withdrawals
                    if each.run == run.id
                ],
                witnesses=[each.envelope for each in witnesses if (each.run, each.bundle) == (run.id, run.bundle)],
            )


def take_over(store: Store, folder: Path, confirm: recorded.Confirm) -> Imported:
    """Propose what an exported folder has to the keeper of a store; return what was done.

    What the store has stays as it is. A run whose bundle is absent or altered, or that `confirm` refuses, is refused
    alone. An import that was broken off is continued by another one. Raise StoreFault for a folder that is no export.
    """
    done = Imported()
    audits: dict[str, dict[str, Any]] = {}
    """The audits by id, with the services of which each has no report."""
    runs: defaultdict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    """For the name of each service, what is said of its runs, by their bundles."""
    proposed: list[tuple[str, dict[str, Any]]] = []
    for line in _read(folder):
        match line:
            case Target():
                _add_target(store, line)
            case Audit():
                audits[line.id] = {**asdict(line), "name": printable(line.name), "unreported": {}}
            case Unreported() if line.audit in audits:
                name = changes.name_of_target(line.target)
                audits[line.audit]["unreported"][name] = [line.state, line.message]
            case Party():
                proposed.append(("party", asdict(line)))
            case Publication():
                proposed.append(("publication", asdict(line)))
            case ExportedRun():
                try:
                    address = _kept(store, folder, line.bundle, confirm)
                except EvidenceFault as fault:
                    done.refused[line.bundle] = str(fault)
                    continue
                done.known += not address
                done.runs += bool(address)
                if address:
                    runs[changes.name_of_target(line.target)][line.bundle] = {"address": address, **_said(line)}
    proposed += [("audit", audit) for audit in audits.values()]
    proposed += [("runs", {"target": target, "runs": some}) for target, some in runs.items()]
    for kind, content in proposed:
        propose(store, kind, content, source=folder.name)
    done.proposed = sum(not each.accepted for each in store.proposals())
    return done


def _add_target(store: Store, line: Target) -> None:
    """Add a service under its name, without who allowed its audit."""
    name, labels = changes.name_of_target(line.name), contents.as_text(contents.cleaned(line.labels))
    row = {"name": name, "base_url": printable(line.base_url), "labels": labels}
    with store.database.writing() as connection:
        changes.add_if_absent(connection, tables.targets, row)


def _said(line: ExportedRun) -> dict[str, Any]:
    """Return what is said of a run beside its bundle."""
    return {
        "audit": line.audit,
        "withdrawals": [asdict(each) for each in line.withdrawals],
        "witnesses": [each for each in line.witnesses if publication.witnessed(each.encode()) == line.bundle],
    }


def _kept(store: Store, folder: Path, digest: str, confirm: recorded.Confirm) -> str:
    """Verify a run and keep its bundle; return the address that it checked, or "" if the store has the run."""
    file = f"{digest}{bundle.SUFFIX}"
    if not (folder / _EVIDENCE / digest[:2] / file).is_file():  # a link may lead to a device
        raise StoreFault("Its bundle is not in the folder.", remedy="Export the store again.")
    with Bundles(str(folder / _EVIDENCE)).file(digest) as path:
        try:
            with recorded.opened(path) as found:
                confirm(path, found)
                made = contents.contents(found.report)
        except EvidenceFault as fault:
            raise type(fault)(str(fault).replace(str(path), path.name), remedy=fault.remedy) from None
        with store.database.reading() as connection:
            if changes.kept(connection, made.run):
                return ""
        store.bundles.put(digest, path.read_bytes())
    return str(made.run["base_url"])


def _read(folder: Path) -> Iterator[_Line]:
    """Yield what an exported folder says; raise StoreFault for what is no line of an export."""
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
                document = msgspec.json.decode(line, type=dict[str, Any])
                if (kind := document.get("kind")) not in _KINDS:
                    raise _refused(folder, f"line {number} of {_DOCUMENT} has the kind {kind!r:.40}")
                yield msgspec.convert(document, _KINDS[kind])
    except OSError as error:
        raise StoreFault(f"{folder / _DOCUMENT} cannot be read: {error.strerror or error}.", remedy=_REMEDY) from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise _refused(folder, f"line {number} of {_DOCUMENT}: {one_line(str(error), 200)}") from None


def _refused(folder: Path, reason: str) -> StoreFault:
    return StoreFault(f"{folder} is no exported store: {reason}.", remedy=_REMEDY)
