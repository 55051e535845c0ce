"""Has a command print an access token, or says in words why it gave none."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from conformance.reports.text import one_line

PATIENCE: Final = 60.0
"""Seconds that a command may take."""

_LONGEST_LINE: Final = 200
"""Characters shown of what a command says on standard error."""

_LONGEST_READ: Final = 2000
"""Characters in which tokens are looked for: what comes after them is not shown."""

_SHORTEST: Final = 6
"""Characters. What is shorter and was printed too is left as it is: it would shred the line, and is no token."""

_HIDDEN: Final = "[hidden]"

_NO_PROGRAM: Final = "what looks like a token, and is not shown,"

_WORD: Final = re.compile(r"[^\s\"'<>,;()\[\]{}=&?:]+")

_LIKE_A_TOKEN: Final = re.compile(r"(?=.*\d).{16,}|.*[\w~+-]{32,}.*")
"""A host name with a number in it is hidden as well: rather that than a token that is shown."""

_NAMED_SECRET: Final = re.compile(
    r"(\b(?:bearer|basic)\s+|[\w-]*(?:token|secret|passw|key)[\w-]*[\"']?\s*(?:=|:\s*[\"'])\s*[\"']?)[^\s\"'&,;]+",
    re.IGNORECASE,
)

_FOR_A_SHELL: Final = re.compile(r"&&|[|;<>`]|\$\(|\$\{\w+\}?|\$\w+|(?<!\S)~/|^\s*\w+=")

_SHELLS: Final = frozenset(["sh", "ash", "bash", "dash", "fish", "ksh", "zsh"])


class NoToken(Exception):
    """A command gave no token; `remedy` says what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


class Ended(NoToken):
    """A signal ended the command, which may give a token when it is run again."""


def output_of(
    command: str,
    tokens: Iterable[str] = (),
    on_start: Callable[[subprocess.Popen[bytes] | None], object] = bool,
) -> str:
    """Return what a command prints, run without a shell; raise NoToken, in which none of `tokens` shows.

    `on_start` is given the process once it runs, and None once it has ended.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        problem = f"the command cannot be split into words ({str(error).lower()})."
        raise NoToken(problem, "Close each quote, and put a quote that is meant as such into quotes itself.") from None
    if not words:
        raise NoToken("there is no command in it.", "Name a program that prints an access token.")
    program = _shown(words[0])
    try:
        done = _run(words, on_start)
    except subprocess.TimeoutExpired:
        raise NoToken(
            f"{program} took longer than {PATIENCE:g} s, and was ended.",
            f"See what it waits for: it has to print the token without asking anything.{no_shell(command)}",
        ) from None
    except (OSError, ValueError) as error:
        raise _not_run(program, words[0], command, error) from None
    if done.returncode:
        kind = Ended if done.returncode < 0 else NoToken
        raise kind(
            f"{program} {_ending(done.returncode)} instead of printing a token{_last_line(done, tokens)}",
            f"Run it by itself to see what it needs.{no_shell(command)}",
        )
    return done.stdout.decode("utf-8", "replace")


def _run(
    words: list[str], on_start: Callable[[subprocess.Popen[bytes] | None], object]
) -> subprocess.CompletedProcess[bytes]:
    # In a session of its own, a command that renews a token is not ended by the Ctrl-C that a run cleans up after.
    with subprocess.Popen(  # noqa: S603 - the user's own
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        on_start(process)
        try:
            printed, said = process.communicate(timeout=PATIENCE)
        except BaseException:
            end(process)
            raise
        finally:
            on_start(None)
    return subprocess.CompletedProcess(words, process.returncode, printed, said)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a command and what it started: what a shell waits for would live on without it."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def no_shell(command: str) -> str:
    """Return a sentence for whoever wrote a command as for a shell, with a space before it; nothing for others."""
    signs = " and ".join(dict.fromkeys(filter(None, map(_sign, _FOR_A_SHELL.findall(command)))))
    if not signs or any(Path(word).name in _SHELLS for word in command.split()):
        return ""
    return f" No shell reads the command: {signs} in it stands for itself. Use a script, or sh -c '…'."


def _sign(found: str) -> str:
    """Return what a shell would read, without what may be part of a password; nothing where that may be a token."""
    sign = found.strip()
    if sign.startswith("$") and sign != "$(":
        return "${…}" if sign.startswith("${") else "$…"
    return "" if _LIKE_A_TOKEN.fullmatch(sign.removesuffix("=")) else sign


def _not_run(program: str, path: str, command: str, error: OSError | ValueError) -> NoToken:
    hint = no_shell(command)
    match error:
        case OSError() if program == _NO_PROGRAM:
            return NoToken(
                f"{program} was not found.",
                "Give a token itself as DRSI_TOKEN or DRSI_OTHER_TOKEN: a command names a program that prints one.",
            )
        case FileNotFoundError() if "/" in path and _kind_at(path):
            return NoToken(f"{program} names in its first line a program that was not found.", "Mend that line.")
        case FileNotFoundError():
            return NoToken(f"{program} was not found.", f"Check how it is spelt, or give its whole path.{hint}")
        case PermissionError() if _kind_at(path) == "folder":
            return NoToken(f"{program} is a folder.", f"Name a program that prints an access token.{hint}")
        case PermissionError() if "/" in path and not _kind_at(path):
            return NoToken(
                f"{program} may not be run.", f"See that each folder on the way to it may be entered (chmod +x).{hint}"
            )
        case PermissionError():
            return NoToken(
                f"{program} may not be run.", f"Make it executable (chmod +x), or name what runs it before it.{hint}"
            )
        case OSError():
            why = error.strerror or str(error)
            return NoToken(
                f"{program} could not be run: {why}.",
                f"Begin a script with the line #!/bin/sh, or name what runs it before it.{hint}",
            )
    return NoToken(f"{program} could not be run: {error}.", f"Mend the command.{hint}")


def _kind_at(path: str) -> str:
    """Return "folder" or "file", and nothing where nothing is there, or none may look."""
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return ""
    return "folder" if stat.S_ISDIR(mode) else "file"


def _shown(program: str) -> str:
    """Return the name of a program.

    Nothing shows of the value in what a shell would take for the setting of a variable, nor of a token that was given
    for the command that prints it.
    """
    name, sign, _ = program.partition("=")
    is_path = program.startswith(("/", "./", "../", "~/")) or _kind_at(program)
    if _LIKE_A_TOKEN.fullmatch(name) and not is_path and shutil.which(program) is None:
        return _NO_PROGRAM
    return one_line(f"{name}{sign and '=…'}", _LONGEST_LINE)


def _ending(code: int) -> str:
    if code > 0:
        return f"ended with exit code {code}"
    return f"was ended by {signal.Signals(-code).name if -code in set(signal.Signals) else f'signal {-code}'}"


def _last_line(done: subprocess.CompletedProcess[bytes], tokens: Iterable[str]) -> str:
    """Return the last line of standard error as the end of a sentence, with nothing in it that may be a token."""
    said = done.stderr.decode("utf-8", "replace").strip()
    if not said:
        return ", and said nothing on standard error."
    line = said.splitlines()[-1].strip()
    if len(line) > _LONGEST_READ:
        line = line[:_LONGEST_READ].rsplit(maxsplit=1)[0]  # a word that is cut is known for nothing
    printed = done.stdout.decode("utf-8", "replace")
    secrets = {*tokens, *printed.split(), *_WORD.findall(printed)}
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST and secret.lower() in line.lower():
            line = re.sub(re.escape(secret), _HIDDEN, line, flags=re.IGNORECASE)
    line = _NAMED_SECRET.sub(rf"\1{_HIDDEN}", line)
    line = _WORD.sub(lambda word: _HIDDEN if _LIKE_A_TOKEN.fullmatch(word[0]) else word[0], line)
    return f"; the last line of its standard error is: {one_line(line, _LONGEST_LINE)}"
