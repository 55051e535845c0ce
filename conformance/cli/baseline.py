"""A recorded run whose failures are known: `check --baseline RUN` fails for other failures only.

The report stays as it is, with the outcome does-not-conform. The exit code alone differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from conformance.model.text import count, printable
from conformance.model.verdict import Blame, Exit, Level, Verdict
from conformance.reports.comparison import compare
from conformance.reports.failures import failures, not_waived, stale_waivers

_SOUND = (Verdict.PASS, Verdict.OBSERVED)
_OF_THE_RUN = (Blame.CREDENTIAL, Blame.NETWORK, Blame.SUITE)


@dataclass(frozen=True)
class Baseline:
    """The run at `path`, with its report."""

    path: Path
    report: dict[str, Any]

    def exit_code(self, report: dict[str, Any], usual: Exit) -> Exit:
        """Print what is new in `report`, and return its exit code in place of the `usual` one."""
        failed = [row["id"] for row, _ in not_waived(failures(report))]
        known, accused = _accused(self.report), _accused(report)
        new = [each for each in failed if each not in known]
        sound = {row["id"] for row in report["requirements"] if row["verdict"] in _SOUND} - accused
        gone = len(known & sound)
        code = self._code(report, usual, new)
        lines = [
            f"Baseline {self.path} ({self.report['started']}): {count(len(failed), 'failure')}, {_named(new)} new."
        ]
        lines += self._remarks(report, set(failed) & known)
        lines += [f"{count(gone, 'failure')} of the baseline did not occur. Record a new baseline."] if gone else []
        if code is not usual:
            undecided = self._undecided(report)
            why = f", because the run did not decide {', '.join(undecided)}" if undecided else ""
            lines += [f"The service does not conform. With --baseline the exit code is {int(code)}{why}."]
        click.echo("\n".join(map(printable, lines)))
        return code

    def _code(self, report: dict[str, Any], usual: Exit, new: list[str]) -> Exit:
        if usual is not Exit.DOES_NOT_CONFORM or new:
            return usual
        if not report["complete"] or report["summary"]["left_behind"] or self._undecided(report):
            return Exit.INCONCLUSIVE
        return Exit.USAGE if stale_waivers(report) else Exit.CONFORMS

    def _undecided(self, report: dict[str, Any]) -> list[str]:
        """Return each `must` that the baseline decided and `report` does not, or that the run itself left open."""
        whole = self.report["complete"] and not self.report["crashes"]
        before = {row["id"]: row["verdict"] for row in self.report["requirements"]} if whole else {}
        return [
            row["id"]
            for row in report["requirements"]
            if row["level"] == Level.MUST
            and row["verdict"] == Verdict.INCONCLUSIVE
            and (
                before.get(row["id"]) != Verdict.INCONCLUSIVE
                or any(finding["blame"] in _OF_THE_RUN for finding in row["findings"])
            )
        ]

    def _remarks(self, report: dict[str, Any], known: Iterable[str]) -> Iterator[str]:
        changed = [each.id for each in compare(self.report, report).changes if each.new and each.id in known]
        if changed:
            yield f"Known failures with new findings, see drsi-conformance compare: {', '.join(changed)}."
        addresses = [each["target"]["base_url"] for each in (self.report, report)]
        if len(set(addresses)) > 1:
            yield f"The baseline is of another address: {addresses[0]}, not {addresses[1]}."
        if self.report["suite"]["catalogue"] != report["suite"]["catalogue"]:
            version = self.report["suite"]["version"]
            yield (
                f"The baseline was made by version {version} with another catalogue of requirements. They cannot be "
                "compared exactly: a new failure may come from the suite. Record a new baseline."
            )


def _accused(report: dict[str, Any]) -> set[str]:
    """Return what counts as a failure, with --strict and --fail-on."""
    return {
        row["id"]
        for row in report["requirements"]
        if any(each["verdict"] in (Verdict.FAIL, Verdict.WARN) or each["alert"] for each in row["findings"])
    }


def _named(ids: list[str]) -> str:
    return f"{len(ids):,} ({', '.join(ids)})" if ids else "none"
