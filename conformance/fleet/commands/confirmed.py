"""A recorded run on its way into a store: computed again first, because a report may say what its evidence does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.cli.recorded import is_bundle
from conformance.trust import builds
from conformance.trust.archive import EvidenceFault

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.cli.recorded import RecordedRun

_SHOWN: Final = 3
_REMEDY: Final = "Ask for an unaltered copy of the run, and look at it with 'verify'."


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
