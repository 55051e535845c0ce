from __future__ import annotations

import re
from urllib.parse import unquote

import pytest
import report_samples as samples
from report_samples import typed

from conformance.model.requirements import catalogue
from conformance.model.verdict import Verdict
from conformance.reports import github

COMMAND = re.compile(r"::(error|warning|notice) title=([^:,\r\n]*)::([^\r\n]*)")
EVIL = "\n::error::mine\r\n##[add-mask]x\n::stop-commands::x\n%0A::set-output name=a::b, title=c: 100%"


def commands(text: str) -> list[tuple[str, str, str]]:
    """Return kind, title and message of each line, as the runner reads them; every line has to be a command."""
    lines = text.split("\n")
    assert lines.pop() == ""
    found = [COMMAND.fullmatch(line) for line in lines]
    assert all(found)
    return [(each[1], unquote(each[2]), unquote(each[3])) for each in found if each]


@pytest.mark.parametrize("text", [EVIL, samples.HOSTILE])
def test_text_of_the_service_neither_starts_nor_ends_a_command(text: str) -> None:
    plain, evil = (commands(github.commands(typed(samples.eventful(each)))) for each in ("", text))
    assert [said[:2] for said in evil] == [said[:2] for said in plain]


def test_there_are_no_more_of_a_kind_than_github_shows() -> None:
    everything = {row.id: (samples.finding(Verdict.FAIL),) for row in catalogue().rows.values() if not row.untestable}
    said = commands(github.commands(typed(samples.data(samples.report(findings=everything)))))
    errors = [title for kind, title, _ in said if kind == "error"]
    assert (len(errors), errors[-1]) == (10, f"{len(everything) - 9} more")
