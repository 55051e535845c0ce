"""The checks in the user's own tests: fixtures for one test function, and for one test of each requirement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest

if TYPE_CHECKING:
    from conformance.model.report import Report
    from conformance.pytest_plugin.own_run import Judged, OwnRun


class Requirements:
    """One test for each requirement: subclass it in a test module, under a name that pytest collects.

    Without an attribute, the settings of pytest say what is checked, or the fixture `drsi_app`.
    """

    drsi_app: ClassVar[Any] = None
    """An ASGI or WSGI application, or the name of one, such as "service.main:app"."""
    drsi_base_url: ClassVar[str | None] = None
    """The address of a running service."""

    def __init_subclass__(cls) -> None:
        """Refuse a subclass that decides by itself what counts."""
        super().__init_subclass__()
        if "test_requirement" in vars(cls):
            raise TypeError(
                f"{cls.__name__} overrides test_requirement. A requirement that the service does not meet can be "
                "waived only with a reason: name a file of waivers as drsi_waivers in pytest.ini."
            )

    def test_requirement(self, drsi_requirement: Judged) -> None:
        """Fail if the service violates the requirement."""
        drsi_requirement.judge()


@pytest.fixture(scope="session")
def drsi_app() -> Any:
    """The application to check. Override this fixture to return one; by default the settings name it."""
    return None


@pytest.fixture
def drsi_report(request: pytest.FixtureRequest, drsi_app: Any) -> Report:
    """The typed report of a run of all checks. The run is made once, for the first test that asks for it."""
    run = _run(request, drsi_app)
    request.node.add_report_section("call", "Data Request Service Interface", run.text)
    return run.report


@pytest.fixture
def drsi_requirement(request: pytest.FixtureRequest, drsi_app: Any) -> Judged:
    """The result of one requirement. A test with this fixture becomes a test of each requirement."""
    from conformance.pytest_plugin.own_run import Judged

    return Judged(request.param, _run(request, drsi_app))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of each requirement."""
    if "drsi_requirement" not in metafunc.fixturenames:
        return
    from conformance.model.requirements import all_testable, catalogue
    from conformance.pytest_plugin.own_run import THE_RUN

    testable, rows = all_testable(), catalogue().rows
    values = [pytest.param(id, marks=getattr(pytest.mark, row.level)) for id, row in rows.items() if id in testable]
    metafunc.parametrize("drsi_requirement", [*values, THE_RUN], indirect=True)


def _run(request: pytest.FixtureRequest, app: Any) -> OwnRun:
    from conformance.pytest_plugin.own_run import run_for

    owner = request.cls
    return run_for(
        request.session,
        getattr(owner, "drsi_app", None) or app,
        getattr(owner, "drsi_base_url", None),
        only=_asked(request),
    )


def _asked(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Return the requirements whose tests were selected; empty if a test needs all of them."""
    from conformance.model.requirements import all_testable

    tests = [item for item in request.session.items if isinstance(item, pytest.Function)]
    if any("drsi_report" in test.fixturenames for test in tests):
        return ()
    asked = {test.callspec.params["drsi_requirement"] for test in tests if "drsi_requirement" in test.fixturenames}
    chosen = all_testable() & asked
    return () if chosen == all_testable() else tuple(sorted(chosen))
