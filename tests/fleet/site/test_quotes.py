"""A site and a register quote the specification beside what failed: a copy, or what runs keep of it."""

from __future__ import annotations

from pathlib import Path

import bundles
import pytest
from registers import BUILT, DELETE, built, consented
from stored_runs import recorded_run

from conformance.fleet.site import build, names
from conformance.fleet.store.store import Store
from conformance.model.requirements import catalogue
from conformance.model.specification import Specification, digest
from conformance.model.specification_places import Places

PLACE = catalogue()[DELETE].places[0]
WORDS = "Made-up words of <b>this</b> copy."
ALL = {"site/services", "site/requirements", "register/services"}


def quoting(file: Path, folder: Path, **how: object) -> set[str]:
    """Return where the pages of the service that failed, and of the requirement, quote the words."""
    with Store.open(file) as opened:
        build(opened, folder / "site", BUILT, **how)
    built(file, folder / "register", **how)
    service = f"services/{names.of_service('worse')}.html"
    pages = (f"site/{service}", f"site/requirements/{DELETE}.html", f"register/{service}", "register/index.html")
    made = {page: (folder / page).read_text("utf-8") for page in pages}
    return {
        page.rpartition("/")[0] for page, text in made.items() if "Made-up words of &lt;b&gt;this&lt;/b&gt;" in text
    }


@pytest.mark.parametrize("is_kept", [True, False])
def test_what_a_run_keeps_or_a_copy_has_is_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_kept: bool
) -> None:
    made_up = Places({PLACE: digest(WORDS)}, {}, {})
    monkeypatch.setattr("conformance.model.specification_places.places", lambda: made_up)
    file = tmp_path / "audits.sqlite"
    bundles.key(tmp_path)
    with Store.open(file, create=True) as opened:
        changes = {"quoted": {PLACE: WORDS}} if is_kept else {}
        opened.add_run(recorded_run(tmp_path / "run", failing=[DELETE], changes=changes), target="worse")
        consented(opened, "worse")

    assert quoting(file, tmp_path) == (ALL if is_kept else set())
    copy = Specification(catalogue().edition.digest, {PLACE: WORDS}, ())
    assert is_kept or quoting(file, tmp_path, copy=copy) == ALL
