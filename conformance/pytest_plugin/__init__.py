"""The plugin of pytest that runs the checks: `pytest -p conformance.pytest_plugin --pyargs conformance.checks …`.

`drsi-conformance check` runs them with the same plugin. docs/pytest.md describes the options.
"""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conformance.runner.items import CheckModule

_CHECKS = Path(__file__).parents[1] / "checks"
_MARKERS = (
    "requirement(id): the requirement a check decides",
    "first: a check that runs first",
    "last: a check that runs last",
    "must: a check of a requirement of this level",
    "should: a check of a requirement of this level",
    "open: a check of a requirement of this level",
)


class RequirementWarning(UserWarning):
    """A recommendation that the service does not follow, or an alert."""


class Hooks:
    """The hooks of this plugin."""

    @pytest.hookspec(firstresult=True)
    def pytest_drsi_run(self, config: pytest.Config) -> Any:
        """Return the run that the fixtures of the checks belong to, or None; by default the options describe it."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks."""
    pluginmanager.add_hookspecs(Hooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("drsi", "checks of the Data Request Service Interface (conformance.checks)")
    group.addoption("--drsi-base-url", metavar="URL", help="The service to check.")
    group.addoption(
        "--drsi-evidence",
        metavar="RUN",
        type=Path,
        help="A recorded run to judge in place of a service: its folder, its report.json, or a bundle.",
    )
    group.addoption(
        "--drsi-output", metavar="DIR", type=Path, help="Write the report and the evidence into this folder."
    )
    group.addoption(
        "--drsi-token-command",
        metavar="COMMAND",
        help="Command that prints the access token, in place of the variable DRSI_TOKEN.",
    )
    group.addoption(
        "--drsi-other-token-command",
        metavar="COMMAND",
        help="Command that prints the token of a second user, in place of the variable DRSI_OTHER_TOKEN.",
    )
    group.addoption(
        "--drsi-empty-account",
        action="store_true",
        help="Confirm that nothing else counts against the limit of these users.",
    )
    group.addoption(
        "--drsi-language-selector",
        metavar="header:NAME|query:NAME|none",
        help="How the service chooses the language of GET /data; none confirms that nothing does. (default: detected)",
    )
    group.addoption(
        "--drsi-waivers", metavar="FILE", type=Path, help="File of known failures, which are expected: xfail(strict)."
    )
    group.addoption(
        "--drsi-ca-file", metavar="PEM", type=Path, help="Certificates of authorities to trust in addition."
    )
    group.addoption(
        "--drsi-seed", metavar="NUMBER", type=int, default=0, help="Seed of what is generated. (default: 0)"
    )
    group.addoption(
        "--drsi-thorough", action="store_true", help="Ten times as many repetitions, samples and generated calls."
    )
    for name, kind, what in (
        ("max-created", int, "Maximum number of data requests to create. (default: 200; thorough: 2000)"),
        ("max-requests", int, "Maximum number of requests; the clean-up does not count. (default: no limit)"),
        ("max-time", float, "Maximum time of the run in seconds, with its clean-up. (default: no limit)"),
        ("timeout", float, "Maximum time of one exchange in seconds. (default: 30, and 15 to the first byte)"),
        ("rate", float, "Maximum number of requests per second. (default: no limit)"),
        ("concurrency", int, "Maximum number of simultaneous requests where no check tests them. (default: 4)"),
    ):
        group.addoption(f"--drsi-{name}", metavar="NUMBER", type=kind, help=what)


def pytest_configure(config: pytest.Config) -> None:
    """Make the run that the fixtures belong to."""
    for line in _MARKERS:
        config.addinivalue_line("markers", line)
    run = config.hook.pytest_drsi_run(config=config)
    if run is None:
        return
    from conformance.runner.items import RUN

    config.stash[RUN] = run
    if not config.pluginmanager.is_registered(run):
        config.pluginmanager.register(run, "drsi-run")


@pytest.hookimpl(trylast=True)
def pytest_drsi_run(config: pytest.Config) -> Any:
    """Return a run against the service, or of the record, that the options name."""
    given = config.option
    if given.collectonly or not (given.drsi_base_url or given.drsi_evidence):
        return None
    from conformance.pytest_plugin.options import run_of

    return run_of(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> CheckModule | None:
    """Collect a file of checks also where `python_files` has other names."""
    if not _is_check_file(file_path) or parent.session.isinitpath(file_path):
        return None
    if any(fnmatch(file_path.name, pattern) for pattern in parent.config.getini("python_files")):
        return None
    return pytest_pycollect_makemodule(file_path, parent)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> CheckModule | None:
    """Collect a file of checks with the fixtures of the checks."""
    if not _is_check_file(module_path):
        return None
    from conformance.runner.items import CheckModule

    return CheckModule.from_parent(parent, path=module_path)


def _is_check_file(path: Path) -> bool:
    return path.parent == _CHECKS and path.name.startswith("test_")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let -k and -m select a check by the id and the level of its requirement."""
    if _is_check_file(item.path):
        from conformance.runner.items import requirement_of

        row = requirement_of(item)
        item.extra_keyword_matches.add(row.id)
        item.add_marker(row.level.value)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse to run checks without a service."""
    if session.config.option.collectonly:
        return
    from conformance.runner.items import RUN, CheckModule

    if RUN not in session.config.stash and any(isinstance(item.parent, CheckModule) for item in session.items):
        raise pytest.UsageError(
            "The checks of conformance.checks need a service: add --drsi-base-url URL, and its tokens as DRSI_TOKEN "
            "and DRSI_OTHER_TOKEN. Or judge a recorded run with --drsi-evidence RUN."
        )
