"""The build of the suite: the digest of its own code, by which a recorded run tells which code judged it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

_PACKAGES: Final = ("conformance", "conformance.schemas")
_OF_CODE: Final = (".py", ".toml", ".json", ".ini")
"""Endings of the files that are code, or that code reads."""
_TEMPLATES: Final = "templates"
"""The name of the folders whose files all are code."""
_NO_CODE: Final = ("__pycache__", "conformance/fixtures", "conformance/calibration/score.json")
"""Files and folders that change no verdict: copies of the interpreter, samples, and measurements."""


@cache
def build() -> str:
    """Return the digest of the installed code as "sha256:" and 64 hexadecimal digits, also of an editable install.

    It covers the name and the content of each file: two installations of one wheel, and the source that the wheel was
    made of, have the same digest.
    """
    found = {name: file for package in _PACKAGES for name, file in _code(package.replace(".", "/"), files(package))}
    digest = hashlib.sha256()
    for name in sorted(found):
        content = hashlib.sha256(found[name].read_bytes()).hexdigest()
        digest.update(f"{content}  {name}\n".encode())
    return f"sha256:{digest.hexdigest()}"


def _code(name: str, place: Traversable) -> Iterator[tuple[str, Traversable]]:
    """Yield each file of code in a folder, with its name as an import has it."""
    for each in place.iterdir():
        path = f"{name}/{each.name}"
        if {path, each.name} & set(_NO_CODE):
            continue
        if each.is_dir():
            yield from _code(path, each)
        elif each.name.endswith(_OF_CODE) or name.endswith(f"/{_TEMPLATES}"):
            yield path, each
