"""`drsi-conformance selftest`: what the suite's own checks catch, measured."""

from __future__ import annotations

from typing import Any

import click

from conformance.cli.options import PATH

COMBINATIONS = 700
"""500 pairs and 200 triples, whose rates are published with the score."""


@click.command(short_help="Measure what the suite's own checks catch.")
@click.option("--quick", is_flag=True, help="Try a fixed sample: one fault of each requirement, and every fifth twin.")
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="Try only this fault or twin, the faults of this requirement, or this combination: 'FAULT + FAULT'.",
)
@click.option(
    "--pairs",
    type=click.IntRange(1),
    is_flag=False,
    flag_value=COMBINATIONS,
    metavar="[NUMBER]",
    help=f"Try services with two or three faults instead: so many, or {COMBINATIONS}.",
)
@click.option(
    "--draw-seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    metavar="SEED",
    help="Which faults --pairs combines.",
)
@click.option(
    "--repeat",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="NUMBER",
    help="Try each so often, with other seeds, and measure the stability.",
)
@click.option("--output", type=PATH, metavar="DIR", help="Where the result is written.  [reports/calibration-<time>]")
@click.option("--jobs", type=click.IntRange(1), metavar="NUMBER", help="Trials at a time.  [one more than cores]")
@click.option("--quiet", is_flag=True, help="Show no progress.")
def command(**options: Any) -> int:
    """Run the suite against every fault and twin that ships with it, on this machine and without network.

    Prints the score and every miss, and writes calibration.json. A run of the whole zoo, or of all pairs,
    also writes score.json, which may take the place of the score that ships with the suite.

    Exit code 0: nothing was missed without a reason, and the score is at least the one that ships with the suite;
    with --pairs: no requirement failed that no fault breaks, and 97 % of the faults were found, or named as hidden;
    1: otherwise.
    """
    from conformance.cli.calibration import perform

    return perform(**options)
