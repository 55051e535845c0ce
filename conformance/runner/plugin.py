"""The pytest plugin of a run: it provides the fixtures of the checks and turns each test report into findings."""

from __future__ import annotations

import random
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import TracebackType

import pytest

from conformance.checks.marks import Observe
from conformance.client.public import DataTypes, PublicClient
from conformance.client.user import UserClient
from conformance.generation import generated, sequences
from conformance.http.session import Session
from conformance.model.errors import ConfigurationFault, NotDecided, NothingToAdd, RequirementViolated
from conformance.model.exchange import Exchange
from conformance.model.findings import CheckResult, Crashes, Finding
from conformance.model.requirements import Requirement, catalogue
from conformance.model.verdict import Blame, Level, Verdict
from conformance.rules.verdicts import finding_of, verdict_of_a_pass
from conformance.scenarios import (
    basic,
    completion,
    confirmation,
    credentials,
    data_me,
    identifiers,
    languages,
    parallel,
)
from conformance.scenarios.schedule import Schedule, usual_order

_DEFINED_IN = (
    basic,
    completion,
    confirmation,
    credentials,
    data_me,
    identifiers,
    languages,
    parallel,
    generated,
    sequences,
)
"""The modules that define scenarios: those that are loaded become fixtures."""


class ProgressListener:
    """The display of a run's progress; this base class shows nothing."""

    def planned(self, clauses: Sequence[str]) -> None:
        """The checks to run are known; `clauses` holds the clause of each."""

    def at(self, clause: str, check: str) -> None:
        """A check begins."""

    def done(self, clause: str) -> None:
        """A check has ended."""

    def found(self, requirement: str, finding: Finding[Exchange], message: str) -> None:
        """A check has a finding; later rules may explain a violation otherwise. `message` is free of secrets."""

    def note(self, message: str) -> None:
        """Something about the run has to be known at once."""


class Plugin:
    """Runs the checks against a session, all but the deselected ones, and collects their results.

    A selection leaves out no check: the calls of any check may show that a selected requirement is violated.
    """

    def __init__(
        self,
        session: Session,
        selected: frozenset[str],
        *,
        deselected: frozenset[str],
        public: bool,
        progress: ProgressListener,
        crashes: Crashes,
    ) -> None:
        self.session = session
        self.selected = selected
        self.deselected = deselected
        self.public = public
        self.progress = progress
        self.results: list[CheckResult] = []
        self._begins_at = 0
        """Number of recorded exchanges when the body of the check begins."""
        self._seconds = 0.0
        """Duration of the check so far, with its fixtures."""
        self.crashes = crashes
        self.interrupted = False
        self.left_out: set[str] = set()
        self.not_loaded: dict[str, str] = {}
        """The traceback of each check file that could not be loaded."""
        self.observations: list[Finding[Exchange]] = []
        self.data_types = DataTypes(session)
        self.schedule = Schedule(session)

    def pytest_configure(self, config: pytest.Config) -> None:
        """Have short tracebacks: the finding replaces pytest's own, which can take 50 ms."""
        config.option.tbstyle = "native"

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keep the checks that may run, if one decides anything. The order is `first` checks, others, `last` checks."""
        self._blame_collection({requirement_of(item).id for item in items})
        wanted = [
            item
            for item in items
            if requirement_of(item).id not in self.deselected and not (self.public and needs_a_user(item))
        ]
        if self.selected.isdisjoint(requirement_of(item).id for item in wanted):
            wanted = []
        unwanted = [item for item in items if item not in wanted]
        self.left_out = {requirement_of(item).id for item in unwanted} - {requirement_of(item).id for item in wanted}
        if unwanted:
            config.hook.pytest_deselected(items=unwanted)
        items[:] = sorted(wanted, key=self._place)
        self.progress.planned([requirement_of(item).clause for item in items])
        for item in items:
            self.schedule.need(item, check_name(item))

    def _place(self, item: pytest.Item) -> tuple[int, float]:
        """Return the sort key of a check. Within what the marks allow, an anonymous run has an order of its seed."""
        seeded = random.Random(f"{self.session.seed}/{check_name(item)}/place").random()
        return usual_order(item), seeded if self.session.target.anonymous else 0.0

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A check file that cannot be loaded is a crash that touches the requirements that it names."""
        if report.failed:
            self.not_loaded[report.nodeid] = str(report.longrepr)

    def _blame_collection(self, collected: set[str]) -> None:
        """Note each file that could not be loaded, with the requirements that it names or that nothing else decides."""
        for file, text in self.not_loaded.items():
            source = Path(__file__).parents[1] / "checks" / Path(file).name
            named = set(re.findall(r'"([^"\n]+)"', source.read_text("utf-8"))) if source.is_file() else set()
            self.crashes.note_text(text, file, self.selected & (named | self.selected - collected))

    def pytest_internalerror(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """What pytest could not go on after touches everything that is not decided yet."""
        if isinstance(excinfo.value, Exception):
            self.crashes.note(excinfo.value, "the run of the checks", self.undecided)

    @property
    def undecided(self) -> frozenset[str]:
        """The selected requirements without any result."""
        return self.selected - self.left_out - {result.requirement.id for result in self.results}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the checks in their order."""
        for item in session.items:
            # Without a next item pytest keeps nothing for it.
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            self.progress.done(requirement_of(item).clause)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Attribute the following exchanges to this check, and run the scenarios that can run in parallel.

        Raise NotDecided if the run has no time for another check.
        """
        self.observations = []
        self._seconds = 0.0
        self.session.begin(check_name(item))
        self.session.clock.raise_if_over(check_name(item))
        self.progress.at(requirement_of(item).clause, check_name(item))
        self.schedule.prepare(item)
        if usual_order(item) > 1:
            self.session.end_background()
        self._begins_at = len(self.session.record)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self) -> None:
        """Remember where the calls that the check itself makes begin."""
        self._begins_at = len(self.session.record)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Turn what a check raised, or did not raise, into its result."""
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, RequirementViolated | NotDecided) and error.__traceback__ is not None:
            call.excinfo = _where_it_was_said(error, error.__traceback__)
        report = yield
        self._seconds += report.duration
        row = requirement_of(item)
        report.user_properties.append(("requirement", row.id))
        if isinstance(error, NotDecided):
            error = declared(error, row)
        if isinstance(error, RequirementViolated | NotDecided | ConfigurationFault):
            finding = finding_of(error, row)
            self._add(item, finding.verdict, finding, decides=not isinstance(error, NothingToAdd))
            report.longrepr = finding.message
            if not isinstance(error, RequirementViolated):
                report.outcome = "skipped"
                report.longrepr = (str(item.path), item.location[1] or 0, finding.message)
        elif isinstance(error, Exception):
            self.crashes.note(error, check_name(item), [row.id])
        elif call.when == "call" and error is None:
            self._add(item, verdict_of_a_pass(row))
        return report

    def pytest_runtest_teardown(self) -> None:
        """Leave the account as the check found it."""
        self.session.clean_up()
        self.data_types.refresh()
        # Not before the first check, which races: the order of the answers to GET /data shows how a language is chosen.
        self.schedule.start_background()

    def pytest_keyboard_interrupt(self) -> None:
        """Remember that the run was not finished."""
        self.interrupted = True

    def _add(self, item: pytest.Item, verdict: Verdict, *findings: Finding[Exchange], decides: bool = True) -> None:
        row, name, found = requirement_of(item), check_name(item), [*findings, *self.observations]
        record = self.session.record
        own = (one for one in record.exchanges[self._begins_at :] if one.check == name and record.is_seen(one))
        shown = (one for finding in found for one in finding.exchanges)
        # Those in the results of the scenarios and fixtures that the check names in its signature.
        in_fixtures = _within(getattr(item, "funcargs", {}), set())
        read = {one.id: one for one in (*in_fixtures, *own, *record.consulted.pop(name, ()), *shown)}
        for one in read.values():
            one.read_by.append(name)
        exchanges = tuple(read.values())
        self.results.append(
            CheckResult(row, name, verdict, found, exchanges=exchanges, seconds=self._seconds, decides=decides)
        )
        for each in found:
            if row.id in self.selected and (each.alert or each.verdict in (Verdict.FAIL, Verdict.WARN)):
                self.progress.found(row.id, each, self.session.secrets.text(each.message))
        if verdict is Verdict.FAIL:
            self.session.broken.add(row.id)

    @pytest.fixture
    def public_client(self) -> PublicClient:
        """The target for somebody without a token."""
        return PublicClient(self.session)

    @pytest.fixture
    def service(self) -> UserClient:
        """The target for a user with a token."""
        if "user" not in self.session.credentials:
            raise NotDecided(
                "This needs an access token.", blame=Blame.CREDENTIAL, remedy="Give one as DRSI_TOKEN, and run again."
            )
        return UserClient(self.session)

    @pytest.fixture
    def observe(self, request: pytest.FixtureRequest) -> Observe:
        """Notes what this target does in an open matter."""
        row = requirement_of(request.node)

        def note(message: str, *exchanges: Exchange, alert: bool = False) -> None:
            if alert and not row.alert:
                raise LookupError(f"{row.id} raised an alert, which the catalogue does not declare: {message}")
            blame = Blame.TARGET if alert else Blame.SPECIFICATION
            self.observations.append(
                Finding(verdict=Verdict.OBSERVED, blame=blame, message=message, exchanges=exchanges, alert=alert)
            )

        return note


def declared(error: NotDecided, row: Requirement) -> Exception:
    """Return `error`, or the error of the suite if the catalogue does not declare its circumstance for a `must`."""
    silent = error.verdict is not Verdict.NOT_APPLICABLE or row.level is not Level.MUST
    if silent or error.circumstance in row.not_applicable:
        return error
    return LookupError(
        f"{row.id} was reported as not applicable ({error.message}), for the circumstance {error.circumstance!r}. The "
        f"catalogue declares for it: {', '.join(row.not_applicable) or 'none'}."
    )


def requirement_of(item: pytest.Item) -> Requirement:
    """Return the requirement that a collected check decides; a check without one is a fault of the suite."""
    mark = item.get_closest_marker("requirement")
    if mark is None:
        raise pytest.UsageError(f"{item.nodeid} names no requirement")
    return catalogue()[mark.args[0]]


def needs_a_user(item: pytest.Item) -> bool:
    """Tell whether a check acts as a user, by its fixture `service`; the public profile leaves such checks out."""
    return "service" in getattr(item, "fixturenames", ())


def check_name(item: pytest.Item) -> str:
    """Return the name of a check: its file and its function, with the requirement if there are several."""
    return item.nodeid.rpartition("/")[2]


def _where_it_was_said(error: Exception, way: TracebackType) -> pytest.ExceptionInfo[BaseException]:
    """Return what pytest writes out of an exception: not the way to it, forty frames long and 4 ms for each."""
    while way.tb_next is not None:
        way = way.tb_next
    error.__suppress_context__ = True
    return pytest.ExceptionInfo.from_exc_info((type(error), error, way))


def _within(value: object, seen: set[int]) -> Iterator[Exchange]:
    if isinstance(value, Exchange):
        yield value
    elif isinstance(value, str | bytes | int | float | None) or id(value) in seen:
        return
    else:
        seen.add(id(value))
        for part in _parts(value):
            yield from _within(part, seen)


def _parts(value: object) -> Iterable[object]:
    if is_dataclass(value):
        return [getattr(value, field.name) for field in fields(value)]
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple | set | frozenset) else ()
