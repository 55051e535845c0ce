"""A recorded run on its way into a store: its report, and the bundle that keeps it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from conformance.fleet.moments import is_moment
from conformance.fleet.store.rows import StoreFault
from conformance.model import unique_keys
from conformance.model.report import SCHEMA_VERSION, Report, ReportData
from conformance.model.report_data import report_of
from conformance.model.specification import Specification
from conformance.reports import files
from conformance.reports.files import ViewCrashed
from conformance.trust import archive, bundle, chain
from conformance.trust.archive import EvidenceFault

_REMEDY = "Name the folder of a run, which has report.json and evidence.har, or the bundle of a run."


@dataclass(frozen=True)
class Recorded:
    """A run on the disk: a folder, or a bundle unpacked into one."""

    place: Path
    """The path that was named."""
    folder: Path
    data: ReportData
    report: Report
    archive: Path | None
    """The bundle, if it is one."""

    def is_kept_as(self, report: str, bundle: str) -> bool:
        """Tell whether a store that has this report and this bundle of the run needs nothing of it."""
        if self.archive is not None:
            return hashlib.sha256(self.archive.read_bytes()).hexdigest() == bundle
        return self.report.digests is not None and self.report.digests.report == report

    def page(self, copy: Specification | None = None) -> str:
        """Return report.html, made of the report, the evidence and `copy`; raise StoreFault if it cannot be made."""
        with _explained(self.place):
            evidence = files.evidence_in(self.folder / files.EVIDENCE)
            (pieces,) = files.rendered(self.data, evidence, ["html"], copy).values()
            return "".join(pieces)

    def packed(self) -> bytes:
        """Return the bundle; raise StoreFault if the run is not as it was recorded, or cannot be packed."""
        with _explained(self.place):
            try:
                evidence = files.evidence_in(self.folder / files.EVIDENCE)
                damage = list(chain.damage(self.data, evidence))
            except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
                damage = ["evidence.har is not what 'check' wrote"]
            if damage:
                raise StoreFault(
                    f"{self.place} was altered: {'; '.join(damage[:3])}.",
                    remedy="Add the report.json and the evidence.har that 'check' wrote together, unaltered.",
                )
            if self.archive is not None:
                return self.archive.read_bytes()
            content = bundle.contents(self.folder, self.data, evidence)
            content[bundle.MANIFEST] = bundle.manifest(content)
            return archive.packed(content)


@contextmanager
def opened(path: Path) -> Iterator[Recorded]:
    """Yield the run at `path`: its folder, its report.json, or a bundle; raise StoreFault if it cannot be read."""
    with ExitStack() as stack:
        with _explained(path):
            packed = path if path.is_file() and path.suffix != ".json" else None
            folder = stack.enter_context(bundle.opened(path)) if packed else path if path.is_dir() else path.parent
            found = _recorded(path, folder, packed)
        yield found


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except StoreFault:
        raise
    except EvidenceFault as fault:
        raise StoreFault(str(fault), remedy=fault.remedy) from None
    except ViewCrashed as crashed:
        raise _unreadable(path, f"the format {crashed.kind} cannot be made of it") from crashed
    except OSError as error:
        raise _unreadable(Path(error.filename or path), error.strerror or str(error)) from None


def _recorded(path: Path, folder: Path, packed: Path | None) -> Recorded:
    try:
        data = unique_keys.loads((folder / files.DATA).read_bytes())
        version = data.get("schema_version") if isinstance(data, dict) else None
        if version != SCHEMA_VERSION:
            raise _unreadable(path, f"its schema_version is {version!r:.40}, and this version reads {SCHEMA_VERSION}")
        report = report_of(data)
    except FileNotFoundError:
        raise _unreadable(path, f"it has no {files.DATA}") from None
    except msgspec.ValidationError as error:
        raise _unreadable(path, f"{files.DATA} is not of this version: {error}") from None
    except (ValueError, RecursionError):
        raise _unreadable(path, f"{files.DATA} is not JSON") from None
    for time in (report.started, report.finished):
        if not is_moment(time):
            raise _unreadable(path, f"{time!r:.40} is no time of a run")
    if report.digests is None:
        raise _unreadable(path, "its report has no digests, so nothing shows that it is whole")
    return Recorded(path, folder, data, report, packed)


def _unreadable(path: Path, reason: str) -> StoreFault:
    return StoreFault(f"{path} cannot be read as the result of a run: {reason}.", remedy=_REMEDY)
