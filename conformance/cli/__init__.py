"""The command `drsi-conformance`. Nothing but click and cheap parts of Python is loaded before a command is known."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from conformance import NAME
from conformance.cli.failure import Failure, SuiteFailure
from conformance.cli.group import ReaderGone, group
from conformance.cli.streams import finish, never_fail_to_encode
from conformance.verdict import Exit

_NO_PLACE = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command with `arguments` (by default those of the process), and end with one of the codes of `Exit`."""
    never_fail_to_encode()
    sys.exit(finish(_run(arguments)))


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = group.main(arguments, prog_name=NAME, standalone_mode=False)
    except ReaderGone:
        return Exit.CONFORMS
    except Failure as failure:
        failure.show()
        return failure.code
    except click.ClickException as error:
        error.show()
        return Exit.USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted before anything was decided.", err=True)
        return Exit.INCONCLUSIVE
    except Exception as error:  # whatever it is, it must not look like a verdict
        if isinstance(error, OSError) and error.errno in _NO_PLACE:
            click.echo(f"Error: the output cannot be written: {error.strerror}.", err=True)
            return Exit.USAGE
        SuiteFailure.of(error).show()
        return Exit.BROKEN
    return code if isinstance(code, int) else Exit.CONFORMS
