"""--help-base: the documentation site to which reports link."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.cli import command_group


@pytest.mark.parametrize(
    "value", ["docs.example", "javascript:alert(1)", "https://user:secret@docs.example", "https://"]
)
def test_what_is_no_address_of_a_site_is_refused(value: str) -> None:
    done = CliRunner().invoke(command_group(), ["check", "--help-base", value])

    assert done.exit_code == 2
    assert "expected the address of a site, such as" in done.output


def test_a_run_records_the_site_and_explain_takes_it_from_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("drsi-conformance.toml").write_text('help-base = "https://docs.example/latest/"\n', "utf-8")
    named = ["--config", "drsi-conformance.toml"]
    done = CliRunner().invoke(
        command_group(),
        ["check", "--only", "4.4-answers-200", "--output", "run", "--format", "sarif", "--quiet", *named],
    )
    assert json.loads(Path("run/report.json").read_text("utf-8"))["run"]["help_base"] == "https://docs.example/latest"
    assert done.exit_code == 0, done.output

    page = "https://docs.example/latest/requirements/4.4-answers-200.html"
    assert page in Path("run/results.sarif").read_text("utf-8")
    explained = CliRunner().invoke(command_group(), ["explain", "4.4-answers-200", *named])
    assert page in explained.output
    assert "A bad exchange, recorded with the faulty service" in explained.output
