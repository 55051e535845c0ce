"""The command `drsi-conformance`. Nothing but cheap parts of Python is loaded before the signals are taken over."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

from conformance.cli.interrupt import Interruption, say
from conformance.cli.streams import finish, never_fail_to_encode
from conformance.model.verdict import Exit


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command with `arguments` (by default those of the process), and end with one of the codes of `Exit`."""
    # The signals are not given back: the process ends with this call.
    interruption = Interruption().__enter__()
    try:
        never_fail_to_encode()
        from conformance.cli.group import run

        code = run(arguments, interruption)
    except KeyboardInterrupt:
        say("Interrupted before anything was decided.\n")
        code = Exit.INCONCLUSIVE
    interruption.stop = lambda: None
    sys.exit(finish(code))
