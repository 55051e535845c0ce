"""The extras: without their packages all else works, and the command says what is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from bundles import key

from conformance.model.report import ReportData
from conformance.reports import files, language
from conformance.reports.har import Har

WITHOUT = """
import sys
for name in "cryptography rfc3161_client securesystemslib authlib keyring sqlalchemy alembic babel".split():
    sys.modules[name] = None
from importlib import metadata
version = metadata.version
def without(name):
    if name == "babel":
        raise metadata.PackageNotFoundError(name)
    return version(name)
metadata.version = without


names = "cryptography rfc3161_client securesystemslib authlib keyring sqlalchemy alembic distributed"
sys.modules |= dict.fromkeys(names.split())
from conformance.cli import main
"""
ONE = "main()"
ONE_AFTER_ANOTHER = """
import json
for arguments in json.loads(sys.argv[1]):
    try:
        main(arguments)
    except SystemExit as ended:
        assert ended.code == 0, arguments
"""


def called(*arguments: str, program: str = ONE) -> subprocess.CompletedProcess[str]:
    """Run the command in a process that has none of the packages."""
    command = [sys.executable, "-c", WITHOUT + program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_run_is_packed_verified_and_answered_without_the_extra(run: Path) -> None:
    reply = ("--requirement", "4.3-answers-ok", "--statement", "A proxy answered.", "--by", "Example Ltd")

    commands = (("reply", str(run), *reply), ("verify", str(run)), ("bundle", str(run)), ("verify", f"{run}.drsi.zip"))
    result = called(json.dumps(commands), program=ONE_AFTER_ANOTHER)
    assert (result.returncode, result.stderr) == (0, "")
    assert "no signature; no time stamp" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("bundle", "run", "--sign", "auditor.pem"),
        ("bundle", "run", "--timestamp", "http://127.0.0.1:9"),
        ("verify", "run", "--attest", "auditor.pem"),
    ],
)
@pytest.mark.usefixtures("run")
def test_what_needs_the_extra_says_how_to_install_it(folder: Path, arguments: tuple[str, ...]) -> None:
    key(folder)

    result = called(*arguments)

    assert result.returncode == 2
    assert "pip install 'drsi-conformance[evidence]'" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (folder / "run.drsi.zip").exists()


def test_a_login_says_how_to_install_what_it_needs(folder: Path) -> None:
    result = called("login", "https://service.example")

    assert (result.returncode, list(folder.iterdir())) == (2, [])
    assert "pip install 'drsi-conformance[login]'" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_store_says_how_to_install_what_it_needs(folder: Path) -> None:
    result = called("store", "add", "audits.sqlite", "run")

    assert (result.returncode, list(folder.iterdir())) == (2, [])
    assert "pip install 'drsi-conformance[audit]'" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_language_says_how_to_install_what_it_needs(run: Path) -> None:
    result = called("render", str(run), "--language", "nl")

    assert result.returncode == 2
    assert "pip install 'drsi-conformance[languages]'" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (run / "summary.nl.html").exists()
    english = called("render", str(run), "--format", "summary,html")
    assert (english.returncode, english.stderr) == (0, "")


def test_a_translation_that_cannot_be_compared_is_no_forgery(run: Path) -> None:
    files.write_views(run, *data_of(run), ["summary.nl"])

    result = called("verify", str(run))
    answered = called("reply", str(run), "--requirement", "4.3-answers-ok", "--statement", "No.", "--by", "Example Ltd")

    assert result.returncode == 3
    assert (
        f"not compared, because Babel {language.babel()} made its dates and numbers, and here is none" in result.stdout
    )
    assert answered.returncode == 2
    assert "pip install 'drsi-conformance[languages]'" in answered.stderr
    assert "A reply" not in (run / "summary.nl.html").read_text("utf-8")


def data_of(run: Path) -> tuple[ReportData, Har]:
    """Return the data of a run: its report and its evidence."""
    return json.loads((run / "report.json").read_bytes()), files.evidence_in(run / "evidence.har")


def test_a_cluster_says_how_to_install_what_it_needs(folder: Path) -> None:
    (folder / "targets.csv").write_text("name,base_url,profile\na,https://a.example,public\n", "utf-8")
    result = called("audit", "targets.csv", "--dask", "tcp://127.0.0.1:9")

    assert result.returncode == 2
    assert "pip install 'drsi-conformance[audit]'" in result.stderr
    assert "Traceback" not in result.stderr
