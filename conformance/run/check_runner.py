"""The checks judge a trace: their arguments, and what each raised, or did not raise, as a verdict with exchanges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from inspect import unwrap
from typing import Any

import pytest

from conformance.judge.decisions import Decisions, why_undecided
from conformance.judge.run import TracedRun
from conformance.model.errors import ConfigurationFault, NotDecided, NothingToAdd, RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.findings import CheckResult, Crashes, Finding, finding_of
from conformance.model.identity import USER
from conformance.model.requirements import Requirement
from conformance.model.verdict import Blame, Level, Verdict
from conformance.run.calls import scenarios_of
from conformance.run.items import check_name, names_of, reads, requirement_of
from conformance.scenarios.registry import OR_REASON, SCENARIOS
from conformance.trace.trace import Trace


class Arguments:
    """The arguments of one check by their names: results of scenarios, each looked up once."""

    def __init__(self, trace: Trace, given: Mapping[str, Any]) -> None:
        self.values = {"run": TracedRun(trace), **given}
        self._trace = trace

    def of(self, function: Callable[..., Any]) -> dict[str, Any]:
        """Return the arguments of a function; raise what ended a scenario whose result it needs."""
        return {name: self.value(name) for name in names_of(function)}

    def value(self, name: str) -> Any:
        """Return an argument."""
        if name not in self.values:
            self.values[name] = self._result(name)
        return self.values[name]

    def _result(self, name: str) -> Any:
        """Return the result of a scenario, which has run before the first check judges, or why it has none."""
        if name == "user":
            raise NotDecided(
                "This needs an access token.", blame=Blame.CREDENTIAL, remedy="Give one as DRSI_TOKEN, and run again."
            )
        scenario = SCENARIOS[name.removesuffix(OR_REASON)]
        if not scenario.public:
            self.value("user")
        try:
            return self._trace.result(scenario.name)
        except NotDecided as reason:
            if scenario.name == name:
                raise
            return reason


class CheckRunner:
    """Calls the checks on a trace, and turns what each of them raises into a CheckResult."""

    trace: Trace
    """What the checks judge, from `judge` on."""

    def __init__(self, crashes: Crashes) -> None:
        self.crashes = crashes
        self.results: list[CheckResult] = []
        self.interrupted = False
        self.left_out: set[str] = set()
        """Requirements without a check that may run."""
        self.not_called: frozenset[str] = frozenset()
        """The names of the checks whose calls were not all made."""
        self._observations: list[Finding[Exchange]] = []
        """What the check that runs has observed."""

    @cached_property
    def decisions(self) -> Decisions:
        """What the exchanges of the trace decide, each by itself."""
        return Decisions(self.trace.facts)

    def judge(self, trace: Trace, checks: Sequence[pytest.Item]) -> None:
        """Take `trace` for what the checks, which are in the order of their calls, judge."""
        self.trace = trace
        self.interrupted |= trace.conditions.interrupted
        self.not_called = _not_called(trace, checks)

    def call(self, item: pytest.Function) -> None:
        """Call a check; it raises what it finds, or NotDecided if the run ended before its calls."""
        self._observations = []
        self.trace.consulted.clear()
        if check_name(item) in self.not_called:
            raise self.trace.time_is_up()
        case = getattr(item, "callspec", None)  # that of one of several checks of a function
        given = {} if case is None else dict(case.params)
        if USER.label in self.trace.conditions.users:
            given["user"] = None
        arguments = Arguments(self.trace, given)
        arguments.values["observe"] = partial(self._observe, requirement_of(item))
        arguments.values["decide"] = partial(self._decide, item, arguments)
        for name in reads(item):
            arguments.value(name)
        if item.get_closest_marker("scenarios"):  # only the exchanges that decide a row are its evidence
            self.trace.consulted.clear()
        check = unwrap(item.function)
        check(**arguments.of(check))

    def _decide(self, item: pytest.Item, arguments: Arguments, requirement_id: str) -> None:
        """Decide a requirement by every exchange of the run, each by itself."""
        run, decided = arguments.value("run"), self.decisions[requirement_id]
        decided.raise_violation()
        if not decided.kept:
            results = [arguments.value(name) for name in reads(item) if name.endswith(OR_REASON)]
            reasons = (each if isinstance(each, NotDecided) else getattr(each, "undecided", None) for each in results)
            raise why_undecided(run, self.decisions, requirement_id, [each for each in reasons if each is not None])
        run.rests_on(decided.kept)

    def _observe(self, row: Requirement, message: str, *exchanges: Exchange, alert: bool = False) -> None:
        """Note what this target does in an open matter."""
        if alert and not row.alert:
            raise LookupError(f"{row.id} raised an alert, which the catalogue does not declare: {message}")
        blame = Blame.TARGET if alert else Blame.SPECIFICATION
        self._observations.append(
            Finding(verdict=Verdict.OBSERVED, blame=blame, message=message, exchanges=exchanges, alert=alert)
        )

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
        row, name, found = requirement_of(item), check_name(item), [*findings, *self._observations]
        shown = (one for finding in found for one in finding.exchanges)
        read = {one.id: one for one in (*self.trace.consulted, *shown)}
        self.trace.consulted.clear()
        result = CheckResult(
            row, name, verdict, found, exchanges=tuple(read.values()), seconds=seconds, decides=decides
        )
        self.results.append(result)
        return result


def _not_called(trace: Trace, checks: Sequence[pytest.Item]) -> frozenset[str]:
    """Return the names of the checks whose calls a run did not all make, because it ended before."""
    end, names = trace.conditions.ended_before, [*map(check_name, checks)]
    if not end:
        return frozenset()
    if end in names:
        return frozenset(names[names.index(end) :])
    reads = {check_name(item): [each.name for each in scenarios_of(item)] for item in checks}
    ended = {*trace.results, *trace.ends}
    return frozenset(name for name, read in reads.items() if not read or not ended.issuperset(read))


def declared(error: NotDecided, row: Requirement) -> NotDecided:
    """Return `error`, as inconclusive if the catalogue does not declare its circumstance for a `must`."""
    silent = error.verdict is not Verdict.NOT_APPLICABLE or row.level is not Level.MUST
    if silent or error.circumstance in row.not_applicable:
        return error
    return NotDecided(error.message, blame=error.blame, remedy=error.remedy, exchanges=error.exchanges)
