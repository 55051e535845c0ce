"""From a file of services to a signed register, and again later: one command each for audit, site and verify."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bundles
import pytest
import registers
import whole_runs
from audited import QUICK, audits, prepared
from cli_services import Command

from conformance.calibration.faults import FAULTS
from conformance.calibration.variant import Variant
from conformance.fleet.register.status import file_of
from conformance.reports import files
from conformance.run.documents import Documents

NOW = ("--now", "2026-04-01T00:00:00Z")  # the runs are of March
STORE = Path("audits.sqlite")
HEAD = "name,base_url,profile,publish_consent,publish_authority"


def status(target: str, number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        (Path("register") / file_of(registers.digest_of(STORE, target, number), signed=False)).read_bytes()
    )
    return found


def recorded(folder: Path, seed: int, bend: Variant | None = None) -> Path:
    """Write a run that decides one requirement."""
    run = Documents(whole_runs.run_over(bend=bend, plan=whole_runs.only("2.3-organisationName"), seed=seed))
    files.write(folder / f"run-{seed}", run.data, run.evidence, ())
    return folder / f"run-{seed}"


def test_from_a_file_of_services_to_a_signed_register(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundles.key(folder, name="register")
    audit = ("audit", "services.csv", *QUICK, "--store", str(STORE))
    site = ("site", str(STORE), "register", "--register", "--sign", "register.pem", "--operator", "Registry", *NOW)
    verify = ("--register", "register", "--register-key", "register.pub", *NOW)
    rows = ["consents,{url},full,letter 4711,", "by-law,{url},full,,law 12", "silent,{url},full,,"]
    rows = [row.format(url=whole_runs.ORIGIN) for row in rows]
    Path("services.csv").write_text("\n".join([HEAD, *rows, ""]), "utf-8")
    runs = {"consents": recorded(folder, 1), "by-law": recorded(folder, 2), "silent": recorded(folder, 3)}
    prepared(monkeypatch, runs)
    assert command(*audit).code == 0
    assert command(*site).out.startswith("2 services, 2 status documents, signed with SHA256:")

    bundle = registers.bundle_of(STORE, "by-law")
    done = command("verify", str(bundle), *verify)
    assert (done.code, "'by-law' is listed as conforms-in-part, independence self" in done.out) == (0, True), done.out
    done = command("verify", str(registers.bundle_of(STORE, "silent")), *verify)
    assert (done.code, "does not list this bundle" in done.out) == (1, True)

    runs["by-law"] = recorded(folder, 4, FAULTS["settings-organisation-name-absent"])
    assert command(*audit).code == 1
    assert command(*site).out.startswith("2 services, 3 status documents")

    assert (status("by-law")["outcome"], status("by-law")["failures"]) == ("does-not-conform", ["2.3-organisationName"])
    assert status("by-law")["run_by"] == {"name": "Registry", "key": "", "basis": "register"}
    assert status("consents")["state"] == "valid"
    done = command("verify", str(bundle), *verify)
    assert (done.code, "is superseded by that of sha256:" in done.out) == (1, True)
    assert not any(b"silent" in path.read_bytes() for path in Path("register").rglob("*.*"))

    command("store", "unpublish", str(STORE), "by-law")
    Path("services.csv").write_text("\n".join([HEAD, rows[1], ""]), "utf-8")
    (audits()[-1] / "audit.json").unlink()  # so that the audit is concluded again, without a run
    assert "by-law is not published: by the store, its authority ended on" in command(*audit).err
    assert command(*site).out.startswith("1 service, 1 status document")
