"""The results of the checks of a run: what each raised, or did not raise, as a verdict with its exchanges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property, lru_cache
from typing import Final

import pytest

from conformance.model.errors import ConfigurationFault, NotDecided, NothingToAdd, RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.findings import CheckResult, Crashes, Finding, finding_of
from conformance.model.requirements import Requirement
from conformance.model.verdict import Level, Verdict
from conformance.rules.decisions import Decisions
from conformance.runner.arguments import Arguments
from conformance.runner.items import check_name, requirement_of
from conformance.scenarios.schedule import scenarios_of
from conformance.trace.trace import Trace

_WITHOUT_PARTS: Final = frozenset({str, bytes, int, float, bool, type(None)})
_fields_of: Final = lru_cache(maxsize=128)(fields)


class CheckResults:
    """Collects the results of the checks, which judge the trace of a run."""

    trace: Trace
    """What the checks judge, from `judge` on."""

    def __init__(self, crashes: Crashes) -> None:
        self.crashes = crashes
        self.results: list[CheckResult] = []
        self.observations: list[Finding[Exchange]] = []
        """What the check that runs has observed."""
        self.interrupted = False
        self.left_out: set[str] = set()
        """Requirements without a check that may run."""
        self.not_collected: frozenset[str] = frozenset()
        """The names of the checks whose calls were not all made."""
        self._begun: pytest.Function | None = None
        self._arguments: Mapping[str, object] = {}
        """Those of the check that runs, with those from which they are computed."""

    @cached_property
    def decisions(self) -> Decisions:
        """What the exchanges of the trace decide, each by itself."""
        return Decisions(self.trace.facts)

    def judge(self, trace: Trace, checks: Sequence[pytest.Item]) -> None:
        """Take `trace` for what the checks, which are in the order of their calls, judge."""
        self.trace = trace
        self.interrupted |= trace.conditions.interrupted
        self.not_collected = _not_collected(trace, checks)

    def begin(self, item: pytest.Function) -> None:
        """Begin a check; raise NotDecided if the run ended before its calls."""
        self.observations, self._arguments, self._begun = [], {}, item
        self.trace.consulted.clear()
        if check_name(item) in self.not_collected:
            raise self.trace.time_is_up()

    def call(self) -> None:
        """Call the check that has begun; it raises what it finds."""
        assert self._begun is not None
        arguments = Arguments(self._begun, self)
        if not self._begun.get_closest_marker("scenarios"):  # the exchanges that decide a row are noted one by one
            self._arguments = arguments.values
        arguments.call()

    def take(self, item: pytest.Item, error: Exception | None, seconds: float) -> CheckResult | None:
        """Keep and return the result of a check that raised `error`; None if it has none.

        An exception that the suite does not expect is kept as a crash.
        """
        row = requirement_of(item)
        if isinstance(error, NotDecided):
            error = declared(error, row)
        if isinstance(error, RequirementViolated | NotDecided | ConfigurationFault):
            findings = [finding_of(each, row) for each in (error, *getattr(error, "others", ()))]
            decides = not isinstance(error, NothingToAdd)
            return self._add(item, findings[0].verdict, *findings, seconds=seconds, decides=decides)
        if error is not None:
            self.crashes.note(error, check_name(item), [row.id])
            return None
        return self._add(item, Verdict.OBSERVED if row.level is Level.OPEN else Verdict.PASS, seconds=seconds)

    def _add(
        self,
        item: pytest.Item,
        verdict: Verdict,
        *findings: Finding[Exchange],
        seconds: float,
        decides: bool = True,
    ) -> CheckResult:
        row, name, found = requirement_of(item), check_name(item), [*findings, *self.observations]
        shown = (one for finding in found for one in finding.exchanges)
        read = {one.id: one for one in (*_within(self._arguments), *self.trace.consulted, *shown)}
        result = CheckResult(
            row, name, verdict, found, exchanges=tuple(read.values()), seconds=seconds, decides=decides
        )
        self.results.append(result)
        return result


def _not_collected(trace: Trace, checks: Sequence[pytest.Item]) -> frozenset[str]:
    """Return the names of the checks whose calls a run did not all make, because it ended before."""
    end, names = trace.conditions.ended_before, [*map(check_name, checks)]
    if not end:
        return frozenset()
    if end in names:
        return frozenset(names[names.index(end) :])
    reads = {check_name(item): [each.name for each in scenarios_of(item)] for item in checks}
    ended = {*trace.results, *trace.ends}
    return frozenset(name for name, read in reads.items() if not read or not ended.issuperset(read))


def declared(error: NotDecided, row: Requirement) -> Exception:
    """Return `error`, or the error of the suite if the catalogue does not declare its circumstance for a `must`."""
    silent = error.verdict is not Verdict.NOT_APPLICABLE or row.level is not Level.MUST
    if silent or error.circumstance in row.not_applicable:
        return error
    return LookupError(
        f"{row.id} was reported as not applicable ({error.message}), for the circumstance {error.circumstance!r}. The "
        f"catalogue declares for it: {', '.join(row.not_applicable) or 'none'}."
    )


def _within(value: object) -> Iterator[Exchange]:
    """Yield the exchanges in a value and in all that it holds, in their order."""
    seen: set[int] = set()
    left = [value]
    while left:
        value = left.pop()
        if value.__class__ in _WITHOUT_PARTS or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Exchange):
            yield value
        else:
            left.extend(reversed(_parts(value)))


def _parts(value: object) -> Sequence[object]:
    if is_dataclass(value):
        return [getattr(value, field.name) for field in _fields_of(value.__class__)]
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple | set | frozenset) else ()
