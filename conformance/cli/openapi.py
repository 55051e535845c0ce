"""`drsi-conformance openapi`: the interface as one OpenAPI document."""

from __future__ import annotations

import json
from pathlib import Path

import click

from conformance.cli.errors import writing
from conformance.cli.values import PATH
from conformance.schema.documents import bundled


@click.command("openapi", short_help="Print the OpenAPI document of the interface.")
@click.option("--output", type=PATH, metavar="FILE", help="Write to this file instead of standard output.")
def command(output: Path | None) -> None:
    """Print the OpenAPI 3.1 document of the interface, with all its schemas, for implementers."""
    text = json.dumps(bundled(), indent=2, ensure_ascii=False) + "\n"
    if output is None:
        click.echo(text, nl=False)
        return
    with writing("--output"):
        output.write_text(text, "utf-8")
