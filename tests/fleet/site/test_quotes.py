"""A site and a register say in words what failed, and quote the specification: a copy, or what runs keep of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from registers import BUILT, built, consented
from stored_runs import recorded_run

from conformance.fleet.site import build, names
from conformance.fleet.store.store import Store
from conformance.fleet.store.transfer import export, take_over
from conformance.model.requirements import catalogue
from conformance.model.specification import Specification, digest
from conformance.model.specification_places import Places

DELETE = "4.3-answers-ok"
PLACE = catalogue()[DELETE].places[0]
WORDS = "Made-up words of <b>this</b> copy."


@pytest.fixture(autouse=True)
def _edition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the made-up words be those of the edition."""
    made_up = Places({PLACE: digest(WORDS)}, {}, {})
    monkeypatch.setattr("conformance.model.specification_places.places", lambda: made_up)


def store(folder: Path, quoted: Mapping[str, str]) -> Path:
    """Make a store with a published service that failed, whose run keeps these words."""
    changes = {"quoted": quoted} if quoted else {}
    file = folder / "audits.sqlite"
    with Store.open(file, create=True) as opened:
        opened.add_run(recorded_run(folder / "run", failing=[DELETE], changes=changes), target="worse")
        consented(opened, "worse")
    return file


def pages(file: Path, folder: Path, requirement: str = DELETE, **how: object) -> dict[str, str]:
    """Return the pages of the site and of the register that say that the service failed."""
    site, register = folder / "site", folder / "register"
    with Store.open(file) as opened:
        build(opened, site, BUILT, **how)
    built(file, register, **how)
    made = {
        "service": site / f"services/{names.of_service('worse')}.html",
        "requirement": site / f"requirements/{requirement}.html",
        "registered service": register / f"services/{names.of_service('worse')}.html",
        "register": register / "index.html",
    }
    return {name: path.read_text("utf-8") for name, path in made.items()}


def quoting(made: Mapping[str, str]) -> set[str]:
    return {name for name, text in made.items() if "Made-up words of &lt;b&gt;this&lt;/b&gt; copy." in text}


ALL = {"service", "requirement", "registered service"}


def test_what_a_run_keeps_is_quoted_also_after_an_export(tmp_path: Path) -> None:
    file, other = store(tmp_path, {PLACE: WORDS}), tmp_path / "other.sqlite"
    assert quoting(pages(file, tmp_path)) == ALL
    with Store.open(file) as opened, Store.open(other, create=True) as second:
        export(opened, tmp_path / "all.zip")
        take_over(second, tmp_path / "all.zip", lambda _bundle: None)
        assert second.words() == {PLACE: WORDS}


def test_a_copy_is_quoted_and_not_kept(tmp_path: Path) -> None:
    file = store(tmp_path, {})

    assert quoting(pages(file, tmp_path, copy=Specification(catalogue().edition.digest, {PLACE: WORDS}, ()))) == ALL
    assert quoting(pages(file, tmp_path)) == set()
