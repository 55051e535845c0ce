"""The extras: without their packages all else works, and the command says what is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli_services import Result, names_in

from conformance.model.report import ReportData
from conformance.reports import files, language
from conformance.trace.har import Har

WITHOUT = """
import sys
for name in "cryptography rfc3161_client securesystemslib authlib keyring sqlalchemy babel".split():
    sys.modules[name] = None
from importlib import metadata
version = metadata.version
def without(name):
    if name == "babel":
        raise metadata.PackageNotFoundError(name)
    return version(name)
metadata.version = without


names = "cryptography rfc3161_client securesystemslib authlib keyring sqlalchemy distributed"
sys.modules |= dict.fromkeys(names.split())
from conformance.cli import main
"""
ONE_AFTER_ANOTHER = """
import io, json
from contextlib import redirect_stderr, redirect_stdout
for arguments in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as ended:
            code = ended.code
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""


def called(*commands: tuple[str, ...]) -> list[Result]:
    """Run commands, one after another, in a process that has none of the packages."""
    words = [sys.executable, "-c", WITHOUT + ONE_AFTER_ANOTHER, json.dumps(commands)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    results = [Result(*json.loads(line)) for line in done.stdout.splitlines()]
    assert [each.err for each in results if "Traceback" in each.err] == []
    return results


def test_a_run_is_packed_verified_and_answered_without_the_extra(run: Path) -> None:
    reply = ("--requirement", "4.3-answers-ok", "--statement", "A proxy answered.", "--by", "Example Ltd")

    commands = (("reply", str(run), *reply), ("verify", str(run)), ("bundle", str(run)), ("verify", f"{run}.drsi.zip"))
    results = called(*commands)
    assert [(each.code, each.err) for each in results] == [(0, "")] * len(commands)
    assert "no signature; no time stamp" in results[-1].out


INSTALLS = {
    ("bundle", "run", "--sign", "auditor.pem"): "evidence",
    ("bundle", "run", "--timestamp", "http://127.0.0.1:9"): "evidence",
    ("verify", "run", "--attest", "auditor.pem"): "evidence",
    ("login", "https://service.example"): "login",
    ("store", "add", "audits.sqlite", "run"): "audit",
    ("audit", "targets.csv", "--dask", "tcp://127.0.0.1:9"): "audit",
}
"""The extra that each command needs."""


@pytest.mark.usefixtures("run")
def test_what_needs_an_extra_says_how_to_install_it(folder: Path) -> None:
    (folder / "auditor.pem").touch()
    (folder / "targets.csv").write_text("name,base_url,profile\na,https://a.example,public\n", "utf-8")
    there = names_in(folder)

    results = called(*INSTALLS)

    for extra, result in zip(INSTALLS.values(), results, strict=True):
        assert (result.code, f"pip install 'drsi-conformance[{extra}]'" in result.err) == (2, True), result.err
    assert names_in(folder) - {"audits"} == there  # the folder of audits is made first, for its lock


def test_a_language_says_how_to_install_what_it_needs(run: Path) -> None:
    result, english = called(("render", str(run), "--language", "nl"), ("render", str(run), "--format", "summary,html"))

    assert result.code == 2
    assert "pip install 'drsi-conformance[languages]'" in result.err
    assert not (run / "summary.nl.html").exists()
    assert (english.code, english.err) == (0, "")


def test_a_translation_that_cannot_be_compared_is_no_forgery(run: Path) -> None:
    files.write_views(run, *data_of(run), ["summary.nl"])

    reply = ("--requirement", "4.3-answers-ok", "--statement", "No.", "--by", "Example Ltd")
    result, answered = called(("verify", str(run)), ("reply", str(run), *reply))

    assert result.code == 3
    assert f"not compared, because Babel {language.babel()} made its dates and numbers, and here is none" in result.out
    assert answered.code == 2
    assert "pip install 'drsi-conformance[languages]'" in answered.err
    assert "A reply" not in (run / "summary.nl.html").read_text("utf-8")


def data_of(run: Path) -> tuple[ReportData, Har]:
    """Return the data of a run: its report and its evidence."""
    return json.loads((run / "report.json").read_bytes()), files.evidence_in(run / "evidence.har")
