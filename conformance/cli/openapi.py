"""`drsi-conformance openapi`: the interface as one OpenAPI document."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli.errors import unwritable
from conformance.cli.options import PATH


@click.command("openapi", short_help="Print the OpenAPI document of the interface.")
@click.option("--output", type=PATH, metavar="FILE", help="Write to this file instead of standard output.")
def command(output: Path | None) -> None:
    """Print the OpenAPI 3.1 document of the interface, with all its schemas, for implementers."""
    import json

    from conformance.schema.documents import bundled

    text = json.dumps(bundled(), indent=2, ensure_ascii=False) + "\n"
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        raise unwritable(error, "--output") from None
