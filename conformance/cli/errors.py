"""What ends a command early, as one message and an exit code, and output streams that outlive their reader."""

from __future__ import annotations

import errno
import io
import os
import platform
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TextIO

import click

from conformance import NAME, __version__
from conformance.model.printable import printable
from conformance.model.verdict import Blame, Exit


class Failure(click.ClickException):
    """One message: what happened, where the cause lies, what to do next, and the state this leaves."""

    def __init__(
        self,
        message: str,
        *,
        remedy: str = "",
        cause: Blame | None = None,
        exit_code: Exit = Exit.USAGE,
        state: str = "",
    ) -> None:
        super().__init__(message)
        self.remedy, self.cause, self.state = remedy, cause, state
        self.code = exit_code

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the message to standard error, with control characters as escapes."""
        lines = [f"Error: {self.message}"]
        lines += [f"  cause  {self.cause}"] if self.cause else []
        lines += [f"  fix    {self.remedy}"] if self.remedy else []
        lines += [self.state] if self.state else []
        click.echo("\n".join(printable(line, keep="\n") for line in lines), file=file or sys.stderr)


def suite_failure(error: BaseException, redact: Callable[[str], str] = str, state: str = "") -> Failure:
    """Return the message for a crash of the suite that no report can describe, with the traceback of `error`."""
    details = redact("".join(traceback.format_exception(error))).rstrip()
    return Failure(
        f"{NAME} {__version__} itself failed. This says nothing about the service; no verdicts were written. "
        f"Python {platform.python_version()}, {platform.system()}.\n{details}",
        remedy=f"Report it to the issue tracker of {NAME}, with the lines above.",
        cause=Blame.SUITE,
        exit_code=Exit.BROKEN,
        state=state,
    )


def existing(file: Path, option: str = "--output") -> Failure:
    """Return the failure for a file of an option that exists: it may be the only one of its kind."""
    return Failure(f"{file} exists, and is not overwritten.", remedy=f"Name another file with {option}, or remove it.")


@contextmanager
def writing(option: str, state: str = "") -> Iterator[None]:
    """Raise Failure for a file that cannot be written; `option` names it."""
    try:
        yield
    except OSError as error:
        raise Failure(
            f"{error.filename or 'The output'} cannot be written: {error.strerror or error}.",
            remedy=f"Name a place that can be written with {option}.",
            state=state,
        ) from None


@contextmanager
def explained(
    redact: Callable[[str], str], state: Callable[[], str] = str, *, nothing_decided: str = ""
) -> Iterator[None]:
    """Turn an exception that ends a run without verdicts into a Failure; `redact` removes the secrets."""
    from conformance.model.errors import ConfigurationFault
    from conformance.run import explanations as why
    from conformance.run.check import CannotBegin

    def failure(message: str, remedy: str, cause: Blame, exit_code: Exit = Exit.USAGE) -> Failure:
        left = "\n".join(filter(None, [nothing_decided, state()]))
        return Failure(redact(message), remedy=redact(remedy), cause=cause, exit_code=exit_code, state=left)

    try:
        yield
    except click.ClickException:
        raise
    except CannotBegin as reason:
        found = why.explained(reason.obstacle, reason.session)
        raise failure(found.message, found.remedy, found.blame, found.exit_code or Exit.USAGE) from None
    except ConfigurationFault as fault:
        raise failure(str(fault), fault.remedy, Blame.CONFIGURATION) from None
    except Exception as error:
        raise suite_failure(error, redact, state()) from None


Failed = Callable[[click.ClickException], None]
"""What is done with the error that ended a command."""


def _show(error: click.ClickException) -> None:
    """Print an error as its class does it: click itself knows neither cause nor fix."""
    error.show()


def exit_code_of(command: click.Command, arguments: Sequence[str] | None, obj: object, failed: Failed = _show) -> int:
    """Run `command` and return its exit code; by default, print the error that ended it. Raises KeyboardInterrupt."""
    try:
        code = command.main(arguments, prog_name=NAME, standalone_mode=False, obj=obj)
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        failed(error)
        return error.code if isinstance(error, Failure) else Exit.USAGE
    except Exception as error:  # it must not look like a verdict
        failure = _failure_of(error)
        failed(failure)
        return failure.code
    if isinstance(code, int):  # a verdict, which a lost output does not change
        return code
    sys.stdout.flush()
    lost: OSError | None = getattr(sys.stdout, "lost", None)
    if lost is None or lost.errno in _NO_READER:
        return Exit.CONFORMS
    click.echo(f"Error: the output cannot be written: {lost.strerror}.", err=True)
    return Exit.USAGE


_NO_READER = (errno.EPIPE, errno.EINVAL) if sys.platform == "win32" else (errno.EPIPE,)
"""The errors of writing to a pipe whose reader has ended, such as `head`."""


def _failure_of(error: Exception) -> Failure:
    """Return the message for an exception that ended a command.

    It is a fault of the configuration or of the evidence, a wrong file, an absent package, or a crash.
    """
    from conformance.model.errors import ConfigurationFault
    from conformance.trust.archive import EvidenceFault

    if isinstance(error, ConfigurationFault | EvidenceFault):
        return Failure(str(error), remedy=error.remedy)
    if isinstance(error, ModuleNotFoundError):
        absent = (error.name or "").partition(".")[0]
        for extra, (what, packages) in _EXTRAS.items():
            if absent in packages:
                return Failure(
                    f"{what} need packages that are not installed here: {', '.join(packages)}.",
                    remedy=f"Install them with: pip install '{NAME}[{extra}]'",
                )
    return suite_failure(error)


_EXTRAS = {
    "evidence": ("Signatures and time stamps", ("cryptography", "rfc3161_client", "securesystemslib")),
    "audit": ("Stores and clusters", ("sqlalchemy", "fsspec", "psycopg", "distributed")),
    "login": ("Logins", ("authlib", "keyring")),
    "languages": ("Languages other than English", ("babel",)),
}
"""What needs the packages of an extra, and their names, by the name of the extra."""


class Stream:
    """A text stream that drops what it cannot write.

    A run has to clean up and write its report also when its terminal was closed or `| head` stopped reading.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream or io.StringIO()
        self.lost: OSError | None = None
        """The first error of writing."""
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

    def write(self, text: str) -> int:
        """Write `text`, unless an earlier attempt failed."""
        self._attempt(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        """Flush, unless an earlier attempt failed."""
        self._attempt(self._stream.flush)

    def _attempt(self, action: Callable[[], object]) -> None:
        if self.lost is None:
            try:
                action()
            except OSError as error:
                self.lost = error

    def end(self) -> None:
        """Flush; on an error, direct the rest to nowhere: Python would flush again at its end and complain."""
        self.flush()
        if self.lost is not None:
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def lasting_streams() -> Iterator[None]:
    """Replace standard output and standard error by streams that drop what they cannot write."""
    before = sys.stdout, sys.stderr
    streams = Stream(sys.stdout), Stream(sys.stderr)
    sys.stdout, sys.stderr = streams
    try:
        yield
    finally:
        for stream in streams:
            stream.end()
        sys.stdout, sys.stderr = before
