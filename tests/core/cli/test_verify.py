"""`verify`: what it prints of a run or a bundle, and its exit codes."""

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
from conformance.model.build import build
from conformance.model.requirements import catalogue
from conformance.reports import files
from conformance.run.documents import Documents
from conformance.trust import chain, signature

FAILED = "4.3-answers-ok"
ALL = len(catalogue().rows)

Json = dict[str, Any]
OTHER_BUILD = f"sha256:{'1' * 64}"


def altered(run: Path, *, sealed: bool) -> None:
    report = report_of(run)
    report["outcome"] = "inconclusive"
    next(row for row in report["requirements"] if row["id"] == FAILED)["verdict"] = "inconclusive"
    (run / files.DATA).write_text(json.dumps(chain.resealed(report) if sealed else report), "utf-8")


@pytest.mark.usefixtures("run")
def test_an_unaltered_run_is_equal(command: Command) -> None:
    result = command("verify", "run")
    stated, conclusion = result.out.splitlines()
    assert result.code == 0
    assert stated.startswith("The report states: Does not conform. ")
    assert f" of {ALL} requirements were left out, as requested (" in stated
    assert conclusion.startswith(f"{ALL} of {ALL} verdicts recomputed and equal; digests intact; recorded 20")
    assert conclusion.endswith(" against http://localhost/api/v1")

    listed = command("verify", "run", "--list")
    assert (listed.code, "4.4-object                               pass            equal" in listed.out) == (0, True)


@pytest.mark.parametrize("sealed", [False, True])
def test_an_altered_verdict_is_found(command: Command, run: Path, sealed: bool) -> None:
    altered(run, sealed=sealed)

    result = command("verify", "run", "--list")
    assert result.code == 1
    assert f"{FAILED}: verdict (the evidence does not support the report)\n    recorded    inconclusive\n" in result.out
    assert ("report.json was altered" in result.out) is not sealed
    digests = "intact" if sealed else "not intact"
    assert f"{ALL - 1} of {ALL} verdicts recomputed and equal; 2 other differences; digests {digests}; " in result.out


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
    assert "is not overwritten.\n  fix    Name another file with --attest-to" in again.err


@pytest.mark.parametrize("code", [1, 3])
def test_a_verifier_passes_only_what_is_verified(command: Command, folder: Path, run: Path, code: int) -> None:
    if code == 1:
        altered(run, sealed=True)
    else:
        _with(run, _evidence(run), suite={"build": OTHER_BUILD})
    own = key(folder, name="verifier")

    result = command("verify", "run", "--attest", str(own), "--attest-to", "stated.json")

    assert result.code == code
    statement = stated(folder / "stated.json", folder / "verifier.pub")
    assert [each["name"] for each in statement["subject"]] == [files.DATA, files.EVIDENCE]
    said = statement["predicate"]
    assert (said["verificationResult"], said["verifiedLevels"]) == ("FAILED", ["FAILED"])
    assert said["drsiVerification"]["exitCode"] == code


@pytest.mark.usefixtures("run")
def test_a_statement_that_cannot_be_signed_or_written_is_told_first(command: Command, folder: Path) -> None:
    own = str(key(folder, name="verifier"))
    for arguments, words in (
        (("--attest", "absent.pem"), "absent.pem cannot be read"),
        (("--attest-to", "stated.json"), "Add the key with --attest KEY"),
        (("--attest", own, "--attest-to", "run/report.json"), "is not overwritten"),
        (("--attest", own, "--attest-to", "absent/stated.json"), "cannot be written"),
    ):
        result = command("verify", "run", *arguments)
        assert (result.code, words in result.err) == (2, True), result.err


def test_what_is_no_run_is_unreadable(command: Command, run: Path) -> None:
    evidence = json.loads((run / files.EVIDENCE).read_text("utf-8"))
    del evidence["log"]["_run"]
    (run / files.EVIDENCE).write_text(json.dumps(evidence), "utf-8")
    result = command("verify", "run", "--list")
    assert result.code == 1
    assert "evidence.har is not the evidence that report.json names; KeyError: '_run'" in result.err
    (run / files.EVIDENCE).unlink()
    assert command("verify", "run").code == 2
    result = command("verify", "run", "--key", "public.pem")
    assert (result.code, "--key and --tsa-ca check a bundle" in result.err) == (2, True)
    result = command("verify", "run", "--ca", "root.pem")
    assert (result.code, "--ca checks the certificate of the signer" in result.err) == (2, True)


def test_evidence_of_another_run_and_a_report_that_contradicts_itself_are_altered(command: Command, run: Path) -> None:
    other = run_over(plan=only("4.4"), seed=1)
    files.write(run.parent / "other", Documents(other).data, Documents(other).evidence)
    (run / files.EVIDENCE).write_bytes((run.parent / "other" / files.EVIDENCE).read_bytes())
    result = command("verify", "run")
    assert result.code == 1
    assert "evidence.har is not the evidence that report.json names" in result.out + result.err

    (run / files.DATA).write_text(json.dumps(report_of(run) | {"outcome": "conforms"}), "utf-8")
    result = command("verify", "run")
    assert (result.code, "it was altered, it does not have its digest" in result.err) == (1, True)


def _with(run: Path, evidence: Json, **changes: Any) -> None:
    """Write the run again, altered and with digests of its own."""
    report = json.loads((run / files.DATA).read_text("utf-8"))
    report["suite"] |= changes.pop("suite", {})
    evidence = chain.chained(evidence)
    (run / files.DATA).write_text(json.dumps(chain.sealed(report | changes, evidence)), "utf-8")
    (run / files.EVIDENCE).write_text(json.dumps(evidence), "utf-8")


def _evidence(run: Path) -> Json:
    evidence: Json = json.loads((run / files.EVIDENCE).read_text("utf-8"))
    return evidence


def test_another_build_accuses_nobody_and_says_how_to_get_the_one_of_the_run(command: Command, run: Path) -> None:
    evidence = _evidence(run)
    calls = [each for each in evidence["log"]["entries"] if each["_credential"] != "user"]
    calls[-1]["_credential"] = "a credential of 0.0.1"
    _with(run, evidence, suite={"version": "0.0.1", "build": OTHER_BUILD})

    result = command("verify", "run")
    assert result.code == 3
    assert "another build made the run" in result.out
    assert f"version 0.0.1, {OTHER_BUILD}; this is version {__version__}, {build()}." in result.out
    assert "pip download --no-deps --only-binary :all: drsi-conformance==0.0.1\n" in result.out
    assert "drsi-conformance verify run --suite drsi_conformance-0.0.1-py3-none-any.whl. It is executed" in result.out
    assert "the evidence does not support the report" not in result.out


def test_a_version_is_no_command(command: Command, run: Path) -> None:
    """The report of somebody else names the version, and people copy what `verify` prints into a shell."""
    _with(run, _evidence(run), suite={"version": "0.1; id #", "build": OTHER_BUILD})
    out = command("verify", "run").out
    assert ":all: 'drsi-conformance==0.1; id #'\n" in out
    assert "--suite 'drsi_conformance-0.1; id #-py3-none-any.whl'. " in out


def test_a_failing_run_that_names_another_build_and_says_conforms_is_not_verified(command: Command, run: Path) -> None:
    _with(run, _evidence(run), suite={"build": OTHER_BUILD}, outcome="conforms", alerts=[])
    assert command("verify", "run").code == 3


def test_a_report_that_only_another_build_can_read_is_no_foreign_one(command: Command, run: Path) -> None:
    _with(run, _evidence(run), suite={"version": "0.0.1", "build": OTHER_BUILD}, strict="of 0.0.1")
    result = command("verify", "run")
    assert result.code == 3
    assert "another build of the suite made it" in result.err
    assert f"version 0.0.1, {OTHER_BUILD}" in result.err


def test_damage_is_told_first_and_ends_the_verification(command: Command, run: Path) -> None:
    evidence = _evidence(run)
    evidence["log"]["entries"][3]["time"] += 1
    (run / files.EVIDENCE).write_text(json.dumps(evidence), "utf-8")
    result = command("verify", "run")
    assert result.code == 1
    assert result.out.splitlines()[0].startswith("  altered: the exchange ")
    assert len(result.out.splitlines()) <= 4
    assert "no verdict recomputed, because the run was altered" in result.out
    listed = command("verify", "run", "--list")
    assert (listed.code, "verdicts recomputed and equal" in listed.out) == (1, True)
