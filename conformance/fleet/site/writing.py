"""How the files of a site are written: pages and data into a new folder, which takes the place of the old one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Final

import msgspec

from conformance.fleet.site import names
from conformance.fleet.site.pages import environment
from conformance.fleet.store.rows import StoreFault
from conformance.fleet.store.store import Store
from conformance.model.specification import Specification
from conformance.reports.language import ENGLISH, language, speaking

KIND: Final = "site"
"""What the pages of a store say that they are in MARK."""

MARK: Final = "site.json"
"""The file by which a folder is known as a site, which a new one may replace."""


@dataclass(frozen=True, kw_only=True)
class Pages:
    """Pages that are being built, in each of their languages, and the files beside them."""

    folder: Path
    built: str
    """The moment of the pages, RFC 3339 in UTC."""
    languages: Sequence[str] = (ENGLISH,)
    """The codes of the languages. The pages of the first are in the folder itself, others in one of their language."""
    quoted: Mapping[str, str] = field(default_factory=dict)
    """The words of the specification by place, which the pages quote."""

    @property
    def homes(self) -> dict[str, str]:
        """Return where in the folder the pages of each language are, such as "" and "de/"."""
        return {code: f"{code}/" if number else "" for number, code in enumerate(self.languages)}

    def each_language(self) -> Iterator[str]:
        """Speak each language in turn, and yield its place in `homes`."""
        for code, home in self.homes.items():
            with speaking(code):
                yield home

    def write(self, name: str, template: str, **values: object) -> None:
        """Write the page `name` in each language.

        Its template gets `root` and `home`, which lead from the folder of the page to that of the site and to that of
        the language, and `translations`: code, name and address of each.
        """
        homes = self.homes.items()
        for here in self.each_language():
            root = "../" * (here + name).count("/")
            translations = [(code, language(code).name, f"{root}{home}{name}") for code, home in homes]
            places = {"root": root, "home": root + here, "translations": translations if len(homes) > 1 else []}
            own = {"quoted": self.quoted, "built": self.built, **places}
            self.put(here + name, environment().get_template(template).render(values | own).encode())

    def data(self, name: str, value: object) -> None:
        """Write data as JSON."""
        self.put(name, msgspec.json.encode(value))

    def put(self, name: str, content: bytes) -> None:
        """Write a file."""
        self.place(name).write_bytes(content)

    def place(self, name: str) -> Path:
        """Return the path of a file, in a folder that exists."""
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        return place


@dataclass(frozen=True, kw_only=True)
class Site(Pages):
    """The site of a store."""

    store: Store
    reports: bool
    """Whether it has the report of the latest run of each service."""
    copy: Specification | None = None
    """What these reports quote."""


@contextmanager
def replacing(output: Path, kind: str) -> Iterator[Path]:
    """Yield a new folder that takes the place of `output` at the end; raise StoreFault for another folder with files.

    Neither does a site take the place of one of another kind: a register is public, and the pages of a store are not.
    """
    is_new = not output.exists() or (output.is_dir() and not any(output.iterdir()))
    if not is_new and not (output / MARK).is_file():
        raise StoreFault(f"{output} is no site, and has files.", remedy="Name a new folder, or one with a site.")
    if not is_new and (other := _kind(output)) != kind:
        raise StoreFault(f"{output} is a {other}, and not a {kind}.", remedy="Name a new folder for each of them.")
    output.parent.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=f".{output.name}.", dir=output.parent))
    try:
        new, old = place / "new", place / "old"
        new.mkdir()
        yield new
        if output.exists():
            output.rename(old)
        try:
            new.rename(output)
        except OSError:
            if old.exists():
                old.rename(output)
            raise
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _kind(output: Path) -> str:
    """Return what a site says that it is."""
    with suppress(OSError, msgspec.DecodeError, KeyError):
        return str(msgspec.json.decode((output / MARK).read_bytes(), type=dict[str, Any])["kind"])
    return "folder of another program"


def in_parts(name: str, rows: Iterable[Any], size: int) -> Iterator[tuple[str, list[Any], dict[str, Any]]]:
    """Yield rows in parts, of which there is at least one: the page of each, its rows, and its place among the parts.

    The pages are named after the first one, `name`. The place is the number of the part, which begins at 1, and the
    names of the pages `before` and `after` it, which are empty where there is none.
    """
    left, number, beside = iter(rows), 1, name.rpartition("/")[2]
    part = list(islice(left, size))
    while part or number == 1:
        following = list(islice(left, size))
        before = names.of_part(beside, number - 1) if number > 1 else ""
        after = names.of_part(beside, number + 1) if following else ""
        yield names.of_part(name, number), part, {"number": number, "before": before, "after": after}
        part, number = following, number + 1
