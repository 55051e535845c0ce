"""What changed in the runs of a target from one audit to the next, by the comparison of their reports.

Only a changed verdict, alert, waiver or outcome counts. Other findings under the same verdict do not: their messages
may quote a call that is drawn anew in each run. `drsi-conformance compare` shows them. For the same reason a
requirement that one of the runs did not decide makes a target neither worse nor better, unless its outcome follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.fleet.audit import result
from conformance.fleet.audit.result import Result
from conformance.model.verdict import Outcome, Verdict
from conformance.reports.comparison import BETTER, OTHER, WORSE, Change, compare


@dataclass(frozen=True, kw_only=True)
class ChangedRequirement:
    """A requirement that got worse or better, with its verdicts in words, such as `pass, alert`."""

    id: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Changed:
    """A target that changed. Without a report in both audits, only the words on the outcome are known."""

    name: str
    base_url: str
    before: str | None
    """Outcome, or how the run ended without one; None for a target that the last audit did not have."""
    after: str | None
    """The same of this audit; None for a target that it does not have any more."""
    worse: tuple[ChangedRequirement, ...] = ()
    """Those that fail, warn or raise an alert now; `better` has those that did before."""
    better: tuple[ChangedRequirement, ...] = ()
    other: int = 0
    """Requirements whose verdict changed in another way."""

    @property
    def kind(self) -> str:
        """WORSE if a requirement or the outcome got worse, else BETTER if one got better, else OTHER.

        That a service cannot be reached any more is no change for the worse, and a new target is none either. That its
        run decided less than the last one is none for the better.
        """
        was, now = (_RANK.get(words or "") for words in (self.before, self.after))
        steps = now - was if was is not None and now is not None else 0
        if steps > 0 or self.worse:
            return WORSE
        is_better = steps < 0 and self.after != Outcome.INCONCLUSIVE
        return BETTER if is_better or self.better else OTHER

    @property
    def is_regression(self) -> bool:
        """Whether a requirement or the outcome got worse."""
        return self.kind == WORSE


_RANK: Final[dict[str, int]] = {
    Outcome.CONFORMS: 0,
    Outcome.CONFORMS_IN_PART: 0,
    Outcome.CONFORMS_WITH_WAIVERS: 1,
    Outcome.INCONCLUSIVE: 2,
    Outcome.DOES_NOT_CONFORM: 3,
}
"""The order of outcomes, best first. What has no report has no place in it."""


def changes(
    before: Iterable[Result],
    after: Iterable[Result],
    folder_before: Callable[[str], Path],
    folder: Callable[[str], Path],
) -> list[Changed]:
    """Return the targets that changed: those that got worse, those that got better, the others.

    Of each kind, they are in the order of this audit, and then those that it does not have any more. The functions
    return the folder of the finished run of a target, in the last audit and in this one.
    """
    old, new = ({each.name: each for each in results} for results in (before, after))
    found = [_change(old.get(name), new.get(name), folder_before(name), folder(name)) for name in new | old]
    return sorted(filter(None, found), key=lambda changed: (WORSE, BETTER, OTHER).index(changed.kind))


def _change(was: Result | None, now: Result | None, old: Path, new: Path) -> Changed | None:
    """Return what changed from one run of a target to the next, or None. An audit may have no such target."""
    either = now or was
    assert either
    rows: list[Change] = []
    if was and now and was.is_finished and now.is_finished and (old / result.FILE).is_file():
        compared = compare(result.load(old), result.load(new))
        rows = [each for each in compared.changes if each.before != each.after]
    worse = [each for each in rows if each.kind == WORSE and _is_problem(each.after)]
    better = [each for each in rows if each.kind == BETTER and _is_problem(each.before)]
    before, after = (each.words if each else None for each in (was, now))
    if before == after and not rows:
        return None
    return Changed(
        name=either.name,
        base_url=either.base_url,
        before=before,
        after=after,
        worse=tuple(map(_row, worse)),
        better=tuple(map(_row, better)),
        other=len(rows) - len(worse) - len(better),
    )


def _row(change: Change) -> ChangedRequirement:
    return ChangedRequirement(id=change.id, before=change.before, after=change.after)


def _is_problem(words: str) -> bool:
    """Tell whether a requirement fails, warns or raises an alert. Less may be another draw of the generated calls."""
    return words.startswith((Verdict.FAIL, Verdict.WARN)) or ", alert" in words
