"""`verify`: what it prints of a run or a bundle, and its exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from bundles import key, packed, written
from whole_runs import only, run_over

from conformance.calibration.faults import FAULTS
from conformance.cli import main
from conformance.evidence import chain
from conformance.reports import files

FAILED = "2.3-termsOfService"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded run."""
    run, written = (
        run_over(bend=FAULTS["settings-terms-of-service-absent"], plan=only("2.3")),
        tmp_path_factory.mktemp("recorded"),
    )
    files.write(written, run.data, run.evidence)
    return written


@pytest.fixture
def folder(recorded: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(recorded, tmp_path / "run")


def ends(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["verify", *arguments])
    return int(ended.value.code or 0)


def altered(folder: Path, requirement: str, *, sealed: bool) -> None:
    report: dict[str, Any] = json.loads((folder / files.DATA).read_text("utf-8"))
    report["outcome"] = "inconclusive"
    next(row for row in report["requirements"] if row["id"] == requirement)["verdict"] = "inconclusive"
    (folder / files.DATA).write_text(json.dumps(chain.resealed(report) if sealed else report), "utf-8")


def test_an_unaltered_run_is_equal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ends(str(folder)) == 0
    *lines, conclusion = capsys.readouterr().out.splitlines()
    (stated,) = lines
    assert stated.startswith("The report states: Does not conform. ")
    assert "123 of 139 requirements were left out, as requested (" in stated
    assert conclusion.startswith("139 of 139 verdicts recomputed and equal; digests intact; recorded 20")
    assert conclusion.endswith(" against http://localhost/api/v1")

    assert ends(str(folder), "--list") == 0
    assert "2.3-supportedLanaguages                  pass            equal" in capsys.readouterr().out


@pytest.mark.parametrize("sealed", [False, True])
def test_an_altered_verdict_is_found(folder: Path, capsys: pytest.CaptureFixture[str], sealed: bool) -> None:
    altered(folder, FAILED, sealed=sealed)

    assert ends(str(folder)) == 1
    out = capsys.readouterr().out
    assert f"{FAILED}: verdict (the evidence does not support the report)\n    recorded    inconclusive\n" in out
    assert ("report.json was altered" in out) is not sealed
    assert (
        f"138 of 139 verdicts recomputed and equal; 2 other differences; digests {'' if sealed else 'not '}intact; "
        in out
    )


def test_a_bundle_is_verified_with_its_signature(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    private = key(folder.parent)
    content = packed(folder, private)
    path, public = written(folder.parent / "run.drsi.zip", content), private.with_suffix(".pub")

    assert ends(str(path), "--key", str(public)) == 0
    assert "139 of 139 verdicts recomputed and equal; digests intact; signature valid; " in capsys.readouterr().out
    assert ends(str(path)) == 0
    assert "; signature not checked; no time stamp; " in capsys.readouterr().out

    written(path, content | {files.DATA: content[files.DATA] + b" "})
    assert ends(str(path)) == 1
    assert "report.json was altered after it was packed" in capsys.readouterr().err
    path.write_bytes(path.read_bytes()[:-40])
    assert ends(str(path), "--key", str(public)) == 2


def test_what_is_no_run_is_unreadable(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evidence = json.loads((folder / files.EVIDENCE).read_text("utf-8"))
    del evidence["log"]["_run"]
    (folder / files.EVIDENCE).write_text(json.dumps(evidence), "utf-8")
    assert ends(str(folder)) == 1
    assert "evidence.har is not the evidence that report.json names; KeyError: '_run'" in capsys.readouterr().err
    (folder / files.EVIDENCE).unlink()
    assert ends(str(folder)) == 2
    assert ends(str(folder), "--key", "public.pem") == 2
    assert "--key and --tsa-ca check a bundle" in capsys.readouterr().err


def test_evidence_of_another_run_and_a_report_that_contradicts_itself_are_altered(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = run_over(plan=only("4.4"), seed=1)
    files.write(folder.parent / "other", other.data, other.evidence)
    (folder / files.EVIDENCE).write_bytes((folder.parent / "other" / files.EVIDENCE).read_bytes())
    assert ends(str(folder)) == 1
    said = "".join(capsys.readouterr())
    assert "evidence.har is not the evidence that report.json names" in said

    report = json.loads((folder / files.DATA).read_text("utf-8"))
    report["outcome"] = "conforms"
    (folder / files.DATA).write_text(json.dumps(report), "utf-8")
    assert ends(str(folder)) == 1
    assert "it was altered, it does not have its digest" in capsys.readouterr().err


def test_other_calls_of_a_newer_suite_are_not_blamed_on_the_record(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report, evidence = (json.loads((folder / name).read_text("utf-8")) for name in (files.DATA, files.EVIDENCE))
    report["suite"]["version"] = "0.0.1"
    calls = [each for each in evidence["log"]["entries"] if each["_credential"] != "user"]
    calls[-1]["_credential"] = "a credential of 0.0.1"
    evidence = chain.chained(evidence)
    (folder / files.DATA).write_text(json.dumps(chain.sealed(report, evidence)), "utf-8")
    (folder / files.EVIDENCE).write_text(json.dumps(evidence), "utf-8")

    assert ends(str(folder)) == 1
    said = capsys.readouterr().out
    assert "an exchange (the suite has changed since)" in said
    assert "the evidence does not support the report" not in said
