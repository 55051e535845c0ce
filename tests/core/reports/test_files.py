from __future__ import annotations

import json
from pathlib import Path

import pytest
import report_samples as samples

from conformance.model.printable import as_json
from conformance.reports import files, junit


def test_data_is_written_without_views_and_old_views_go(tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("of an earlier run")

    paths = files.write(tmp_path, samples.data(samples.report()), samples.evidence(), formats=("junit",))

    assert {path.name for path in paths} == {"evidence.har", "report.json", "junit.xml"}
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize("entries", [0, 1, None])
def test_data_and_evidence_in_pieces_are_documents_with_hostile_text_as_escapes(
    tmp_path: Path, entries: int | None
) -> None:
    report = samples.data(samples.report(findings=samples.broken_findings(samples.HOSTILE)))
    evidence = samples.evidence(samples.HOSTILE)
    evidence["log"]["entries"] = evidence["log"]["entries"][:entries]

    files.write(tmp_path, report, evidence, formats=())

    text = (tmp_path / files.DATA).read_text("utf-8")
    assert json.loads(text) == report
    assert r"\ud800" in text
    assert not set(text) & set("\x1b\x9b\u202e\u2028")
    text = (tmp_path / files.EVIDENCE).read_text("utf-8")
    assert text.replace("[\n{", "[{").replace(",\n{", ", {").replace("\n]}}", "]}}") == as_json(evidence, indent=None)
    assert files.evidence_in(tmp_path / files.EVIDENCE) == evidence


def test_an_empty_file_is_no_evidence(tmp_path: Path) -> None:
    (tmp_path / files.EVIDENCE).touch()
    with pytest.raises(ValueError, match="Expecting value"):
        files.evidence_in(tmp_path / files.EVIDENCE)


def test_a_view_that_breaks_leaves_no_verdict_and_no_debris(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> str:
        raise RuntimeError("broken view")

    monkeypatch.setattr(junit, "render", broken)
    with pytest.raises(files.ViewCrashed, match="broken view"):
        files.write(tmp_path, samples.data(samples.report()), samples.evidence())

    assert list(tmp_path.iterdir()) == []


def test_a_file_that_has_taken_its_place_goes_when_another_cannot(tmp_path: Path) -> None:
    (tmp_path / "report.json").mkdir()

    with pytest.raises(OSError, match=r"report\.json"):
        files.write(tmp_path, samples.data(samples.report()), samples.evidence())

    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_a_crash_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError("no space left")

    (tmp_path / "report.json").write_text("old")
    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        files.write(tmp_path, samples.data(samples.report()), samples.evidence())

    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]
    assert (tmp_path / "report.json").read_text() == "old"


def test_no_file_takes_its_place_if_one_contains_a_token(tmp_path: Path) -> None:
    def kind_in(path: Path) -> str:
        return "base64" if b"<html" in path.read_bytes() else ""

    with pytest.raises(files.SecretFound, match=r"report\.html contains a token as base64"):
        files.write(tmp_path, samples.data(samples.report()), samples.evidence(), ["html"], kind_in=kind_in)

    assert list(tmp_path.iterdir()) == []
