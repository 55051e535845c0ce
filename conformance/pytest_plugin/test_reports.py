"""What pytest reports about a check: its requirement, verdict and finding, and never a secret."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.printable import printable
from conformance.model.requirements import Requirement
from conformance.model.verdict import Verdict
from conformance.pytest_plugin import failure_text
from conformance.reports.exchange_text import exchange_text

_FINDING: Final = pytest.StashKey[Finding[Exchange]]()


def describe(
    item: pytest.Item,
    row: Requirement,
    verdict: Verdict,
    finding: Finding[Exchange] | None,
    *,
    start: str,
    without_secrets: Callable[[str], str],
) -> None:
    """Give the reports of a test the parts of its result as `user_properties`, and those that pass a section."""
    named = {"verdict": verdict.value, **dict(failure_text.fields(row, finding, start))}
    item.user_properties += [(name, without_secrets(value)) for name, value in named.items()]
    if finding is not None:
        item.stash[_FINDING] = finding
    else:
        item.add_report_section("call", "requirement", f"{row.id} ({row.level}): {verdict}\n{named['basis']}\n")


def finish(
    report: pytest.TestReport, item: pytest.Item, call: pytest.CallInfo[None], without_secrets: Callable[[str], str]
) -> None:
    """Take the secrets and control characters out of a report, and say briefly what failed."""

    def clean(text: str) -> str:
        return printable(without_secrets(text), keep="\n\t")

    report.longrepr = _cleaned(report.longrepr, clean)
    report.sections = [(name, clean(text)) for name, text in report.sections]
    if report.skipped and call.excinfo is not None and not hasattr(report, "wasxfail"):
        # The place of a skip is the check, not the line that raises it.
        report.longrepr = (str(item.path), (item.location[1] or 0) + 1, clean(str(call.excinfo.value)))
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        crash.message = crash.message.partition(": ")[2] or crash.message
    finding = item.stash.get(_FINDING, None)
    if finding is not None and call.excinfo is not None and getattr(item.config.option, "htmlpath", None):
        _add_to_html_page(report, clean("\n".join(_exchanges(finding))))


def _add_to_html_page(report: pytest.TestReport, text: str) -> None:
    from pytest_html import extras  # type: ignore[import-untyped]

    shown = [*getattr(report, "extras", []), extras.text(text, name="exchanges")]
    report.extras = shown  # type: ignore[attr-defined]


def _exchanges(finding: Finding[Exchange]) -> Iterator[str]:
    for exchange in finding.exchanges:
        text = exchange_text(exchange)
        yield f"---- {exchange.id}\n{text.question}\n\n{text.answer or text.trouble}\n"


def _cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    """Return a text or list without secrets; take them out of the representation of a traceback in place."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list | tuple):
        return type(value)([_cleaned(each, clean) for each in value])
    if hasattr(value, "toterminal"):
        for name, part in vars(value).items():
            setattr(value, name, _cleaned(part, clean))
    return value
