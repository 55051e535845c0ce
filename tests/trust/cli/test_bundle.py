"""The command that packs a run: what it writes and says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import httpx
import pytest
from bundles import PASSPHRASE, key, recorded
from cli_services import Command, is_one_message, names_in
from time_stamps import OPENSSL, authority, needs_openssl

from conformance.trust import authenticity, bundle


@pytest.fixture
def run(folder: Path) -> Path:
    return recorded(folder / "run")


def test_the_archive_is_beside_the_run_and_is_read_like_its_folder(command: Command, folder: Path, run: Path) -> None:
    result = command("bundle", "run")
    first = (folder / "run.drsi.zip").read_bytes()
    *said, path = result.out.splitlines()
    assert (result.code, result.err, path) == (0, "", "run.drsi.zip")
    assert said == ["Not signed: --sign KEY signs.", "Not time-stamped: --timestamp URL adds a time stamp."]

    result = command("bundle", str(run / "report.json"), "--output", "other.zip")

    assert (result.code, result.out.splitlines()[-1]) == (0, "other.zip")
    assert (folder / "other.zip").read_bytes() == first
    assert names_in(folder) == {"run", "run.drsi.zip", "other.zip"}
    assert "'--output': File 'run' is a directory" in command("bundle", "run", "--output", "run").err
    for each in ("run", "run.drsi.zip"):
        assert command("waive", each, "--output", f"{each}.toml").code == 0
    assert Path("run.toml").read_bytes() == Path("run.drsi.zip.toml").read_bytes()


@needs_openssl
@pytest.mark.usefixtures("run")
def test_a_time_stamp_that_was_made_elsewhere(command: Command, folder: Path) -> None:
    assert command("bundle", "run", "--sign", str(key(folder))).code == 0
    with bundle.opened(folder / "run.drsi.zip") as opened:
        statement = (opened / bundle.STATEMENT).read_bytes()
    with authority(folder / "authority") as stamps:
        for name, data in (("right.tsr", statement), ("wrong.tsr", b"another statement")):
            (folder / "data").write_bytes(data)
            query = [str(OPENSSL), "ts", "-query", "-cert", "-sha512", "-data", str(folder / "data")]
            asked = subprocess.run(query, capture_output=True, check=True).stdout
            (folder / name).write_bytes(httpx.post(stamps.url, content=asked).content)

    wrong = command("bundle", "run.drsi.zip", "--timestamp-file", "wrong.tsr")
    assert (wrong.code, wrong.out) == (2, "")
    assert "wrong.tsr is no time stamp of this bundle: it is about other bytes." in wrong.err
    added = command("bundle", "run.drsi.zip", "--timestamp-file", "right.tsr")
    assert (added.code, added.out.splitlines()[-1]) == (0, "run.stamped.drsi.zip"), added.err
    with bundle.opened(folder / "run.stamped.drsi.zip") as opened:
        results = authenticity.check(opened, folder / "auditor.pub", stamps.ca)
    assert [each.valid for each in results] == [True, True, True, True, True, True]
    again = command("bundle", "run.stamped.drsi.zip", "--timestamp-file", "right.tsr")
    assert "has a time stamp already" in again.err


@pytest.mark.usefixtures("run")
def test_a_pass_phrase_is_that_of_the_key_and_asked_for_at_a_terminal_only(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("bundle", "run", "--sign", str(key(folder, passphrase=PASSPHRASE)))
    is_one_message(command(*arguments), "there is no terminal")
    monkeypatch.setenv("DRSI_KEY_PASSPHRASE", "wrong")
    is_one_message(command(*arguments), "cannot be decrypted with this pass phrase")
    assert not (folder / "run.drsi.zip").exists()

    monkeypatch.delenv("DRSI_KEY_PASSPHRASE")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(click.termui, "hidden_prompt_func", lambda _prompt: PASSPHRASE)
    assert command(*arguments).code == 0
