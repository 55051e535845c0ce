"""Findings, notes and crashes: the statements of a run about a requirement, and about itself."""

from __future__ import annotations

import traceback
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from conformance import NAME
from conformance.model.errors import ConfigurationFault, Crashed, NotDecided, Probe, RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.requirements import Requirement, catalogue
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Blame, Exit, Level, Verdict

Shown = TypeVar("Shown", Exchange, str)
"""How a finding names an exchange: as the exchange itself during a run, by its id in evidence.har in a report."""


@dataclass(frozen=True, kw_only=True)
class Step(Generic[Shown]):
    """One step of the shortest sequence of calls that shows a finding."""

    text: str
    exchange: Shown
    curl: str = ""


@dataclass(frozen=True, kw_only=True)
class Finding(Generic[Shown]):
    """One statement of a run about a requirement, with the exchanges that show it, the clearest first."""

    check: str = ""
    verdict: Verdict
    blame: Blame
    message: str
    expected: str = ""
    actual: str = ""
    server: str = ""
    """In a report: what the code of the service raised in one of the exchanges, in a line."""
    remedy: str = ""
    exchanges: tuple[Shown, ...] = ()
    curl: str = ""
    """In a report: the shell line that repeats the first exchange; empty where one call shows nothing, as in `curl`."""
    steps: tuple[Step[Shown], ...] = ()
    """The shortest sequence of calls that shows it, if one call alone does not."""
    probe: Probe | None = None
    """What the response in the first exchange does not meet, if a script can test it."""
    alert: bool = False
    """A serious observation in an open matter; never a fault of the target."""


@dataclass
class CheckResult:
    """The result of one check for one requirement. A check that passes may have no findings."""

    requirement: Requirement
    check: str
    verdict: Verdict
    findings: list[Finding[Exchange]] = field(default_factory=list)
    exchanges: tuple[Exchange, ...] = ()
    """The exchanges that the check read."""
    seconds: float = 0.0
    decides: bool = True
    """Whether the verdict of the requirement depends on this check."""


def finding_of(error: RequirementViolated | NotDecided | ConfigurationFault, row: Requirement) -> Finding[Exchange]:
    """Return the finding of a check that raised `error` for the requirement `row`."""
    if isinstance(error, ConfigurationFault):
        error = NotDecided(error.message, blame=Blame.CONFIGURATION, remedy=error.remedy)
    if isinstance(error, NotDecided):
        return Finding(
            verdict=error.verdict,
            blame=error.blame,
            message=error.message,
            remedy=error.remedy or catalogue().decided_by.get(error.circumstance, ""),
            exchanges=tuple(error.exchanges),
        )
    return Finding(
        verdict=VERDICT_WHEN_BROKEN[row.level],
        blame=Blame.SPECIFICATION if row.level is Level.OPEN else Blame.TARGET,
        message=error.message,
        expected=error.expected,
        actual=error.actual,
        remedy=error.remedy or row.remedy,
        exchanges=tuple(error.exchanges),
        steps=tuple(Step(text=text, exchange=exchange) for text, exchange in error.steps),
        probe=error.probe,
    )


@dataclass(frozen=True)
class Note:
    """A statement about the run itself that a reader has to know."""

    blame: Blame
    message: str
    remedy: str = ""
    exit_code: Exit | None = None
    """Set if the run cannot begin."""
    exchanges: tuple[str, ...] = ()
    """Ids of the exchanges that it is about; such a note stands on the first screen of the page."""
    traceback: str = ""
    """What the code of the service raised there, if that is known."""


CRASH_REMEDY = f"Report the crash to the issue tracker of {NAME}, with the traceback from report.json or --debug."


@dataclass(frozen=True, kw_only=True)
class Crash:
    """A crash of the suite: an exception that it does not expect."""

    where: tuple[str, ...]
    """The checks that it ended, or the part of the suite that raised it."""
    exception: str
    requirements: tuple[str, ...]
    """Ids that it left inconclusive, unless another check found them failed."""
    traceback: str


class Crashes:
    """The crashes of one run; one exception of a scenario that ends several checks is one crash."""

    def __init__(self, selected: Container[str] | None = None) -> None:
        """Name as undecided only requirements that the run decides: the `selected` ones, by default all."""
        self._selected = [id for id in catalogue().rows if selected is None or id in selected]
        self._noted: dict[tuple[str, ...], Crash] = {}

    def __bool__(self) -> bool:
        return bool(self._noted)

    def note(self, error: Exception, where: str, requirements: Iterable[str] = ()) -> None:
        """Record that `where` raised `error`, which leaves `requirements` undecided."""
        if isinstance(error, Crashed):
            name, text = error.message, error.traceback
        else:
            bare = traceback.TracebackException.from_exception(error)
            bare.__notes__ = []  # hypothesis adds notes, which stand after the exception
            name, text = list(bare.format_exception_only())[-1].strip(), "".join(traceback.format_exception(error))
        self.add(Crash(where=(where,), exception=name, requirements=tuple(requirements), traceback=text))

    def note_text(self, text: str, where: str, requirements: Iterable[str] = ()) -> None:
        """Record an exception of which only the traceback `text` is known; its last line names the exception."""
        lines = [line.removeprefix("E").strip() for line in text.splitlines() if line.strip()]
        name = lines[-1] if lines else "an exception without a message"
        self.add(Crash(where=(where,), exception=name, requirements=tuple(requirements), traceback=text))

    def add(self, crash: Crash) -> None:
        """Record a crash; one of the same name, raised in the same line, is the same."""
        raised = [line for line in crash.traceback.splitlines() if line.startswith("  File ")][-1:]
        known = self._noted.setdefault((crash.exception, *raised), crash)
        named = {*known.requirements, *crash.requirements}
        self._noted[crash.exception, *raised] = replace(
            known,
            where=tuple(dict.fromkeys((*known.where, *crash.where))),
            requirements=tuple(each for each in self._selected if each in named),
        )

    @contextmanager
    def noted(self, where: str, requirements: Iterable[str] = ()) -> Iterator[None]:
        """Record an exception of the block, except a ConfigurationFault, and continue."""
        try:
            yield
        except ConfigurationFault:
            raise
        except Exception as error:
            self.note(error, where, requirements)

    def told(self) -> tuple[Crash, ...]:
        """Return the crashes in the form of the report."""
        return tuple(self._noted.values())
