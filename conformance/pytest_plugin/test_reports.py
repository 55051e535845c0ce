"""What pytest reports about a check: its requirement, verdict and finding, and never a secret."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.requirements import Requirement
from conformance.model.verdict import Verdict
from conformance.pytest_plugin import failure_text

if TYPE_CHECKING:
    from conformance.pytest_plugin.plain_run import PlainRun


def describe(
    item: pytest.Item,
    row: Requirement,
    verdict: Verdict,
    finding: Finding[Exchange] | None,
    clean: Callable[[str], str],
) -> None:
    """Give the reports of a test the parts of its result as `user_properties`."""
    named = {"verdict": verdict.value, **dict(failure_text.fields(row, finding))}
    item.user_properties += [(name, clean(value)) for name, value in named.items()]


def finish(report: pytest.TestReport, item: pytest.Item, call: pytest.CallInfo[None], run: PlainRun) -> None:
    """Take the secrets out of a report, and say briefly what failed."""
    _clean(report.longrepr, run.clean)
    if isinstance(report.longrepr, str):
        report.longrepr = run.clean(report.longrepr)
    report.sections = [(name, run.clean(text)) for name, text in report.sections]
    if report.skipped and call.excinfo is not None and not hasattr(report, "wasxfail"):
        # The place of a skip is the check, not the line that raises it.
        report.longrepr = (str(item.path), (item.location[1] or 0) + 1, run.clean(str(call.excinfo.value)))
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        crash.message = crash.message.partition(": ")[2] or crash.message


def _clean(value: Any, clean: Callable[[str], str]) -> Any:
    """Take the secrets out of the representation of a traceback, in place; return a text or list without them."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list | tuple):
        return type(value)([_clean(each, clean) for each in value])
    if hasattr(value, "toterminal"):
        for name, part in vars(value).items():
            setattr(value, name, _clean(part, clean))
    return value
