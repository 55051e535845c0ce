"""schemathesis beside the suite: alone with the OpenAPI document, and as a second opinion on a recorded run."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli_services import listening
from whole_runs import only, run_over, written

from conformance.calibration.combinations import find_variant
from conformance.cli.recorded import RecordedRun
from conformance.reference.app import build_app
from conformance.reference.config import ReferenceConfig, User
from conformance.schema.documents import bundled

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "schemathesis.md").read_text("utf-8")
EXCLUDED = re.search(r"--exclude-checks (\S+)", PAGE)


def test_the_command_of_the_page_excludes_what_the_table_says() -> None:
    assert EXCLUDED is not None
    assert sorted(EXCLUDED[1].split(",")) == sorted(set(re.findall(r"^\| \*\*(\w+)\*\* \|", PAGE, re.MULTILINE)))


def test_schemathesis_alone_finds_nothing_in_the_reference_service(tmp_path: Path) -> None:
    assert EXCLUDED is not None
    config = ReferenceConfig(users=(User("alice.example", "Alice-0123456789abcdefghij"),), max_requests=1000)
    (tmp_path / "openapi.json").write_text(json.dumps(bundled()), "utf-8")
    with listening(build_app(config)) as origin:
        options = f"run openapi.json --url {origin}{config.path_prefix} --checks all --max-examples 2 --seed 1".split()
        options += ["-H", f"Authorization: Bearer {config.tokens[0]}", "--exclude-checks", EXCLUDED[1]]
        command = [Path(sys.executable).with_name("schemathesis"), *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout


def test_a_second_opinion_names_what_no_finding_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    gaps_in = importlib.import_module("second_opinion").gaps_in
    report, evidence = written(run_over(bend=find_variant("settings-forgot-password-link-absent"), plan=only("2.3")))

    assert list(gaps_in(RecordedRun(ROOT, report, evidence))) == []
    for row in report["requirements"]:
        row["findings"] = []
    (gap,) = gaps_in(RecordedRun(ROOT, report, evidence))
    assert "response_schema_conformance" in gap
