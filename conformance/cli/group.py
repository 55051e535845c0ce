"""The commands by name; a module is loaded when its command is used, or its help is shown."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

import click

from conformance import NAME, __version__
from conformance.cli.failure import Failure, SuiteFailure
from conformance.cli.interrupt import Interruption
from conformance.model.verdict import Exit

_NO_PLACE = (errno.ENOSPC, errno.EDQUOT, errno.EIO)

COMMANDS: Final = ("check", "doctor", "serve", "requirements", "explain", "openapi", "selftest")
"""Each is the name of a module beside this one, which holds a click command called `command`."""


class ReaderGone(Exception):
    """Whoever read the output has stopped reading: there is nobody to tell anything."""


class LazyGroup(click.Group):
    """Finds commands in modules of their own names."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the same everywhere
        """Return the names, the main job first."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        """Return the command, or None."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"conformance.cli.{cmd_name}").command
        return command

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse; this already prints help and version. Raises ReaderGone where click would end with exit code 1."""
        try:
            return super().make_context(*args, **kwargs)
        except BrokenPipeError:
            raise ReaderGone from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; raise ReaderGone where click would end with exit code 1."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise ReaderGone from None


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes of check: 0 conforms, 1 does not conform, 2 usage or configuration, 3 inconclusive, "
    "4 the suite itself failed.",
)
@click.version_option(__version__, prog_name=NAME, message="%(prog)s %(version)s")
def group() -> None:
    """Decide whether a service keeps the Data Request Service Interface, and hand over the evidence."""


def run(arguments: Sequence[str] | None, interruption: Interruption) -> int:
    """Run the command and return its exit code; say on standard error what ended it early. Raises KeyboardInterrupt."""
    try:
        code = group.main(arguments, prog_name=NAME, standalone_mode=False, obj=interruption)
    except ReaderGone:
        return Exit.CONFORMS
    except Failure as failure:
        failure.show()
        return failure.code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        error.show()
        return Exit.USAGE
    except Exception as error:  # whatever it is, it must not look like a verdict
        if isinstance(error, OSError) and error.errno in _NO_PLACE:
            click.echo(f"Error: the output cannot be written: {error.strerror}.", err=True)
            return Exit.USAGE
        SuiteFailure(error).show()
        return Exit.BROKEN
    return code if isinstance(code, int) else Exit.CONFORMS
