"""A bundle with the wheel of the suite that made its run: packed, checked, and executed only for a good reason."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Collection
from pathlib import Path

import pytest
from bundles import key, listed_again, written
from cli_services import Command, report_of

from conformance.model.build import digest_of
from conformance.reports import files
from conformance.trust import authenticity, bundle, chain, signature, statement, wheel

SIGNER = ("--key", "auditor.pub")
NAME = f"suite/{wheel.FILE}"
PAGES = ("html", "summary", "summary.nl", "csv")


def small_build(code: bytes = b"", **added: bytes) -> tuple[bytes, str]:
    """Return the wheel of a build that does no more than `code`, and the digest of that."""
    made = {"conformance/__init__.py": code, "conformance/__main__.py": b""}
    info = wheel.FILE.replace("-py3-none-any.whl", ".dist-info")
    described = {"METADATA": b"Name: drsi-conformance\nVersion: 1.0\n", **added}
    return wheel.packed(made | {f"{info}/{name}": text for name, text in described.items()}), digest_of(made)


def of_another_build(
    run: Path, made: bytes, recorded: str, signer: Path | None = None, pages: Collection[str] = ()
) -> tuple[Path, str]:
    """Write the bundle of a run as that build packs it; return it, and the digest of its wheel."""
    report = report_of(run)
    report["suite"]["build"] = recorded
    report = chain.resealed(report)
    (run / files.DATA).write_text(json.dumps(report), "utf-8")
    evidence = files.evidence_in(run / files.EVIDENCE)
    for page in ("report.html", "summary.html", "requirements.csv"):
        (run / page).unlink()
    for name, text in files.rendered(report, evidence, pages).items():
        (run / name).write_text(text, "utf-8")
    content = listed_again(bundle.contents(run, report, evidence) | {NAME: made})
    if signer is not None:
        stated = statement.statement(report, content[bundle.MANIFEST])
        content[bundle.STATEMENT] = signature.signed(stated, signature.signer(signer, str))
    return written(run.parent / "other.drsi.zip", content), hashlib.sha256(made).hexdigest()


def written_wheel(folder: Path, content: bytes, name: str = wheel.FILE) -> Path:
    (file := folder / name).write_bytes(content)
    return file


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


@pytest.mark.usefixtures("run")
def test_the_wheel_is_packed_and_its_digest_is_told_and_signed(command: Command, folder: Path) -> None:
    result = command("bundle", "run", "--with-suite", "--sign", str(key(folder)))

    assert (result.code, result.err) == (0, "")
    suite = wheel.of_this_suite()
    digest = hashlib.sha256(suite).hexdigest()
    assert f"With {NAME}, sha256:{digest}" in result.out.splitlines()
    with bundle.opened(folder / "run.drsi.zip") as opened:
        assert (opened / NAME).read_bytes() == suite
        signed = signature.check((opened / bundle.STATEMENT).read_bytes(), folder / "auditor.pub")
        assert {"name": NAME, "digest": {"sha256": digest}} in signed.statement["predicate"]["configuration"]
        assert all(each.valid is not False for each in authenticity.check(opened, folder / "auditor.pub", None))

    # The build of the run needs no code from the archive.
    verified = command("verify", "run.drsi.zip", "--use-bundled-suite")
    assert (verified.code, "Executing" in verified.out) == (0, False)
    assert f"suite: {NAME} has the code that the report names as the build of the run." in verified.out


def test_the_build_of_the_run_verifies_it_from_the_bundle(command: Command, run: Path) -> None:
    """With its translated pages, which need Babel, as it is installed here."""
    made = members(wheel.of_this_suite())
    made["conformance/model/text.py"] += b"\n# another build\n"
    build = digest_of({name: text for name, text in made.items() if name.startswith("conformance/")})
    path, digest = of_another_build(run, wheel.packed(made), build, pages=PAGES)
    named = command("verify", str(path))
    assert (named.code, "verify it: --use-bundled-suite --suite-sha256 DIGEST" in named.out) == (3, True)

    result = command("verify", str(path), "--use-bundled-suite", "--suite-sha256", f"sha256:{digest}")

    assert (result.code, result.err) == (0, ""), result.out
    assert f"Executing {wheel.FILE}" in result.out
    assert "  |   pages: " not in result.out
    assert " verdicts recomputed and equal; digests intact; recorded 20" in result.out
    assert "Judged by the build that made the run: exit code 0." in result.out


def test_a_wheel_of_another_build_with_the_same_version_is_not_executed(
    command: Command, folder: Path, run: Path
) -> None:
    of_another_build(run, *small_build())
    written_wheel(folder, small_build(b"import os")[0], "same.whl")
    written_wheel(folder, b"no wheel", "none.whl")

    same, none = (command("verify", "run", "--suite", name) for name in ("same.whl", "none.whl"))

    assert (same.code, same.out, none.code, none.out) == (2, "", 2, "")
    assert f"same.whl was not executed: expected the build {small_build()[1]}, which the report names" in same.err
    assert "Two builds may have one version" in same.err
    assert "none.whl was not executed: none.whl is no usable bundle" in " ".join(none.err.split())


def test_nothing_is_executed_without_a_reason_to_trust_it(command: Command, folder: Path, run: Path) -> None:
    """A signature is none: who is audited could sign a suite that finds everything right."""
    path, digest = of_another_build(run, *small_build(), signer=key(folder))
    key(folder, name="other")
    verify = ("verify", str(path), "--use-bundled-suite")

    unknown, other, signed = command(*verify), command(*verify, "--suite-sha256", "0" * 64), command(*verify, *SIGNER)
    by_another = command(*verify, "--suite-sha256", digest, "--key", "other.pub")

    assert (unknown.code, other.code, signed.code, by_another.code) == (2, 1, 2, 1)
    assert "Executing" not in unknown.out + other.out + signed.out + by_another.out
    for each in (unknown, signed):
        assert f"nothing shows that its code can be trusted. Its digest is sha256:{digest}." in each.err
    assert f"expected sha256:{'0' * 64}, received sha256:{digest}" in other.err
    assert "was not executed, because a part of the bundle is not valid" in by_another.out


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ({"start.pth": b"import os"}, "files that no wheel of the suite has (start.pth)"),
        ({"conformance/fixtures/__init__.py": b"import os"}, "code that the digest of the build leaves out"),
        ({"conformance/fixtures/a.so": b"ELF"}, "code that the digest of the build leaves out"),
        ({"conformance/own.so": b"ELF"}, "which the report names, received sha256:"),
        ({"conformance/__init__.py": b"import os"}, "which the report names, received sha256:"),
    ],
)
def test_a_wheel_with_other_code_is_none_of_the_build(tmp_path: Path, added: dict[str, bytes], said: str) -> None:
    made, recorded = small_build()
    assert wheel.fault(written_wheel(tmp_path, made), recorded) == ""
    assert said in wheel.fault(written_wheel(tmp_path, wheel.packed(members(made) | added)), recorded)


def test_a_wheel_with_other_code_is_not_executed(command: Command, run: Path) -> None:
    made, recorded = small_build()
    path, digest = of_another_build(run, wheel.packed(members(made) | {"start.pth": b"import os"}), recorded)
    result = command("verify", str(path), "--use-bundled-suite", "--suite-sha256", digest)
    assert (result.code, "Executing" in result.out) == (1, False)
    assert f"suite: {NAME} is not the suite that made the run: it has files that no wheel" in result.out


def test_the_metadata_of_a_wheel_execute_nothing(command: Command, folder: Path, run: Path) -> None:
    """The digest of a build covers its code, and not the entry points, which hypothesis and pytest would call."""
    shows = b"from importlib import metadata\nprint('found', *metadata.distribution('drsi-conformance').entry_points)\n"
    made, recorded = small_build(shows, **{"entry_points.txt": b"[hypothesis]\nx = os:abort\n"})
    of_another_build(run, made, recorded)
    written_wheel(folder, made, "got.whl")

    done = command("verify", "run", "--suite", "got.whl")
    assert (done.code, done.out.count("  | found"), "os:abort" in done.out) == (0, 1, False)


def test_the_other_build_gets_no_secret(
    command: Command, run: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    asks = b"import os, sys\nprint(os.environ, sys.argv, '\\033[31m')\nsys.exit(77)\n"
    monkeypatch.setenv("DRSI_TOKEN", "a-secret-token")
    monkeypatch.setenv("TMPDIR", str(temporary := tmp_path_factory.mktemp("temporary")))
    monkeypatch.setattr("tempfile.tempdir", None)
    path, digest = of_another_build(run, *small_build(asks))
    result = command("verify", str(path), "--use-bundled-suite", "--suite-sha256", digest)
    assert result.code == 4
    assert "  | environ({" in result.out
    assert "'verify', '" in result.out
    assert "a-secret-token" not in result.out
    assert "\033" not in result.out
    assert list(temporary.iterdir()) == []
