"""`drsi-conformance serve`: the reference service in the foreground."""

from __future__ import annotations

import difflib
import json
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.errors import Failure
from conformance.cli.options import Number

if TYPE_CHECKING:
    from conformance.calibration.variant import Variant
    from conformance.reference.server import Ready


@click.command("serve", short_help="Run the reference service in the foreground.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on.  [default: a free one]")
@click.option(
    "--path-prefix",
    default="/api/v1",
    show_default=True,
    callback=lambda _context, _option, text: text.rstrip("/"),
    help="Path of the base_url.",
)
@click.option(
    "--limit", "max_requests", type=click.IntRange(0), default=3, show_default=True, help="maxNumberOfRequests."
)
@click.option(
    "--data-types", type=click.IntRange(1), metavar="NUMBER", help="Number of data types.  [default: a realistic list]"
)
@click.option(
    "--complete-after",
    type=Number(0, 1e9),
    metavar="SECONDS",
    help="Age at which a request is completed; 0 completes it at once.  [default: never]",
)
@click.option(
    "--languages",
    default="en,nl,de",
    show_default=True,
    metavar="LIST",
    callback=lambda _context, _option, text: tuple(name.strip() for name in text.split(",") if name.strip()),
    help="Languages, comma-separated.",
)
@click.option(
    "--language-selector",
    default="header:Accept-Language",
    show_default=True,
    metavar="header:NAME|query:NAME",
    help="What chooses the language of GET /data.",
)
@click.option("--seed", type=int, metavar="NUMBER", help="The same seed gives the same identifiers.  [default: random]")
@click.option("--fault", metavar="NAME", help="Violate one requirement: serve the fault of this name.")
@click.option("--twin", metavar="NAME", help="Conform in an unusual way: serve the twin of this name.")
@click.option("--list-faults", "--list-twins", is_flag=True, help="List all faults and twins, and serve nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print base_url and tokens as one line of JSON.")
def command(
    *, host: str, port: int, fault: str | None, twin: str | None, list_faults: bool, as_json: bool, **settings: Any
) -> None:
    """Run the reference service, which conforms, until Ctrl-C.

    It prints its base_url and the access tokens of its two users. With --fault it violates one requirement, with --twin
    it conforms in an unusual way: try your own tools on both.
    """
    if list_faults:
        click.echo("\n".join(_listing()))
        return
    from conformance.reference.config import ReferenceConfig
    from conformance.reference.server import serve

    variant = _variant(fault, twin)
    try:
        config = ReferenceConfig(**{name: value for name, value in settings.items() if value is not None})
    except ValueError as error:
        raise click.UsageError(f"{error}.") from None
    # The server handles the signals while it serves, and repeats them afterwards for the handler it replaced.
    on_ready = _print_json if as_json else _print
    with suppress(KeyboardInterrupt):
        try:
            serve(variant.configured(config), variant.service, host=host, port=port, on_ready=on_ready)
        except OSError as error:
            raise Failure(
                f"{host}, port {port}, is not available: {error.strerror or error}.",
                remedy="Choose another --port (0 takes a free one) or --host, or stop the process that uses it.",
            ) from None


def _variant(fault: str | None, twin: str | None) -> Variant:
    from conformance.calibration.variant import REFERENCE

    if fault is not None and twin is not None:
        raise click.UsageError("--fault and --twin exclude each other.")
    name = twin if fault is None else fault
    if name is None:
        return REFERENCE
    from conformance.calibration.faults import FAULTS
    from conformance.calibration.twins import TWINS

    known: Mapping[str, Variant] = TWINS if fault is None else FAULTS
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3)
        hint = f"Did you mean {' or '.join(near)}?" if near else "'serve --list-faults' lists all names."
        raise click.BadParameter(f"{name!r} is not known. {hint}", param_hint="--twin" if fault is None else "--fault")
    return known[name]


def _listing() -> Iterator[str]:
    from conformance.calibration.faults import FAULTS
    from conformance.calibration.twins import TWINS

    yield f"FAULTS ({len(FAULTS)}), by the requirement that each one violates; serve one with --fault NAME"
    for requirement in dict.fromkeys(fault.requirement for fault in FAULTS.values()):
        yield f"\n{requirement}"
        for fault in FAULTS.values():
            if fault.requirement == requirement:
                yield f"  {fault.name}: {' '.join(fault.summary.split())}"
    yield f"\nTWINS ({len(TWINS)}), each with the clause that allows it; serve one with --twin NAME\n"
    for twin in TWINS.values():
        yield f"  {twin.name} ({twin.clause}): {' '.join(twin.summary.split())}"


def _print_json(ready: Ready) -> None:
    click.echo(json.dumps({"base_url": ready.base_url, "tokens": ready.tokens}))


def _print(ready: Ready) -> None:
    variables = dict(zip(("DRSI_TOKEN", "DRSI_OTHER_TOKEN"), ready.tokens, strict=False))
    rows = {"base_url": ready.base_url, **variables}
    environment = "".join(f"{name}={shlex.quote(token)} " for name, token in variables.items())
    click.echo(
        "The reference service is running; Ctrl-C ends it.\n\n"
        + "".join(f"  {name:<17} {value}\n" for name, value in rows.items())
        + "\nCheck it from another terminal:\n\n"
        + f"  {environment}\\\n    drsi-conformance check {ready.base_url}\n"
    )
