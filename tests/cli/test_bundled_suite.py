"""A bundle with the wheel of the suite that made its run: packed, checked, and executed only for a good reason."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest
from bundles import key, listed_again, written
from cli_services import Command, report_of
from platforms import POSIX_COMMANDS

from conformance.cli import bundled_suite
from conformance.evidence import archive, authenticity, bundle, chain, signature, statement, wheel
from conformance.model.build import digest_of
from conformance.reports import files

CODE = "conformance/model/text.py"
NAME = f"suite/{wheel.FILE}"


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


@cache
def another_build() -> tuple[bytes, str]:
    """Return the wheel of a build with other code, and the digest of its code."""
    made = members(wheel.of_this_suite())
    made[CODE] += b"\n# another build\n"
    return wheel.packed(made), digest_of({k: v for k, v in made.items() if k.startswith("conformance/")})


def with_other_code(changes: Mapping[str, bytes]) -> tuple[bytes, str]:
    """Return the wheel of the same build with other code, and the digest of the code that it should have."""
    made, recorded = another_build()
    return wheel.packed(members(made) | changes), recorded


def of_another_build(run: Path, made: bytes, recorded: str, signer: Path | None = None) -> tuple[Path, str]:
    """Write the bundle of a run as that build packs it; return it, and the digest of its wheel."""
    report = report_of(run)
    report["suite"]["build"] = recorded
    report = chain.resealed(report)
    (run / files.DATA).write_text(json.dumps(report), "utf-8")
    evidence = files.evidence_in(run / files.EVIDENCE)
    for name, pieces in files.rendered(report, evidence, ("html", "summary", "csv")).items():
        (run / name).write_text("".join(pieces), "utf-8")
    content = listed_again(bundle.contents(run, report, evidence) | {NAME: made})
    if signer is not None:
        stated = statement.statement(report, content[bundle.MANIFEST])
        content[bundle.STATEMENT] = signature.signed(stated, signature.signer(signer, str))
    return written(run.parent / "other.drsi.zip", content), hashlib.sha256(made).hexdigest()


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with another build, which reads the dependencies of this one."""
    place = tmp_path_factory.mktemp("environment")
    venv.create(place, with_pip=False)
    paths = sysconfig.get_paths("venv", {"base": str(place)})
    archive.unpack(written_wheel(place, another_build()[0]), Path(paths["purelib"]))
    (Path(paths["purelib"]) / "dependencies.pth").write_text(f"{Path(pytest.__file__).parents[1]}\n")
    return Path(paths["scripts"]) / "python"


def written_wheel(folder: Path, content: bytes) -> Path:
    (file := folder / wheel.FILE).write_bytes(content)
    return file


@pytest.fixture
def installs(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> list[Sequence[str]]:
    """Install nothing: the other build is installed, without an index; returns the versions asked for."""
    asked: list[Sequence[str]] = []

    def installed(made: Path, _place: Path, versions: Sequence[str]) -> Path:
        assert made.read_bytes() == another_build()[0]
        asked.append(versions)
        place: Path = request.getfixturevalue("python")
        return place

    monkeypatch.setattr(bundled_suite, "installed", installed)
    return asked


@pytest.mark.usefixtures("run")
def test_the_wheel_is_packed_and_its_digest_is_told_and_signed(command: Command, folder: Path) -> None:
    result = command("bundle", "run", "--with-suite", "--sign", str(key(folder)))

    assert (result.code, result.err) == (0, "")
    digest = hashlib.sha256(wheel.of_this_suite()).hexdigest()
    assert f"With {NAME}, sha256:{digest}" in result.out.splitlines()
    with bundle.opened(folder / "run.drsi.zip") as opened:
        assert (opened / NAME).read_bytes() == wheel.of_this_suite()
        signed = signature.check((opened / bundle.STATEMENT).read_bytes(), folder / "auditor.pub")
        assert {"name": NAME, "digest": {"sha256": digest}} in signed.statement["predicate"]["configuration"]
        assert all(each.valid is not False for each in authenticity.check(opened, folder / "auditor.pub", None))

    # The build of the run needs no code from the archive.
    verified = command("verify", "run.drsi.zip", "--use-bundled-suite")
    assert (verified.code, "Executing" in verified.out) == (0, False)
    assert f"suite: {NAME} has the code that the report names as the build of the run." in verified.out


def test_only_the_build_of_the_run_packs_its_wheel(command: Command, run: Path) -> None:
    report = report_of(run)
    report["suite"]["build"] = f"sha256:{'1' * 64}"
    (run / files.DATA).write_text(json.dumps(chain.resealed(report)), "utf-8")
    result = command("bundle", "run", "--with-suite")
    assert (result.code, result.out) == (2, "")
    assert f"Another build made the run: expected version {report['suite']['version']}, sha256:1" in result.err


def test_the_build_of_the_run_verifies_it_from_the_bundle(
    command: Command, run: Path, installs: list[Sequence[str]]
) -> None:
    path, digest = of_another_build(run, *another_build())
    named = command("verify", str(path))
    assert (named.code, "which executes its code: --use-bundled-suite" in named.out) == (3, True)

    result = command("verify", str(path), "--use-bundled-suite", "--suite-sha256", f"sha256:{digest}")

    assert (result.code, result.err) == (0, ""), result.out
    assert f"Executing code from the archive: {NAME}, sha256:{digest}." in result.out
    assert "  |   pages: " not in result.out
    assert " verdicts recomputed and equal; digests intact; recorded 20" in result.out
    assert "Judged by the suite in the bundle, whose digest you gave: exit code 0." in result.out
    dependencies = report_of(run)["run"]["environment"]["dependencies"]
    assert installs == [[f"{name}=={version}" for name, version in dependencies.items()]]


def test_what_the_build_of_the_run_does_not_find_again_differs(
    command: Command, run: Path, installs: list[Sequence[str]]
) -> None:
    report = report_of(run)
    report["outcome"] = "inconclusive"
    next(row for row in report["requirements"] if row["verdict"] == "fail")["verdict"] = "inconclusive"
    (run / files.DATA).write_text(json.dumps(report), "utf-8")
    path, digest = of_another_build(run, *another_build())
    result = command("verify", str(path), "--use-bundled-suite", "--suite-sha256", digest)
    assert (result.code, len(installs)) == (1, 1)
    assert "verdict (the evidence does not support the report)" in result.out


def test_nothing_is_executed_without_a_reason_to_trust_it(
    command: Command, run: Path, installs: list[Sequence[str]]
) -> None:
    path, digest = of_another_build(run, *another_build())
    verify = ("verify", str(path), "--use-bundled-suite")

    unknown, other = command(*verify), command(*verify, "--suite-sha256", "0" * 64)

    assert (unknown.code, other.code, installs) == (2, 1, [])
    assert f"nothing shows that its code can be trusted. Its digest is sha256:{digest}." in unknown.err
    assert f"expected sha256:{'0' * 64}, received sha256:{digest}" in other.err
    for arguments in (("verify", "run", "--use-bundled-suite"), ("verify", str(path), "--suite-sha256", digest)):
        assert command(*arguments).code == 2


def test_a_signer_vouches_for_the_origin_of_the_code_and_not_for_the_suite(
    command: Command, folder: Path, run: Path, installs: list[Sequence[str]]
) -> None:
    path, digest = of_another_build(run, *another_build(), signer=key(folder))
    verify = ("verify", str(path), "--use-bundled-suite", "--key")
    key(folder, name="other")

    result, by_another = command(*verify, "auditor.pub"), command(*verify, "other.pub")

    assert (result.code, len(installs)) == (3, 1), result.err
    assert f"only the signer says that it is the suite. Compare sha256:{digest} with the digest" in result.out
    assert (by_another.code, "was not executed" in by_another.out) == (1, True)


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ({"start.pth": b"import os"}, "files that no wheel of the suite has (start.pth)"),
        ({"conformance/fixtures/__init__.py": b"import os"}, "code that the digest of the build leaves out"),
        ({"conformance/fixtures/a.so": b"ELF"}, "code that the digest of the build leaves out"),
        ({"conformance/own.so": b"ELF"}, "which the report names, received sha256:"),
        ({CODE: b"import os"}, "which the report names, received sha256:"),
    ],
)
def test_a_wheel_with_other_code_is_not_executed(
    command: Command, run: Path, installs: list[Sequence[str]], added: dict[str, bytes], said: str
) -> None:
    path, digest = of_another_build(run, *with_other_code(added))
    result = command("verify", str(path), "--use-bundled-suite", "--suite-sha256", digest)
    assert (result.code, installs) == (1, [])
    assert f"suite: {NAME} is not the suite that made the run: " in result.out
    assert said in result.out


@POSIX_COMMANDS
def test_the_code_of_the_archive_gets_no_secret(
    command: Command, folder: Path, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def installed(_made: Path, place: Path, _versions: Sequence[str]) -> Path:
        python = place / "python"
        python.write_text('#!/bin/sh\nenv\necho "$@"\nprintf "\\033[31m"\nexit 77\n')
        python.chmod(0o755)
        return python

    monkeypatch.setattr(bundled_suite, "installed", installed)
    monkeypatch.setenv("DRSI_TOKEN", "a-secret-token")
    path, digest = of_another_build(run, *another_build())
    result = command("verify", str(path), "--use-bundled-suite", "--suite-sha256", digest)
    assert result.code == 4
    assert "a-secret-token" not in result.out
    assert "\033" not in result.out
    assert "  | -I -m conformance verify " in result.out
    assert list(folder.glob("drsi-suite-*")) == []


@POSIX_COMMANDS
def test_a_wheel_that_cannot_be_installed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = written_wheel(tmp_path, b"no wheel")
    monkeypatch.setattr(sys, "executable", shutil.which("false") or os.devnull)
    with pytest.raises(bundled_suite.Failure, match="The suite in the bundle cannot be installed"):
        bundled_suite.installed(broken, tmp_path, [])
