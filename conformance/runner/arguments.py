"""The arguments of a check, by their names: results of scenarios, what is computed of them, and the run itself."""

from __future__ import annotations

from collections.abc import Callable
from inspect import unwrap
from typing import Any, Protocol

import pytest

from conformance.checks.marks import Decide, Observe
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.identity import USER
from conformance.model.verdict import Blame, Verdict
from conformance.rules.decisions import Decisions
from conformance.rules.reasons import why_undecided
from conformance.rules.run import Run, TracedRun
from conformance.runner.items import function_of, names_of, reads, requirement_of
from conformance.scenarios.registry import OR_REASON, SCENARIOS
from conformance.trace.trace import Trace


class Judged(Protocol):
    """The run that the checks judge."""

    trace: Trace
    observations: list[Finding[Exchange]]
    """What the check that runs has observed."""

    @property
    def decisions(self) -> Decisions:
        """What the exchanges of the run decide, each by itself."""


class Arguments:
    """The arguments of one check, each computed once."""

    def __init__(self, item: pytest.Function, judged: Judged) -> None:
        case = getattr(item, "callspec", None)  # that of one of several checks of a function
        self.values: dict[str, Any] = {} if case is None else dict(case.params)
        self._item = item
        self._judged = judged
        self._module = item.module
        self._of_the_run: dict[str, Callable[[], Any]] = {
            "run": self._run,
            "user": self._user,
            "decide": self._decide,
            "observe": self._observe,
        }

    def call(self) -> None:
        """Call the check; it raises what it finds, and its arguments what ended their scenarios."""
        for name in reads(self._item):
            self.value(name)
        check = unwrap(self._item.function)
        check(**self.of(check))

    def of(self, function: Callable[..., Any]) -> dict[str, Any]:
        """Return the arguments of a function."""
        return {name: self.value(name) for name in names_of(function)}

    def value(self, name: str) -> Any:
        """Return an argument; raise what ended its scenario."""
        if name not in self.values:
            self.values[name] = self._value(name)
        return self.values[name]

    def _value(self, name: str) -> Any:
        if name in self._of_the_run:
            return self._of_the_run[name]()
        if (function := function_of(self._module, name)) is not None:
            return function(**self.of(function))
        return self._result(name)

    def _result(self, name: str) -> Any:
        """Return the result of a scenario, which has run before the first check judges, or why it has none."""
        scenario = SCENARIOS[name.removesuffix(OR_REASON)]
        if not scenario.public:
            self.value("user")
        try:
            return self._judged.trace.result(scenario.name)
        except NotDecided as reason:
            if scenario.name == name:
                raise
            return reason

    def _run(self) -> Run:
        return TracedRun(self._judged.trace)

    def _user(self) -> None:
        """Raise NotDecided for a run without the token of a user."""
        if USER.label not in self._judged.trace.conditions.users:
            raise NotDecided(
                "This needs an access token.", blame=Blame.CREDENTIAL, remedy="Give one as DRSI_TOKEN, and run again."
            )

    def _decide(self) -> Decide:
        """Return what decides a requirement by every exchange of the run, each by itself."""
        run, decisions = self.value("run"), self._judged.decisions
        results = [self.value(name) for name in reads(self._item) if name.endswith(OR_REASON)]
        reasons = (each if isinstance(each, NotDecided) else getattr(each, "undecided", None) for each in results)
        ended = [each for each in reasons if each is not None]

        def decide(requirement_id: str) -> None:
            decided = decisions[requirement_id]
            decided.raise_violation()
            if not decided.kept:
                raise why_undecided(run, decisions, requirement_id, ended)
            for each in decided.kept:
                run.rests_on(each)

        return decide

    def _observe(self) -> Observe:
        """Return what notes what this target does in an open matter."""
        row, observations = requirement_of(self._item), self._judged.observations

        def note(message: str, *exchanges: Exchange, alert: bool = False) -> None:
            if alert and not row.alert:
                raise LookupError(f"{row.id} raised an alert, which the catalogue does not declare: {message}")
            blame = Blame.TARGET if alert else Blame.SPECIFICATION
            observations.append(
                Finding(verdict=Verdict.OBSERVED, blame=blame, message=message, exchanges=exchanges, alert=alert)
            )

        return note
