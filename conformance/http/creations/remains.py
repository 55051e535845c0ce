"""What runs may have left in the accounts of a service: as long as that is unclear, they may not be empty."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from conformance.http.creations import journal_file
from conformance.model.errors import ConfigurationFault


@dataclass(frozen=True)
class Remains:
    """What runs may have left, by their journals."""

    live: int = 0
    """Data requests that may exist."""
    not_found: int = 0
    """Data requests that the service did not find when they were deleted: they may count against the limit as well."""

    def __add__(self, other: Remains) -> Remains:
        return Remains(self.live + other.live, self.not_found + other.not_found)


def journals(folder: Path) -> list[Path]:
    """Return the journals below a folder; a repeated run has several."""
    return sorted(folder.rglob(journal_file.NAMES))


def remains_of(folder: Path, *, keeps_left: bool = False) -> Remains:
    """Return what the journals below a folder leave open. One that cannot be read may leave a request."""
    return sum((remains_in(path, keeps_left=keeps_left) for path in journals(folder)), Remains())


def remains_in(path: Path, *, keeps_left: bool = False) -> Remains:
    """Return what a journal on the disk leaves open; with `keeps_left`, beside what stays on purpose."""
    try:
        read = journal_file.read(path)
    except FileNotFoundError:
        return Remains()  # its run ended meanwhile, and left nothing
    except (OSError, ConfigurationFault):
        return Remains(live=1)
    return Remains(read.total - (keeps_left and read.left != ""), len(read.not_found))
