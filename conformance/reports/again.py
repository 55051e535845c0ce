"""How to make the calls of a run again: the command, and what serves the application that the run served itself."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from conformance import NAME
from conformance.model.verdict import Verdict

if TYPE_CHECKING:
    from conformance.model.findings import Finding
    from conformance.model.report import Report
    from conformance.model.results import RequirementResult

OF_TESTS: Final = "of the fixture drsi_app"
"""The option app of a run whose application the user's own tests gave."""

REFERENCE: Final = "reference service"
"""The option app of a run that checked the reference service, because no service was named."""

_OPTIONS: Final = ("app-host", "language-selector", "empty-account", "account-is-for-testing", "thorough", "anonymous")
"""Options of a run that decide what it can test, and what the service sees."""

BEFORE: Final = "First, in another terminal"
"""The label of what `to_start` returns."""

LABELS: Final = (BEFORE, "call", "again")
"""The labels of lines to copy."""


def command(report: Report, *ids: str) -> str:
    """Return the line that checks only these requirements, with the options of the run that matter for them."""
    options, chosen = report.run.options, ",".join(ids)
    app = options.get("app")
    if app == OF_TESTS:
        return shlex.join(["pytest", "-k", " or ".join(ids)])
    words = [NAME, "check", report.target.base_url, "--select", chosen]
    if app:
        words = [NAME, "check", *([] if app == REFERENCE else ["--app", app]), "--only", chosen]
    for name in _OPTIONS:
        value = options.get(name)
        if value is True:
            words.append(f"--{name}")
        elif value not in (None, False, ""):
            words += [f"--{name}", str(value)]
    words += ["--seed", str(report.seed)] if report.seed else []
    words += ["--header", "@FILE"] if options.get("header") else []
    words += ["--ca-file", "FILE"] if options.get("ca-file") else []
    words += ["--client-cert", "FILE"] if options.get("client-cert") else []
    words += ["--proxy", str(options["proxy"])] if options.get("proxy") else []
    return shlex.join(words)


def lines(report: Report, row: RequirementResult, finding: Finding[str], folder: str = "RUN") -> dict[str, str]:
    """Return the line that shows a finding again, and before it the one that serves the application, by their labels.

    It is the curl line of the finding, or a command where one call shows nothing; without an exchange there is none.
    A line of `check` serves the application itself. `folder` is that of the run.
    """
    start = to_start(report.run.options, report.target.base_url)
    before = {BEFORE: start} if start else {}
    if finding.curl and not finding.steps:
        return before | {"call": finding.curl}
    if not finding.exchanges:
        return {}
    if finding.verdict in (Verdict.FAIL, Verdict.WARN):
        return before | {"again": shlex.join([NAME, "reproduce", folder, row.id])}
    return {"again": command(report, row.id)}


def to_delete(options: Mapping[str, Any], base_url: str) -> str:
    """Return what deletes a request that is left in an application which ran only for a run; empty for a service."""
    if not (app := options.get("app")):
        return ""
    where = "Delete it where the application keeps it; what it keeps in its memory is gone."
    if app in (OF_TESTS, REFERENCE):
        return where
    start = to_start(options, base_url)
    return f"{where} Or {BEFORE[:1].lower()}{BEFORE[1:]}: '{start}'. Then use '{NAME} cleanup' here."


def to_start(options: Mapping[str, Any], base_url: str) -> str:
    """Return what serves again, at its address, what a run with these options served itself; else an empty text.

    Without it nothing answers the curl lines and the scripts of the run.
    """
    app = options.get("app")
    if app == OF_TESTS:
        return f"start the application of your tests, and put its address in place of {base_url}"
    port = re.search(r":(\d+)", base_url)
    words = [*([] if app == REFERENCE else ["--app", str(app)]), *(["--port", port[1]] if port else [])]
    return shlex.join([NAME, "serve", *words]) if app else ""
