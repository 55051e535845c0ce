"""The comparison of two runs as text, Markdown, JSON and HTML. All texts of the runs are untrusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from typing import Final

from conformance.model.printable import as_json
from conformance.model.text import count
from conformance.reports.comparison import BETTER, OTHER, WORSE, Comparison
from conformance.reports.language import gettext, ngettext
from conformance.reports.markdown import code
from conformance.reports.pages import COMPARED, shown, styled

TITLES: Final = {WORSE: "Worse", BETTER: "Better", OTHER: "Other changes"}


def verdict(found: Comparison) -> str:
    """Return the comparison in a sentence."""
    worse, better, other = (len(found.of_kind(kind)) for kind in TITLES)
    if not found.changes:
        return gettext("No requirement changed; %(unchanged)s are unchanged.", unchanged=found.unchanged)
    return ngettext(
        "%(num)s requirement got worse, %(better)s got better, %(other)s changed otherwise; "
        "%(unchanged)s are unchanged.",
        "%(num)s requirements got worse, %(better)s got better, %(other)s changed otherwise; "
        "%(unchanged)s are unchanged.",
        worse,
        better=better,
        other=other,
        unchanged=found.unchanged,
    )


def alert(found: Comparison) -> str:
    """Return the alert that the service recognises the suite, or an empty text."""
    number = count(len(found.alert), "requirement")
    return f"Alert: the service answered the anonymous run differently: {number}" if found.alert else ""


def text(found: Comparison) -> str:
    """Return plain text for a terminal."""
    return "\n".join(_lines(found, shown, ""))


def markdown(found: Comparison) -> str:
    """Return Markdown; each text of a run stands in a code span, where nothing is markup."""
    return "\n".join(_lines(found, partial(code, limit=COMPARED), "## "))


def _lines(found: Comparison, show: Callable[[str], str], heading: str) -> Iterator[str]:
    if found.alert:
        yield f"{alert(found)}\n"
        yield from (f"- {show(change.id)}: {change.before} → {change.after}" for change in found.alert)
        yield ""
    for name, run in (("Before", found.before), ("After", found.after)):
        how = ", anonymous" if run.anonymous else ""
        yield f"- {name}: {show(run.base_url)}, {show(run.started)}{how}: {run.headline}"
    for kind, title in TITLES.items():
        changes = found.of_kind(kind)
        if changes:
            yield f"\n{heading}{title} ({len(changes):,})\n"
        for change in changes:
            yield f"- {show(change.id)}: {change.before} → {change.after}"
            yield from (f"  - new: {show(message)}" for message in change.new)
            yield from (f"  - gone: {show(message)}" for message in change.gone)
            yield f"  - basis: {show(change.basis)}"
            yield from (f"  - reason: {show(why)}" for why in [change.reason] if why)
    if found.circumstances:
        yield f"\n{heading}What else changed\n"
    for each in found.circumstances:
        yield f"- {show(each.name)}: {show(each.before)} → {show(each.after)}"
    yield f"\n{verdict(found)}\n"


def html(found: Comparison) -> str:
    """Return a page without scripts and without network access."""
    return styled(
        "comparison.html", "plain.css", found=found, titles=TITLES, verdict=verdict(found), alert=alert(found)
    )


def json(found: Comparison) -> str:
    """Return the data of the comparison; its messages are complete."""
    return as_json(asdict(found), indent=2)


VIEWS: Final[dict[str, Callable[[Comparison], str]]] = {"text": text, "markdown": markdown, "json": json, "html": html}
