"""A store is exported and imported without loss, from one kind of database to the other."""

from __future__ import annotations

import shutil
import sqlite3
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bundles
import pytest
import registers
import report_samples as samples
from sqlalchemy import select
from stored_runs import URL, recorded_run, restated

from conformance.store import Store, StoreFault, Target, tables, transfer
from conformance.store.publication import add_party, unpublish, withdraw


def everything(store: Store) -> dict[str, Any]:
    """Return all that a store has, without the numbers that each store gives."""
    found: dict[str, Any] = {}
    with store.database.reading() as connection:
        runs = select(tables.runs, tables.targets.c.name.label("target")).join(tables.targets)
        keys = {row["id"]: f"{row['target']} {row['started']}" for row in connection.execute(runs).mappings()}
        found["targets"] = sorted(
            tuple(row.values())[1:] for row in connection.execute(select(tables.targets)).mappings()
        )
        found["audits"] = sorted(map(tuple, connection.execute(select(tables.audits))))
        found["runs"] = {
            keys[row["id"]]: {name: row[name] for name in row if name not in ("id", "target_id")}
            for row in connection.execute(runs).mappings()
        }
        parts = (tables.verdicts, tables.findings, tables.statements, tables.withdrawals, tables.witnesses)
        for part in parts:
            rows = connection.execute(select(part))
            found[part.name] = sorted((keys[row[0]], *row[1:]) for row in rows)
        former = connection.execute(select(tables.former_bundles)).mappings()
        found["former"] = sorted((keys[row["run_id"]], row["bundle"], row["replaced"]) for row in former)
        found["parties"] = sorted(map(tuple, connection.execute(select(tables.parties))))
    found["publications"] = list(store.publications())
    found["bundles"] = {digest["bundle"]: store.bundles.read(digest["bundle"]) for digest in found["runs"].values()}
    return found


@pytest.fixture
def full(store: Store, tmp_path: Path) -> Store:
    """A store with two services, one of them in an audit, and a target without a run."""
    store.set_target(Target(name="example", base_url=URL, authority="Example Ltd", labels={"b": "2", "a": "1"}))
    store.set_target(Target(name="later", base_url="https://later.example"))
    audit = store.begin_audit("February")
    store.add_run(bundles.recorded(tmp_path / "eventful"), target="example", audit=audit)
    store.end_audit(audit)
    store.add_run(recorded_run(tmp_path / "second", 2), target="example")
    other = recorded_run(tmp_path / "other", 3, base_url="https://other.example")
    store.add_run(other)
    store.add_run(restated(other, replies=samples.replied(samples.data(samples.report()), "4.3-answers-ok")["replies"]))
    for each in ("example", "https://other.example"):
        registers.consented(store, each)
    withdraw(store, "example", reason="Wrong service.", stated="2026-02-25", recorded=registers.BUILT)
    unpublish(store, "example", ended=registers.BUILT)
    add_party(store, name="Auditor", key="SHA256:00", public_key="PEM", recorded=registers.BUILT)
    return store


@pytest.fixture
def second(request: pytest.FixtureRequest, url: str, tmp_path: Path) -> Iterator[Store]:
    """An empty store in a database of the other kind."""
    other = str(tmp_path / "second.sqlite") if "://" in url else request.getfixturevalue("server").new_database()
    with Store.open(other, str(tmp_path / "second"), create=True) as store:
        yield store


def test_nothing_is_lost(full: Store, second: Store, tmp_path: Path) -> None:
    assert transfer.export(full, tmp_path / "all.zip") == 3
    assert transfer.take_over(second, tmp_path / "all.zip") == 3

    assert everything(second) == everything(full)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_an_import_adds_what_is_absent(full: Store, second: Store, run: Path, tmp_path: Path) -> None:
    second.set_target(Target(name="example", base_url="https://moved.example"))
    own = second.add_run(run, target="own")
    transfer.export(full, tmp_path / "all.zip")

    transfer.take_over(second, tmp_path / "all.zip")
    before = everything(second)
    transfer.take_over(second, tmp_path / "all.zip")

    assert everything(second) == before
    assert [each.id for each in second.runs("own")] == [own]
    assert {each.name: each.base_url for each in second.targets()}["example"] == "https://moved.example"
    assert len(list(second.runs("example"))) == 2


def test_an_export_without_its_evidence_is_none(full: Store, evidence: Path, tmp_path: Path) -> None:
    shutil.rmtree(evidence)

    with pytest.raises(StoreFault, match="does not exist"):
        transfer.export(full, tmp_path / "all.zip")
    assert not (tmp_path / "all.zip").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def rewritten(file: Path, **changed: bytes | None) -> Path:
    """Change the members of a zip file whose names contain a word."""
    target = file.with_name("changed.zip")
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(target, "w") as made:
        for name in source.namelist():
            content: bytes | None = source.read(name)
            for word, other in changed.items():
                content = other if word in name else content
            if content is not None:
                made.writestr(name, content)
    return target


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"evidence": b"PK other"}, "was altered: it does not have its digest"),
        ({"evidence": None}, "is not in the file"),
        ({"sqlite": None}, "it has no store.sqlite"),
        ({"sqlite": b"no database"}, "file is not a database"),
        ({"sqlite": b""}, "is empty"),
    ],
)
def test_a_file_that_was_altered_is_refused(
    changed: dict[str, bytes | None], said: str, store: Store, run: Path, tmp_path: Path
) -> None:
    store.add_run(run)
    transfer.export(store, tmp_path / "all.zip")
    store.keep(1)

    with (
        Store.open(tmp_path / "second.sqlite", create=True) as second,
        pytest.raises(StoreFault, match=said) as fault,
    ):
        transfer.take_over(second, rewritten(tmp_path / "all.zip", **changed))
    assert fault.value.remedy
    with Store.open(tmp_path / "second.sqlite") as second:
        assert list(second.latest_runs()) == []


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip file"])
def test_what_is_no_export_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "all.zip").write_bytes(content)

    with (
        Store.open(tmp_path / "second.sqlite", create=True) as second,
        pytest.raises(StoreFault, match="is no exported store"),
    ):
        transfer.take_over(second, tmp_path / "all.zip")


@pytest.mark.parametrize("error", [OSError("No space left on device"), RuntimeError("a fault of the suite")])
def test_an_error_of_the_store_is_not_blamed_on_the_file(
    tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    with Store.open(tmp_path / "first.sqlite", create=True) as first:
        first.add_run(run)
        transfer.export(first, tmp_path / "all.zip")
    with Store.open(tmp_path / "second.sqlite", create=True) as second:
        monkeypatch.setattr(second, "keep_run", fail)
        with pytest.raises(type(error), match=str(error)):
            transfer.take_over(second, tmp_path / "all.zip")


def test_a_damaged_member_is_named(tmp_path: Path, run: Path) -> None:
    with Store.open(tmp_path / "first.sqlite", create=True) as first:
        first.add_run(run)
        transfer.export(first, tmp_path / "all.zip")
    data = bytearray((tmp_path / "all.zip").read_bytes())
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        member = archive.getinfo("store.sqlite")
    begin = member.header_offset + 30 + len(member.filename) + 200
    data[begin : begin + 400] = b"\xff" * 400
    (tmp_path / "all.zip").write_bytes(data)
    with (
        Store.open(tmp_path / "second.sqlite", create=True) as second,
        pytest.raises(StoreFault, match="or is damaged"),
    ):
        transfer.take_over(second, tmp_path / "all.zip")


def test_rows_that_no_version_wrote_are_named(tmp_path: Path, run: Path) -> None:
    with Store.open(tmp_path / "audits.sqlite", create=True) as store:
        store.add_run(run)
        connection = sqlite3.connect(tmp_path / "audits.sqlite")
        with connection:
            connection.execute("UPDATE runs SET outcome = 'excellent'")
        connection.close()

        with pytest.raises(StoreFault, match="a row that no version of drsi-conformance wrote"):
            list(store.latest_runs())
