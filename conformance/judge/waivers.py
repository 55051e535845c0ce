"""Waivers: which failures of a run they cover, and which waivers are expired or unused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from conformance.model.findings import Finding
from conformance.model.results import EXPIRED, IN_FORCE, UNUSED, RequirementResult, Waiver, counted, is_violated
from conformance.model.verdict import Verdict

Results = tuple[RequirementResult, ...]

_DECIDED = (Verdict.FAIL, Verdict.WARN, Verdict.OBSERVED, Verdict.PASS)


def failures(row: RequirementResult, *, strict: bool, fail_on: Sequence[str]) -> tuple[Finding[str], ...]:
    """Return the findings of `row` that count as failures in a run with these options."""
    alert = bool(counted([row.id], fail_on))
    return tuple(
        finding
        for finding in row.findings
        if is_violated(row, finding.verdict, strict=strict) or (alert and finding.alert)
    )


def applied(
    results: Results, waivers: Sequence[Waiver], *, today: date, strict: bool, fail_on: Sequence[str], whole: bool
) -> tuple[Results, tuple[Waiver, ...]]:
    """Return the results with `waived` set, and the waivers with their states.

    A waiver is unused only after a `whole` run: complete, with every call. A run that sees less cannot tell, and
    neither can one that did not decide the requirement. A waiver of what counts as a failure only with other options
    is not unused.
    """
    rows = {row.id: row for row in results}
    waivers = tuple(replace(each, state=_state(each, rows.get(each.requirement), today, whole)) for each in waivers)
    in_force = [each for each in waivers if each.state == IN_FORCE]

    def waived(row: RequirementResult) -> bool:
        found = failures(row, strict=strict, fail_on=fail_on)
        # A waiver of one finding must not hide that another check of the requirement decided nothing.
        undecided = [finding for finding in row.findings if finding.verdict is Verdict.INCONCLUSIVE]
        to_cover = [*found, *undecided]
        return bool(found) and all(covering(in_force, row.id, each.message, today) for each in to_cover)

    return tuple(replace(row, waived=waived(row)) for row in results), waivers


def covering(waivers: Sequence[Waiver], requirement: str, message: str, today: date) -> list[Waiver]:
    """Return the waivers that cover a finding with this message, and have not expired."""
    own = (each for each in waivers if each.requirement == requirement and date.fromisoformat(each.expires) >= today)
    return [each for each in own if re.search(each.finding, message)]


def _state(waiver: Waiver, row: RequirementResult | None, today: date, whole: bool) -> str:
    if date.fromisoformat(waiver.expires) < today:
        return EXPIRED
    if row is None or not row.scored or row.verdict not in _DECIDED or not whole:
        return IN_FORCE
    possible = failures(row, strict=True, fail_on=[row.id])
    return IN_FORCE if any(covering([waiver], row.id, finding.message, today) for finding in possible) else UNUSED
