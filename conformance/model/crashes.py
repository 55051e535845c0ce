"""The crashes of the suite itself, with the requirements that each leaves inconclusive; the run goes on."""

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

REMEDY = f"Report the crash to the issue tracker of {NAME}, with the traceback from report.json or --debug."


@dataclass
class _Noted:
    error: object
    """Referenced here so that no later object gets the same id()."""
    exception: str
    traceback: str
    where: dict[str, None] = field(default_factory=dict)
    requirements: set[str] = field(default_factory=set)


class Crashes:
    """The crashes of one run; one exception of a scenario that ends several checks is one crash."""

    def __init__(self) -> None:
        self._noted: dict[int, _Noted] = {}

    def __bool__(self) -> bool:
        return bool(self._noted)

    def note(self, error: Exception, where: str, requirements: Iterable[str] = ()) -> None:
        """Record that `where` raised `error`, which leaves `requirements` undecided."""
        if id(error) not in self._noted:
            name = traceback.format_exception_only(error)[-1].strip()
            self._noted[id(error)] = _Noted(error, name, "".join(traceback.format_exception(error)))
        self._add(id(error), where, requirements)

    def note_text(self, text: str, where: str, requirements: Iterable[str] = ()) -> None:
        """Record an exception of which only the traceback `text` is known; its last line names the exception."""
        lines = [line.removeprefix("E").strip() for line in text.splitlines() if line.strip()]
        self._noted[id(text)] = _Noted(text, lines[-1] if lines else "an exception without a message", text)
        self._add(id(text), where, requirements)

    def _add(self, key: int, where: str, requirements: Iterable[str]) -> None:
        self._noted[key].where[where] = None
        self._noted[key].requirements.update(requirements)

    @contextmanager
    def noted(self, where: str, requirements: Iterable[str] = ()) -> Iterator[None]:
        """Record an exception of the block, except a ConfigurationFault, and continue."""
        try:
            yield
        except ConfigurationFault:
            raise
        except Exception as error:
            self.note(error, where, requirements)

    def results(self) -> Iterator[CheckResult]:
        """Yield an inconclusive result, with blame suite, for each requirement of each crash."""
        for noted in self._noted.values():
            for requirement_id in sorted(noted.requirements):
                where = next(iter(noted.where))
                message = f"The suite itself crashed here ({noted.exception}), which says nothing about the service."
                finding = Finding[Exchange](
                    verdict=Verdict.INCONCLUSIVE, blame=Blame.SUITE, message=message, remedy=REMEDY
                )
                row = catalogue()[requirement_id]
                yield CheckResult(row, where, Verdict.INCONCLUSIVE, [finding])

    def told(self) -> tuple[Crash, ...]:
        """Return the crashes in the form of the report."""
        return tuple(
            Crash(
                where=tuple(noted.where),
                exception=noted.exception,
                requirements=tuple(one for one in catalogue().rows if one in noted.requirements),
                traceback=noted.traceback,
            )
            for noted in self._noted.values()
        )
