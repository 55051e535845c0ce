"""The comparison of two reports: what changed per requirement, and what else changed that may explain it.

The order of verdicts, best first: pass, observed and not-applicable; inconclusive; warn; fail. A requirement got

- worse if its verdict went down this order, if it fails or warns and was not tested before, or if it raises an alert;
- better if its verdict went up, unless it became not-applicable or inconclusive, or if its alert is gone.

Everything else is an other change: any of a requirement that the set of the second run does not score, one that is no
longer tested or decided, a waiver, new and gone findings under the same verdict. Two findings are the same if their
messages differ only in identifiers, in counts, or in the order of the statuses that calls at the same time got; two
observations, if they state the same choice. New
findings of a requirement that failed before do not make it worse: a message may quote a generated call, which depends
on the seed.

A service that recognises the suite may answer it in another way than other clients. There is an alert if exactly one of
the runs is anonymous and a requirement has another verdict, or an alert of its own in one run only. Both runs must have
decided the requirement by what the service answered: pass, warn, fail or observed. The other verdicts are no reason for
an alert, because time, a token, a selection or a missing opportunity explains them. Neither are differences between
runs of different addresses, or with different suites: the service need not be their reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.results import RequirementResult
from conformance.model.verdict import Basis, Verdict
from conformance.reports import basis, outcome, summary
from conformance.reports.profile import choice_in

WORSE, BETTER, OTHER = "worse", "better", "other"

ABSENT: Final = "absent"
"""Shown in place of a verdict for a requirement that the catalogue of the run lacks."""

_RANK: Final = {
    Verdict.PASS: 0,
    Verdict.OBSERVED: 0,
    Verdict.NOT_APPLICABLE: 0,
    Verdict.INCONCLUSIVE: 1,
    Verdict.WARN: 2,
    Verdict.FAIL: 3,
}
"""The place of each verdict in the order; an untested requirement has none."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """A requirement that changed; `kind` is WORSE, BETTER or OTHER."""

    id: str
    kind: str
    before: str
    after: str
    new: tuple[str, ...]
    """Messages of the findings that only the second run has."""
    gone: tuple[str, ...]
    basis: str
    """On what the requirement rests, with the suite's statement."""
    reason: str
    """Why an inferred requirement follows from its places; empty for others."""


@dataclass(frozen=True, kw_only=True)
class Circumstance:
    """Something that differs between the runs and may explain the changes."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class ComparedRun:
    """One of the two runs."""

    base_url: str
    started: str
    headline: str
    anonymous: bool


_DECIDED: Final = (Verdict.PASS, Verdict.WARN, Verdict.FAIL, Verdict.OBSERVED)
"""The verdicts that follow from what the service answered."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What changed from one run to another."""

    before: ComparedRun
    after: ComparedRun
    changes: tuple[Change, ...]
    circumstances: tuple[Circumstance, ...]
    unchanged: int
    alert: tuple[Change, ...] = ()
    """The changes for which the service answered the anonymous run differently."""

    def of_kind(self, kind: str) -> tuple[Change, ...]:
        """Return the changes of a kind, in the order of the catalogue."""
        return tuple(change for change in self.changes if change.kind == kind)


def compare(before: Report, after: Report) -> Comparison:
    """Compare two reports."""
    old, new = ({row.id: row for row in report.requirements} for report in (before, after))
    pairs = [(row, _State(before, old.get(id)), _State(after, new.get(id))) for id, row in (old | new).items()]
    changes = tuple(_change(row, *states) for row, *states in pairs if _differ(*states))
    facts, others = ({name: _words(value) for name, value in _facts(report)} for report in (before, after))
    circumstances = (
        Circumstance(name=name, before=facts.get(name, _NONE), after=others.get(name, _NONE)) for name in facts | others
    )
    return Comparison(
        before=_run(before),
        after=_run(after),
        changes=changes,
        circumstances=tuple(each for each in circumstances if each.before != each.after),
        unchanged=len(pairs) - len(changes),
        alert=tuple(_change(row, *states) for row, *states in pairs if _answered_differently(*states))
        if _may_show_recognition(before, after)
        else (),
    )


def _may_show_recognition(before: Report, after: Report) -> bool:
    """Tell whether only one of the runs is anonymous, and nothing else explains different answers."""
    what = [(report.target.base_url, report.suite.version, report.suite.build) for report in (before, after)]
    return is_anonymous(before) is not is_anonymous(after) and what[0] == what[1]


def is_anonymous(report: Report) -> bool:
    """Tell whether the run looked like a common client."""
    return report.run.options.get("anonymous") is True


def _answered_differently(before: _State, after: _State) -> bool:
    decided = all(each.scored and each.verdict in _DECIDED for each in (before, after))
    return decided and (before.verdict, before.alert) != (after.verdict, after.alert)


def _run(report: Report) -> ComparedRun:
    return ComparedRun(
        base_url=report.target.base_url,
        started=report.started,
        headline=outcome.headline(report),
        anonymous=is_anonymous(report),
    )


class _State:
    """A requirement in one of the runs, whose catalogue may lack it."""

    def __init__(self, report: Report, row: RequirementResult | None) -> None:
        found = row.findings if row else ()
        self.verdict = summary.shown_verdict(report, row) if row else ABSENT
        self.scored = row is None or row.scored
        self.alert = self.scored and any(each.alert for each in found)
        self.waived = row is not None and row.waived
        self.is_advice = row is not None and row.basis == Basis.ADVICE
        self.findings = {(each.verdict, _identity(each)): each.message for each in found}
        """The messages by what identifies them."""

    @property
    def rank(self) -> int | None:
        if not self.scored:
            return None
        if self.is_advice and self.verdict == Verdict.WARN:  # counts nowhere
            return _RANK[Verdict.PASS]
        return _RANK.get(Verdict(self.verdict)) if self.verdict in list(Verdict) else None

    @property
    def words(self) -> str:
        marks = f"{' (waived)' if self.waived else ''}{'' if self.scored else ' (unscored)'}"
        return f"{self.verdict}{', alert' if self.alert else ''}{marks}"


def _identity(finding: Finding[str]) -> str:
    """Return what two runs have in common in the message of the same finding; of an observation that is its choice."""
    choice = choice_in(finding.message)[0] if finding.verdict == Verdict.OBSERVED else ""
    return choice or _SAME.sub(_placeholder, finding.message)


_SAME: Final = re.compile(
    r"(?P<several>\b\d{3}(?:, \d{3})+\b)|(?P<status>answered \d{3}\b(?!, \d))|[0-9A-Fa-f]{6,}(?:-[0-9A-Fa-f]+)*|"
    r"(?P<more> \(and [\d,]+ more like this\))|\d+"
)
"""What differs between two runs in the message of the same finding: identifiers, times, counts and orders."""


def _placeholder(found: re.Match[str]) -> str:
    """Return a mark for an identifier or a number; the status of an answer stays, of several answers in order.

    How many more findings are like one is no difference: one run may meet it once, and the other twice.
    """
    if found["more"]:
        return ""
    if found["several"]:
        return ", ".join(sorted(set(found["several"].split(", "))))
    return found["status"] or "#"


def _differ(before: _State, after: _State) -> bool:
    return before.words != after.words or before.findings.keys() != after.findings.keys()


def _change(row: RequirementResult, before: _State, after: _State) -> Change:
    return Change(
        id=row.id,
        kind=_kind(before, after),
        before=before.words,
        after=after.words,
        new=tuple(after.findings[key] for key in after.findings if key not in before.findings),
        gone=tuple(before.findings[key] for key in before.findings if key not in after.findings),
        basis=basis.stated(row),
        reason=basis.reason(row),
    )


def _kind(before: _State, after: _State) -> str:
    was, now = before.rank, after.rank
    if now is None:
        return OTHER
    fails_first = was is None and now >= _RANK[Verdict.WARN]
    if fails_first or (was is not None and now > was) or (after.alert and not before.alert):
        return WORSE
    if was is not None and now < was:
        return OTHER if after.verdict in (Verdict.NOT_APPLICABLE, Verdict.INCONCLUSIVE) else BETTER
    return BETTER if before.alert and not after.alert else OTHER


_NONE: Final = "–"


def _facts(report: Report) -> Iterator[tuple[str, object]]:
    target, run = report.target, report.run
    yield "version of the suite", report.suite.version
    yield "build of the suite", report.suite.build
    yield "catalogue of requirements", report.suite.catalogue
    yield "set of requirements", report.scope.set
    yield "edition of the specification", report.suite.edition
    yield "address", target.base_url
    yield "IP addresses", target.addresses
    yield "TLS version", target.tls and target.tls.version
    yield "certificate (SHA-256)", target.tls and target.tls.certificate_sha256
    yield "complete", report.complete
    for name, value in run.options.items():
        yield f"option {name}", value
    yield "waivers", sorted(f"{each.requirement} until {each.expires}" for each in report.waivers)
    for name, value in run.labels.items():
        yield f"label {name}", value
    yield "Python", run.environment.python
    yield "platform", run.environment.platform
    for name, value in run.environment.dependencies.items():
        yield f"package {name}", value


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or _NONE
    return _NONE if value is None or value == "" else str(value)
