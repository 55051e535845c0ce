"""The file of --pseudonym-key: the key under which the personal data of a run was replaced."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Final

from conformance.cli.errors import Failure, writing

_BYTES: Final = 32


def of(path: Path) -> bytes:
    """Return the key in the file; create the file with a random key if it does not exist."""
    with writing("--pseudonym-key", "The service was not contacted."):
        try:
            new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            with open(os.open(path, new, 0o600), "wb") as file:  # noqa: PTH123 - a descriptor
                key = secrets.token_bytes(_BYTES)
                file.write(f"{key.hex()}\n".encode())
                return key
        except FileExistsError:
            return read(path, "--pseudonym-key")


def read(path: Path, option: str) -> bytes:
    """Return the key in the file that `option` names; raise Failure if there is none."""
    remedy = "Name a file that an earlier run created"
    remedy += ", or one that does not exist." if option == "--pseudonym-key" else "."
    try:
        key = bytes.fromhex(path.read_text("ascii"))
    except OSError as error:
        raise Failure(f"{option}: {path} cannot be read: {error.strerror or error}.", remedy=remedy) from None
    except ValueError:
        key = b""
    if len(key) != _BYTES:
        what = f"{option}: {path} contains no key. Expected {2 * _BYTES} hexadecimal digits."
        raise Failure(what, remedy=remedy)
    return key
