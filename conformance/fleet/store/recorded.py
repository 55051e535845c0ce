"""A recorded run on its way into a store: its report, and the bundle that keeps it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from conformance.cli.errors import Failure
from conformance.cli.recorded import RecordedRun, is_bundle, read, unpacked
from conformance.fleet.moments import is_moment
from conformance.fleet.store.rows import StoreFault
from conformance.model.report import Report
from conformance.model.specification import Specification
from conformance.reports import files
from conformance.reports.files import ViewCrashed
from conformance.trust import archive, bundle
from conformance.trust.archive import EvidenceFault


@dataclass(frozen=True)
class Recorded:
    """A run on the disk: a folder, or a bundle unpacked into one."""

    place: Path
    """The path that was named."""
    run: RecordedRun

    @property
    def report(self) -> Report:
        """The report, which has digests."""
        return self.run.report

    def is_kept_as(self, report: str, bundle: str) -> bool:
        """Tell whether a store that has this report and this bundle of the run needs nothing of it."""
        if is_bundle(self.place):
            return hashlib.sha256(self.place.read_bytes()).hexdigest() == bundle
        return self.report.digests is not None and self.report.digests.report == report

    def page(self, copy: Specification | None = None) -> str:
        """Return report.html, made of the report, the evidence and `copy`."""
        (page,) = files.rendered(self.run.data, self.run.evidence, ["html"], copy).values()
        return page

    def packed(self) -> bytes:
        """Return the bundle; raise StoreFault if the run is not as it was recorded."""
        if damage := self.run.damage:
            raise StoreFault(
                f"{self.place} was altered: {'; '.join(damage[:3])}.",
                remedy="Add the report.json and the evidence.har that 'check' wrote together, unaltered.",
            )
        if is_bundle(self.place):
            return self.place.read_bytes()
        content = bundle.contents(self.run.folder, self.run.data, self.run.evidence)
        content[bundle.MANIFEST] = bundle.manifest(content)
        return archive.packed(content)


Confirm = Callable[[Recorded], None]
"""Computes a run again; raises EvidenceFault if that does not give its report."""


@contextmanager
def opened(path: Path) -> Iterator[Recorded]:
    """Yield the run at `path`: its folder, its report.json, or a bundle; raise StoreFault if it cannot be read."""
    try:
        with unpacked(path) as place:
            found = Recorded(path, read(place, needs_evidence=True))
            if not (is_moment(found.report.started) and is_moment(found.report.finished)):
                raise _unreadable(path, "its times have no offset from UTC")
            if found.report.digests is None:
                raise _unreadable(path, "its report has no digests, so nothing shows that it is whole")
            yield found
    except Failure as failure:
        raise StoreFault(failure.message, remedy=failure.remedy) from None
    except EvidenceFault as fault:
        raise StoreFault(str(fault), remedy=fault.remedy) from None
    except ViewCrashed as crashed:
        raise _unreadable(path, f"the format {crashed.kind} cannot be made of it") from crashed
    except OSError as error:
        raise _unreadable(Path(error.filename or path), error.strerror or str(error)) from None


def _unreadable(path: Path, reason: str) -> StoreFault:
    return StoreFault(
        f"{path} cannot be read as the result of a run: {reason}.",
        remedy="Name the folder of a run, which has report.json and evidence.har, or the bundle of a run.",
    )
