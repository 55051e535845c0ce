"""The build of the suite: the digest of its own code, by which a recorded run tells which code judged it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

_PACKAGES: Final = ("conformance", "conformance.schemas")
_OF_CODE: Final = (".py", ".toml", ".json", ".ini", ".typed", ".yml", ".po")
"""Endings of the files that are code, or that code reads."""
_TEMPLATES: Final = "templates"
"""The name of the folders whose files all are code."""
NO_CODE: Final = (
    *("conformance/fixtures/", "conformance/ci_templates/", "conformance/calibration/score.json"),
    "conformance/py.typed",
)
"""Files that change neither a verdict nor a page: samples, pipeline files, the score, which a report has itself."""


@cache
def build() -> str:
    """Return the digest of the installed code as "sha256:" and 64 hexadecimal digits, also of an editable install.

    It covers names and contents: installations of one wheel, and the source that it was made of, have the same digest.
    """
    return digest_of({name: file.read_bytes() for name, file in files_of(_PACKAGES).items()})


def digest_of(content: Mapping[str, bytes]) -> str:
    """Return the digest of these files, by their names as an import has them, without NO_CODE."""
    digest = hashlib.sha256()
    for name in sorted(name for name in content if not name.startswith(NO_CODE)):
        digest.update(f"{hashlib.sha256(content[name]).hexdigest()}  {name}\n".encode())
    return f"sha256:{digest.hexdigest()}"


def files_of(packages: Iterable[str]) -> dict[str, Traversable]:
    """Return the files of installed packages, by their names as an import has them: those that a wheel of them has."""
    return {name: file for package in packages for name, file in _files(package.replace(".", "/"), files(package))}


def _files(name: str, place: Traversable) -> Iterator[tuple[str, Traversable]]:
    """Yield each file in a folder, with its name."""
    for each in place.iterdir():
        path = f"{name}/{each.name}"
        if each.is_dir():
            yield from _files(path, each) if each.name != "__pycache__" else ()
        elif each.name.endswith(_OF_CODE) or name.endswith(f"/{_TEMPLATES}"):
            yield path, each
