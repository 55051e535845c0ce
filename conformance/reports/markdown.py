"""The run as Markdown, for a comment on a pull request.

Everything that a service may have written is in code spans: nothing in them is a link, a mention, an image or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.model.printable import one_line
from conformance.model.report import Report
from conformance.reports import outcome, sections, summary
from conformance.reports.sections import Entry, Fields

_LIMIT = 300
_GROUND = 900
"""Characters of what is no text of the service, such as a reply or a quotation."""


def render(report: Report) -> str:
    """Return the page."""
    return "\n\n".join(filter(None, _blocks(report))) + "\n"


def _blocks(report: Report) -> Iterator[str]:
    yield f"## DRSI conformance: {plain(outcome.headline(report))}"
    yield plain(outcome.outcome_sentence(report))
    facts = {"Service": report.target.base_url, "Result": summary.numbers_sentence(report)} | sections.facts(report)
    lines = [f"- {name}: {plain(text)}" for name, text in facts.items()]
    yield "\n".join([*lines, *(f"- {code(name)}: {code(value)}" for name, value in report.run.labels.items())])
    if found := sections.first(report):
        title, entry = found
        yield f"### {title}"
        yield _item(entry)
    for section in sections.sections(report):
        if section.entries:
            yield f"### {section.title} ({section.number:,})"
            yield "\n".join(map(_item, section.entries[: section.most]))
        if (left := len(section.entries) - section.most) > 0:
            yield f"{left:,} more in report.html."


def _item(entry: Entry) -> str:
    lines = [f"- **{plain(entry.mark)}** {code(entry.name)}"]
    return "\n".join([*lines, *_fields(entry.fields, _LIMIT), *_fields(entry.grounds, _GROUND)])


def _fields(texts: Fields, limit: int) -> Iterator[str]:
    return (f"  - {plain(label.capitalize())}: {code(text, limit)}" for label, text in texts.items())


def code(text: str, limit: int = _LIMIT) -> str:
    """Return `text`, clipped to `limit`, as a code span on one line, with a fence that no backticks in it can close."""
    line = one_line(text, limit)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{space}{line}{space}{fence}" if line.strip(" ") else "(empty)"


def plain(text: str) -> str:
    """Return the suite's own words with every character escaped that Markdown could interpret."""
    if re.search(r"[@#]|://|www\.", text):  # no escape keeps these from becoming mentions or links
        return code(text)
    return re.sub(r"([\\`*_\[\]<>&|~$])", r"\\\1", one_line(text, 10 * _LIMIT))
