"""What stands in the way of a run, and facts worth knowing before one."""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.model.findings import Note


@dataclass
class Diagnosis:
    """What the doctor found: problems, and facts worth knowing before a run."""

    problems: list[Note] = field(default_factory=list)
    facts: list[tuple[str, str]] = field(default_factory=list)

    @property
    def fatal(self) -> Note | None:
        """The first problem that a run cannot begin with."""
        return next((problem for problem in self.problems if problem.exit_code is not None), None)
