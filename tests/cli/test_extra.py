"""The extras: without their packages all else works, and the command says what is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from bundles import key

WITHOUT = """
import sys
for name in ("cryptography", "rfc3161_client", "securesystemslib", "authlib", "keyring", "sqlalchemy", "alembic"):
    sys.modules[name] = None
from conformance.cli import main
main()
"""


def called(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process that has none of the packages."""
    return subprocess.run([sys.executable, "-c", WITHOUT, *arguments], capture_output=True, text=True, check=False)


def test_a_run_is_packed_verified_and_answered_without_the_extra(run: Path) -> None:
    reply = ("--requirement", "4.3-answers-ok", "--statement", "A proxy answered.", "--by", "Example Ltd")

    for arguments in (("reply", str(run), *reply), ("verify", str(run)), ("bundle", str(run))):
        result = called(*arguments)
        assert (result.returncode, result.stderr) == (0, "")
    result = called("verify", f"{run}.drsi.zip")
    assert (result.returncode, "no signature; no time stamp" in result.stdout) == (0, True)


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
