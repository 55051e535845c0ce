"""The checks in the user's own tests: fixtures for one test function, and for one test of each requirement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from conformance.pytest_plugin.settings import settings_of

if TYPE_CHECKING:
    from conformance.model.report import Report
    from conformance.pytest_plugin.runs import OwnRun, RowOfRun
    from conformance.run.documents import Documents


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

    def test_requirement(self, drsi_requirement: RowOfRun) -> None:
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
def drsi_requirement(request: pytest.FixtureRequest, drsi_app: Any) -> RowOfRun:
    """The result of one requirement. A test with this fixture becomes a test of each requirement."""
    from conformance.pytest_plugin.runs import RowOfRun

    return RowOfRun(request.param, _run(request, drsi_app), request.node)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of each requirement."""
    if "drsi_requirement" not in metafunc.fixturenames:
        return
    from conformance.model.requirements import all_testable, catalogue
    from conformance.pytest_plugin.runs import THE_RUN

    testable, rows = all_testable(), catalogue().rows
    # As a plain text: the keywords of a report go from a worker of pytest-xdist to its controller.
    levels = {id: getattr(pytest.mark, row.level.value) for id, row in rows.items() if id in testable}
    values = [pytest.param(id, marks=level) for id, level in levels.items()]
    metafunc.parametrize("drsi_requirement", [*values, THE_RUN], indirect=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse settings with which no run can begin. In a worker of pytest-xdist the first test that needs a run does."""
    ours = {"drsi_requirement", "drsi_report"}
    is_asked = any(isinstance(item, pytest.Function) and ours.intersection(item.fixturenames) for item in items)
    if is_asked and not config.option.collectonly and not hasattr(config, "workerinput"):
        from conformance.pytest_plugin.options import usage_errors, waivers_of

        with usage_errors():
            waivers_of(config)


def _run(request: pytest.FixtureRequest, drsi_app: Any) -> OwnRun:
    from conformance.pytest_plugin.options import prepared, refuse_workers
    from conformance.pytest_plugin.runs import asked, run_for

    config, owner = request.config, request.cls
    app, base_url = getattr(owner, "drsi_app", None) or drsi_app, getattr(owner, "drsi_base_url", None)
    if base_url is None and app is None:
        given = settings_of(config).params
        base_url, app = given["base_url"], given["app"]
    tests = [item for item in request.session.items if isinstance(item, pytest.Function)]
    ids = [str(test.callspec.params["drsi_requirement"]) for test in tests if "drsi_requirement" in test.fixturenames]
    needs_all = any("drsi_report" in test.fixturenames for test in tests)

    def make() -> Documents:
        if base_url is not None:
            refuse_workers(config)
        run = prepared(config, base_url=base_url, app=None if base_url else app)
        with run.stack:
            return run.made(() if needs_all else asked(ids))

    return run_for(request.session, base_url or (app if isinstance(app, str) else id(app)), make)
