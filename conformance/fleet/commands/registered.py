"""The option --register of `verify`: what a public register says of the bundle now."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.option import together
from conformance.cli.values import PATH
from conformance.fleet import moments

if TYPE_CHECKING:
    from conformance.model.report import Report
    from conformance.trust.authenticity import Result


options = together(
    click.option(
        "--register",
        metavar="PLACE",
        help="Public register that has to list the bundle with a status that is valid now: its address, its folder, or "
        "the file of a status document. An older one than you have seen with --register-key is refused.",
    ),
    click.option(
        "--register-key", type=PATH, metavar="PUBLIC", help="Public key, or certificate (PEM), of the register."
    ),
)


def demand(place: str | None, key: Path | None, *, packed: bool, alone: bool) -> None:
    """Raise UsageError if the options do not fit together, or to the others."""
    if place is None:
        if key is not None:
            raise click.UsageError("--register-key is for --register. Name the register.")
    elif not packed:
        raise click.UsageError("--register looks up a bundle by its digest. Name the zip file; `bundle RUN` writes it.")
    elif not alone:
        raise click.UsageError("--register excludes another build: verify once with each of them.")


def results(bundle: Path, report: Report, place: str, key: Path | None) -> list[Result]:
    """Return what a register says of a bundle with this report; raise Failure if it cannot be read."""
    from conformance.fleet.register import lookup

    with bundle.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return lookup.results(place, digest, report, key, moments.now())
