"""The commands that record what a register may show, site --register, and verify --register."""

from __future__ import annotations

import json
from pathlib import Path

import bundles
import pytest
import registers
from cli_services import Command
from stored_runs import recorded_run

from conformance.fleet import moments
from conformance.fleet.store.store import Store
from conformance.trust.signature import signed, signer

STORE = "audits.sqlite"


def test_a_service_is_published_verified_withdrawn_and_removed(
    command: Command, folder: Path, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at(moment: str) -> None:
        monkeypatch.setattr(moments, "now", lambda: moment)

    at("2026-04-01T00:00:00.000Z")  # the run is of March
    assert command("bundle", str(run)).code == 0
    command("store", "add", STORE, "run.drsi.zip", "--target", "example")
    done = command("store", "publish", STORE, "example", "--consent", "letter 4711")
    assert (done.code, done.out) == (0, "example may be published by consent. 'site --register' does it.\n")
    site = ("site", STORE, "out", "--register", "--sign", str(bundles.key(folder)))
    done = command(*site)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("1 service, 1 status document, signed with SHA256:")

    verify = ("verify", "run.drsi.zip", "--register", "out", "--register-key", "auditor.pub")
    done = command(*verify)
    assert (done.code, done.err) == (0, "")
    lines = [line.strip() for line in done.out.splitlines() if line.strip().startswith("register")]
    assert "'example' is listed as does-not-conform, independence self" in lines[0]
    assert lines[1].startswith("register signature: The status document is signed with SHA256:")
    assert "; register valid; register signature valid; recorded" in done.out.splitlines()[-1]
    bundles.key(folder, name="other")
    done = command(*verify[:-1], "other.pub")
    assert (done.code, "is not signed with SHA256:" in done.out) == (1, True)

    at("2026-04-08T00:00:00.000Z")
    done = command(*verify, "--attest", "auditor.pem")
    assert (done.code, "Ask the register again" in done.out) == (3, True)
    assert "; register not current; register signature valid; recorded" in done.out
    assert "Statement (FAILED)" in done.out
    at("2026-04-01T00:00:00.000Z")
    command(*site, "--next-update", "9d", "--valid-for", "4w")
    at("2026-04-09T23:59:59.000Z")
    assert command(*verify).code == 0
    at("2026-04-12T00:00:00.000Z")
    done = command(*verify[:-2])
    assert (done.code, "register: The status expired at 2026-04-11T" in done.out) == (1, True)
    assert "; register not valid; register signature not checked; recorded" in done.out.splitlines()[-1]

    bundle = registers.digest_of(folder / STORE, "example")
    withdraw = ("store", "withdraw", STORE, "example", "--reason", "Wrong.")
    assert command(*withdraw, "--date", "2026-03-25").out == (
        f"example: the status of the bundle {bundle} is withdrawn.\n"
    )
    at("2026-04-01T00:00:00.000Z")
    again = command(*withdraw)
    assert (again.code, "is withdrawn since 2026-03-25" in again.err) == (2, True)
    command(*site)
    assert "was withdrawn on 2026-03-25" in command(*verify).out
    assert "Withdrawn on 2026-03-25: Wrong." in next((folder / "out").glob("services/*.html")).read_text("utf-8")

    assert command("store", "unpublish", STORE, "example").code == 0
    assert command(*site).out.startswith("0 services, 0 status documents")
    assert not list((folder / "out").glob("services/*"))


def test_a_party_and_a_witness_are_recorded(command: Command, folder: Path) -> None:
    with Store.open(folder / STORE, create=True) as store:
        store.add_run(recorded_run(folder / "run", base_url="https://fine.example"), target="fine")
    key = bundles.key(folder)
    added = command("store", "party", STORE, "--name", "Auditor", "--key", str(key.with_suffix(".pub")))
    fingerprint = added.out.split()[1]
    assert (added.code, added.out) == (0, f"Auditor: {fingerprint}\n")
    bundle = registers.digest_of(folder / STORE, "fine")
    (folder / "witness.json").write_bytes(signed(registers.witnessed(bundle), signer(key, lambda: "")))
    assert command("store", "witness", STORE, "witness.json").out == f"witness.json: about the bundle {bundle}\n"
    command("store", "publish", STORE, "fine", "--authority", "law 12")
    assert command("site", STORE, "out", "--register").code == 2
    assert command("site", STORE, "out", "--register", "--sign", str(key)).code == 0
    path = folder / f"out/status/{bundle}.json"
    assert json.loads(path.read_bytes())["independence"] == {
        "value": "witnessed",
        "basis": "witness",
        "name": "Auditor",
        "key": fingerprint,
    }
