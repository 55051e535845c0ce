"""A recorded run on its way into a store: its report, and the bundle that keeps it.

It is computed again first, because a report may say what its evidence does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from conformance.cli.errors import Failure
from conformance.cli.recorded import RecordedRun, is_bundle, read, unpacked
from conformance.fleet.moments import moment
from conformance.fleet.store.rows import StoreFault
from conformance.reports.files import ViewCrashed
from conformance.trust import archive, builds, bundle
from conformance.trust.archive import EvidenceFault

Confirm = Callable[[Path, RecordedRun], None]
"""Computes the run at a path again; raises EvidenceFault if that does not give its report."""

_SHOWN: Final = 3
_REMEDY: Final = "Ask for an unaltered copy of the run, and look at it with 'verify'."


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
            try:
                moment(found.report.started), moment(found.report.finished)
            except (ValueError, OverflowError):
                raise _unreadable(path, "its times have no offset from UTC") from None
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


def confirm(run: Path, found: RecordedRun) -> None:
    """Compute the run at a path again, and check its pages, or all parts of a bundle.

    Raise EvidenceFault if this build cannot do it, if the run is altered, or if its report does not follow from its
    evidence.
    """
    from conformance.run import verify
    from conformance.trust import authenticity, replies

    report = found.report
    if not builds.is_this_build(report.suite.build):
        raise EvidenceFault(
            f"{run} was not computed again: expected a run of this build, {builds.this_build()}; it is of "
            f"{builds.named(report.suite.version, report.suite.build)}.",
            remedy="Add it with the build that made it.",
        )
    wrong = list(replies.damage(report))
    parts = authenticity.check(found.folder, None, None) if is_bundle(run) else [authenticity.pages(found.folder)]
    wrong += [each.message for each in parts if each.valid is False]
    try:
        result = verify.verify(found.data, found.evidence)
    except verify.Unreadable as error:
        raise EvidenceFault(f"{run} cannot be computed again: {error}.", remedy=_REMEDY) from None
    wrong += result.damage
    wrong += [f"{each.requirement or 'the run'}: {each.what} differs" for each in result.differences]
    if wrong:
        more = f", and {len(wrong) - _SHOWN:,} more" if len(wrong) > _SHOWN else ""
        raise EvidenceFault(
            f"{run} is not what its evidence gives: {'; '.join(each.rstrip('.') for each in wrong[:_SHOWN])}{more}.",
            remedy=_REMEDY,
        )


def _unreadable(path: Path, reason: str) -> StoreFault:
    return StoreFault(
        f"{path} cannot be read as the result of a run: {reason}.",
        remedy="Name the folder of a run, which has report.json and evidence.har, or the bundle of a run.",
    )
