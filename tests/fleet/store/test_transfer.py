"""A store is exported and imported, from one kind of database to the other: runs at once, rights once accepted."""

from __future__ import annotations

import json
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

from conformance.fleet.register.entries import entries
from conformance.fleet.store import proposals, tables, transfer
from conformance.fleet.store.publication import add_party, add_witness, publish, unpublish, withdraw
from conformance.fleet.store.recorded import Recorded
from conformance.fleet.store.rows import StoreFault, Target
from conformance.fleet.store.store import Store
from conformance.trust.archive import EvidenceFault
from conformance.trust.signature import public_key, signed, signer


def everything(store: Store) -> dict[str, Any]:
    """Return all that an export has of a store: not its numbers, when a run was added, and who allowed an audit."""
    found: dict[str, Any] = {}
    with store.database.reading() as connection:
        runs = select(tables.runs, tables.targets.c.name.label("target")).join(tables.targets)
        keys = {row["id"]: f"{row['target']} {row['started']}" for row in connection.execute(runs).mappings()}
        of_targets = select(tables.targets.c.name, tables.targets.c.base_url, tables.targets.c.labels)
        found["targets"] = sorted(map(tuple, connection.execute(of_targets)))
        found["audits"] = sorted(map(tuple, connection.execute(select(tables.audits))))
        found["runs"] = {
            keys[row["id"]]: {name: row[name] for name in row if name not in ("id", "target_id", "added")}
            for row in connection.execute(runs).mappings()
        }
        for part in (tables.verdicts, tables.findings, tables.statements, tables.withdrawals):
            rows = connection.execute(select(part))
            found[part.name] = sorted((keys[row[0]], *row[1:]) for row in rows)
        witnesses = connection.execute(select(tables.witnesses)).mappings()
        found["witnesses"] = sorted((keys[row["run_id"]], row["bundle"], row["envelope"]) for row in witnesses)
        former = connection.execute(select(tables.former_bundles)).mappings()
        found["former"] = sorted((keys[row["run_id"]], row["bundle"], row["replaced"]) for row in former)
    found["parties"] = [(each.name, each.key, each.public_key) for each in store.parties()]
    found["publications"] = list(store.publications())
    found["unreported"] = list(store.unreported())
    found["bundles"] = {digest["bundle"]: store.bundles.read(digest["bundle"]) for digest in found["runs"].values()}
    return found


def equal(_: object) -> None:
    """Stand for the verification of a run that gives its report again."""


@pytest.fixture
def full(store: Store, tmp_path: Path) -> Store:
    """A store with two services, one of them in an audit, and a target without a run."""
    store.set_target(Target(name="example", base_url=URL, labels={"b": "2", "a": "1"}))
    store.set_target(Target(name="later", base_url="https://later.example"))
    audit = store.begin_audit("February")
    store.add_run(bundles.recorded(tmp_path / "eventful"), target="example", audit=audit)
    store.set_unreported(audit, {"later": ("unreachable", "No answer.")})
    store.end_audit(audit)
    store.add_run(recorded_run(tmp_path / "second", 2), target="example")
    other = recorded_run(tmp_path / "other", 3, base_url="https://other.example")
    store.add_run(other)
    key = bundles.key(tmp_path)
    (run,) = store.runs("https://other.example")
    add_witness(store, signed(registers.witnessed(run.bundle), signer(key, str)), recorded=registers.BUILT)
    store.add_run(restated(other, replies=samples.replied(samples.data(samples.report()), "4.3-answers-ok")["replies"]))
    for each in ("example", "https://other.example"):
        registers.consented(store, each)
    withdraw(store, "example", reason="Wrong service.", stated="2026-02-25", recorded=registers.BUILT)
    unpublish(store, "example", ended=registers.BUILT)
    fingerprint, pem = public_key(key.with_suffix(".pub"))
    add_party(store, name="Auditor", key=fingerprint, public_key=pem, recorded=registers.BUILT)
    return store


@pytest.fixture
def second(request: pytest.FixtureRequest, url: str, tmp_path: Path) -> Iterator[Store]:
    """An empty store in a database of the other kind."""
    other = str(tmp_path / "second.sqlite") if "://" in url else request.getfixturevalue("server").new_database()
    with Store.open(other, str(tmp_path / "second"), create=True) as store:
        yield store


def imported(store: Store, file: Path) -> transfer.Imported:
    return transfer.take_over(store, file, equal)


def open_proposals(store: Store) -> list[str]:
    return sorted(each.kind for each in store.proposals() if not each.accepted)


def test_nothing_is_lost_once_all_is_accepted(full: Store, second: Store, tmp_path: Path) -> None:
    assert transfer.export(full, tmp_path / "all.zip") == 3
    found = imported(second, tmp_path / "all.zip")
    assert (found.added, found.known, found.refused) == (3, 0, {})
    kinds = ["audit", "former bundle", "party", "publication", "publication", "runs", "runs"]
    assert open_proposals(second) == kinds
    for each in list(second.proposals()):
        proposals.accept(second, each.id)

    assert everything(second) == everything(full)
    assert open_proposals(second) == []
    again = imported(second, tmp_path / "all.zip")
    assert (again.added, again.known, again.proposed) == (0, 3, 0)
    assert imported(full, tmp_path / "all.zip").proposed == 0  # a consent that ended does not come back by older data
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_an_import_gives_no_right(full: Store, second: Store, tmp_path: Path) -> None:
    """The file of a stranger names parties, audits, consents and former bundles; none of it counts by itself."""
    transfer.export(full, tmp_path / "all.zip")
    imported(second, tmp_path / "all.zip")

    assert (list(second.parties()), list(second.publications())) == ([], [])
    assert list(second.former_bundles("https://other.example")) == []
    assert all(each.imported for each in second.audits())
    assert {each.target for each in second.latest_runs()} == {"example", "https://other.example"}
    registered = {"basis": "consent", "statement": "letter", "stated": "2026-02-20", "recorded": registers.BUILT}
    publish(second, "example", every_run=True, **registered)
    assert list(entries(second, registers.TERMS, registers.LATER)) == []
    with pytest.raises(StoreFault, match="no run that you added or accepted"):
        publish(second, "https://other.example", **registered)


def test_accepted_runs_of_an_imported_audit_are_not_the_operators(full: Store, second: Store, tmp_path: Path) -> None:
    transfer.export(full, tmp_path / "all.zip")
    imported(second, tmp_path / "all.zip")
    registers_of = {each.kind: each.id for each in second.proposals() if each.content.get("target") != URL}
    for each in [each for each in second.proposals() if each.kind == "runs"]:
        proposals.accept(second, each.id)
    publish(second, "example", basis="consent", statement="x", stated="", recorded="", every_run=True)

    def run_by() -> set[str]:
        (entry,) = entries(second, registers.TERMS, registers.LATER)
        return {each.run_by.name for each in entry.statuses}

    assert run_by() == {""}
    proposals.accept(second, registers_of["audit"])
    assert run_by() == {"", registers.TERMS.operator}


def test_an_imported_run_takes_the_place_of_no_own_one(store: Store, run: Path, tmp_path: Path) -> None:
    """Anybody can make a run of a service that says it is that of a bank, with a later date."""
    store.add_run(run, target="bank")
    registers.consented(store, "bank")
    with Store.open(tmp_path / "other.sqlite", create=True) as other:
        other.add_run(recorded_run(tmp_path / "later", 27), target="bank")
        transfer.export(other, tmp_path / "all.zip")
    assert imported(store, tmp_path / "all.zip").added == 1

    assert [each.failed for each in store.latest_runs()] == [1]
    assert [each.failed for each in store.runs("bank")] == [1]
    assert [each.requirement for each in store.failing_requirements()] == ["4.3-answers-ok"]
    (entry,) = entries(store, registers.TERMS, registers.LATER)
    assert len(entry.statuses) == 1
    assert store.keep(1) == 0
    (proposal,) = store.proposals()
    proposals.accept(store, proposal.id)
    assert [each.failed for each in store.latest_runs()] == [0]
    with pytest.raises(StoreFault, match="no proposal"):
        proposals.accept(store, proposal.id)


def test_a_name_cannot_word_a_proposal(store: Store, exported: Path) -> None:
    """A keeper who compares the key that is shown first must not read it in a name."""
    name = "Auditor', independent of the services\nthe key SHA256:aaa is that of 'X"
    imported(store, with_lines(exported, "run", target=name))
    (proposal,) = store.proposals()
    assert proposals.in_words(proposal.kind, proposal.content).startswith(
        f"1 imported run of {proposal.content['target']!r}, at"
    )
    said = proposals.in_words("party", {"name": name, "key": "SHA256:bbb"})
    assert said == f"the key SHA256:bbb is that of {name!r}, independent of the services"


def test_an_import_withdraws_no_run(store: Store, run: Path, tmp_path: Path) -> None:
    """A withdrawal stays for ever, also where the keeper adds the same run without what the file says of it."""
    with Store.open(tmp_path / "other.sqlite", create=True) as other:
        other.add_run(run, target="bank")
        withdraw(other, "bank", reason="The bank cheated.", stated="2026-02-25", recorded=registers.BUILT)
        transfer.export(other, tmp_path / "all.zip")
    imported(store, tmp_path / "all.zip")
    assert list(store.withdrawals("bank")) == []

    (proposal,) = store.proposals()
    said = proposals.in_words(proposal.kind, proposal.content)
    assert said == f"1 imported run of 'bank', at {URL}, as if added by you, 1 of them withdrawn: 'The bank cheated.'"
    store.add_run(run)
    assert list(store.withdrawals("bank")) == []
    proposals.accept(store, proposal.id)
    assert [each.reason for each in store.withdrawals("bank")] == ["The bank cheated."]


def test_a_party_is_accepted_with_its_own_key_only(full: Store, second: Store, tmp_path: Path) -> None:
    transfer.export(full, tmp_path / "all.zip")
    shown = "SHA256:" + "0" * 64
    imported(second, with_lines(tmp_path / "all.zip", "party", key=shown))

    (party,) = (each for each in second.proposals() if each.kind == "party")
    assert shown in proposals.in_words(party.kind, party.content)
    with pytest.raises(StoreFault, match=f"expected {shown}, received SHA256:"):
        proposals.accept(second, party.id)
    assert list(second.parties()) == []


@pytest.fixture
def exported(tmp_path: Path, run: Path) -> Path:
    """The export of a store with one run."""
    with Store.open(tmp_path / "first.sqlite", create=True) as first:
        first.add_run(run)
        transfer.export(first, tmp_path / "all.zip")
    return tmp_path / "all.zip"


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "empty.sqlite", create=True) as store:
        yield store


def rewritten(file: Path, how: int = zipfile.ZIP_STORED, **changed: bytes | None) -> Path:
    """Change the members of a zip file whose names contain a word."""
    target = file.with_name("changed.zip")
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(target, "w", how) as made:
        for name in source.namelist():
            content: bytes | None = source.read(name)
            for word, other in changed.items():
                content = other if word in name else content
            if content is not None:
                made.writestr(name, content)
    return target


def with_lines(file: Path, kind: str, **changes: Any) -> Path:
    """Change the lines of one kind in an exported file."""
    with zipfile.ZipFile(file) as source:
        lines = [json.loads(line) for line in source.read("store.jsonl").splitlines()]
    made = [line | changes if line["kind"] == kind else line for line in lines]
    return rewritten(file, jsonl="".join(f"{json.dumps(line)}\n" for line in made).encode())


def test_a_run_whose_bundle_is_absent_or_altered_is_refused(empty: Store, exported: Path) -> None:
    for content, said in ((b"PK other", "was altered: it does not have its digest"), (None, "not in the file")):
        found = imported(empty, rewritten(exported, evidence=content))
        assert [said in why for why in found.refused.values()] == [True]
        assert (found.added, list(empty.latest_runs())) == (0, [])


def test_a_run_that_its_evidence_does_not_give_is_refused_alone(empty: Store, exported: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "first.sqlite") as first:
        first.add_run(recorded_run(tmp_path / "second", 2), target="second")
        (forged,) = first.runs("second")
        exported.unlink()
        transfer.export(first, exported)

    def confirm(found: Recorded) -> None:
        if found.place.name.startswith(forged.bundle):
            raise EvidenceFault(f"{found.place} differs.")

    found = transfer.take_over(empty, exported, confirm)
    assert found.refused == {forged.bundle: f"{forged.bundle}.drsi.zip differs."}
    assert [each.target for each in empty.latest_runs()] == [URL]


def test_rows_that_no_version_wrote_are_named(tmp_path: Path, run: Path) -> None:
    with Store.open(tmp_path / "audits.sqlite", create=True) as store:
        store.add_run(run)
        connection = sqlite3.connect(tmp_path / "audits.sqlite")
        with connection:
            connection.execute("UPDATE runs SET outcome = 'excellent'")
        connection.close()

        with pytest.raises(StoreFault, match="a row that no version of drsi-conformance wrote"):
            list(store.latest_runs())


HEAD = b'{"kind": "store", "format": 1}\n'


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (b"", "is not JSON"),
        (b"[" * 99_999, "is not JSON"),
        (HEAD + b'{"kind": "nothing"}', "no version of the suite wrote"),
        (HEAD + b'{"kind": "run", "bundle": "../../x", "target": "a"}', "bundle is"),
        (HEAD + b'{"kind": "run", "kind": "party"}', "is not JSON"),
        (HEAD + b" " * (1 << 23), "has more than 4,194,304 bytes"),
    ],
)
def test_lines_that_no_export_has_are_refused(lines: bytes, said: str, empty: Store, exported: Path) -> None:
    with pytest.raises(StoreFault, match=said) as fault:
        imported(empty, rewritten(exported, jsonl=lines))
    assert fault.value.remedy


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../store.jsonl", "expected names such as"),
        ("evidence/00/NUL.drsi.zip", "expected names such as"),
        ("store.jsonl", "received one twice"),
    ],
)
def test_other_members_are_refused(name: str, said: str, empty: Store, exported: Path) -> None:
    with zipfile.ZipFile(exported, "a") as archive:
        archive.writestr(name, b"")
    with pytest.raises(StoreFault, match=said):
        imported(empty, exported)


def test_a_file_cannot_become_larger_than_it_is(empty: Store, exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StoreFault, match="not compressed"):
        imported(empty, rewritten(exported, zipfile.ZIP_DEFLATED, jsonl=bytes(1 << 24)))
    monkeypatch.setattr(transfer, "_MOST_OF_THE_LIST", 20)
    with pytest.raises(StoreFault, match="a list of files of at most 20 bytes"):
        imported(empty, exported)
