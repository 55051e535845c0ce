"""How a site is built: from what a store says now, row by row, into a folder that takes its place at the end."""

from __future__ import annotations

import heapq
import shutil
import tempfile
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

import msgspec

from conformance.model.requirements import catalogue
from conformance.model.verdict import Verdict
from conformance.site import names
from conformance.site.pages import STYLE, page, style
from conformance.store import LatestRun, Regression, Store, StoredRun, StoredVerdict, StoreFault

MARK: Final = "site.json"
"""The file by which a folder is known as a site, which a new one may replace."""

_ON_A_PAGE: Final = 500
"""Services on a page of the overview: about 200 KB."""
_IN_A_MATRIX: Final = 50
"""Services on a page of the matrix."""
_FAILING_SHOWN: Final = 1_000
"""Services on the page of a requirement; the data beside it have all."""
_RUNS_SHOWN: Final = 50
"""Runs on the page of a service; the data beside it have all."""
_IN_THE_FEED: Final = 100


@dataclass(frozen=True)
class Built:
    """What a site shows."""

    services: int
    failing: int
    """Services that fail a requirement."""
    regressions: int


@dataclass(frozen=True)
class _Site:
    store: Store
    folder: Path
    built: str

    def write(self, name: str, template: str, **values: object) -> None:
        """Write a page."""
        root = "../" * name.count("/")
        self._put(name, page(template, root=root, built=self.built, **values).encode())

    def data(self, name: str, value: object) -> None:
        """Write data as JSON."""
        self._put(name, msgspec.json.encode(value))

    def _put(self, name: str, content: bytes) -> None:
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def build(store: Store, output: Path, built: str) -> Built:
    """Build the site of a store in a folder, of the moment `built` (RFC 3339, UTC), and return what it shows.

    The folder is new, empty, or a site, which is replaced when the new one is complete. Raise StoreFault for another
    folder, and OSError if it cannot be written.
    """
    with _replacing(output) as folder:
        site = _Site(store, folder, built)
        site._put(STYLE, style().encode())
        worse = Counter(each.target for each in store.regressions())
        found = _overview(site, worse)
        _services(site, _requirements(site))
        _feed(site)
        site.data(MARK, {"built": built, **asdict(found)})
    return found


@contextmanager
def _replacing(output: Path) -> Iterator[Path]:
    """Yield a new folder that takes the place of `output` at the end."""
    is_new = not output.exists() or (output.is_dir() and not any(output.iterdir()))
    if not is_new and not (output / MARK).is_file():
        raise StoreFault(f"{output} is no site, and has files.", remedy="Name a new folder, or one with a site.")
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


def _overview(site: _Site, worse: Counter[str]) -> Built:
    services = failing = 0
    for number, runs, is_last in _parts(site.store.latest_runs(worst_first=True), _ON_A_PAGE):
        services += len(runs)
        failing += sum(run.failed > 0 for run in runs)
        links = _neighbours("index", number, is_last=is_last)
        site.write(names.of_part("index", number), "overview.html", runs=runs, worse=worse, number=number, **links)
        site.data(f"data/overview-{number}.json", runs)
    found = Built(services, failing, sum(worse.values()))
    if not services:
        site.write("index.html", "overview.html", runs=[], worse=worse, number=1, before="", after="")
    return found


def _services(site: _Site, known: Container[str]) -> None:
    """Write the page of each service, and the matrix of all. `known` are the requirements that have a page."""
    rows = catalogue().rows.values()
    services = ((run.target, _service(site, run, known)) for run in site.store.latest_runs())
    for number, some, is_last in _parts(services, _IN_A_MATRIX):
        links = _neighbours("matrix", number, is_last=is_last)
        site.write(names.of_part("matrix", number), "matrix.html", services=some, rows=rows, number=number, **links)


def _service(site: _Site, run: LatestRun, known: Container[str]) -> dict[str, StoredVerdict]:
    """Write the page of a service; return the verdicts of its latest run, by requirement."""
    store, name = site.store, names.of_service(run.target)
    runs = list(store.runs(run.target))
    verdicts, findings = list(store.verdicts(run.id)), list(store.findings(run.id))
    found = {id: list(some) for id, some in groupby(findings, attrgetter("requirement"))}
    statements = list(store.statements(run.id))
    changed = store.changes(run.target) if len(runs) > 1 else ()
    changes = {number: list(some) for number, some in groupby(changed, attrgetter("run"))}
    site.write(
        f"services/{name}.html",
        "service.html",
        run=run,
        timeline=list(_timeline(runs[:_RUNS_SHOWN], runs[1:])),
        changes=changes,
        shown=sorted((each for each in verdicts if not _is_plain(each, found)), key=_severity),
        plain=[each for each in verdicts if _is_plain(each, found)],
        findings=found,
        statements=statements,
        known=known,
        today=site.built[:10],
    )
    content = {"runs": runs, "changes": changes, "verdicts": verdicts, "findings": findings, "statements": statements}
    site.data(f"services/{name}.json", {"target": run.target, **content})
    return {each.requirement: each for each in verdicts}


def _is_plain(row: StoredVerdict, found: Container[str]) -> bool:
    """Tell whether a verdict asks for no attention, and has no finding to read."""
    return row.verdict in (Verdict.PASS, Verdict.NOT_APPLICABLE, Verdict.NOT_TESTED) and row.requirement not in found


def _timeline(runs: Iterable[StoredRun], before: Iterable[StoredRun]) -> Iterator[tuple[StoredRun, bool]]:
    """Yield each run with whether another build of the suite made the run before it."""
    older = iter(before)
    for run in runs:
        former = next(older, None)
        yield run, former is not None and former.suite_build != run.suite_build


def _severity(row: StoredVerdict) -> tuple[bool, int]:
    return (not row.alert and row.verdict is not Verdict.FAIL, _BY_SEVERITY.index(row.verdict))


_BY_SEVERITY: Final = tuple(Verdict)


def _requirements(site: _Site) -> Collection[str]:
    """Write the page of each requirement that the catalogue has or a service fails; return their ids."""
    rows = catalogue().rows
    numbers: dict[str, int] = {}
    for id, some in groupby(site.store.failing_requirements(), attrgetter("requirement")):
        failing = list(some)
        numbers[id] = len(failing)
        _requirement(site, id, failing)
    for id in rows.keys() - numbers.keys():
        _requirement(site, id, [])
    listed = {id: (rows.get(id), numbers.get(id, 0)) for id in [*rows, *numbers]}
    site.write("requirements.html", "requirements.html", listed=listed)
    return listed.keys()


def _requirement(site: _Site, id: str, failing: list[Any]) -> None:
    name = f"requirements/{names.of_requirement(id)}"
    oldest_first = sorted(failing, key=attrgetter("since", "target"))
    site.write(
        f"{name}.html",
        "requirement.html",
        id=id,
        row=catalogue().rows.get(id),
        failing=oldest_first[:_FAILING_SHOWN],
        number=len(failing),
        data=f"{names.of_requirement(id)}.json",
    )
    site.data(f"{name}.json", oldest_first)


def _feed(site: _Site) -> None:
    latest = heapq.nlargest(_IN_THE_FEED, site.store.regressions(), key=attrgetter("started", "target", "requirement"))
    entries = [(_urn(each), each) for each in latest]
    updated = max((each.started for each in latest), default=site.built)
    site.write("feed.xml", "feed.xml", entries=entries, updated=updated)
    site.data("data/regressions.json", latest)


def _urn(regression: Regression) -> str:
    """Return the id of an entry, which is the same in each site."""
    return uuid5(NAMESPACE_URL, f"{regression.target}\n{regression.requirement}\n{regression.started}").urn


def _parts(rows: Iterable[Any], size: int) -> Iterator[tuple[int, list[Any], bool]]:
    """Yield rows in parts: the number of each, which begins at 1, its rows, and whether it is the last one."""
    left, number = iter(rows), 1
    part = list(islice(left, size))
    while part:
        after = list(islice(left, size))
        yield number, part, not after
        part, number = after, number + 1


def _neighbours(name: str, number: int, *, is_last: bool) -> dict[str, str]:
    return {
        "before": names.of_part(name, number - 1) if number > 1 else "",
        "after": "" if is_last else names.of_part(name, number + 1),
    }
