"""The command that packs a run: what it writes and says, and what it refuses."""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
from pathlib import Path

import click
import httpx
import pytest
from bundles import PASSPHRASE, key, recorded
from cli_services import Command, names_in
from time_stamps import OPENSSL, authority, needs_openssl

from conformance.trust import authenticity, bundle


@pytest.fixture
def run(folder: Path) -> Path:
    return recorded(folder / "run")


def test_the_archive_is_beside_the_run(command: Command, folder: Path, run: Path) -> None:
    result = command("bundle", "run")
    first = (folder / "run.drsi.zip").read_bytes()
    *said, path = result.out.splitlines()
    assert (result.code, result.err, path) == (0, "", "run.drsi.zip")
    assert said == ["Not signed: --sign KEY signs.", "Not time-stamped: --timestamp URL adds a time stamp."]

    result = command("bundle", str(run / "report.json"), "--output", "other.zip")

    assert (result.code, result.out.splitlines()[-1]) == (0, "other.zip")
    assert (folder / "other.zip").read_bytes() == first
    assert names_in(folder) == {"run", "run.drsi.zip", "other.zip"}


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(
    "arguments",
    [
        ("render", "RUN", "--output", "views"),
        ("waive", "RUN", "--output", "views/waivers.toml"),
    ],
)
def test_a_bundle_is_read_like_its_folder(command: Command, folder: Path, arguments: tuple[str, ...]) -> None:
    assert command("bundle", "run").code == 0
    found = []
    for each in ("run", "run.drsi.zip"):
        (folder / "views").mkdir()
        result = command(*(each if argument == "RUN" else argument for argument in arguments))
        found.append((result, {path.name: path.read_bytes() for path in (folder / "views").iterdir()}))
        shutil.rmtree(folder / "views")
    assert found[0] == found[1]
    assert (found[0][0].code, found[0][0].err) == (0, "")


@pytest.mark.usefixtures("run")
def test_a_bundle_is_neither_changed_nor_packed_again(command: Command, folder: Path) -> None:
    assert command("bundle", "run", "--output", "sent").code == 0
    for name, said in (
        ("render", "Name the folder to write to with --output."),
        ("bundle", "sent is a bundle already"),
    ):
        result = command(name, "sent")
        assert (result.code, result.out) == (2, "")
        assert said in result.err
    assert names_in(folder) == {"run", "sent"}


@pytest.mark.usefixtures("run")
def test_an_older_bundle_is_not_overwritten(command: Command, folder: Path) -> None:
    (folder / "run.drsi.zip").write_bytes(b"sent to the regulator")
    result = command("bundle", "run", "--sign", "absent.pem")
    assert (result.code, result.out) == (2, "")
    assert "run.drsi.zip exists, and is not overwritten.\n  fix    Name another file with --output" in result.err
    assert (folder / "run.drsi.zip").read_bytes() == b"sent to the regulator"


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
    for arguments in (("run", "--timestamp-file", "right.tsr"), ("run", "--timestamp-user", "auditor")):
        assert command("bundle", *arguments).code == 2
    assert command("bundle", "run.drsi.zip", "--timestamp-file", "right.tsr", "--sign", "auditor.pem").code == 2


@needs_openssl
@pytest.mark.usefixtures("run")
def test_an_authority_that_asks_for_a_user(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    credentials = f"Basic {base64.b64encode(b'auditor:secret').decode()}"
    with authority(folder / "authority", credentials=credentials) as stamps:
        bundled = ("bundle", "run", "--timestamp", stamps.url)
        unnamed = command(*bundled)
        unset = command(*bundled, "--timestamp-user", "auditor")
        monkeypatch.setenv("DRSI_TIMESTAMP_PASSWORD", "wrong")
        wrong = command(*bundled, "--timestamp-user", "auditor")
        monkeypatch.setenv("DRSI_TIMESTAMP_PASSWORD", "secret")
        right = command(*bundled, "--timestamp-user", "auditor")
    assert [each.code for each in (unnamed, unset, wrong, right)] == [2, 2, 2, 0], right.err
    for refused in (unnamed, wrong):
        assert "it does not accept the user name and the password" in refused.err
        assert "Give the user name with --timestamp-user" in refused.err
    assert "Set DRSI_TIMESTAMP_PASSWORD" in unset.err
    assert "Time stamp of 20" in right.out


@pytest.mark.usefixtures("run")
def test_a_password_is_not_sent_in_clear(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRSI_TIMESTAMP_PASSWORD", "secret")
    result = command("bundle", "run", "--timestamp", "http://timestamps.example/", "--timestamp-user", "auditor")
    assert (result.code, result.out) == (2, "")
    assert "a password is sent only to an https address" in result.err
    assert "secret" not in result.err


@pytest.mark.usefixtures("run")
def test_the_pass_phrase_is_asked_for_at_a_terminal_only(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("bundle", "run", "--sign", str(key(folder, passphrase=PASSPHRASE)))
    refused = command(*arguments)
    assert (refused.code, refused.out) == (2, "")
    assert "there is no terminal" in refused.err
    assert "Set DRSI_KEY_PASSPHRASE" in refused.err
    assert not (folder / "run.drsi.zip").exists()

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(click.termui, "hidden_prompt_func", lambda _prompt: PASSPHRASE)
    assert command(*arguments).code == 0

    (folder / "run.drsi.zip").unlink()
    monkeypatch.setenv("DRSI_KEY_PASSPHRASE", "wrong")
    assert "cannot be decrypted with this pass phrase" in command(*arguments).err


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "--sign", "absent.pem"), "absent.pem cannot be read: No such file"),
        (("run", "--output", "absent/a.zip"), "Name a place that can be written with --output"),
        (("run", "--timestamp", "ftp://127.0.0.1"), "ftp://127.0.0.1 gave no time stamp"),
        (("run", "--timestamp", "http://127.0.0.1:1"), "it cannot be reached"),
        (("run", "--include-key", "absent.key"), "File 'absent.key' does not exist"),
    ],
)
def test_what_cannot_be_used_is_named(command: Command, folder: Path, arguments: tuple[str, ...], said: str) -> None:
    result = command("bundle", *arguments)
    assert (result.code, result.out) == (2, "")
    assert said in result.err
    assert "Traceback" not in result.err
    assert names_in(folder) == {"run"}


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("report.json", b'"seed": ', b'"seed": 1', "report.json was altered"),
        ("evidence.har", b'"_ended"', b'"_over"', "evidence.har is not what 'check' wrote"),
    ],
)
def test_an_altered_run_is_refused(command: Command, run: Path, name: str, old: bytes, new: bytes, said: str) -> None:
    content = (run / name).read_bytes()
    assert old in content
    (run / name).write_bytes(content.replace(old, new, 1))
    result = command("bundle", "run")
    assert (result.code, result.out) == (2, "")
    assert said in result.err
