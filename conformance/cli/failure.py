"""How the command says that it could not do what it was asked to."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import IO, Any

import click

from conformance import NAME, __version__
from conformance.model.verdict import Blame, Exit


class Failure(click.ClickException):
    """One clear message: what was found, where the cause lies, what to do. Everything is made printable."""

    def __init__(
        self,
        message: str,
        *,
        remedy: str = "",
        blame: Blame | None = None,
        exit_code: Exit = Exit.USAGE,
        aftermath: str = "",
    ) -> None:
        """`aftermath` says what state things are in because of it."""
        super().__init__(message)
        self.remedy = remedy
        self.blame = blame
        self.code = exit_code
        self.aftermath = aftermath

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the message to standard error."""
        from conformance.model.text import printable

        lines = [f"Error: {self.message}"]
        lines += [f"  blame  {self.blame}"] if self.blame else []
        lines += [f"  to do  {self.remedy}"] if self.remedy else []
        lines += [self.aftermath] if self.aftermath else []
        click.echo("\n".join(printable(line, keep="\n") for line in lines), file=file or sys.stderr)


class SuiteFailure(Failure):
    """The suite itself failed, and there is no report that could say so."""

    def __init__(self, error: BaseException, *, redact: Callable[[str], str] = str, aftermath: str = "") -> None:
        """Show the traceback of `error`, without secrets, for the report of the crash."""
        import platform
        import traceback

        details = redact("".join(traceback.format_exception(error)))
        super().__init__(
            f"{NAME} {__version__}: the suite itself failed; this says nothing of the service, and no verdicts were "
            f"written. Python {platform.python_version()}, {platform.system()}.\n{details.rstrip()}",
            remedy=f"report it to the issue tracker of {NAME}, with the lines above.",
            blame=Blame.SUITE,
            exit_code=Exit.BROKEN,
            aftermath=aftermath,
        )
