"""The schema: migrations make what `tables.py` says, every released one is upgraded, and a newer one is refused."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, text

from conformance.fleet.store import Store, StoreFault, tables
from conformance.fleet.store.database import VERSION_TABLE

HERE = Path(__file__).parent
VERSIONS = HERE.parents[2] / "conformance/fleet/store/migrations"
RELEASED = sorted(HERE.glob("released/schema_*.sql"))
"""A dump of a store of each schema, as its revision made it, with the rows of a run."""


def test_the_newest_revision_is_the_schema_of_this_version() -> None:
    scripts = ScriptDirectory(str(VERSIONS))

    assert scripts.get_heads() == [str(tables.SCHEMA)]
    assert [path.stem for path in RELEASED] == [f"schema_{number}" for number in range(1, tables.SCHEMA + 1)]


def test_the_migrations_make_the_tables(store: Store) -> None:
    with store.database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "compare_type": True})
        assert compare_metadata(context, tables.metadata) == []
        views = inspect(connection).get_view_names()
    assert set(views) == {"counted_runs", "latest_runs", "latest_verdicts", "failing_requirements", "regressions"}


@pytest.mark.parametrize("dump", RELEASED, ids=lambda path: path.stem)
def test_a_store_of_each_released_schema_is_upgraded(dump: Path, tmp_path: Path) -> None:
    file = tmp_path / "audits.sqlite"
    old = sqlite3.connect(file)
    old.executescript(dump.read_text("utf-8"))
    old.close()
    before = int(dump.stem.removeprefix("schema_"))

    assert Store.upgrade(file) == (before, tables.SCHEMA)
    assert Store.upgrade(file) == (tables.SCHEMA, tables.SCHEMA)
    with Store.open(file) as store:
        (run,) = store.latest_runs()
        assert (run.target, run.failed, run.runs) == ("example", 4, 1)
        assert len(list(store.latest_verdicts())) > 100
        assert len(list(store.failing_requirements())) == 4
        assert [each.kind for each in store.statements(run.id)] == ["waiver"]
        assert list(store.publications()) == []  # whatever was tested before, nothing may be published
        with store.database.reading() as connection:
            context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
            assert compare_metadata(context, tables.metadata) == []


def marked(store: Store, schema: int) -> None:
    with store.database.writing() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '{schema}'"))


def test_a_newer_schema_is_refused(store: Store, url: str) -> None:
    marked(store, tables.SCHEMA + 1)

    for refused in (lambda: Store.open(url), lambda: Store.open(url, create=True), lambda: Store.upgrade(url)):
        with pytest.raises(StoreFault, match=f"has schema {tables.SCHEMA + 1}, which a newer version") as fault:
            refused()
        assert "Use that version" in fault.value.remedy


def test_an_older_schema_says_how_to_upgrade(store: Store, url: str) -> None:
    marked(store, 0)

    with pytest.raises(StoreFault, match=f"has schema 0, and this version uses schema {tables.SCHEMA}") as fault:
        Store.open(url)
    assert "store upgrade" in fault.value.remedy


def test_a_database_of_another_program_is_refused(url: str) -> None:
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:") if "://" in url else f"sqlite:///{url}")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE cookies (name TEXT)"))
    engine.dispose()

    for refused in (lambda: Store.open(url, create=True), lambda: Store.upgrade(url)):
        with pytest.raises(StoreFault, match="it has tables of another program"):
            refused()


def test_a_store_knows_where_its_evidence_is(store: Store, url: str, run: Path, evidence: Path, tmp_path: Path) -> None:
    number = store.add_run(run)
    for given in (None, str(evidence)):
        with Store.open(url, given) as again, again.unpacked(number) as folder:
            assert (folder / "report.json").is_file()
    with pytest.raises(StoreFault, match="keeps its evidence at"):
        Store.open(url, str(tmp_path / "elsewhere"))


def test_a_file_and_its_evidence_may_be_moved(run: Path, tmp_path: Path) -> None:
    place = tmp_path / "before"
    place.mkdir()
    with Store.open(f"sqlite:///{place / 'audits.sqlite'}", create=True) as store:
        number = store.add_run(run)
    place.rename(tmp_path / "after")

    with Store.open(tmp_path / "after/audits.sqlite") as store, store.unpacked(number) as folder:
        assert (folder / "report.json").is_file()


def test_postgresql_needs_a_place_for_the_evidence(request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue("server").new_database()

    with pytest.raises(StoreFault, match="where to keep its evidence") as fault:
        Store.open(url, create=True)
    assert "--evidence" in fault.value.remedy


def test_evidence_is_kept_at_any_address_of_fsspec(run: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "audits.sqlite", "memory://audits", create=True) as store:
        number = store.add_run(run)
        with store.unpacked(number) as folder:
            assert (folder / "report.json").read_bytes() == (run / "report.json").read_bytes()
        assert store.keep(1) == 0
    assert [path.name.partition("-")[0] for path in tmp_path.iterdir()] == ["audits.sqlite"]


def test_a_bucket_that_does_not_exist_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Empty:
        def exists(self, _: str) -> bool:
            return False

    with monkeypatch.context() as changed:
        changed.setattr("fsspec.url_to_fs", lambda _: (Empty(), "misspelled/evidence"))
        with pytest.raises(StoreFault, match="misspelled does not exist, or access to it is denied"):
            Store.open(tmp_path / "audits.sqlite", "s3://misspelled/evidence", create=True)
    with Store.open(tmp_path / "audits.sqlite", "memory://audits") as store:  # the wrong place was not recorded
        assert store.bundles.address == "memory://audits"


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
