"""`drsi-conformance explain`: everything about one requirement, or about each requirement of a clause."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance import NAME
from conformance.cli import specification as of_reader
from conformance.cli.values import site_address
from conformance.model.requirements import UnknownRequirement, catalogue
from conformance.reports import basis

if TYPE_CHECKING:
    from conformance.cli.requirement_page import Page
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
    from conformance.cli.requirement_page import pages

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
    for page in pages(ids).values():
        lines = [*_lines(page, copy)]
        lines += [_field("page", basis.page_at(help_base, page.row.id))] if help_base else []
        paragraphs.append("\n".join([*lines, *(_records(page) if len(ids) == 1 else ())]))
    click.echo("\n\n".join(paragraphs))


def _lines(page: Page, copy: Specification | None) -> Iterator[str]:
    from conformance.cli.requirement_page import facts

    row = page.row
    yield row.id
    yield _field("statement", f"{row.statement} ({basis.SUITE_WORDS})")
    for place in row.places:
        if copy is not None and place in copy.words:
            yield _field("specification", f"{place}: {copy.words[place]}")
    yield from (_field(label, text) for label, text in facts(page))
    for label, text in (("fix", row.remedy), ("not tested", row.untestable)):
        if text:
            yield _field(label, text)
    yield from (_field("check", f"{each.name}: {each.summary}") for each in page.checks)
    for name, summary in [*page.faults.items()][:_FAULTS]:
        yield _field("violated by", f"{name}: {summary}")
    if (more := len(page.faults) - _FAULTS) > 0:
        yield _field("", f"and {more} more: {NAME} serve --list-faults {row.id}")


def _records(page: Page) -> Iterator[str]:
    """Yield the smallest traces of the checks, and the recorded exchanges."""
    from conformance.cli.requirement_page import meaning_of_marks

    for each in page.checks:
        if each.traces:
            yield f"\n  {meaning_of_marks(page.row, each.traces)}, in {each.name}:\n"
            yield textwrap.indent(each.traces, " " * 4)
    example = page.example
    if example is None:
        return
    named = {"A good exchange, recorded with the reference service:": example.good}
    if example.bad:
        named[f"A bad exchange, recorded with the faulty service {example.fault}:"] = example.bad
    for title, shown in named.items():
        yield f"\n  {title}\n"
        yield textwrap.indent(f"{shown.question}\n\n{shown.answer}", " " * 4)
    yield f"\n{_field('reported', example.message)}"


def _field(label: str, text: str) -> str:
    head = f"  {label:<{_LABEL}}"
    return textwrap.fill(text, _WIDTH, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False)
