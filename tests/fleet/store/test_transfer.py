"""A store is exported and imported, from one kind of database to the other: nothing counts before it is accepted."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import bundles
import pytest
import registers
from stored_runs import URL, recorded_run

from conformance.fleet.register.entries import entries
from conformance.fleet.store import proposals, transfer
from conformance.fleet.store.publication import add_party, add_witness, publish, unpublish, withdraw
from conformance.fleet.store.rows import StoreFault, Target
from conformance.fleet.store.store import Store
from conformance.trust.archive import EvidenceFault
from conformance.trust.signature import public_key, signed, signer

OTHER = "https://other.example"


def everything(store: Store) -> dict[str, Any]:
    """Return all that an export has of a store: not its numbers, when a run was added, and who allowed an audit."""
    found: dict[str, Any] = {"targets": [replace(each, authority="") for each in store.targets()]}
    for target in found["targets"]:
        for run in list(store.runs(target.name)):
            parts = (store.verdicts, store.findings, store.statements)
            withdrawals = [replace(each, run=0) for each in store.withdrawals(target.name) if each.run == run.id]
            witnesses = [each.envelope for each in store.witnesses(target.name) if each.run == run.id]
            found[run.bundle] = replace(run, id=0, added=""), *(list(part(run.id)) for part in parts)
            found[run.bundle] += withdrawals, witnesses, store.bundles.read(run.bundle)
    parties = [replace(each, recorded="") for each in store.parties()]
    own = {each.__name__: list(each()) for each in (store.audits, store.publications, store.unreported)}
    return found | own | {"parties": parties}


def equal(*_: object) -> None:
    """Stand for the verification of a run that gives its report again."""


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A store with two services, one of them in an audit, and a target without a run. No test changes it."""
    folder = tmp_path_factory.mktemp("full")
    with Store.open(folder / "audits.sqlite", create=True) as store:
        store.set_target(Target(name="example", base_url=URL, labels={"b": "2", "a": "1"}))
        store.set_target(Target(name="later", base_url="https://later.example"))
        audit = store.begin_audit("February")
        store.add_run(bundles.recorded(folder / "eventful"), target="example", audit=audit)
        store.set_unreported(audit, {"later": ("unreachable", "No answer.")})
        store.end_audit(audit)
        store.add_run(recorded_run(folder / "second", 2), target="example")
        store.add_run(recorded_run(folder / "other", 3, base_url=OTHER))
        key = bundles.key(folder)
        (run,) = store.runs(OTHER)
        add_witness(store, signed(registers.witnessed(run.bundle), signer(key, str)))
        for each in ("example", OTHER):
            registers.consented(store, each)
        withdraw(store, "example", reason="Wrong service.", stated="2026-02-25")
        unpublish(store, "example")
        fingerprint, pem = public_key(key.with_suffix(".pub"))
        add_party(store, name="Auditor", key=fingerprint, public_key=pem)
        yield store


@pytest.fixture(scope="module")
def file(full: Store, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The export of this store."""
    file = tmp_path_factory.mktemp("exported") / "all"
    assert transfer.export(full, file) == 3
    return file


@pytest.fixture
def exported(file: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(file, tmp_path / "exported"))


@pytest.fixture
def second(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with Store.open(tmp_path / "second.sqlite", create=True) as store:
        yield store


def imported(store: Store, file: Path) -> transfer.Imported:
    return transfer.take_over(store, file, equal)


def open_proposals(store: Store) -> list[str]:
    return sorted(each.kind for each in store.proposals() if not each.accepted)


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_nothing_is_lost_once_all_is_accepted(
    full: Store, file: Path, store: Store, second: Store, tmp_path: Path
) -> None:
    """From one kind of database to the other, and back."""
    for former, own, exported in ((full, store, file), (store, second, tmp_path / "again")):
        if not exported.exists():
            transfer.export(former, exported)
        found = imported(own, exported)
        assert (found.runs, found.known, found.refused) == (3, 0, {})
        assert open_proposals(own) == ["audit", "party", "publication", "publication", "runs", "runs"]
        for each in list(own.proposals()):
            proposals.accept(own, each.id)

        assert everything(own) == everything(former)
        assert open_proposals(own) == []
        again = imported(own, exported)
        assert (again.runs, again.known, again.proposed) == (0, 3, 0)
        # A consent that ended does not come back by older data.
        assert imported(former, exported).proposed == 0
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_an_import_gives_no_right(second: Store, file: Path) -> None:
    """The file of a stranger has runs, and names parties, audits and consents; none of it counts by itself."""
    imported(second, file)

    for read in (second.parties, second.publications, second.audits, second.latest_runs, second.unreported):
        assert list(read()) == []
    registered = {"basis": "consent", "statement": "letter", "stated": "2026-02-20"}
    with pytest.raises(StoreFault, match="has no run"):
        publish(second, OTHER, **registered)

    for each in [each for each in second.proposals() if each.kind == "runs"]:
        proposals.accept(second, each.id)
        with pytest.raises(StoreFault, match="no proposal"):
            proposals.accept(second, each.id)
    publish(second, "example", **registered)
    (entry,) = entries(second, registers.TERMS, registers.LATER)
    # The runs of an audit that is not accepted are not those of the operator.
    assert {each.run_by.name for each in entry.statuses} == {""}


def test_a_name_cannot_word_a_proposal(second: Store, exported: Path) -> None:
    """A keeper who compares the key that is shown first must not read it in a name."""
    name = "Auditor', independent of the services\nthe key SHA256:aaa is that of 'X"
    imported(second, with_lines(exported, "run", target=name))
    for each in second.proposals():
        if each.kind == "runs":
            assert f" of {each.content['target']!r}, at" in proposals.in_words(each.kind, each.content)
    said = proposals.in_words("party", {"name": name, "key": "SHA256:bbb"})
    assert said == f"the key SHA256:bbb is that of {name!r}, independent of the services"


def test_an_import_withdraws_no_run(second: Store, run: Path, tmp_path: Path) -> None:
    """A withdrawal stays for ever, also where the keeper adds the same run without what the file says of it."""
    with Store.open(tmp_path / "other.sqlite", create=True) as other:
        other.add_run(run, target="bank")
        withdraw(other, "bank", reason="The bank cheated.", stated="2026-02-25")
        transfer.export(other, tmp_path / "all")
    imported(second, tmp_path / "all")
    assert list(second.withdrawals("bank")) == []

    (proposal,) = second.proposals()
    said = proposals.in_words(proposal.kind, proposal.content)
    assert said == f"1 imported run of 'bank', at {URL}, as if added by you, 1 of them withdrawn: 'The bank cheated.'"
    second.add_run(run, target="bank")
    assert list(second.withdrawals("bank")) == []
    proposals.accept(second, proposal.id)
    assert [each.reason for each in second.withdrawals("bank")] == ["The bank cheated."]


def test_a_party_is_accepted_with_its_own_key_only(second: Store, exported: Path) -> None:
    shown = "SHA256:" + "0" * 64
    imported(second, with_lines(exported, "party", key=shown))

    (party,) = (each for each in second.proposals() if each.kind == "party")
    assert shown in proposals.in_words(party.kind, party.content)
    with pytest.raises(StoreFault, match=f"expected {shown}, received SHA256:"):
        proposals.accept(second, party.id)
    assert list(second.parties()) == []


def with_lines(folder: Path, kind: str, **changes: Any) -> Path:
    """Change the lines of one kind in an exported folder."""
    file = folder / "store.jsonl"
    lines = [json.loads(line) for line in file.read_bytes().splitlines()]
    made = [line | changes if line["kind"] == kind else line for line in lines]
    file.write_bytes(HEAD + b"".join(f"{json.dumps(line)}\n".encode() for line in made[1:]))
    return folder


def test_a_run_whose_bundle_is_absent_altered_or_forged_is_refused_alone(
    full: Store, second: Store, exported: Path
) -> None:
    (wrong,) = full.runs(OTHER)

    def confirm(path: Path, _: object) -> None:
        if path.name.startswith(wrong.bundle):
            raise EvidenceFault("It differs.")

    (file,) = exported.rglob(f"{wrong.bundle}.*")
    assert transfer.take_over(second, exported, confirm).refused == {wrong.bundle: "It differs."}
    file.write_bytes(b"PK other")
    assert "was altered: it does not have its digest" in imported(second, exported).refused[wrong.bundle]
    file.unlink()
    assert "is not in the folder" in imported(second, exported).refused[wrong.bundle]
    file.mkdir()  # as a device, to which a link may lead, it is no file
    assert "is not in the folder" in imported(second, exported).refused[wrong.bundle]
    assert {each.content["target"] for each in second.proposals() if each.kind == "runs"} == {"example"}


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
        (b"", "in the first line of store.jsonl, received another one"),
        (HEAD + b"[" * 99_999, "line 2 of store.jsonl: "),
        (HEAD + b'{"kind": "nothing"}', "has the kind 'nothing'"),
        (HEAD + b'{"kind": "run", "bundle": "../../x", "target": "a"}', "matching regex"),
        (HEAD + b" " * (1 << 23), "has more than 4,194,304 bytes"),
    ],
)
def test_lines_that_no_export_has_are_refused(lines: bytes, said: str, second: Store, exported: Path) -> None:
    (exported / "store.jsonl").write_bytes(lines)
    with pytest.raises(StoreFault, match=said) as fault:
        imported(second, exported)
    assert fault.value.remedy
