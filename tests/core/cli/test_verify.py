"""`verify`: what it prints of a run or a bundle, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli_services import Command, report_of

from conformance import __version__
from conformance.model.build import build
from conformance.model.requirements import catalogue
from conformance.reports import files
from conformance.trust import chain

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


def test_another_build_accuses_nobody_and_its_version_is_no_command(command: Command, run: Path) -> None:
    """The report of somebody else names the version, and people copy what `verify` prints into a shell."""
    evidence = _evidence(run)
    calls = [each for each in evidence["log"]["entries"] if each["_credential"] != "user"]
    calls[-1]["_credential"] = "a credential of 0.0.1"
    _with(run, evidence, suite={"version": "0.1; id #", "build": OTHER_BUILD})
    result = command("verify", "run")
    assert (result.code, "another build made the run" in result.out) == (3, True)
    assert f"version 0.1; id #, {OTHER_BUILD}; this is version {__version__}, {build()}." in result.out
    assert "pip download --no-deps --only-binary :all: 'drsi-conformance==0.1; id #'\n" in result.out
    assert "--suite 'drsi_conformance-0.1; id #-py3-none-any.whl'. It is executed" in result.out
    assert "the evidence does not support the report" not in result.out


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
