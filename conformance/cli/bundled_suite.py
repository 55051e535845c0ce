"""The build that made a run verifies it: the options --suite and --use-bundled-suite of `verify`.

Its code is executed only for a reason to trust it: the reader got the wheel from its publisher (--suite), or knows the
digest of the wheel in the bundle (--suite-sha256). A signature is no reason: the signer may be the one that is audited,
and could sign a suite of their own, which finds everything right. In any case the code has to be the build that the
report names. It runs with the packages of this installation: nothing is installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import click

from conformance.cli.config import content_of
from conformance.cli.errors import Failure
from conformance.cli.option import together
from conformance.cli.recorded import document, is_bundle
from conformance.model.printable import printable
from conformance.model.verdict import Exit
from conformance.trust import builds

if TYPE_CHECKING:
    from conformance.trust.authenticity import Result

_WITHHELD: Final = ("DRSI_", "PYTEST_", "PYTHON", "VIRTUAL_ENV")
"""How the names of variables begin that the other build does not get: secrets, and settings of this process."""
_RUN: Final = """
import runpy, sys
sys.path.insert(0, sys.argv.pop(1))
runpy.run_module("conformance", run_name="__main__", alter_sys=True)
"""


options = together(
    click.option(
        "--suite",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="WHEEL",
        help="If another build made the run, execute this wheel to verify it. Its code has to be the build that the "
        "report names.",
    ),
    click.option(
        "--use-bundled-suite",
        is_flag=True,
        help="The same with the wheel in the bundle. This executes code from the archive: give its digest, as the "
        "publisher of the suite names it, with --suite-sha256.",
    ),
    click.option(
        "--suite-sha256", metavar="DIGEST", help="Expected SHA-256 digest of the wheel for --use-bundled-suite."
    ),
)


def demand(run: Path, wheel: Path | None, *, bundled: bool, expected: str | None, attest: Path | None) -> None:
    """Raise UsageError if the options do not fit together."""
    if wheel is not None and bundled:
        raise click.UsageError("--suite and --use-bundled-suite name two wheels. Give one of them.")
    if bundled and run.exists() and not is_bundle(run):
        raise click.UsageError("--use-bundled-suite is for a bundle. Name the zip file, or a wheel with --suite.")
    if (wheel or bundled) and attest is not None:
        raise click.UsageError("--attest states what this build verified. Leave out --suite and --use-bundled-suite.")
    if expected is not None and not bundled:
        raise click.UsageError("--suite-sha256 is for --use-bundled-suite. Add it.")


def is_needed(folder: Path) -> bool:
    """Tell whether another build made the run in a folder; the build of the run judges itself."""
    return not builds.is_this_build(_build_of(folder))


def _build_of(folder: Path) -> object:
    from conformance.reports.files import DATA

    suite = document(folder / DATA).get("suite")
    return suite.get("build") if isinstance(suite, dict) else None


def verified(
    folder: Path,
    vouched: Sequence[Result],
    given: Path | None,
    *,
    expected: str | None,
    specification: Path | None,
    listed: bool,
) -> int:
    """Let another build verify the run in a folder or opened bundle, print what it says, and return the exit code.

    `vouched` is what this build found of a bundle. The build is the wheel `given`, or that in the bundle if it has the
    digest `expected`. Raise Failure if there is no such wheel, or no reason to trust it.
    """
    for each in vouched:
        click.echo(printable(f"  {each.part}: {each.message}"))
    if any(each.valid is False for each in vouched):
        click.echo("Not verified. The other build was not executed, because a part of the bundle is not valid.")
        return Exit.DOES_NOT_CONFORM
    with TemporaryDirectory(prefix="drsi-suite-") as name:
        wheel = given or _bundled(folder, expected)
        suite = _unpacked(wheel, Path(name), _build_of(folder))
        click.echo(printable(f"Executing {wheel.name}: without your DRSI variables, but with your rights."))
        command = [sys.executable, "-I", "-c", _RUN, str(suite), "verify", str(folder.resolve())]
        command += ["--specification", str(specification.resolve())] if specification else []
        done = subprocess.run(  # noqa: S603 - the code that the reader asked to execute
            [*command, "--list"] if listed else command,
            cwd=name,
            env={key: value for key, value in os.environ.items() if not key.startswith(_WITHHELD)} | {"HOME": name},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    for line in (done.stdout + done.stderr).decode("utf-8", "replace").splitlines():
        click.echo(printable(f"  | {line}"))
    result = Exit(done.returncode) if done.returncode in tuple(Exit) else Exit.BROKEN
    click.echo(f"Judged by the build that made the run: exit code {int(result)}.")
    return result


def _unpacked(wheel: Path, place: Path, build: object) -> Path:
    """Return the folder with the code of a wheel; raise Failure if it is not the build that the report names."""
    from conformance.trust import archive
    from conformance.trust.wheel import fault

    copy, code = place / "suite.whl", place / "suite"
    # A copy, so that what is checked is executed, also if the file changes meanwhile.
    copy.write_bytes(content_of(wheel, "--suite"))
    if wrong := fault(copy, build):
        raise Failure(
            f"{wheel} was not executed: {wrong.replace(copy.name, wheel.name)}.",
            remedy="Two builds may have one version. Ask who made the run for its wheel, or for a bundle of "
            "'bundle --with-suite'.",
        )
    code.mkdir()
    archive.unpack(copy, code)
    for each in code.glob("*/entry_points.txt"):  # the digest does not cover them, and packages execute what they name
        each.unlink()
    return code


def _bundled(folder: Path, expected: str | None) -> Path:
    """Return the wheel in an opened bundle; raise Failure if there is none, or if it has not the expected digest."""
    from conformance.trust import bundle

    name = bundle.wheel_in(folder)
    if not name:
        raise Failure(
            "The bundle has no suite.",
            remedy="Ask for one that was packed with 'bundle --with-suite', or name a wheel with --suite.",
        )
    digest = bundle.wheels({name: (folder / name).read_bytes()})[name]
    if expected is None:
        raise Failure(
            "The suite in the bundle was not executed: nothing shows that its code can be trusted. "
            f"Its digest is sha256:{digest}.",
            remedy="Compare the digest with the one that the publisher of the suite names, and give that one with "
            "--suite-sha256.",
        )
    if (wanted := expected.strip().lower().removeprefix("sha256:")) != digest:
        raise Failure(
            f"The suite in the bundle is another one, and was not executed: expected sha256:{wanted}, received "
            f"sha256:{digest}.",
            remedy="Get the digest of the wheel from the publisher of the suite, and ask who packed the bundle.",
            exit_code=Exit.DOES_NOT_CONFORM,
        )
    return folder / name
