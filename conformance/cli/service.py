"""Runs the reference service as a person asked for it."""

from __future__ import annotations

import json
import math
import shlex
from contextlib import suppress

import click

from conformance.calibration.variant import REFERENCE, Variant
from conformance.cli.failure import Failure
from conformance.reference.config import ReferenceConfig
from conformance.reference.data_types import REALISTIC
from conformance.reference.server import Ready, serve


def run(
    bend: Variant = REFERENCE,
    *,
    host: str,
    port: int,
    path_prefix: str,
    limit: int,
    data_types: int | None,
    complete_after: float | None,
    languages: str,
    language_selector: str,
    seed: int | None,
    as_json: bool,
) -> None:
    """Serve, bent by `bend`, until a signal ends it; raise Failure for a configuration or an address that is no use."""
    if complete_after is not None and not (math.isfinite(complete_after) and complete_after >= 0):
        raise Failure(f"--complete-after is {complete_after:g}, but has to be a number of seconds, 0 or more.")
    named = tuple(name.strip() for name in languages.split(",") if name.strip())
    try:
        config = ReferenceConfig(
            languages=named,
            max_requests=limit,
            complete_after=complete_after,
            path_prefix=path_prefix.rstrip("/"),
            seed=seed,
            language_selector=language_selector,
            data_types=REALISTIC if data_types is None else data_types,
        )
    except ValueError as error:
        raise Failure(f"The service cannot be configured so: {error}.") from None
    # The server takes the signals over while it serves, and hands on what came to whoever had them before.
    with suppress(KeyboardInterrupt):
        try:
            serve(
                bend.configured(config), bend.service, host=host, port=port, on_ready=_say_as_json if as_json else _say
            )
        except OSError as error:
            raise Failure(
                f"{host}, port {port}, cannot be listened on: {error.strerror or error}.",
                remedy="Choose another --port (0 takes a free one) or --host, or end what listens there.",
            ) from None


def _say_as_json(ready: Ready) -> None:
    click.echo(json.dumps({"base_url": ready.base_url, "tokens": ready.tokens}))


def _say(ready: Ready) -> None:
    variables = dict(zip(("DRSI_TOKEN", "DRSI_OTHER_TOKEN"), ready.tokens, strict=False))
    rows = {"base_url": ready.base_url, **variables}
    known = "".join(f"{name}={shlex.quote(token)} " for name, token in variables.items())
    click.echo(
        "The reference service is running; Ctrl-C ends it.\n\n"
        + "".join(f"  {name:<17} {value}\n" for name, value in rows.items())
        + "\nCheck it from another terminal:\n\n"
        + f"  {known}\\\n    drsi-conformance check {ready.base_url}\n"
    )
