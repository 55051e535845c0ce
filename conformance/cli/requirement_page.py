"""The page of a requirement, as Markdown: `explain` prints it, and the documentation site is made of these."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping

from conformance import NAME
from conformance.model.clauses import heading_of, titled
from conformance.model.examples import Example, Shown, examples
from conformance.model.history import history_of
from conformance.model.requirements import Requirement, catalogue
from conformance.model.score import proofs
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


def markdown(row: Requirement, copy: Specification | None = None, site: str = "") -> str:
    """Return the page of a requirement as Markdown; its links lead to the pages of others beside it.

    It quotes `copy`, a reader's copy of the specification, and names its address in a documentation site.
    """
    facts = "\n".join(f"- **{label}**: {_text(text)}" for label, text in _facts(row, copy, site))
    blocks = [f"# {row.id}", f"> {_text(row.statement)}", _UNOFFICIAL, facts]
    if row.remedy:
        blocks += ["## Fix", _text(row.remedy)]
    if row.untestable:
        blocks += ["## Not tested", _text(row.untestable)]
    from conformance.calibration.faults import FAULTS

    faults = {each.name: each.summary for each in FAULTS.values() if each.requirement == row.id}
    blocks += [*_exchanges(examples().get(row.id), faults), *_how_tested(row), *_tried(row, faults), *_related(row)]
    return "\n\n".join(blocks) + "\n"


_UNOFFICIAL = (
    f"The statement is {basis.SUITE_WORDS}. Only the specification says what a service has to do; "
    "the places below say where."
)


def _text(text: str) -> str:
    """Return words of the suite with each character escaped that any kind of Markdown could interpret."""
    return re.sub(r"[\\`*_{}\[\]<>#|&~$]", lambda found: f"&#{ord(found[0])};", " ".join(text.split()))


def _facts(row: Requirement, copy: Specification | None, site: str) -> Iterator[tuple[str, str]]:
    """Yield what the page says of the requirement itself, each fact with its label."""
    every, history, quoted = catalogue(), history_of(row.id), copy.words if copy else {}
    yield "level", LEVELS[row.level]
    yield "clause", titled(row.clause)
    yield "basis", basis.rests_on(basis.of_catalogue(row))
    yield from (("specification", f"{place}: {quoted[place]}") for place in row.places if place in quoted)
    for label, texts in (("reason", [row.reason]), ("rejected", row.rejected), ("interpretation", [row.reading])):
        yield from ((label, text) for text in texts if text)
    if row.alert:
        yield "alert", f"A check may raise an alert; --fail-on {row.id} makes it count as a failure."
    for each in row.not_applicable:
        yield "not applicable", f"{every.circumstances[each]} Then decided by: {every.decided_by[each]}"
    if restated := [clause for clause, ids in every.restated.items() if row.id in ids]:
        yield "restated", f"in {', '.join(restated)}"
    yield "since", history.since
    for former in history.former:
        yield "before", f"until {former.until}, {former.level}: {former.statement} Replaced because: {former.why}"
    if site:
        yield "page", basis.page_at(site, row.id)


def _exchanges(example: Example | None, faults: Mapping[str, str]) -> Iterator[str]:
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
    yield f"The same call, recorded with the faulty service `{example.fault}`. {_text(faults[example.fault])}"
    yield from _exchange(example.bad)
    yield f"What the suite reports: {_text(example.message)}"
    if example.steps:
        yield "\n".join(f"{number}. {_text(step)}" for number, step in enumerate(example.steps, 1))


def _exchange(shown: Shown) -> Iterator[str]:
    for text in (shown.question, shown.answer):
        yield f"````http\n{text}\n````"


def _how_tested(row: Requirement) -> Iterator[str]:
    """Yield the checks with the first sentence of each, the traces of all, and the line that runs them."""
    from conformance.run.all_checks import all_checks, traces_of
    from conformance.run.items import check_name, requirement_of

    checks = {check_name(each): each.function for each in all_checks() if requirement_of(each).id == row.id}
    if not checks:
        return
    summaries = {name: (inspect.getdoc(each) or "").partition("\n\n")[0] for name, each in checks.items()}
    yield "## How it is tested"
    yield "\n".join(f"- `{name}`: {_text(summary)}" for name, summary in summaries.items())
    if traces := [text for each in checks.values() if (text := traces_of(each, row.id))]:
        yield f"The smallest traces that decide it, in their [notation]({_NOTATION}):"
        yield from (f"```text\n{each}\n```" for each in traces)
    yield f"```sh\n{NAME} check --only {row.id} {SERVICE}\n```"


def _tried(row: Requirement, faults: Mapping[str, str]) -> Iterator[str]:
    if not faults:
        return
    services = "service" if len(faults) == 1 else "services"
    yield "## Tried with"
    yield (
        f"The self-test of the suite has {len(faults)} faulty {services} with this mistake, and the published run of "
        f"it found {proofs().get(row.id, 0)}. `{NAME} serve --fault NAME` runs one of them."
    )
    yield "\n".join(f"- `{name}`: {_text(summary)}" for name, summary in faults.items())


def _related(row: Requirement) -> Iterator[str]:
    every = catalogue()
    groups = {
        "Needs first": every.needs[row.id],
        "Needed by": [id for id, ids in every.needs.items() if row.id in ids],
        f"Also in clause {row.clause}": [
            each.id for each in every.rows.values() if each.clause == row.clause and each is not row
        ],
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
            lines += [
                "",
                f"## {titled(heading)}",
                "",
                "| requirement | level | in the suite's words |",
                "|---|---|---|",
            ]
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
