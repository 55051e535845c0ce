"""The folder of an audit on the disk, which is its whole state: no other record has to agree with it.

    OUTPUT/audit.lock                  held while an audit is in progress
    OUTPUT/20261126T043000Z/           one audit; it is unfinished as long as it has no audit.json
        runs/NAME/                     a finished run, with the files of check and its target.json
        unfinished/NAME/attempt-1/     a run in progress, or what a killed audit left of one

A finished run is a folder that is renamed when it is whole. So an audit can be killed at any time, and continues there.

The journals in the folders of the runs say what these left at a service: on purpose, for the next run to go on with it,
or by accident. Once what one names is deleted, it may be removed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from conformance.fleet.audit import result
from conformance.fleet.audit.result import Result
from conformance.fleet.audit.targets import AuditTarget
from conformance.http.creations import journal_file, owners
from conformance.http.creations.locks import lock
from conformance.http.creations.remains import journals
from conformance.http.own_folder import own_folder, read, write
from conformance.model.errors import ConfigurationFault

DOCUMENT: Final = "audit.json"
LOCK: Final = "audit.lock"
_ID: Final = re.compile(r"\d{8}T\d{6}Z")


@dataclass(frozen=True)
class AuditFolder:
    """The folder of one audit."""

    path: Path

    @property
    def id(self) -> str:
        """When it began, in UTC, such as 20261126T043000Z."""
        return self.path.name

    @property
    def started(self) -> str:
        """The same as RFC 3339."""
        began = self.id
        return f"{began[:4]}-{began[4:6]}-{began[6:8]}T{began[9:11]}:{began[11:13]}:{began[13:15]}Z"

    @property
    def document(self) -> Path:
        """The file with the results, which a finished audit has."""
        return self.path / DOCUMENT

    def run(self, name: str) -> Path:
        """Return the folder of the finished run of a target."""
        return self.path / "runs" / name

    def work(self, name: str) -> Path:
        """Return the folder of the run of a target while it goes on."""
        return self.path / "unfinished" / name

    def finished(self, target: AuditTarget) -> Result | None:
        """Return the result of a target whose run is finished, if its definition is still the same."""
        found = result.of_folder(self.run(target.name))
        return found if found is not None and found.definition == target.digest else None


def audits(output: Path) -> list[AuditFolder]:
    """Return the audits in a folder, in the order of time."""
    if not output.is_dir():
        return []
    return [AuditFolder(each) for each in sorted(output.iterdir()) if each.is_dir() and _ID.fullmatch(each.name)]


def unfinished(output: Path) -> AuditFolder | None:
    """Return the last audit in a folder, if it is not finished."""
    last = audits(output)[-1:]
    return last[0] if last and not last[0].document.is_file() else None


def new(output: Path, now: datetime) -> AuditFolder:
    """Make the folder of a new audit; where one began in the same second, it has the name of the next."""
    while (path := output / f"{now:%Y%m%dT%H%M%SZ}").exists():
        now += timedelta(seconds=1)
    path.mkdir(parents=True)
    folder = AuditFolder(path)
    with suppress(ConfigurationFault, OSError):  # without a place to keep it, nothing shows whose the audit is
        write(_note_of(output), _begun(folder))
    return folder


def is_own(output: Path, folder: AuditFolder) -> bool:
    """Whether this user began this audit on this machine, as the last one in `output`.

    Another one may come from others: its results are not known to be those of runs, and its links lead anywhere.
    """
    with suppress(ConfigurationFault, OSError, ValueError):
        return bool(json.loads(read(_note_of(output)) or b"{}") == _begun(folder))
    return False


def _note_of(output: Path) -> Path:
    name = hashlib.sha256(str(output.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
    return own_folder("audits") / f"{name}.json"


def _begun(folder: AuditFolder) -> dict[str, str]:
    return {"path": str(folder.path.parent.resolve() / folder.id)}


def before(output: Path, folder: AuditFolder) -> AuditFolder | None:
    """Return the last finished audit before this one."""
    earlier = [each for each in audits(output) if each.id < folder.id and each.document.is_file()]
    return earlier[-1] if earlier else None


@contextmanager
def claimed(output: Path) -> Iterator[bool]:
    """Claim a folder for one audit at a time; yield whether that succeeded. The system ends the claim of a dead one."""
    output.mkdir(parents=True, exist_ok=True)
    with (output / LOCK).open("ab") as file:
        yield lock(file, exclusive=True)


@dataclass(frozen=True)
class Left:
    """What a run left, as its journal says."""

    journal: Path
    name: str
    """Of the target; empty for a run that was not finished."""
    base_url: str
    is_meant: bool
    """Whether a data request stays on purpose, for a run that goes on with it."""
    is_own: bool
    """Whether this user wrote the journal on this machine: a folder may come from others."""

    def is_for(self, target: AuditTarget) -> bool:
        """Tell whether a run of the target goes on with it, or deletes it."""
        return self.is_meant and (self.name, self.base_url) == (target.name, target.base_url)


def left_in(output: Path) -> Iterator[Left]:
    """Yield what the runs of all audits in a folder left, in the order of the audits."""
    for path in (path for folder in audits(output) for path in journals(folder.path.resolve())):
        with suppress(OSError, ConfigurationFault):
            remains, of_run = journal_file.read(path, owners.sealing()), result.of_folder(path.parent)
            if remains.total or remains.not_found:
                name, base_url = (of_run.name, of_run.base_url) if of_run else ("", "")
                is_meant = remains.left != "" and of_run is not None
                yield Left(path, name, remains.base_url or base_url, is_meant, is_own=bool(remains.first_seal))


def leaves(run: Path) -> bool:
    """Tell whether the journals of a run have a request that stays on purpose."""
    with suppress(OSError, ConfigurationFault):
        return any(journal_file.read(path).left for path in run.glob(journal_file.NAMES))
    return False
