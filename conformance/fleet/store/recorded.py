"""A recorded run on its way into a store: its report, and the bundle that keeps it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.cli.errors import Failure
from conformance.cli.recorded import RecordedRun, is_bundle, read, unpacked
from conformance.fleet.moments import is_moment
from conformance.fleet.store.rows import StoreFault
from conformance.reports.files import ViewCrashed
from conformance.trust import archive, bundle
from conformance.trust.archive import EvidenceFault

Confirm = Callable[[Path, RecordedRun], None]
"""Computes the run at a path again; raises EvidenceFault if that does not give its report."""


def packed(path: Path, run: RecordedRun) -> bytes:
    """Return the bundle of the run at a path; raise AlteredRun if the run is not as it was recorded."""
    run.demand_unaltered(path)
    if is_bundle(path):
        return path.read_bytes()
    content = bundle.contents(run.folder, run.data, run.evidence)
    content[bundle.MANIFEST] = bundle.manifest(content)
    return archive.packed(content)


@contextmanager
def opened(path: Path) -> Iterator[RecordedRun]:
    """Yield the run at `path`: its folder, its report.json, or a bundle; raise StoreFault if it cannot be read."""
    try:
        with unpacked(path) as place:
            found = read(place, needs_evidence=True)
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
