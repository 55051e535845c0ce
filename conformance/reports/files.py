"""The files of a run, each of them whole or not there at all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from conformance.model import unique_keys
from conformance.model.exchange import Exchange
from conformance.model.printable import as_json
from conformance.model.report import Report, ReportData, report_of
from conformance.reports import basis, language
from conformance.trace import har
from conformance.trace.har import Har

if TYPE_CHECKING:
    from conformance.model.specification import Specification

EVIDENCE = "evidence.har"
DATA = "report.json"


@dataclass(frozen=True)
class Shown:
    """A run as its views show it: the report, perhaps with the words of the specification, and the exchanges."""

    report: Report
    evidence: Har
    """The HAR document."""
    digest: str
    """SHA-256 of report.json."""
    copy: Specification | None = None
    """The reader's copy of the specification, if it is the edition of the report."""

    @cached_property
    def exchanges(self) -> list[Exchange]:
        """The exchanges of the evidence; raise KeyError, TypeError or ValueError where another program wrote it."""
        return har.exchanges_of(self.evidence)


Render = Callable[[Shown], str]
"""Makes the text of a file."""


def _by(module: str, function: str, *members: str, **options: str) -> Render:
    """Return what makes a file by a function of a module of this folder, which is loaded when it is needed.

    The function takes the report, these other members of what is shown, and options.
    """

    def render(run: Shown) -> str:
        function_of_view = getattr(import_module(f"{__package__}.{module}"), function)
        made = function_of_view(run.report, *(getattr(run, each) for each in members), **options)
        return made if isinstance(made, str) else as_json(made, indent=1)

    return render


OF_PYTEST_HTML = {"pytest-html": {"pytest.html": _by("pytest_page", "render", "exchanges")}}
"""The page that another library makes."""

VIEWS = {
    "html": {"report.html": _by("html", "render", "exchanges")},
    "summary": {"summary.html": _by("summary_page", "render", "exchanges", "digest")},
    "junit": {"junit.xml": _by("junit", "render")},
    **OF_PYTEST_HTML,
    "ctrf": {"ctrf.json": _by("ctrf", "document")},
    "sarif": {"results.sarif": _by("sarif", "document")},
    "markdown": {"summary.md": _by("markdown", "render")},
    "csv": {"requirements.csv": _by("spreadsheet", "render")},
    "badge": {"badge.svg": _by("badge", "svg"), "badge.json": _by("badge", "endpoint")},
    "github": {"github.md": _by("markdown", "render"), "github.txt": _by("github", "commands")},
    "codequality": {"gl-code-quality-report.json": _by("sarif", "issues")},
}
"""The files of each format that is rendered from the data of a run."""

TRANSLATED = {
    f"summary.{code}": {f"summary.{code}.html": _by("summary_page", "render", "exchanges", "digest", language=code)}
    for code in language.languages()
    if code != language.ENGLISH
}
"""The files of each kind that is a translation. It is made of recorded runs only: no run depends on an extra."""

ANNOTATED = {"specification": {"specification.html": _by("annotated", "render", "exchanges", "copy")}}
"""The reader's copy with notes. It is made of recorded runs only, and never without the copy."""


def translated(kind: str, code: str) -> str:
    """Return the kind that is the translation of a kind into a language; without one, the kind itself."""
    return f"{kind}.{code}" if f"{kind}.{code}" in TRANSLATED else kind


_KINDS = VIEWS | TRANSLATED | ANNOTATED

FORMATS = ("json", "har", *VIEWS)
DEFAULT_FORMATS = ("json", "har", "html", "summary", "junit")

FILE_NAMES = (EVIDENCE, DATA, *(name for view in _KINDS.values() for name in view))
"""Every file that a run may write, in the order in which they take their places: data first, views after."""


class ViewCrashed(Exception):
    """A view cannot be rendered, because of a fault of the suite; its cause is the exception that it raised."""

    def __init__(self, kind: str, error: Exception) -> None:
        super().__init__(f"the format {kind}: {error!r}")
        self.kind = kind
        self.error = error


class SecretFound(Exception):
    """A file contains a token, in a form of this kind. No file took its place."""

    def __init__(self, name: str, kind: str) -> None:
        super().__init__(f"{name} contains a token as {kind}")
        self.name = name
        self.kind = kind


def write(
    directory: Path,
    report: ReportData,
    evidence: Har | None,
    formats: Collection[str] = DEFAULT_FORMATS,
    *,
    kind_in: Callable[[Path], str] = lambda _path: "",
    copy: Specification | None = None,
) -> list[Path]:
    """Write the data of a run, and the views named in `formats`, into `directory`; return the paths.

    `report.json` is always written, and `evidence.har` if there is evidence. Views of an earlier run are removed.
    The views quote `copy`, a reader's copy of the specification; the data do not. `kind_in` returns the kind of the
    form in which a finished file contains a token, or "". Raise SecretFound if one does, OSError if a file cannot be
    written, and ViewCrashed if a view cannot be rendered.
    """
    outdated = [directory / name for name in FILE_NAMES[2:]]
    return _written_whole(directory, report, evidence, ["har", "json", *formats], copy, kind_in, outdated)


def write_views(
    directory: Path,
    report: ReportData,
    evidence: Har | None,
    formats: Collection[str],
    copy: Specification | None = None,
) -> list[Path]:
    """Write the files of a recorded run that `formats` names into `directory`; return the paths. Raise as `write`."""
    kept = evidence if evidence and evidence["log"]["entries"] else None
    return _written_whole(directory, report, kept, formats, copy)


def rewrite(directory: Path, report: ReportData, evidence: Har, copy: Specification | None = None) -> list[Path]:
    """Replace the report.json of a recorded run, and the views that are beside it; return the paths. Raise as `write`.

    Everything that changes a report after its run goes through here. A copy with notes, which would say what was true
    before, is removed unless `copy` is given.
    """
    paths = write_views(directory, report, evidence, ["json", *kinds_in(directory)], copy)
    if copy is None:
        remove(directory / name for view in ANNOTATED.values() for name in view)
    return paths


def kinds_in(directory: Path) -> list[str]:
    """Return the kinds of which a folder has views, also those that only recorded runs have."""
    return [kind for kind, names in _KINDS.items() if any((directory / name).is_file() for name in names)]


def rendered(
    report: ReportData,
    evidence: Har | None,
    formats: Collection[str],
    copy: Specification | None = None,
    text: str | None = None,
) -> dict[str, str]:
    """Return the text of each view of `formats`, which quotes `copy`; `text` is that of report.json. Raise as `write`.

    Without a copy of its edition, a run has no copy with notes. Raise ModuleNotFoundError for a translation without
    Babel.
    """
    text = as_json(report, indent=2) if text is None else text
    made: dict[str, str] = {}
    for code in language.languages():
        if translated("summary", code) in formats:
            language.language(code)
    digest = hashlib.sha256(text.encode()).hexdigest()
    read = report_of(report)
    usable = copy if copy is not None and copy.edition == read.suite.edition else None
    shown = Shown(basis.quoting(read, copy), evidence or har.har([]), digest, usable)
    for kind in _KINDS if usable else VIEWS | TRANSLATED:
        for name, render in _KINDS[kind].items() if kind in formats else ():
            try:
                made[name] = render(shown)
            except Exception as error:
                raise ViewCrashed(kind, error) from error
    return made


def _written_whole(
    directory: Path,
    report: ReportData,
    evidence: Har | None,
    formats: Collection[str],
    copy: Specification | None,
    kind_in: Callable[[Path], str] = lambda _path: "",
    outdated: Iterable[Path] = (),
) -> list[Path]:
    """Write all files, and let them take their places only when all are complete; remove the `outdated` ones.

    So a view that fails leaves no verdict behind.
    """
    texts: dict[str, Iterable[str]] = {EVIDENCE: _entry_by_entry(evidence)} if evidence and "har" in formats else {}
    data = as_json(report, indent=2)
    texts |= {DATA: [data]} if "json" in formats else {}
    texts |= {name: [text] for name, text in rendered(report, evidence, formats, copy, data).items()}
    directory.mkdir(parents=True, exist_ok=True)
    paths = [directory / name for name in texts]
    with TemporaryDirectory(prefix=".", suffix=".part", dir=directory) as waiting:
        complete = [Path(waiting, name) for name in texts]
        for path, pieces in zip(complete, texts.values(), strict=True):
            _write(path, pieces)
        for path in complete:
            if kind := kind_in(path):
                raise SecretFound(path.name, kind)
        for path in outdated:
            path.unlink(missing_ok=True)
        try:
            for path in complete:
                path.replace(directory / path.name)
        except BaseException:
            remove(directory / path.name for path in complete if not path.exists())
            raise
    return paths


def _write(path: Path, pieces: Iterable[str]) -> None:
    """Write a file, and see that it is on the disk."""
    with path.open("wb") as file:
        file.writelines(piece.encode("utf-8") for piece in pieces)
        file.flush()
        os.fsync(file.fileno())


def remove(paths: Iterable[Path]) -> None:
    """Remove files as far as possible, because they state no result."""
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _entry_by_entry(evidence: Har) -> Iterator[str]:
    """Yield the JSON of `evidence` in pieces: as one text it would take several times the memory of the evidence."""
    frame = as_json({"log": {**evidence["log"], "entries": []}}, indent=None)
    before, _, after = frame.rpartition("[]")
    yield f"{before}["
    for index, entry in enumerate(evidence["log"]["entries"]):
        yield ",\n" if index else "\n"  # a line for each, so that they can be read one by one
        yield as_json(entry, indent=None).rstrip("\n")
    yield f"\n]{after}"


def evidence_in(file: Path) -> Har:
    """Return the evidence in a file; raise OSError or ValueError.

    A file as this suite writes it is read entry by entry: as one text it would take several times its memory.
    """
    with file.open("rb") as lines, suppress(ValueError, LookupError, TypeError, AttributeError):
        before = next(lines, b"")
        entries: list[Har] = []
        for line in lines:
            if line.startswith(b"]"):
                evidence: Har = unique_keys.loads(before + line + b"".join(lines))
                evidence["log"]["entries"] = entries
                return evidence
            entries.append(unique_keys.loads(line.rstrip(b",\n")))
    found: Har = unique_keys.loads(file.read_bytes())
    return found
