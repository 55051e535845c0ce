"""The commands that record what a register may show, and site --register: what they say, and what they refuse."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import bundles
import pytest
import registers
from cli_services import Command
from stored_runs import recorded_run

from conformance.fleet.store.store import Store


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store with a service that conforms, and of its run. No test changes it."""
    folder = tmp_path_factory.mktemp("filled")
    run = recorded_run(folder / "run", base_url="https://fine.example")
    with Store.open(folder / "audits.sqlite", create=True) as store:
        store.add_run(run, target="fine")
    return folder


@pytest.fixture
def store(folder: Path, filled: Path) -> str:
    """A copy of it in the working directory."""
    shutil.copytree(filled, folder, dirs_exist_ok=True)
    return "audits.sqlite"


def test_a_service_is_published_withdrawn_and_removed(command: Command, folder: Path, store: str) -> None:
    key = bundles.key(folder)
    done = command("store", "publish", store, "fine", "--consent", "letter 4711")
    assert (done.code, done.out) == (0, "fine may be published by consent. 'site --register' does it.\n")

    build = ("site", store, "out", "--register", "--sign", str(key), "--now", "2026-03-01T05:00:00Z")
    done = command(*build, "--valid-for", "4w")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("1 service, 1 status document, signed with SHA256:")
    (document,) = (
        json.loads(path.read_bytes()) for path in (folder / "out").glob("status/*.json") if "." not in path.stem
    )
    assert (document["state"], document["valid_until"]) == ("valid", "2026-03-01T12:00:01.000Z")

    done = command("store", "withdraw", store, "fine", "--reason", "Wrong.", "--date", "2026-02-25")
    assert done.out == f"fine: the status of the bundle {document['bundle']} is withdrawn.\n"
    again = command("store", "withdraw", store, "fine", "--reason", "Wrong.", "--bundle", document["bundle"])
    assert (again.code, "is withdrawn since 2026-02-25" in again.err) == (2, True)
    assert command(*build).code == 0
    assert "Withdrawn on 2026-02-25: Wrong." in next((folder / "out").glob("services/*.html")).read_text("utf-8")

    assert command("store", "unpublish", store, "fine").code == 0
    assert command(*build).out.startswith("0 services, 0 status documents")
    assert not list((folder / "out").glob("services/*"))


def test_a_party_and_a_witness_are_recorded(command: Command, folder: Path, store: str) -> None:
    from conformance.trust.signature import signed, signer

    key = bundles.key(folder)
    added = command("store", "party", store, "--name", "Auditor", "--key", str(key.with_suffix(".pub")))
    fingerprint = added.out.split()[1]
    assert (added.code, added.out) == (0, f"Auditor: {fingerprint}\n")
    bundle = registers.digest_of(folder / store, "fine")
    (folder / "witness.json").write_bytes(signed(registers.witnessed(bundle), signer(key, lambda: "")))
    assert command("store", "witness", store, "witness.json").out == f"witness.json: about the bundle {bundle}\n"
    command("store", "publish", store, "fine", "--authority", "law 12")
    assert command("site", store, "out", "--register").out.startswith("1 service, 1 status document, not signed")
    (path,) = (folder / "out/status").iterdir()
    assert json.loads(path.read_bytes())["independence"] == {
        "value": "witnessed",
        "basis": "witness",
        "name": "Auditor",
        "key": fingerprint,
    }

    assert command("store", "party", store, "--remove", fingerprint).code == 0
    assert command("store", "party", store, "--remove", fingerprint).code == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["store", "publish", "audits.sqlite", "fine"], "Expected the text of --consent or --authority"),
        (["store", "publish", "audits.sqlite", "fine", "--consent", "a", "--authority", "b"], "exclude each other"),
        (["store", "unpublish", "audits.sqlite", "fine"], "Nothing permits to publish 'fine'"),
        (["store", "withdraw", "audits.sqlite", "fine", "--reason", "a", "--bundle", "12"], "64 hexadecimal digits"),
        (["store", "party", "audits.sqlite", "--name", "Auditor", "--key", "run/report.json"], "expected an Ed25519"),
        (["store", "witness", "audits.sqlite", "run/report.json"], "Expected the statement of a witness"),
        (["site", "audits.sqlite", "out", "--register", "--valid-for", "soon"], "such as 90d, 12w or 36h"),
        (["site", "audits.sqlite", "out", "--register", "--independent"], "Add the name with --operator"),
        (["site", "audits.sqlite", "out", "--register", "--address", "ftp://x"], "such as https://"),
        (["site", "audits.sqlite", "out", "--operator", "Me"], "--operator is for --register"),
    ],
)
@pytest.mark.usefixtures("store")
def test_what_cannot_be_done_is_explained(command: Command, folder: Path, arguments: list[str], said: str) -> None:
    done = command(*arguments)

    assert (done.code, done.out) == (2, "")
    assert said in " ".join(done.err.split())
    assert "Traceback" not in done.err
    assert not (folder / "out").exists()
