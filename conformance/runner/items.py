"""The checks as pytest collects them: their modules, their fixtures, and the requirement that each decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Protocol

import pytest

from conformance.checks.marks import Decide, Observe
from conformance.generation import generated, links, sequences  # noqa: F401 - they define scenarios
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.identity import USER
from conformance.model.requirements import Requirement, catalogue
from conformance.model.verdict import Blame, Verdict
from conformance.rules.decisions import Decisions
from conformance.rules.reasons import why_undecided
from conformance.rules.run import Run, TracedRun
from conformance.scenarios import (  # noqa: F401 - they define scenarios
    basic,
    completion,
    confirmation,
    credentials,
    data_me,
    deletions,
    identifiers,
    language_choice,
    languages,
    parallel,
    two_users,
)
from conformance.scenarios.registry import OR_REASON, SCENARIOS, Scenario
from conformance.trace.trace import Trace

CHECKS: Final = Path(str(files("conformance") / "checks"))
"""The folder of the checks."""


class RunOfChecks(Protocol):
    """What the fixtures need of a run."""

    trace: Trace
    """What the checks judge."""
    observations: list[Finding[Exchange]]
    """What the check that runs has observed."""

    @property
    def decisions(self) -> Decisions:
        """What the exchanges of the run decide, each by itself."""


RUN: Final = pytest.StashKey[RunOfChecks]()
"""Where the configuration of pytest keeps the run."""


def requirement_of(item: pytest.Item) -> Requirement:
    """Return the requirement that a collected check decides; a check without one is a fault of the suite."""
    mark = item.get_closest_marker("requirement")
    if mark is None:
        raise pytest.UsageError(f"{item.nodeid} names no requirement")
    return catalogue()[mark.args[0]]


def needs_a_user(item: pytest.Item) -> bool:
    """Tell whether a check reads what a user does, by its fixture `user`; the public profile leaves such checks out."""
    return "user" in getattr(item, "fixturenames", ())


def check_name(item: pytest.Item) -> str:
    """Return the name of a check: its file and its function, with the requirement if there are several."""
    return item.nodeid.rpartition("/")[2]


class CheckModule(pytest.Module):
    """A file of checks. It has the fixtures of the checks itself.

    So a fixture of the same name in a conftest.py of the user cannot replace them, and no other test sees them.
    """

    def funcnamefilter(self, name: str) -> bool:
        """Tell whether a function is a check. `python_functions` governs only the user's own tests."""
        return name.startswith("test_")

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Give the module the fixtures that it names and those that they need, then collect its checks."""
        source = self.path.read_text("utf-8")
        for name, fixture in _FIXTURES.items():
            if name in source or name in _NEEDED:
                setattr(self.obj, f"fixture_{name}", fixture)
        for item in super().collect():
            if isinstance(item, pytest.Item) and (mark := item.get_closest_marker("scenarios")) is not None:
                users = (not SCENARIOS[name.removesuffix(OR_REASON)].public for name in mark.args)
                item.fixturenames = [*item.fixturenames, *mark.args, *(["user"] if any(users) else ())]  # type: ignore[attr-defined]
            yield item


def place_of(item: pytest.Item) -> tuple[int, ...]:
    """Return the place of a check among the others: that of its file, or the one that it is marked with."""
    mark = item.get_closest_marker("place")
    if mark is not None:
        return tuple(mark.args)
    return *map(int, re.findall(r"(?<=_)[0-9]+", item.path.stem)), 1


@pytest.fixture(name="run")
def _run(pytestconfig: pytest.Config) -> Run:
    """What the run has recorded."""
    return TracedRun(pytestconfig.stash[RUN].trace)


@pytest.fixture(name="user")
def _user(pytestconfig: pytest.Config) -> None:
    """Raises NotDecided for a run without the token of a user."""
    if USER.label not in pytestconfig.stash[RUN].trace.users:
        raise NotDecided(
            "This needs an access token.", blame=Blame.CREDENTIAL, remedy="Give one as DRSI_TOKEN, and run again."
        )


@pytest.fixture(name="decide")
def _decide(request: pytest.FixtureRequest, run: Run) -> Decide:
    """Decides a requirement by every exchange of the run, each by itself."""
    decisions = request.config.stash[RUN].decisions
    names = [name for name in request.fixturenames if name.endswith(OR_REASON)]
    results = [request.getfixturevalue(name) for name in names]
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


@pytest.fixture(name="observe")
def _observe(request: pytest.FixtureRequest) -> Observe:
    """Notes what this target does in an open matter."""
    row, observations = requirement_of(request.node), request.config.stash[RUN].observations

    def note(message: str, *exchanges: Exchange, alert: bool = False) -> None:
        if alert and not row.alert:
            raise LookupError(f"{row.id} raised an alert, which the catalogue does not declare: {message}")
        blame = Blame.TARGET if alert else Blame.SPECIFICATION
        observations.append(
            Finding(verdict=Verdict.OBSERVED, blame=blame, message=message, exchanges=exchanges, alert=alert)
        )

    return note


def _fixture(scenario: Scenario[Any, Any], *, or_reason: bool = False) -> Callable[..., Any]:
    """Return a fixture that gives the result of a scenario, which has run before the first check judges.

    With `or_reason` it gives the NotDecided that ended the scenario, in place of raising it.
    """

    def of_anybody(pytestconfig: pytest.Config) -> Any:
        try:
            return pytestconfig.stash[RUN].trace.result(scenario.name)
        except NotDecided as reason:
            if not or_reason:
                raise
            return reason

    def of_user(pytestconfig: pytest.Config, user: None) -> Any:  # noqa: ARG001 - it raises
        return of_anybody(pytestconfig)

    made = of_anybody if scenario.public else of_user
    made.__doc__ = scenario.doc
    return pytest.fixture(name=scenario.name + (OR_REASON if or_reason else ""))(made)


_NEEDED: Final = ("user", "data_answers", "settings_answers")
"""The fixtures that other fixtures need."""

_FIXTURES: Final[dict[str, Callable[..., Any]]] = {
    "run": _run,
    "user": _user,
    "decide": _decide,
    "observe": _observe,
    **{name: _fixture(scenario) for name, scenario in SCENARIOS.items()},
    **{f"{name}{OR_REASON}": _fixture(scenario, or_reason=True) for name, scenario in SCENARIOS.items()},
    **{
        each.__name__: pytest.fixture(name=each.__name__)(each) for each in (basic.data_lists, basic.settings_documents)
    },
}
