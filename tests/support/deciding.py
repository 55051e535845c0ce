"""What a check says of a trace, without pytest: its arguments are taken from the trace by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from assembled import assembled, broken, failed

from conformance import checks
from conformance.judge.decisions import Decisions
from conformance.model.errors import NotDecided, RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.requirements import catalogue
from conformance.run.all_checks import traces_of
from conformance.run.check_runner import Arguments
from conformance.trace.trace import Trace

CHECKS = Path(checks.__path__[0])


@dataclass(frozen=True)
class Behaviour:
    """A check of one requirement, which decides more than one exchange by itself shows."""

    function: Callable[..., None]
    requirement: str
    arguments: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Those that pytest gives a check that several requirements share."""

    @property
    def name(self) -> str:
        """The name by which pytest selects it, without the file."""
        return f"{self.function.__name__}[{self.requirement}]"

    @property
    def level(self) -> str:
        """The level of the requirement."""
        return catalogue()[self.requirement].level

    @property
    def traces(self) -> str:
        """Its two smallest traces, or the one of an observation; empty if it has none."""
        return traces_of(self.function, self.requirement)

    @property
    def marks(self) -> set[str]:
        """The marks of its traces: FAIL, PASS, SAYS."""
        return {line.partition(" ")[0] for line in self.traces.splitlines()} & {"FAIL", "PASS", "SAYS"}

    def decide(self, trace: Trace) -> RequirementViolated | NotDecided | None:
        """Return the violation that the check finds in a trace, why it cannot tell, or None if it accepts the trace.

        An alert is a violation of an open requirement.
        """
        alerts: list[RequirementViolated] = []
        end = self._end(trace, lambda found, alert: alerts.append(found) if alert else None)
        return end or next(iter(alerts), None)

    def observed(self, trace: Trace) -> list[str]:
        """Return what the check says of a trace; of one that shows nothing of the matter, why."""
        messages: list[str] = []
        end = self._end(trace, lambda found, _: messages.append(found.message))
        return [*messages, *([end.message] if end else [])]

    def _end(
        self, trace: Trace, note: Callable[[RequirementViolated, bool], None]
    ) -> RequirementViolated | NotDecided | None:
        """Run the check; `note` gets each observation, and whether it is an alert."""

        def observe(message: str, *exchanges: Exchange, alert: bool = False) -> None:
            note(RequirementViolated(message, exchanges=exchanges), alert)

        def decide(requirement_id: str) -> None:
            decided = Decisions(trace.facts)[requirement_id]
            decided.raise_violation()
            if not decided.kept:
                raise NotDecided("No answer keeps the requirement.")

        given = {"user": None, "observe": observe, "decide": decide, **self.arguments}
        try:
            self.function(**Arguments(trace, given).of(self.function))
        except (RequirementViolated, NotDecided) as error:
            return error
        return None

    def is_violated(self, trace: Trace) -> bool:
        """Tell whether a trace violates the requirement: the check finds it, and no guard explains it otherwise."""
        end = self.decide(trace)
        if not isinstance(end, RequirementViolated) or self.level == "open":
            return isinstance(end, RequirementViolated)
        found = broken(self.requirement, *end.exchanges, message=end.message)
        return self.requirement in failed(assembled([found], list(trace.exchanges)))


def behaviours() -> Iterator[Behaviour]:
    """Yield each behaviour of the checks that a service can violate, and each check of an open matter with traces."""
    for path in sorted(CHECKS.glob("test_[0-9]*.py")):
        module = import_module(f"conformance.checks.{path.stem}")
        for name, function in vars(module).items():
            if name.startswith("test_"):
                for requirement, arguments in _cases(function):
                    behaviour = Behaviour(function, requirement, arguments)
                    if behaviour.level != "open" or behaviour.traces:
                        yield behaviour


def _cases(function: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the requirements that a check decides, each with the arguments that pytest gives it."""
    for mark in function.pytestmark:
        if mark.name == "requirement":
            yield mark.args[0], {}
        elif mark.name == "parametrize":
            name, cases = mark.args
            for case in cases:
                yield case.id, {name: case.values[0]}
