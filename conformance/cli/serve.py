"""`drsi-conformance serve`: the reference service in the foreground."""

from __future__ import annotations

from typing import Any

import click


@click.command(short_help="Run the reference service in the foreground.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on.  [a free one]")
@click.option("--path-prefix", default="/api/v1", show_default=True, help="Path of the base_url.")
@click.option("--limit", type=click.IntRange(0), default=3, show_default=True, help="maxNumberOfRequests.")
@click.option("--data-types", type=click.IntRange(1), metavar="NUMBER", help="How many data types.  [a realistic list]")
@click.option(
    "--complete-after", type=float, metavar="SECONDS", help="When a request is completed; 0 at once.  [never]"
)
@click.option("--languages", default="en,nl,de", show_default=True, metavar="LIST", help="Languages, with commas.")
@click.option(
    "--language-selector",
    default="header:Accept-Language",
    show_default=True,
    metavar="header:NAME|query:NAME",
    help="How a language is asked for on GET /data.",
)
@click.option("--seed", type=int, metavar="NUMBER", help="Same seed, same identifiers.  [random ones]")
@click.option("--fault", metavar="NAME", help="Break one requirement, in the way of that name.")
@click.option("--twin", metavar="NAME", help="Keep every requirement, in the unusual way of that name.")
@click.option("--list-faults", is_flag=True, help="List the names of the faults and the twins, and serve nothing.")
@click.option("--json", "as_json", is_flag=True, help="Say where it is in one line of JSON: base_url and tokens.")
def command(*, fault: str | None, twin: str | None, list_faults: bool, **options: Any) -> None:
    """Run the reference service, which keeps every requirement, until Ctrl-C.

    It prints its base_url and the access tokens of its two users. With --fault it breaks one requirement, with --twin
    it keeps all of them in an unusual way: try your own tools on both.
    """
    if list_faults:
        from conformance.cli.bends import listing

        click.echo("\n".join(listing()))
        return
    from conformance.cli.bends import chosen
    from conformance.cli.service import run

    run(chosen(fault, twin), **options)
