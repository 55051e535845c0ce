"""What the user trusts: files of the working directory, as long as they stay as they are.

What is trusted is a content at a place: the digest of a file is kept by its absolute path, in a file for this user
alone. A file that has changed, was copied or moved, or is a link is not trusted. direnv and mise do the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from conformance import NAME
from conformance.cli.errors import Failure, writing
from conformance.model.printable import printable

_IS_A_LINK: Final = "is a symbolic link, which is never trusted"


@dataclass(frozen=True)
class Subject:
    """What may be trusted: files with their contents, the first of which the option `named_by` can name."""

    files: Mapping[Path, bytes]
    named_by: str
    decides: str
    shown: list[str]

    @property
    def lines(self) -> list[str]:
        """What the files decide, for a terminal."""
        return [printable(f"  {line}") for line in self.shown]

    def remember(self) -> None:
        """Trust the files as they are now; raise Failure if that cannot be kept."""
        from conformance.http.own_folder import write
        from conformance.model.errors import ConfigurationFault

        for path, content in self.files.items():
            if path.is_symlink():
                raise Failure(f"{path} {_IS_A_LINK}.", remedy=f"Name the file with {self.named_by}.")
            try:
                write(_note_of(path), {"path": str(_place(path)), "sha256": _digest(content)})
            except (ConfigurationFault, OSError) as error:
                raise Failure(
                    f"It cannot be kept that {path} is trusted: {error}",
                    remedy=f"Name the file with {self.named_by}, or a folder for the state with XDG_STATE_HOME.",
                ) from None

    def demand(self) -> None:
        """Raise Failure unless the files are trusted as they are now; a person at a terminal is asked first."""
        problems = {path: why for path, content in self.files.items() if (why := _distrust(path, content))}
        if not problems:
            return
        first = next(iter(self.files))
        found = "; ".join(f"{'it' if path == first else path} {why}" for path, why in problems.items())
        message = f"{first} {self.decides}, but {found}."
        if _IS_A_LINK not in problems.values() and self._is_agreed(message):
            self.remember()
            return
        raise Failure(
            f"{message} A file that may come from others does not decide where tokens go, what is executed, what stays "
            "private, or what counts.",
            remedy=f"If you know what it says, name it: {self.named_by} {first}. Or trust it as it is: {NAME} trust.",
            state="Nothing was executed, and no service was contacted.",
        )

    def _is_agreed(self, message: str) -> bool:
        """Whether a person at a terminal agrees; a pipeline may have a terminal, and no person at it."""
        if os.environ.get("CI") or not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
            return False
        click.echo("\n".join([printable(message), *self.lines]), err=True)
        click.echo("Trust it, as it is now? [y/N] ", nl=False, err=True)
        return sys.stdin.readline().strip().lower() in ("y", "yes")


def _distrust(path: Path, content: bytes) -> str:
    """Return why a file with this content is not trusted, or ""."""
    from conformance.http.own_folder import read
    from conformance.model.errors import ConfigurationFault

    if path.is_symlink():
        return _IS_A_LINK
    try:
        note = read(_note_of(path))
    except ConfigurationFault as fault:
        return f"is not trusted, because nothing can be kept for this user ({str(fault).rstrip('.')})"
    if note is None:
        return "was only found in this folder"
    try:
        is_same = json.loads(note) == {"path": str(_place(path)), "sha256": _digest(content)}
    except ValueError:
        is_same = False
    return "" if is_same else "has changed since it was trusted"


def _note_of(path: Path) -> Path:
    from conformance.http.own_folder import own_folder

    name = hashlib.sha256(str(_place(path)).encode("utf-8", "surrogateescape")).hexdigest()
    return own_folder("trusted") / f"{name}.json"


def _place(path: Path) -> Path:
    """Return the absolute path of a file, also of one that is a link."""
    return path.parent.resolve() / path.name


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def forget(path: Path) -> None:
    """Trust a file no more."""
    from conformance.model.errors import ConfigurationFault

    with suppress(ConfigurationFault), writing("XDG_STATE_HOME"):  # without a home folder nothing was kept
        _note_of(path).unlink(missing_ok=True)
