"""`drsi-conformance verify`: computes the verdicts of a recorded run again, from its evidence and without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.errors import Failure
from conformance.cli.options import PATH
from conformance.model.verdict import Exit

if TYPE_CHECKING:
    from conformance.runner.verify import Difference, Verification

_SHOWN = 20
"""How many differences are printed without --list."""


@click.command(
    "verify",
    short_help="Compute the verdicts of a recorded run again, from its evidence.",
    epilog="Exit codes: 0 all is equal and intact, 1 something differs or was altered, 2 the run cannot be read.",
)
@click.argument("run", type=PATH, metavar="RUN")
@click.option("--list", "listed", is_flag=True, help="Print the verdicts of every requirement, and every difference.")
def command(run: Path, *, listed: bool) -> int:
    """Compute the verdicts of RUN again and compare them with its report. RUN is the folder of a recorded run.

    The suite makes all its checks again. The recorded exchanges answer its requests; nothing is sent.
    """
    from conformance.cli import recorded
    from conformance.runner import verify

    found = recorded.read(run, needs_evidence=True)
    try:
        result = verify.verify(found.report, found.evidence)
    except verify.Unreadable as error:
        raise Failure(
            f"The evidence of {run} cannot be verified: {error}.",
            remedy="Expected the evidence.har that this suite wrote beside the report. Ask for an unaltered copy.",
        ) from None
    for line in (*_lines(result, listed=listed), _conclusion(result, found.report)):
        click.echo(line)
    return Exit.CONFORMS if result.is_equal else Exit.DOES_NOT_CONFORM


def _lines(result: Verification, *, listed: bool) -> Iterator[str]:
    from conformance.model.text import count, printable

    for requirement, (recorded, recomputed) in result.verdicts.items():
        differs = requirement in result.differing
        if listed or differs:
            yield f"  {requirement:<40} {recorded:<15} {f'differs: {recomputed}' if differs else 'equal'}"
    for words in result.damage:
        yield f"  altered: {printable(words)}"
    shown = result.differences if listed else result.differences[:_SHOWN]
    for each in shown:
        yield from map(printable, _difference(each))
    if more := len(result.differences) - len(shown):
        yield f"  {count(more, 'more difference')}; --list prints all."


def _difference(each: Difference) -> Iterator[str]:
    from conformance.model.text import shorten

    yield f"  {each.requirement or 'the run'}: {each.what} ({_CAUSES[each.cause]})"
    yield f"    recorded    {shorten(each.recorded, 300)}"
    yield f"    recomputed  {shorten(each.recomputed, 300)}"


_CAUSES = {
    "evidence": "the evidence does not support the report",
    "catalogue": "the catalogue of requirements has changed since",
    "interpretation": "the interpretation of the specification has changed since",
    "suite": "the suite has changed since",
}


def _conclusion(result: Verification, report: dict[str, Any]) -> str:
    """Return the result in one line."""
    of = len(result.verdicts)
    equal = of - len(result.differing)
    digests = "digests not intact" if result.damage else "digests intact"
    return (
        f"{equal} of {of} verdicts recomputed and equal; {digests}; "
        f"recorded {report['started']} against {report['target']['base_url']}"
    )
