"""`drsi-conformance explain`: everything about one requirement, or about each requirement of a clause."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance import NAME
from conformance.cli import specification as of_reader
from conformance.cli.values import site_address
from conformance.model.clauses import TITLES, heading_of
from conformance.model.examples import examples
from conformance.model.history import history_of
from conformance.model.requirements import Catalogue, Requirement, UnknownRequirement, catalogue

if TYPE_CHECKING:
    from conformance.cli.requirement_page import Check
    from conformance.model.specification import Specification

_LABEL = 15
_WIDTH = 100
_FAULTS = 5
"""Faults that an explanation names."""


@click.command("explain", short_help="Explain one requirement, or each requirement of a clause.")
@click.argument("wanted", metavar="ID")
@of_reader.option
@click.option(
    "--help-base", callback=site_address, metavar="URL", help="Address of the documentation site: name the page."
)
def command(wanted: str, specification: Path | None, help_base: str | None) -> None:
    """Explain the requirement ID, or each requirement of a clause such as 4.3.

    Shows the statement in the suite's words, on which places of the specification it rests and why, how the suite
    reads them, what decides it, its history, the fix, the checks with their smallest traces, the faults that violate
    it, and two recorded exchanges: of a conforming service and of a faulty one.
    """
    from conformance.cli.requirement_page import checks_of_requirements
    from conformance.reports import basis

    every = catalogue()
    copy = of_reader.read(specification, every.edition.digest)
    restated = frozenset(every.restated.get(wanted, ()))
    try:
        ids = every.select(wanted) | restated
    except UnknownRequirement as error:
        if not restated:
            raise click.UsageError(str(error)) from None
        ids = restated
    paragraphs = []
    if restated:
        sentence = f"Clause {wanted} restates these requirements: {', '.join(every.restated[wanted])}."
        paragraphs.append(textwrap.fill(sentence, _WIDTH))
    checks = checks_of_requirements()
    for row in (row for row in every.rows.values() if row.id in ids):
        lines = [*_lines(row, every, [f"{each.name}: {each.summary}" for each in checks[row.id]], copy)]
        lines += [_field("page", basis.page_at(help_base, row.id))] if help_base else []
        more = [*_traces(row, checks[row.id]), *_exchanges(row)] if len(ids) == 1 else []
        paragraphs.append("\n".join([*lines, *more]))
    click.echo("\n\n".join(paragraphs))


def _lines(row: Requirement, every: Catalogue, checks: list[str], copy: Specification | None) -> Iterator[str]:
    from conformance.calibration.faults import FAULTS

    yield row.id
    yield _field("clause", f"{row.clause} {TITLES.get(heading_of(row.clause), '')}".strip())
    yield _field("level", row.level)
    yield from _basis(row, copy)
    for label, text in (("interpretation", row.reading), ("fix", row.remedy), ("not tested", row.untestable)):
        if text:
            yield _field(label, text)
    if row.alert:
        yield _field("alert", f"a check may raise an alert; --fail-on {row.id} makes it count as a failure")
    for circumstance in row.not_applicable:
        yield _field("except", f"not applicable where: {every.circumstances[circumstance]}")
        yield _field("", f"then decided by: {every.decided_by[circumstance]}")
    if clauses := [clause for clause, ids in every.restated.items() if row.id in ids]:
        yield _field("restated", f"in {', '.join(clauses)}")
    history = history_of(row.id)
    yield _field("since", history.since)
    for former in history.former:
        yield _field(
            "before", f"until {former.until}, {former.level}: {former.statement} Replaced because: {former.why}"
        )
    for check in checks:
        yield _field("check", check)
    faults = [fault for fault in FAULTS.values() if fault.requirement == row.id]
    for fault in faults[:_FAULTS]:
        yield _field("violated by", f"{fault.name}: {' '.join(fault.summary.split())}")
    if len(faults) > _FAULTS:
        yield _field("", f"and {len(faults) - _FAULTS} more: {NAME} serve --list-faults {row.id}")


def _traces(row: Requirement, checks: Iterable[Check]) -> Iterator[str]:
    """Yield the smallest traces of the checks."""
    from conformance.cli.requirement_page import meaning_of_marks

    for each in checks:
        if each.traces:
            yield f"\n  {meaning_of_marks(row, each.traces)}, in {each.name}:\n"
            yield textwrap.indent(each.traces, " " * 4)


def _exchanges(row: Requirement) -> Iterator[str]:
    """Yield the recorded exchanges of a requirement: a good one, and a bad one if a service can violate it."""
    example = examples().get(row.id)
    if example is None:
        return
    named = {"A good exchange, recorded with the reference service:": example.good}
    if example.bad:
        named[f"A bad exchange, recorded with the faulty service {example.fault}:"] = example.bad
    for title, shown in named.items():
        yield f"\n  {title}\n"
        yield textwrap.indent(f"{shown.question}\n\n{shown.answer}", " " * 4)
    yield f"\n{_field('reported', example.message)}"


def _basis(row: Requirement, copy: Specification | None) -> Iterator[str]:
    """Yield the statement, on what it rests, and the words of its places in a reader's copy."""
    from conformance.reports import basis

    yield _field("statement", f"{row.statement} ({basis.SUITE_WORDS})")
    yield _field("basis", basis.rests_on(basis.of_catalogue(row)))
    for place in row.places:
        if copy is not None and place in copy.words:
            yield _field("specification", f"{place}: {copy.words[place]}")
    for label, texts in (("reason", [row.reason]), ("rejected", row.rejected)):
        yield from (_field(label, text) for text in texts if text)


def _field(label: str, text: str) -> str:
    head = f"  {label:<{_LABEL}}"
    return textwrap.fill(text, _WIDTH, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False)
