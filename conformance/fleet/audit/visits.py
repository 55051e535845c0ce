"""What the runs of earlier audits left at a service: on purpose, for the next run to go on with it, or by accident.

The journals in the folders of the runs say so, and no other record: once what one names is deleted, it may be removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from conformance.fleet.audit import folders, result
from conformance.fleet.audit.targets import AuditTarget
from conformance.http.creations import journal_file, owners
from conformance.http.creations.remains import journals
from conformance.model.errors import ConfigurationFault


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
    for path in (path for folder in folders.audits(output) for path in journals(folder.path.resolve())):
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
