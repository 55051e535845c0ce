"""`drsi-conformance openapi`: the interface as one OpenAPI document."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli.options import PATH


@click.command(short_help="Print the OpenAPI document of the interface.")
@click.option("--output", type=PATH, metavar="FILE", help="Write it here instead of to standard output.")
def command(output: Path | None) -> None:
    """Print the OpenAPI 3.1 document of the interface, with every schema in it, for implementers."""
    import json

    from conformance.cli.failure import Failure
    from conformance.schema.documents import bundled

    text = json.dumps(bundled(), indent=2, ensure_ascii=False) + "\n"
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        raise Failure(
            f"{output} cannot be written: {error.strerror or error}.", remedy="Name another file with --output."
        ) from None
