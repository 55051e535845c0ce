"""Everything that the page of a requirement says, and the page as Markdown: the documentation site is made of these."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from conformance import NAME
from conformance.model.clauses import TITLES, heading_of
from conformance.model.examples import Example, Shown, examples
from conformance.model.history import history_of
from conformance.model.requirements import Catalogue, Requirement, catalogue
from conformance.model.specification import Specification
from conformance.model.verdict import Level
from conformance.reports import basis

LEVELS: Mapping[Level, str] = {
    Level.MUST: "must: a service that violates it does not conform",
    Level.SHOULD: "should: a violation is a warning",
    Level.OPEN: "open: the specification leaves it open, and the suite says what a service does",
}
"""What each level means for a service."""

_NOTATION = "../traces.md"

SERVICE = "https://service.example/api"


@dataclass(frozen=True, kw_only=True)
class Page:
    """What the page of one requirement says beside its row of the catalogue."""

    row: Requirement
    title: str
    """Of its clause, in the suite's words; empty for one without a title."""
    rests_on: str
    """On which places of the specification it rests, in a sentence."""
    exceptions: tuple[tuple[str, str], ...]
    """The circumstances in which it does not apply, each with what decides it then."""
    restated: tuple[str, ...]
    """Other clauses that say the same."""
    checks: tuple[Check, ...]
    faults: Mapping[str, str]
    """The services of the self-test that violate it: what each does wrong, by name."""
    found: int
    """How many of them the published self-test found."""
    depends_on: tuple[str, ...]
    """The ids of what must hold before it can be tested."""
    needed_by: tuple[str, ...]
    clause_mates: tuple[str, ...]
    """The ids of the other requirements of its clause."""
    example: Example | None

    @property
    def command(self) -> str:
        """The line that checks only this requirement."""
        return f"{NAME} check --only {self.row.id} {SERVICE}"


def pages(only: Collection[str] | None = None) -> dict[str, Page]:
    """Return what the page of each requirement, or of some, says, in the order of the catalogue. It takes a second."""
    from conformance.calibration.faults import FAULTS
    from conformance.model.published_score import proofs

    every, checks, found = catalogue(), checks_of_requirements(), proofs()
    faults: dict[str, dict[str, str]] = defaultdict(dict)
    for fault in FAULTS.values():
        faults[fault.requirement][fault.name] = " ".join(fault.summary.split())
    return {
        row.id: _page(row, every, checks[row.id], faults[row.id], found.get(row.id, 0))
        for row in every.rows.values()
        if only is None or row.id in only
    }


def _page(row: Requirement, every: Catalogue, checks: Iterable[Check], faults: Mapping[str, str], found: int) -> Page:
    return Page(
        row=row,
        title=TITLES.get(heading_of(row.clause), ""),
        rests_on=basis.rests_on(basis.of_catalogue(row)),
        exceptions=tuple((every.circumstances[each], every.decided_by[each]) for each in row.not_applicable),
        restated=tuple(clause for clause, ids in every.restated.items() if row.id in ids),
        checks=tuple(checks),
        faults=faults,
        found=found,
        depends_on=every.needs[row.id],
        needed_by=tuple(id for id, ids in every.needs.items() if row.id in ids),
        clause_mates=tuple(each.id for each in every.rows.values() if each.clause == row.clause and each is not row),
        example=examples().get(row.id),
    )


@dataclass(frozen=True)
class Check:
    """A check of a requirement."""

    name: str
    summary: str
    """The first sentence of its docstring."""
    traces: str
    """Its smallest traces, in the notation of CONTRIBUTING.md; empty if it has none."""


def _meaning_of_marks(row: Requirement, traces: str) -> str:
    """Say what the marks in traces of a requirement mean."""
    wrong = "raises an alert" if row.level is Level.OPEN else "violates it"
    meanings = {"FAIL": wrong, "PASS": "does not", "SAYS": "the check says of it"}
    parts = [f"what {meaning} ({mark})" for mark, meaning in meanings.items() if f"{mark} " in traces]
    return f"W{', and '.join(parts)[1:]}"


def checks_of_requirements() -> Mapping[str, list[Check]]:
    """Return the checks of each requirement."""
    from conformance.checks.marks import traces_of
    from conformance.run.all_checks import all_checks
    from conformance.run.items import check_name, requirement_of

    checks = defaultdict(list)
    for item in all_checks():
        function, id = item.function, requirement_of(item).id
        summary = (inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " ")
        checks[id].append(Check(check_name(item), summary, traces_of(function, id)))
    return checks


def markdown(page: Page, copy: Specification | None = None, site: str = "", *, is_brief: bool = False) -> str:
    """Return the page as Markdown; its links lead to the pages of other requirements beside it.

    It quotes `copy`, a reader's copy of the specification, and names its address in a documentation site. A brief page
    has no exchanges, traces, faults and related requirements.
    """
    facts = "\n".join(f"- **{label}**: {_text(text)}" for label, text in _facts(page, copy, site))
    blocks = [f"# {page.row.id}", f"> {_text(page.row.statement)}", _UNOFFICIAL, facts]
    if page.row.remedy:
        blocks += ["## Fix", _text(page.row.remedy)]
    if page.row.untestable:
        blocks += ["## Not tested", _text(page.row.untestable)]
    if not is_brief:
        blocks += _exchanges(page)
    if page.checks:
        checks = "\n".join(f"- `{each.name}`: {_text(each.summary)}" for each in page.checks)
        blocks += ["## How it is tested", checks]
    if not is_brief:
        blocks += [*_tried(page), *_related(page)]
    return "\n\n".join(blocks) + "\n"


_UNOFFICIAL = (
    f"The statement is {basis.SUITE_WORDS}. Only the specification says what a service has to do; "
    "the places below say where."
)


def _text(text: str) -> str:
    """Return words of the suite with each character escaped that any kind of Markdown could interpret."""
    return re.sub(r"[\\`*_{}\[\]<>#|&~$]", lambda found: f"&#{ord(found[0])};", " ".join(text.split()))


def _facts(page: Page, copy: Specification | None, site: str) -> Iterator[tuple[str, str]]:
    """Yield what the page says of the requirement itself, each fact with its label."""
    row, history = page.row, history_of(page.row.id)
    yield "level", LEVELS[row.level]
    yield "clause", f"{row.clause} {page.title}".strip()
    yield "basis", page.rests_on
    quoted = copy.words if copy else {}
    yield from (("specification", f"{place}: {quoted[place]}") for place in row.places if place in quoted)
    for label, texts in (("reason", [row.reason]), ("rejected", row.rejected), ("interpretation", [row.reading])):
        yield from ((label, text) for text in texts if text)
    if row.alert:
        yield "alert", f"A check may raise an alert; --fail-on {row.id} makes it count as a failure."
    for when, how in page.exceptions:
        yield "not applicable", f"{when} Then decided by: {how}"
    if page.restated:
        yield "restated", f"in {', '.join(page.restated)}"
    yield "since", history.since
    for each in history.former:
        yield "before", f"until {each.until}, {each.level}: {each.statement} Replaced because: {each.why}"
    if site:
        yield "page", basis.page_at(site, row.id)


def _exchanges(page: Page) -> Iterator[str]:
    example = page.example
    if example is None:
        return
    if example.bad is None:
        yield "## An exchange"
        yield f"The reference service, recorded: {_text(example.message)}"
        yield from _exchange(example.good)
        return
    yield "## A good exchange"
    yield "Recorded with the reference service, which conforms:"
    yield from _exchange(example.good)
    yield "## A bad exchange"
    yield f"The same call, recorded with the faulty service `{example.fault}`. {_text(page.faults[example.fault])}"
    yield from _exchange(example.bad)
    yield f"What the suite reports: {_text(example.message)}"
    if example.steps:
        yield "\n".join(f"{number}. {_text(step)}" for number, step in enumerate(example.steps, 1))


def _exchange(shown: Shown) -> Iterator[str]:
    for text in (shown.question, shown.answer):
        yield f"````http\n{text}\n````"


def _tried(page: Page) -> Iterator[str]:
    if page.checks:
        traces = [each.traces for each in page.checks if each.traces]
        if traces:
            yield f"{_meaning_of_marks(page.row, ''.join(traces))}, in the [notation]({_NOTATION}) of traces:"
            yield from (f"```text\n{each}\n```" for each in traces)
        yield f"```sh\n{page.command}\n```"
    if page.faults:
        yield "## Tried with"
        number = len(page.faults)
        yield (
            f"The self-test of the suite has {number} faulty {'service' if number == 1 else 'services'} with this "
            f"mistake, and the published run of it found {page.found}. "
            f"`{NAME} serve --fault NAME` runs one of them."
        )
        yield "\n".join(f"- `{name}`: {_text(summary)}" for name, summary in page.faults.items())


def _related(page: Page) -> Iterator[str]:
    groups = {
        "Needs first": page.depends_on,
        "Needed by": page.needed_by,
        f"Also in clause {page.row.clause}": page.clause_mates,
    }
    if any(groups.values()):
        yield "## Related"
        yield "\n".join(
            f"- {name}: {', '.join(f'[{id}]({id}.md)' for id in ids)}" for name, ids in groups.items() if ids
        )


def index() -> str:
    """Return the list of all requirements by clause, as Markdown with links to their pages."""
    every, lines, shown = catalogue(), [], ""
    for row in every.rows.values():
        if (heading := heading_of(row.clause)) != shown:
            shown = heading
            title = f"{heading} {TITLES.get(heading, '')}".strip()
            lines += ["", f"## {title}", "", "| requirement | level | in the suite's words |", "|---|---|---|"]
        lines.append(f"| [{row.id}]({row.id}.md) | {row.level} | {_text(row.statement)} |")
    return "\n".join(
        [
            "# Requirements",
            "",
            f"The catalogue has {len(every.rows)} requirements. Each has a page with its places in the specification, "
            "on what it rests, a good and a bad exchange as they were recorded, the fix, and the faulty services by "
            "which its checks are proven. The statements are in the suite's words.",
            *lines,
            "",
        ]
    )
