"""The command `drsi-conformance`. It takes over the signals before it loads anything that takes time."""

from __future__ import annotations

import ctypes
import gc
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Final, NoReturn

from conformance.cli.signals import Interruption, write_now
from conformance.model.verdict import Exit

if TYPE_CHECKING:
    from types import ModuleType

    import click

    from conformance.cli.errors import Failed


_COMMANDS: Final = {
    "conformance.cli": (
        *("check", "verify", "render", "reproduce", "compare", "witness", "waive", "cleanup", "init", "trust"),
        *("doctor", "judge", "profile", "serve", "requirements", "explain", "openapi", "selftest"),
    ),
    "conformance.trust.commands": ("attest", "reply", "bundle"),
    "conformance.fleet.commands": ("audit", "store", "site"),
    "conformance.login.commands": ("login", "logout"),
}
"""The modules with a command, by package; each command has the name of its module."""

_MODULES: Final = {name: f"{package}.{name}" for package, names in _COMMANDS.items() for name in names}

_PARTS: Final = {
    "the register of verify": "conformance.fleet.commands.registered",
    "the tokens of login": "conformance.login.commands.logins",
}
"""The modules of optional packages that add to commands of this one, which imports none of them."""

_NEW_ONES: Final = 50_000
"""Objects after which garbage is collected: what a run imports lasts. With 300,000 a run takes 10 MiB more."""

_MMAP_THRESHOLD: Final = -3
"""A parameter of glibc's `mallopt`: the bytes beyond which a block of memory is returned when it is freed."""

_ARENAS: Final = -8
"""The same: how many pools of memory the threads use at most."""


def main(arguments: Sequence[str] | None = None, **how: Failed) -> NoReturn:
    """Run the command with `arguments` (by default those of the process) and end with one of the codes of `Exit`.

    `how` has the argument `failed` of `exit_code_of`, if the error that ends the command is not to be printed.
    """
    interruption = Interruption()
    interruption.listen()
    gc.set_threshold(_NEW_ONES)
    save_memory()
    _forget_impossible_sizes()
    try:
        from conformance.cli.errors import exit_code_of, lasting_streams

        with lasting_streams():
            code = exit_code_of(command_group(), arguments, interruption, **how)
            interruption.stop = lambda: None
    except (KeyboardInterrupt, ImportError):
        if not interruption.received:
            raise
        # A module in C that is interrupted while it loads raises ImportError instead.
        write_now("Interrupted before anything was decided.\n")
        code = Exit.INCONCLUSIVE
    sys.exit(code)


def save_memory() -> None:
    """Let glibc return large blocks at once, and keep one pool for all threads: otherwise each keeps what it freed."""
    with suppress(OSError, AttributeError, TypeError):  # another library of C
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, 128 * 1024)
        mallopt(_ARENAS, 1)


def _forget_impossible_sizes() -> None:
    """Leave out COLUMNS and LINES that are no size of a terminal, which has 16 bits for each.

    Rich prints nothing in 0 columns, and fails for digits of other scripts.
    """
    for name in ("COLUMNS", "LINES"):
        if not re.fullmatch("0{0,9}[1-9][0-9]{0,4}", os.environ.get(name, "")):
            os.environ.pop(name, None)


class _Commands(Mapping[str, "click.Command"]):
    """All commands by their names. The module of a command is loaded when the command is looked up."""

    def __getitem__(self, name: str) -> click.Command:
        command: click.Command = import_module(_MODULES[name]).command
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


def command_group() -> click.Group:
    """Return the group of all commands."""
    import click

    from conformance import NAME

    group = click.Group(
        NAME,
        commands=_Commands(),  # type: ignore[arg-type]  # click reads them only
        help="Check whether a service conforms to the Data Request Service Interface, and record the evidence.",
        epilog="Exit codes of check: 0 conforms, 1 does not conform, 2 usage or configuration error, or a stale "
        "waiver, 3 inconclusive, 4 the suite itself failed.",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    return click.option(
        "--version",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_version,
        help="Show version and build, and exit.",
    )(group)


def part(name: str) -> ModuleType:
    """Return the module of an optional package that adds `name`."""
    return import_module(_PARTS[name])


def _print_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    import click

    from conformance import NAME, __version__
    from conformance.model.build import build

    if wanted:
        click.echo(f"{NAME} {__version__}\nbuild {build()}")
        context.exit()
