"""The schema of a store, its address, and the place of its evidence: what is refused, and what may be moved."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from conformance.cli.recorded import read_report
from conformance.fleet.store.rows import StoreFault
from conformance.fleet.store.store import Store


def test_a_store_of_another_schema_is_refused(store: Store, url: str) -> None:
    with store.database.writing() as connection:
        connection.execute(text("UPDATE store_schema SET version_num = '2'"))

    for create in (False, True):
        with pytest.raises(StoreFault, match="has schema 2, which another version") as fault:
            Store.open(url, create=create)
        assert "Use that version" in fault.value.remedy


def test_a_database_of_another_program_is_refused(url: str) -> None:
    engine = create_engine(f"sqlite:///{url}")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE cookies (name TEXT)"))
    engine.dispose()

    with pytest.raises(StoreFault, match="it has tables of another program"):
        Store.open(url, create=True)


def test_a_store_knows_where_its_evidence_is(store: Store, url: str, run: Path, evidence: Path, tmp_path: Path) -> None:
    number = store.add_run(run)
    for given in (None, str(evidence)):
        with Store.open(url, given) as again:
            assert again.report(number) == read_report(run)
    with pytest.raises(StoreFault, match="keeps its evidence at"):
        Store.open(url, str(tmp_path / "elsewhere"))


def test_a_file_and_its_evidence_may_be_moved(run: Path, tmp_path: Path) -> None:
    place = tmp_path / "before"
    place.mkdir()
    with Store.open(f"sqlite:///{place / 'audits.sqlite'}", create=True) as store:
        number = store.add_run(run)
    place.rename(tmp_path / "after")

    with Store.open(tmp_path / "after/audits.sqlite") as store:
        assert store.report(number) == read_report(run)


@pytest.mark.parametrize(
    ("url", "evidence", "said"),
    [
        ("mysql://host/name", None, "begins with 'mysql'"),
        ("new.sqlite", "nosuch://bucket", "Protocol not known"),
        ("new.sqlite", "ftp://user:secret@host/folder", "has a password"),
        ("postgresql://user:secret@127.0.0.1:1/name", None, "cannot be used"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(
    url: str, evidence: str | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(StoreFault, match=said) as fault:
        Store.open(url, evidence, create=True)
    assert "secret" not in str(fault.value)
    assert fault.value.remedy
