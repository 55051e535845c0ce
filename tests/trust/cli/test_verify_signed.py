"""`verify` of a signed bundle, and the statement that a verifier signs."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from bundles import key, packed, written
from cli_services import Command, report_of
from whole_runs import only, run_over

from conformance import __version__
from conformance.calibration.faults import FAULTS
from conformance.cli import witness
from conformance.model.build import build
from conformance.model.requirements import catalogue
from conformance.reports import files
from conformance.run.documents import Documents
from conformance.trust import chain, signature

ALL = len(catalogue().rows)

Json = dict[str, Any]


def test_a_bundle_is_verified_with_its_signature(command: Command, folder: Path, run: Path) -> None:
    private = key(folder)
    content = packed(run, private)
    path, verify = written(folder / "run.drsi.zip", content), ("verify", "run.drsi.zip")
    with_key = (*verify, "--key", str(private.with_suffix(".pub")))

    signed, unchecked = command(*with_key), command(*verify)
    assert (signed.code, unchecked.code) == (0, 0)
    assert f"{ALL} of {ALL} verdicts recomputed and equal; digests intact; signature valid; " in signed.out
    assert "; signature not checked; no time stamp; " in unchecked.out

    written(path, content | {files.DATA: content[files.DATA] + b" "})
    result = command(*verify)
    assert (result.code, "report.json was altered after it was packed" in result.err) == (1, True)
    path.write_bytes(path.read_bytes()[:-40])
    assert command(*with_key).code == 2


def stated(envelope: Path, public: Path) -> Json:
    """Return what a verifier signed, of a statement whose signature is valid."""
    found = signature.check(envelope.read_bytes(), public)
    assert found.valid is True
    statement: Json = found.statement
    assert statement["predicateType"] == "https://slsa.dev/verification_summary/v1"
    return statement


def test_a_verifier_states_what_was_found(command: Command, folder: Path, run: Path) -> None:
    own, auditor = key(folder, name="verifier"), key(folder)
    path = written(folder / "run.drsi.zip", packed(run, auditor))
    before = datetime.now(UTC).replace(microsecond=0)
    verify = ("verify", "run.drsi.zip", "--attest", str(own))

    result = command(*verify, "--key", "auditor.pub")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[-1].startswith("Statement (PASSED) signed with SHA256:")
    statement = stated(folder / "run.drsi.zip.verify.dsse.json", folder / "verifier.pub")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert statement["subject"] == [{"name": "run.drsi.zip", "digest": {"sha256": digest}}]
    said = statement["predicate"]
    assert said["verifier"]["version"] == {"drsi-conformance": __version__, "drsi-conformance-build": build()}
    assert before <= datetime.fromisoformat(said["timeVerified"]) <= datetime.now(UTC)
    assert said["resourceUri"] == "http://localhost/api/v1"
    assert said["policy"]["digest"]["sha256"] == catalogue().digest.removeprefix("sha256:")
    assert (said["verificationResult"], said["verifiedLevels"]) == (
        "PASSED",
        ["DRSI_VERDICTS_RECOMPUTED", "DRSI_SIGNATURE_VALID"],
    )
    found = said["drsiVerification"]
    assert (found["exitCode"], found["digestsIntact"], found["recorded"]["outcome"]) == (0, True, "does-not-conform")
    assert found["verdicts"] == {"recorded": ALL, "compared": ALL, "equal": ALL}
    assert (found["parts"]["signature"], found["parts"]["time stamp"]) == ("valid", "absent")

    again = command(*verify)
    assert (again.code, again.out) == (2, "")
    assert "is not overwritten.\n  fix    Move it to another place" in again.err


@pytest.mark.parametrize("code", [1, 3])
def test_a_verifier_passes_only_what_is_verified(
    command: Command, folder: Path, run: Path, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = report_of(run)
    if code == 1:
        report["outcome"] = "inconclusive"
        (row,) = (row for row in report["requirements"] if row["id"] == "4.3-answers-ok")
        row["verdict"] = "inconclusive"
    else:
        report["suite"]["build"] = f"sha256:{'1' * 64}"
    (run / files.DATA).write_text(json.dumps(chain.resealed(report)), "utf-8")
    own = key(folder, name="verifier")

    monkeypatch.chdir(run)
    result = command("verify", ".", "--attest", str(own))  # the statement is beside the run, not in it

    assert result.code == code
    statement = stated(folder / "run.verify.dsse.json", folder / "verifier.pub")
    assert [each["name"] for each in statement["subject"]] == [files.DATA, files.EVIDENCE]
    said = statement["predicate"]
    assert (said["verificationResult"], said["verifiedLevels"]) == ("FAILED", ["FAILED"])
    assert said["drsiVerification"]["exitCode"] == code


@pytest.mark.usefixtures("tokens")
def test_a_witness_states_what_the_live_service_answers(
    command: Command, folder: Path, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = only("4.3-answers-ok", "4.4")
    live = [Documents(run_over(bend=bend, plan=plan)) for bend in (FAULTS["delete-answers-202"], None)]
    monkeypatch.setattr(witness, "_asked", lambda *_: live.pop(0))
    attest = ("witness", str(run), "https://live.example", "--attest", str(key(folder)))
    place = run.with_name(f"{run.name}.witness.dsse.json")
    stated_by_code = {}
    for code in (0, 1):
        assert command(*attest).code == code
        stated_by_code[code] = stated(place, folder / "auditor.pub")["predicate"]
        place.unlink()

    passed, failed = stated_by_code.values()
    assert (passed["verificationResult"], passed["verifiedLevels"]) == ("PASSED", ["DRSI_LIVE_SERVICE_AGREES"])
    assert (failed["verificationResult"], failed["verifiedLevels"]) == ("FAILED", ["FAILED"])
    assert failed["resourceUri"] == "http://localhost/api/v1"
    assert failed["drsiVerification"]["differ"] == ["4.3-answers-ok"]
    assert len(passed["drsiVerification"]["agree"]) == 3
