"""Two visits by audits: a run of a target leaves a data request, and the next run of this target goes on with it.

The journal in the folder of the run that left it says so, until a later run has judged the request or taken it over.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from conformance.fleet.audit import folders, result
from conformance.fleet.audit.targets import AuditTarget
from conformance.http.creations import journal_file, owners
from conformance.http.creations.remains import journals
from conformance.model.errors import ConfigurationFault


@dataclass(frozen=True)
class Left:
    """A data request that a finished run left on purpose."""

    journal: Path
    name: str
    base_url: str
    """The address of the target of the run, as its name."""
    since: str
    """When its journal was last written."""
    is_own: bool
    """Whether this user wrote the journal on this machine: a folder may come from others."""

    def is_of(self, target: AuditTarget) -> bool:
        """Tell whether a run of the target has its address and its tokens."""
        return (self.name, self.base_url) == (target.name, target.base_url)


def left_in(output: Path) -> list[Left]:
    """Return what the runs of all audits in a folder left on purpose, in the order of the audits."""
    found = []
    for path in (path for folder in folders.audits(output) for path in journals(folder.path.resolve())):
        with suppress(OSError, ConfigurationFault):
            remains, of_run = journal_file.read(path, owners.sealing()), result.of_folder(path.parent)
            if remains.left and of_run is not None:
                since = result.in_utc(datetime.fromtimestamp(path.stat().st_mtime, UTC))
                address = remains.base_url or of_run.base_url
                found.append(Left(path, of_run.name, address, since, is_own=bool(remains.first_seal)))
    return found


def leaves(run: Path) -> bool:
    """Tell whether the journals of a run have a request that stays on purpose."""
    with suppress(OSError, ConfigurationFault):
        return any(journal_file.read(path).left for path in run.glob(journal_file.NAMES))
    return False


def in_the_way(target: AuditTarget, left: Sequence[Left], chosen: Sequence[AuditTarget]) -> str:
    """Return since when a request may be in the accounts of a target that no run goes on with; nothing if none is.

    It is of another target, which has gone or leaves none any more. A target that leaves one may not share its account.
    """
    leaving = [each for each in chosen if each.leaves and each.base_url == target.base_url]
    others = [each for each in left if each.base_url == target.base_url and each.name != target.name]
    return max((each.since for each in others if not any(map(each.is_of, leaving))), default="")
