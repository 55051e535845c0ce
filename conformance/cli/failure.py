"""How the command says that it could not do what it was asked to."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import IO, Any

import click

from conformance import NAME, __version__
from conformance.verdict import Blame, Exit


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
        from conformance.reports.text import printable

        lines = [f"Error: {self.message}"]
        lines += [f"  blame  {self.blame}"] if self.blame else []
        lines += [f"  to do  {self.remedy}"] if self.remedy else []
        lines += [self.aftermath] if self.aftermath else []
        click.echo("\n".join(printable(line, keep="\n") for line in lines), file=file or sys.stderr)


class SuiteFailure(Failure):
    """The suite itself is at fault: nothing is said of the target."""

    def __init__(self, details: str, *, on_screen: bool = False, aftermath: str = "") -> None:
        """`details` (a traceback, without secrets) go to a file, or to the screen."""
        what = "the suite itself failed; this says nothing of the service, and no verdicts were written"
        head = f"{NAME}: {what}"
        remedy = "please report it, with"
        if on_screen or (path := _keep(details)) is None:
            super().__init__(
                f"{head}.\n{details.rstrip()}",
                remedy=f"{remedy} the lines above.",
                blame=Blame.SUITE,
                exit_code=Exit.BROKEN,
                aftermath=aftermath,
            )
        else:
            super().__init__(
                f"{head}.",
                remedy=f"{remedy} the details in {path} (--debug shows them here).",
                blame=Blame.SUITE,
                exit_code=Exit.BROKEN,
                aftermath=aftermath,
            )

    @classmethod
    def of(
        cls,
        error: BaseException,
        *,
        on_screen: bool = False,
        redact: Callable[[str], str] = str,
        aftermath: str = "",
    ) -> SuiteFailure:
        """Return the failure that an exception nobody expected comes to."""
        import traceback

        details = redact("".join(traceback.format_exception(error)))
        return cls(details, on_screen=on_screen, aftermath=aftermath)


def _keep(details: str) -> str | None:
    """Write `details` to a file of their own and return its name; None when there is no place for it."""
    import platform
    import tempfile

    from conformance.reports.text import printable

    head = f"{NAME} {__version__}, Python {platform.python_version()}, {platform.system()}\n\n"
    try:
        with tempfile.NamedTemporaryFile("w", prefix=f"{NAME}-", suffix=".txt", delete=False, encoding="utf-8") as file:
            file.write(head + printable(details, keep="\n"))
    except OSError:
        return None
    return file.name
