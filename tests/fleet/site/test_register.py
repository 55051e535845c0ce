"""The register publishes what was consented to and no more, and its documents say what the store says."""

from __future__ import annotations

import json
import re
import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import registers
from jsonschema import Draft202012Validator
from lxml import etree
from registers import BUILT, DELETE, LATER

from conformance.fleet.register import status as documents
from conformance.fleet.site import build, names
from conformance.fleet.store.publication import unpublish, withdraw
from conformance.fleet.store.rows import StoreFault, Target
from conformance.fleet.store.store import Store

SCHEMA = json.loads((files("conformance.schemas") / "register-status.schema.json").read_bytes())


@pytest.fixture
def own(tmp_path: Path, registered: Path) -> Path:
    """A copy of the store and of its runs, which a test may change."""
    shutil.copytree(registered.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / registered.name


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def status(folder: Path, store: Path, target: str, number: int = 0) -> dict[str, Any]:
    path = documents.file_of(registers.digest_of(store, target, number))
    return json.loads((folder / path).read_bytes())


def page(folder: Path, target: str) -> str:
    return (folder / f"services/{names.of_service(target)}.html").read_text("utf-8")


def test_nothing_of_a_service_without_consent_is_published(register: Path, registered: Path) -> None:
    with Store.open(registered) as opened:
        (run,) = opened.runs(registers.SECRET)
    traces = (registers.SECRET, registers.SECRET_URL, run.bundle, run.evidence, run.report)
    traces += (names.of_service(registers.SECRET),)

    for name, data in content(register).items():
        assert [each for each in traces if each.encode() in data or each in name] == [], name


def test_the_right_to_test_is_not_the_consent_to_publish_nor_that_of_former_runs(own: Path, tmp_path: Path) -> None:
    with Store.open(own) as opened:
        opened.set_target(Target(name=registers.SECRET, base_url=registers.SECRET_URL, authority="contract 12"))
        unpublish(opened, "worse")
        registers.consented(opened, "worse")
    registers.built(own, tmp_path / "out")
    assert not any(registers.SECRET.encode() in data for data in content(tmp_path / "out").values())
    assert registers.digest_of(own, "worse", 1) not in page(tmp_path / "out", "worse")


def test_each_document_has_the_shape_of_the_schema_and_states_the_run_and_no_grade(
    register: Path, registered: Path
) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    found = sorted((register / "status").glob("*.json"))
    plain = [path for path in found if ".dsse" not in path.name]

    assert (len(plain), len(found)) == (4, 8)
    for path in plain:
        data = json.loads(path.read_bytes())
        Draft202012Validator(SCHEMA).validate(data)
        assert documents.document(documents.read(data)) == path.read_bytes()
        assert path.name == f"{data['bundle']}.json"
    assert (register / "register-status.schema.json").is_file()
    assert not {"grade", "score", "rank", "points"} & {*SCHEMA["properties"]}

    stated = status(register, registered, "worse")
    assert stated["service"] == {"name": "worse", "base_url": "https://worse.example"}
    assert (stated["outcome"], stated["failures"], stated["state"]) == ("does-not-conform", [DELETE], "valid")
    assert (stated["finished"], stated["valid_until"]) == ("2026-02-02T12:00:01.000Z", "2026-05-03T12:00:01.000Z")
    assert stated["published_by"] == "authority"
    assert stated["run_by"] == {"name": "Registry of Examples", "key": "", "basis": "register"}
    assert stated["independence"] == {"value": "self", "basis": "none", "name": "", "key": ""}
    assert b"law 12" not in b"".join(content(register).values())


def test_the_number_grows_also_where_the_clock_went_back(registered: Path, tmp_path: Path) -> None:
    moments = (LATER, LATER, BUILT, "2026-06-01T05:00:00.999Z", "2026-06-02T05:00:00.000Z")
    numbers = [registers.built(registered, tmp_path / "out", moment=each).number for each in moments]

    (tmp_path / "out/site.json").write_text(f'{{"kind": "register", "number": {10**30}}}', "utf-8")
    assert registers.built(registered, tmp_path / "out", moment=BUILT).number == 20260301050000
    assert numbers == [20260601050000 + more for more in (0, 1, 2, 3)] + [20260602050000]
    assert status(tmp_path / "out", registered, "fine")["number"] == 20260301050000
    assert json.loads((tmp_path / "out/site.json").read_bytes())["number"] == 20260301050000


def test_a_store_that_was_restored_from_a_backup_takes_no_withdrawal_back(own: Path, tmp_path: Path) -> None:
    backup = shutil.copytree(own.parent, tmp_path.with_name(f"{tmp_path.name}-backup")) / own.name
    with Store.open(own) as opened:
        withdraw(opened, "fine", reason="Wrong.", stated="2026-02-25")
    registers.built(own, tmp_path / "out")
    before = content(tmp_path / "out")

    with pytest.raises(StoreFault, match=r"is withdrawn in the register in .*, and would be valid again") as fault:
        registers.built(backup, tmp_path / "out", moment=LATER[:5] + "03-02T05:00:00.000Z")
    assert "withdraw again what was withdrawn" in fault.value.remedy
    assert content(tmp_path / "out") == before

    with Store.open(backup) as opened:
        withdraw(opened, "fine", reason="Wrong.", stated="2026-02-25")
    assert registers.built(backup, tmp_path / "out").number == 20260301050001


def test_a_badge_says_outcome_and_date_and_loads_nothing(register: Path) -> None:
    image = (register / f"badges/{names.of_service('worse')}.svg").read_bytes()
    root = etree.fromstring(image)

    words = "does not conform, checked 2026-02-02, valid until 2026-05-03"
    title = root.findtext("{http://www.w3.org/2000/svg}title")
    assert title == root.get("aria-label") == f"Data Request Service Interface: {words}"
    assert (root.get("role"), root.xpath("string(//*[local-name()='text'][2])")) == ("img", words)
    assert re.findall(rb"href|url\((?!#)|<script|<image|@import", image) == []


def test_a_register_and_the_pages_of_a_store_never_replace_each_other(
    site: Path, register: Path, registered: Path, tmp_path: Path
) -> None:
    for folder in (site, register):
        shutil.copytree(folder, tmp_path / folder.name)
    with pytest.raises(StoreFault, match="is a site, and not a") as fault:
        registers.built(registered, tmp_path / site.name)
    assert "Name a new folder" in fault.value.remedy
    with Store.open(registered) as opened, pytest.raises(StoreFault, match="is a register, and not a"):
        build(opened, tmp_path / register.name, BUILT)
    assert [content(tmp_path / each.name) for each in (site, register)] == [content(each) for each in (site, register)]
