"""The documents of a run, both free of secrets: the report and the evidence, as files and views have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from conformance import NAME, __version__
from conformance.judge.decided_by import decided_by
from conformance.judge.identifiers import section
from conformance.judge.identifiers.sample import enough
from conformance.model.build import build
from conformance.model.findings import Note
from conformance.model.identity import USER
from conformance.model.report import Identifiers, Report, Suite, data_of, report_of
from conformance.model.requirements import catalogue
from conformance.model.results import RequirementResult
from conformance.model.score import calibration, proofs
from conformance.model.verdict import Outcome
from conformance.run import notes
from conformance.run.conclusion import FinishedRun
from conformance.run.details import with_details
from conformance.run.environment import environment
from conformance.trace.har import har
from conformance.trust import chain


@dataclass
class Documents:
    """The documents of a run, made when they are first read."""

    run: FinishedRun

    @cached_property
    def data(self) -> dict[str, Any]:
        """The report as report.json holds it."""
        redactor, report = self.run.redactor, self._report
        data = data_of(report, redactor.text, redactor.of_secrets.text)
        with suppress(Exception):  # a crash of the evidence is noted where it is written
            return chain.sealed(data, self.evidence)
        return data

    @property
    def _report(self) -> Report:
        """The report, with what it says beside the verdicts: of the findings, the suite and the machine of the run."""
        said, identifiers, rows = self._beside
        detected = proofs()
        rows = tuple(replace(row, decided_by=decided_by(row), proofs=detected.get(row.id)) for row in rows)
        suite = Suite(
            name=NAME,
            version=__version__,
            catalogue=catalogue().digest,
            build=build(),
            edition=catalogue().edition.digest,
            calibration=calibration(),
        )
        report = self.run.report
        made = replace(report.run, environment=environment())
        concluded = {**vars(report), "run": made, "requirements": rows}
        return Report(**concluded, notes=tuple(said), suite=suite, identifiers=identifiers)

    @cached_property
    def _beside(self) -> tuple[Sequence[Note], Identifiers | None, tuple[RequirementResult, ...]]:
        """The notes, what the identifiers of the user show, and the results with details; nothing of what crashes."""
        run = self.run
        said: Sequence[Note] = ()
        identifiers, rows = None, run.report.requirements
        with self.crashing("the notes of the report"):
            said = [*notes.of_the_run(run)]
        with self.crashing("the part of the report about identifiers"):
            identifiers = section.identifiers(run.exchanges, USER.label, wanted=enough(run.trace.target.budget))
        with self.crashing("the details of the findings"):
            rows = with_details(rows, run.trace)
        return said, identifiers, rows

    @cached_property
    def shown(self) -> Report:
        """The same as views take it."""
        return report_of(self.data)

    @cached_property
    def evidence(self) -> dict[str, Any]:
        """The exchanges as evidence.har holds them."""
        trace = self.run.trace
        return chain.chained(har(trace.exchanges, trace.conditions))

    def crashed(self, error: Exception, where: str) -> None:
        """Add a crash after the verdicts: the service cannot conform by this run."""
        run = self.run
        run.crashes.note(error, where)
        outcome = run.report.outcome
        outcome = outcome if outcome is Outcome.DOES_NOT_CONFORM else Outcome.INCONCLUSIVE
        run.report = replace(run.report, crashes=run.crashes.told(), outcome=outcome)
        self.__dict__.pop("data", None)
        self.__dict__.pop("shown", None)

    @contextmanager
    def crashing(self, where: str) -> Iterator[None]:
        """Catch the exceptions of the context and add them as crashes."""
        try:
            yield
        except Exception as error:
            self.crashed(error, where)
