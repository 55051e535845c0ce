"""What the suite keeps for one user between its commands: files in a folder that only this user can read or change."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conformance.http.creations.locks import lock
from conformance.model.errors import ConfigurationFault
from conformance.model.user_folders import user_folder


def own_folder(name: str) -> Path:
    """Return the folder with this name in the folder for the state of this user's programs; it need not exist.

    Raise ConfigurationFault for a user without a home folder.
    """
    try:
        return user_folder("XDG_STATE_HOME", ".local/state", "Library/Application Support") / name
    except RuntimeError:  # a user without an entry, as in a container
        raise ConfigurationFault(
            f"This user has no home folder for {name}.", remedy="Name a folder for them with XDG_STATE_HOME."
        ) from None


def write(path: Path, data: dict[str, Any]) -> None:
    """Write a file of an own folder as JSON, in place of a former one; raise OSError."""
    _make(path.parent)
    # mkstemp makes a file with mode 0600; a reader sees the whole former file, or the whole new one.
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor
            json.dump(data, file, indent=1)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read(path: Path) -> bytes | None:
    """Return the content of a file of an own folder, or None if there is none.

    Raise ConfigurationFault if it is a link, cannot be read, or if other users of this machine can read or change it.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    except OSError as error:
        raise ConfigurationFault(f"{path} cannot be read: {error.strerror}.", remedy="Remove it.") from None
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
        found = os.fstat(file.fileno())
        if hasattr(os, "getuid") and (found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o077):
            raise ConfigurationFault(f"{path}: other users of this machine can read or write it.", remedy="Remove it.")
        return file.read()


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Read and write a file of an own folder while no other process of this user does; raise OSError."""
    path = path.with_suffix(".lock")
    _make(path.parent)
    with path.open("ab") as file:
        path.chmod(0o600)
        lock(file, exclusive=True, wait=True)
        yield


def _make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
