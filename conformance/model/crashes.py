"""Faults of the suite itself: each is noted with the requirements that it leaves inconclusive, and the run goes on."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from conformance import NAME
from conformance.model.errors import ConfigurationFault
from conformance.model.exchange import Exchange
from conformance.model.findings import CheckResult, Finding
from conformance.model.report import Crash
from conformance.model.requirements import catalogue
from conformance.model.verdict import Blame, Verdict

REMEDY = f"Report it to the issue tracker of {NAME}, with the traceback, which report.json holds and --debug prints."


@dataclass
class _Noted:
    error: object
    """Kept, so that its identity is not given to another one."""
    exception: str
    traceback: str
    where: dict[str, None] = field(default_factory=dict)
    requirements: set[str] = field(default_factory=set)


class Crashes:
    """The crashes of one run. An exception that several checks meet, because a scenario of theirs raised it, is one."""

    def __init__(self) -> None:
        self._noted: dict[int, _Noted] = {}

    def __bool__(self) -> bool:
        return bool(self._noted)

    def note(self, error: Exception, where: str, requirements: Iterable[str] = ()) -> None:
        """Note that `error` was raised in `where`, and that it left `requirements` undecided."""
        if id(error) not in self._noted:
            name = traceback.format_exception_only(error)[-1].strip()
            self._noted[id(error)] = _Noted(error, name, "".join(traceback.format_exception(error)))
        self._add(id(error), where, requirements)

    def note_text(self, text: str, where: str, requirements: Iterable[str] = ()) -> None:
        """Note the same of an exception of which only the traceback is left; its last line names it."""
        lines = [line.removeprefix("E").strip() for line in text.splitlines() if line.strip()]
        self._noted[id(text)] = _Noted(text, lines[-1] if lines else "an exception without a message", text)
        self._add(id(text), where, requirements)

    def _add(self, key: int, where: str, requirements: Iterable[str]) -> None:
        self._noted[key].where[where] = None
        self._noted[key].requirements.update(requirements)

    @contextmanager
    def noted(self, where: str, requirements: Iterable[str] = ()) -> Iterator[None]:
        """Note what is raised meanwhile, apart from a ConfigurationFault, and go on."""
        try:
            yield
        except ConfigurationFault:
            raise
        except Exception as error:
            self.note(error, where, requirements)

    def results(self) -> Iterator[CheckResult]:
        """Yield for each crash that its requirements are inconclusive, with the suite as the cause."""
        for noted in self._noted.values():
            for requirement_id in sorted(noted.requirements):
                where = next(iter(noted.where))
                message = f"The suite itself failed here ({noted.exception}): this says nothing of the service."
                finding = Finding[Exchange](
                    verdict=Verdict.INCONCLUSIVE, blame=Blame.SUITE, message=message, remedy=REMEDY
                )
                row = catalogue()[requirement_id]
                yield CheckResult(row, where, Verdict.INCONCLUSIVE, [finding])

    def told(self) -> tuple[Crash, ...]:
        """Return the crashes as the report holds them."""
        return tuple(
            Crash(
                where=tuple(noted.where),
                exception=noted.exception,
                requirements=tuple(one for one in catalogue().rows if one in noted.requirements),
                traceback=noted.traceback,
            )
            for noted in self._noted.values()
        )
