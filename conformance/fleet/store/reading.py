"""What is read of a store: its tables and views, row by row, and the files of its runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Final, Self, TypeVar, get_origin, get_type_hints

import msgspec
from sqlalchemy import select
from sqlalchemy import text as sql

from conformance import NAME
from conformance.fleet.store import recorded, tables
from conformance.fleet.store.bundles import Bundles
from conformance.fleet.store.database import Database
from conformance.fleet.store.rows import (
    Audit,
    AuditedRun,
    Change,
    FailingRequirement,
    LatestRun,
    Observed,
    Party,
    Proposal,
    Publication,
    Regression,
    Statement,
    StoredFinding,
    StoredRun,
    StoredVerdict,
    StoreFault,
    Target,
    Unreported,
    Withdrawal,
    Witness,
)
from conformance.model import unique_keys
from conformance.model.report import Report, report_of
from conformance.model.requirements import catalogue
from conformance.model.specification import Specification
from conformance.reports import files
from conformance.reports.basis import genuine
from conformance.trust import archive
from conformance.trust.archive import EvidenceFault

Row = TypeVar("Row")

_ADD_AGAIN: Final = "Add the run again."

_AT_ONCE: Final = 1_000
"""Rows that are read from a database at once."""

_AUDITED_RUNS: Final = """
SELECT r.*, t.name AS target, r.audit_id AS audit, b.outcome AS outcome_before, b.failed AS failed_before
FROM runs AS r JOIN targets AS t ON t.id = r.target_id
LEFT JOIN runs AS b ON b.id = (
    SELECT s.id FROM runs AS s WHERE s.target_id = r.target_id AND (s.started, s.id) < (r.started, r.id)
    ORDER BY s.started DESC, s.id DESC LIMIT 1
)
WHERE r.audit_id = :audit ORDER BY r.failed DESC, r.alerts DESC, t.name, r.id
"""

_UNREPORTED: Final = """
SELECT u.*, u.audit_id AS audit, t.name AS target, t.base_url, a.started
FROM unreported AS u JOIN targets AS t ON t.id = u.target_id JOIN audits AS a ON a.id = u.audit_id
"""

# The moment of an audit is a whole second: a run in that second is older, as an audit begins after the one before.
_SINCE: Final = """
LEFT JOIN latest_runs AS l ON l.target_id = t.id
WHERE NOT EXISTS (
    SELECT 1 FROM unreported AS v JOIN audits AS c ON c.id = v.audit_id
    WHERE v.target_id = t.id AND (c.started, c.id) > (a.started, a.id)
) AND (l.id IS NULL OR substr(l.started, 1, 19) <= substr(a.started, 1, 19))
ORDER BY t.name
"""

_CHANGES: Final = """
SELECT * FROM (
    SELECT r.id AS run, r.started, v.requirement, v.position, v.verdict,
        lag(v.verdict) OVER (PARTITION BY v.requirement ORDER BY r.started, r.id) AS before
    FROM runs AS r JOIN targets AS t ON t.id = r.target_id JOIN verdicts AS v ON v.run_id = r.id
    WHERE t.name = :target
) AS every
WHERE before <> verdict
ORDER BY started DESC, run DESC, position
"""

_OBSERVED: Final = """
SELECT v.requirement, v.target, f.message FROM latest_verdicts AS v
JOIN findings AS f ON f.run_id = v.run AND f.requirement = v.requirement
WHERE v.level = 'open' AND f.verdict = 'observed' ORDER BY v.position, v.target, f.position
"""

_OF_RUNS: Final = """
SELECT said.*, said.run_id AS run FROM {} AS said JOIN runs AS r ON r.id = said.run_id
JOIN targets AS t ON t.id = r.target_id WHERE t.name = :target ORDER BY r.id
"""


class Reading:
    """The part of an open store that changes nothing."""

    def __init__(self, database: Database, bundles: Bundles) -> None:
        self.database = database
        self.bundles = bundles
        self.name = database.name
        """The store as messages name it, without a password."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the database."""
        self.database.engine.dispose()

    def targets(self) -> Iterator[Target]:
        """Yield the targets, in the order of their names; also those without a run."""
        return self._rows(Target, "SELECT * FROM targets ORDER BY name")

    def audits(self) -> Iterator[Audit]:
        """Yield the audits, the latest first."""
        return self._rows(Audit, "SELECT * FROM audits ORDER BY started DESC, id")

    def runs(self, target: str) -> Iterator[StoredRun]:
        """Yield the runs of the target with this name, the latest first; none if the store has no such target."""
        query = "SELECT r.*, t.name AS target, r.audit_id AS audit FROM runs AS r JOIN targets AS t"
        query += " ON t.id = r.target_id WHERE t.name = :target ORDER BY r.started DESC, r.id DESC"
        return self._rows(StoredRun, query, target=target)

    def audited_runs(self, audit: str) -> Iterator[AuditedRun]:
        """Yield the runs of an audit, those with most failures first."""
        return self._rows(AuditedRun, _AUDITED_RUNS, audit=audit)

    def unreported(self) -> Iterator[Unreported]:
        """Yield the services of which an audit has no report: the latest audit first, by the names of the services."""
        return self._rows(Unreported, f"{_UNREPORTED} ORDER BY a.started DESC, a.id, t.name")

    def unreported_since(self) -> Iterator[Unreported]:
        """Yield the services of which the store has nothing newer than an audit without a report, by their names."""
        return self._rows(Unreported, _UNREPORTED + _SINCE)

    def proposals(self) -> Iterator[Proposal]:
        """Yield what imports propose, in the order in which it was recorded; also what was accepted."""
        return self._rows(Proposal, "SELECT * FROM proposals ORDER BY recorded, kind, id")

    def verdicts(self, run: int) -> Iterator[StoredVerdict]:
        """Yield the verdicts of a run, in the order of the catalogue."""
        return self._rows(StoredVerdict, "SELECT * FROM verdicts WHERE run_id = :run ORDER BY position", run=run)

    def findings(self, run: int) -> Iterator[StoredFinding]:
        """Yield the findings of a run, by requirement."""
        query = "SELECT * FROM findings WHERE run_id = :run ORDER BY requirement, position"
        return self._rows(StoredFinding, query, run=run)

    def statements(self, run: int) -> Iterator[Statement]:
        """Yield the statements of people about a run: attestations, replies and waivers."""
        return self._rows(Statement, "SELECT * FROM statements WHERE run_id = :run ORDER BY kind, position", run=run)

    def changes(self, target: str) -> Iterator[Change]:
        """Yield what each run of a target decided otherwise than the run before, the latest run first."""
        return self._rows(Change, _CHANGES, target=target)

    def latest_runs(self, *, worst_first: bool = False) -> Iterator[LatestRun]:
        """Yield the latest run of each target that has one, in the order of the targets' names.

        With `worst_first`, those with most failures come first, then alerts, then undecided requirements.
        """
        worst = "failed DESC, alerts DESC, decided - testable, " if worst_first else ""
        return self._rows(LatestRun, f"SELECT * FROM latest_runs ORDER BY {worst}target")  # noqa: S608

    def regressions(self) -> Iterator[Regression]:
        """Yield what fails now and passed before, by target."""
        return self._rows(Regression, "SELECT * FROM regressions ORDER BY target, requirement")

    def failing_requirements(self) -> Iterator[FailingRequirement]:
        """Yield what fails now, by requirement."""
        return self._rows(FailingRequirement, "SELECT * FROM failing_requirements ORDER BY requirement, target")

    def observed(self) -> Iterator[Observed]:
        """Yield what the latest runs observed in the open matters, in the order of the catalogue."""
        return self._rows(Observed, _OBSERVED)

    def report(self, run: int) -> Report:
        """Return the report of a run, as its bundle has it; raise StoreFault without one."""
        try:
            data = unique_keys.loads(archive.member(self.bundles.read(self._bundle(run)), files.DATA))
            return report_of(data)
        except StoreFault:
            raise
        except (EvidenceFault, ValueError, RecursionError) as error:
            raise StoreFault(f"The bundle of run {run} cannot be read: {error}", remedy=_ADD_AGAIN) from None

    def page(self, run: int, copy: Specification | None = None) -> str:
        """Return report.html of a run, made again from its evidence by this version; raise StoreFault if that fails.

        It quotes `copy`, a reader's copy of the specification.
        """
        with self.bundles.file(self._bundle(run)) as path, recorded.opened(path) as found:
            (page,) = files.rendered(found.data, found.evidence, ["html"], copy).values()
        return page

    def words(self) -> dict[str, str]:
        """Return the words of this version's edition of the specification by place that runs in the store keep."""
        kept = select(tables.settings.c.value).where(tables.settings.c.name == tables.WORDS)
        with self.database.reading() as connection:
            value = connection.scalar(kept)
        try:
            return genuine(msgspec.json.decode(value or "{}", type=dict[str, str]), catalogue().edition.digest)
        except msgspec.DecodeError:  # the store came from others
            return {}

    def publications(self) -> Iterator[Publication]:
        """Yield what is recorded on the publication of targets, in the order of their names; also what has ended."""
        query = "SELECT p.*, t.name AS target FROM publications AS p JOIN targets AS t ON t.id = p.target_id"
        return self._rows(Publication, f"{query} ORDER BY t.name")

    def withdrawals(self, target: str) -> Iterator[Withdrawal]:
        """Yield the withdrawals of the runs of a target."""
        return self._rows(Withdrawal, _OF_RUNS.format("withdrawals"), target=target)

    def witnesses(self, target: str) -> Iterator[Witness]:
        """Yield the statements of witnesses about the runs of a target."""
        return self._rows(Witness, f"{_OF_RUNS.format('witnesses')}, said.sha256", target=target)

    def parties(self) -> Iterator[Party]:
        """Yield the independent parties, in the order of their names."""
        return self._rows(Party, "SELECT * FROM parties ORDER BY name, key")

    def _bundle(self, run: int) -> str:
        """Return the digest of the bundle of a run; raise StoreFault if the store has no such run."""
        with self.database.reading() as connection:
            digest = connection.scalar(select(tables.runs.c.bundle).where(tables.runs.c.id == run))
        if digest is None:
            raise StoreFault(f"The store {self.name} has no run {run}.", remedy="Name the number of a run.")
        return str(digest)

    def _rows(self, kind: type[Row], query: str, **values_of: object) -> Iterator[Row]:
        """Yield the rows of a query, with values for its parameters."""
        with (
            self.database.reading() as connection,
            connection.execution_options(yield_per=_AT_ONCE).execute(sql(query), values_of) as result,
        ):
            names = [str(each) for each in result.keys()]  # noqa: SIM118 - no mapping; msgspec takes plain texts
            as_json = _json_of(kind)  # type: ignore[arg-type]  # mypy takes the class for an instance
            for row in result:
                values = dict(zip(names, row, strict=True))
                try:
                    values |= {name: json.loads(values[name]) for name in as_json}
                    made = msgspec.convert(values, kind, strict=False)  # SQLite has numbers for truth values
                except (ValueError, TypeError) as error:
                    raise StoreFault(
                        f"The store {self.name} has a row that no version of {NAME} wrote: {error}.",
                        remedy="Undo what another program changed in it, or use a copy of it.",
                    ) from None
                yield made


@cache
def _json_of(kind: type) -> list[str]:
    """Return the columns of a class that are JSON."""
    return [name for name, each in get_type_hints(kind).items() if get_origin(each) in (dict, tuple)]
