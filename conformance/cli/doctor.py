"""`drsi-conformance doctor`: is everything there that a run needs?"""

from __future__ import annotations

from typing import Any

import click

from conformance.cli.options import target_options


@click.command(short_help="See whether a run can begin, and what to mend first.")
@target_options
def command(**options: Any) -> int:
    """Look at the address, TLS, JSON and the tokens, in under ten requests that change nothing.

    Exit code 0: a run can begin; 2: the configuration has to be mended; 3: the service cannot be reached.
    """
    from conformance.cli.settings import gather

    settings = gather(options)
    from conformance.cli.embedded import embedded

    with embedded(settings) as service:
        from conformance.cli.visit import visit

        return visit(settings, service)
