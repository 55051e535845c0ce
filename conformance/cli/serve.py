"""`drsi-conformance serve`: the reference service in the foreground."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
from click.core import ParameterSource

from conformance.cli.errors import Failure
from conformance.cli.values import PATH, Number, Parsed, application_name, refuse_two
from conformance.model.printable import printable
from conformance.reference.config import ReferenceConfig

if TYPE_CHECKING:
    from conformance.calibration.variant import Variant
    from conformance.reference.server import Ready

_COLUMN = 17
"""Width of the labels that `serve` prints."""
_OAUTH = "It also has an OAuth server below the base_url, which asks for no password.\n"
_FILTERED: Mapping[str, Any] = {"is_flag": False, "flag_value": "", "metavar": "[FILTER]"}


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
@click.option("--fault", metavar="NAME", help="Violate one requirement: serve the fault of this name.")
@click.option("--twin", metavar="NAME", help="Conform in an unusual way: serve the twin of this name.")
@click.option(
    "--like",
    type=PATH,
    metavar="RUN",
    help="Conform as the service of a recorded run does: copy its limit, languages, data types, refusals and forms.",
)
@click.option(
    "--oauth",
    is_flag=True,
    help="Add an OAuth server below the base_url, which asks for no password.",
)
@click.option(
    "--app",
    type=Parsed(lambda _, text: application_name(text)),
    metavar="MODULE:APP",
    help="Serve this ASGI or WSGI application as 'check --app' does, for the curl lines and scripts of its reports.",
)
@click.option("--list-faults", **_FILTERED, help="List the faults by requirement, and serve nothing.")
@click.option("--list-twins", **_FILTERED, help="List the twins by the clause that permits them, and serve nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the base_url and the tokens as JSON, in one line.")
@click.pass_context
def command(
    context: click.Context,
    /,
    *,
    host: str,
    port: int,
    fault: str | None,
    twin: str | None,
    like: Path | None,
    oauth: bool,
    app: str | None,
    list_faults: str | None,
    list_twins: str | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Run the reference service, which conforms, or an application, until Ctrl-C.

    The command prints the base_url and the access tokens of two users. With --fault, the service violates one
    requirement; with --twin, it conforms in an unusual way. The command prints the fault or twin. Try your own tools on
    both. With --like, it makes the choices of a recorded service in what the specification leaves open, and none of its
    faults; options such as --limit take precedence. RUN is a folder, its report.json, or a bundle.

    FILTER has the words that a fault or twin has to contain ("null createdAt"): also a clause, or an id.
    """
    alone = {"--fault": fault, "--twin": twin, "--like": like, "--oauth": oauth or None, "--app": app}
    refuse_two(alone | {"--list-faults": list_faults, "--list-twins": list_twins})
    wanted = list_twins if list_faults is None else list_faults
    if wanted is not None:
        from conformance.cli.variants import listing

        click.echo(listing("twin" if list_faults is None else "fault", wanted))
        return
    from conformance.calibration.variant import REFERENCE, raised
    from conformance.reference.server import serve

    if app is not None:
        _refuse_others(context)
        _serve_application(app, port)
        return
    variant, service = _variant(fault, twin), None
    if like is not None:
        variant = _like(like, [name for name in settings if _is_given(context, name)])
    if oauth:
        from conformance.reference.oauth_server import OAuthService

        service = OAuthService
    try:
        config = ReferenceConfig(**settings)
    except ValueError as error:
        raise click.UsageError(f"{error}.") from None

    def on_ready(ready: Ready) -> None:
        shown = json.dumps(asdict(ready)) if as_json else _as_text(ready, variant, oauth)
        click.echo(printable(shown, keep="\n"))

    def on_error(error: Exception) -> None:
        what = f"The client got 500, because the code of this service raised {raised(error)}."
        click.echo(printable(what), err=True)

    # The server handles the signals while it serves, and repeats them afterwards for the handler it replaced.
    with suppress(KeyboardInterrupt):
        try:
            served = variant or REFERENCE
            configured = served.configured(config)
            serve(configured, service or served.service, host=host, port=port, on_ready=on_ready, on_error=on_error)
        except OSError as error:
            raise Failure(
                f"{host}, port {port}, is not available: {error.strerror or error}.",
                remedy="Choose another --port (0 takes a free one) or --host, or stop the process that uses it.",
            ) from None


def _refuse_others(context: click.Context) -> None:
    """Raise UsageError for an option of the reference service that is given although an application is served."""
    for each in context.command.params:
        if each.name not in ("app", "port") and _is_given(context, str(each.name)):
            raise click.UsageError(f"{each.opts[-1]} is an option of the reference service. Leave it out, or --app.")


def _is_given(context: click.Context, name: str) -> bool:
    """Tell whether the command line has a parameter."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def _like(run: Path, given: Sequence[str]) -> Variant:
    """Return the service that is like that of a recorded run, but for the settings that are given."""
    from conformance.calibration.likeness import like
    from conformance.cli.recorded import read
    from conformance.run.verify import Unreadable, recorded_trace

    recorded = read(run, needs_evidence=True)
    try:
        made = like(recorded_trace(recorded.data, recorded.evidence), given)
        made.configured(ReferenceConfig())
    except ValueError as error:
        damage = "".join(f"; {each}" for each in error.damage[:3]) if isinstance(error, Unreadable) else ""
        raise Failure(
            f"--like: {run} cannot be copied: {error}{damage}.",
            remedy="Name the folder, the report.json or the bundle of a run of 'drsi-conformance check', unaltered.",
        ) from None
    return replace(made, name=str(run))


def _serve_application(app: str, port: int) -> None:
    """Serve an application until Ctrl-C."""
    from conformance.cli.local_services import application
    from conformance.cli.options import Options

    with suppress(KeyboardInterrupt), application(Options(app=app), port) as (served, process):
        base_url = str(served.base_url)
        if port and urlsplit(base_url).port != port:
            raise Failure(f"Port {port} is not available.", remedy="Stop what uses it, or leave --port out.")
        click.echo(f"The application is running at {base_url}; Ctrl-C ends it.")
        if process is not None:
            process.wait()


def _variant(fault: str | None, twin: str | None) -> Variant | None:
    name = twin if fault is None else fault
    if name is None:
        return None
    from conformance.cli.variants import called

    return called("twin" if fault is None else "fault", name)


def _as_text(ready: Ready, variant: Variant | None, oauth: bool) -> str:
    about = [_OAUTH] if oauth else []
    if variant is not None:
        from conformance.cli.variants import in_words

        about = in_words(variant, _COLUMN)
    variables = dict(zip(("DRSI_TOKEN", "DRSI_OTHER_TOKEN"), ready.tokens, strict=False))
    rows = {"base_url": ready.base_url, **variables}
    environment = "".join(f"{name}={shlex.quote(token)} " for name, token in variables.items())
    return "\n".join(
        [
            "The reference service is running; Ctrl-C ends it.\n",
            *about,
            *(f"  {name:<{_COLUMN}} {value}" for name, value in rows.items()),
            "\nCheck it from another terminal:\n",
            f"  {environment}\\\n    drsi-conformance check {shlex.quote(ready.base_url)}\n",
        ]
    )
