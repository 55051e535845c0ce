"""What stands in the way of a run, and facts worth knowing before one."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.model.verdict import Blame, Exit


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that stands in the way of a run; `exit_code` is set where the run cannot begin."""

    blame: Blame
    message: str
    remedy: str
    exit_code: Exit | None = None


@dataclass
class Diagnosis:
    """What the doctor found: problems, and facts worth knowing before a run."""

    problems: list[Problem] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)

    @property
    def fatal(self) -> Problem | None:
        """The first problem that a run cannot begin with."""
        return next((problem for problem in self.problems if problem.exit_code is not None), None)
