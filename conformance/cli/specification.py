"""The reader's copy of the specification that --specification names: quoted if it is the edition of the suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli import config
from conformance.cli.option import together
from conformance.cli.values import PATH
from conformance.model.printable import printable

if TYPE_CHECKING:
    from conformance.model.specification import Specification

HELP = "Your unedited copy of the specification: quote its words beside each finding."

option = together(
    click.option("--specification", type=PATH, metavar="FILE", help=HELP),
    click.option(
        "--config", type=PATH, metavar="FILE", is_eager=True, expose_value=False, callback=config.load, help=config.HELP
    ),
)
"""For a command that calls no service: the option, and --config, whose file may give it."""


def read(path: Path | None, edition: str) -> Specification | None:
    """Return the copy at `path` if it is this edition; warn of another edition, and raise UsageError without a text."""
    if path is None:
        return None
    from conformance.model import specification

    try:
        if path.exists() and not path.is_file():
            raise specification.NotASpecification(
                f"Expected the specification; received {'a folder' if path.is_dir() else 'no regular file'}.",
                remedy="Name the file itself.",
            )
        with path.open("rb") as file:
            copy = specification.read(file.read(specification.LARGEST + 1))
    except OSError as error:
        raise click.UsageError(f"--specification: {path} cannot be read: {error.strerror or error}.") from None
    except specification.NotASpecification as fault:
        raise click.UsageError(f"--specification: {path}: {fault} {fault.remedy}") from None
    if copy.edition == edition:
        return copy
    click.echo(printable(_another(path, copy.edition, edition), keep="\n"), err=True)
    return None


def _another(path: Path, received: str, expected: str) -> str:
    if not expected:
        return f"Warning: --specification: the report names no edition, so {path} is not quoted. Make a new run."
    return (
        f"Warning: --specification: {path} is another edition of the specification, and is not quoted.\n"
        f"  expected {expected}\n  received {received}\n"
        "  fix      Name an unedited copy of the expected edition, or use the version of the suite that was made for "
        "the edition of your copy."
    )
