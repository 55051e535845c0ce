"""The option --use-bundled-suite of `verify`: the build that made a run, from its bundle, verifies the run.

Code from an archive is executed only for a reason to trust it: the digest of its wheel, which the reader knows from
elsewhere, or a valid signature by a key that the reader gave. Only the digest tells *which* code judges: a signer, who
may be the one that is audited, could sign a suite of their own, which finds everything right. So the exit code is 0
only with the digest.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from conformance.cli.errors import Failure
from conformance.cli.recorded import document, is_bundle
from conformance.evidence import builds
from conformance.model import unique_keys
from conformance.model.printable import printable
from conformance.model.text import shorten
from conformance.model.verdict import Exit

if TYPE_CHECKING:
    from conformance.evidence.authenticity import Result

_WITHHELD: Final = ("DRSI_", "PYTEST_", "PYTHON", "VIRTUAL_ENV")
"""How the names of variables begin that the code of the archive does not get: secrets, and settings of this process."""
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_VERSION: Final = re.compile(r"[A-Za-z0-9.!+_-]+")


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    command = click.option(
        "--suite-sha256", metavar="DIGEST", help="Expected SHA-256 digest of the wheel for --use-bundled-suite."
    )(command)
    return click.option(
        "--use-bundled-suite",
        is_flag=True,
        help="If another build made the run, execute the suite in the bundle to verify it. This executes code from the "
        "archive: give --suite-sha256, or --key of a signer whose code you would execute.",
    )(command)


def demand_bundle(run: Path, *, asked: bool, expected: str | None, attest: Path | None) -> None:
    """Raise UsageError if the options do not fit together."""
    if asked and (attest is not None or (run.exists() and not is_bundle(run))):
        raise click.UsageError("--use-bundled-suite is for a bundle, and goes without --attest: another suite judges.")
    if expected is not None and not asked:
        raise click.UsageError("--suite-sha256 is for --use-bundled-suite. Add it.")


def is_needed(folder: Path) -> bool:
    """Tell whether another build made the run in a folder; the build of the run judges itself."""
    from conformance.reports.files import DATA

    suite = document(folder / DATA).get("suite")
    return not (isinstance(suite, dict) and builds.is_this_build(suite.get("build")))


def verified(
    folder: Path, vouched: Sequence[Result], *, expected: str | None, specification: Path | None, listed: bool
) -> int:
    """Let the suite in an opened bundle verify its run, print what it says, and return the exit code.

    `vouched` is what this build found of the bundle, `expected` the SHA-256 digest of the wheel that the reader trusts.
    Raise Failure if the bundle has no suite, if there is no reason to trust it, or if it cannot be installed.
    """
    from conformance.evidence import bundle

    for each in vouched:
        click.echo(printable(f"  {each.part}: {each.message}"))
    if any(each.valid is False for each in vouched):
        click.echo("Not verified. The suite in the bundle was not executed, because a part of the bundle is not valid.")
        return Exit.DOES_NOT_CONFORM
    name = bundle.wheel_in(folder)
    if not name:
        raise Failure(
            "The bundle has no suite.",
            remedy="Ask for one that was packed with 'bundle --with-suite', or leave out --use-bundled-suite.",
        )
    digest = bundle.wheels({name: (folder / name).read_bytes()})[name]
    is_signed = any(each.part == "signature" and each.valid for each in vouched)
    _demand_trust(digest, expected, is_signed=is_signed)
    click.echo(printable(f"Executing code from the archive: {name}, sha256:{digest}."))
    click.echo("It has an environment of its own and none of your DRSI variables, but it runs with your rights.")
    with TemporaryDirectory(prefix="drsi-suite-") as place:
        python = installed(folder / name, Path(place), _versions(folder))
        command = [str(python), "-I", "-m", "conformance", "verify", str(folder)]
        command += ["--specification", str(specification.resolve())] if specification else []
        done = subprocess.run(  # noqa: S603 - the code that the reader asked to execute
            [*command, "--list"] if listed else command,
            cwd=place,
            env=_environment() | {"HOME": place},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    for line in (done.stdout + done.stderr).decode("utf-8", "replace").splitlines():
        click.echo(printable(f"  | {line}"))
    return _concluded(done.returncode, digest, is_known=expected is not None)


def _demand_trust(digest: str, expected: str | None, *, is_signed: bool) -> None:
    """Raise Failure unless the digest is the expected one or, if none is, the bundle has a valid signature."""
    if expected is None and not is_signed:
        raise Failure(
            "The suite in the bundle was not executed: nothing shows that its code can be trusted. "
            f"Its digest is sha256:{digest}.",
            remedy="Compare the digest with the one that the publisher of the suite names, and give that one with "
            "--suite-sha256; or give the public key of a signer whose code you would execute with --key.",
        )
    if expected is not None and (wanted := expected.strip().lower().removeprefix("sha256:")) != digest:
        raise Failure(
            f"The suite in the bundle is another one, and was not executed: expected sha256:{wanted}, received "
            f"sha256:{digest}.",
            remedy="Get the digest of the wheel from the publisher of the suite, and ask who packed the bundle.",
            exit_code=Exit.DOES_NOT_CONFORM,
        )


def _versions(folder: Path) -> list[str]:
    """Return the dependencies that the run recorded, as pip reads versions: other ones might judge otherwise."""
    from conformance.reports.files import DATA

    try:
        recorded = unique_keys.loads((folder / DATA).read_bytes())["run"]["environment"]["dependencies"]
        pairs = [(name, version) for name, version in recorded.items() if _NAME.fullmatch(name)]
        return [f"{name}=={version}" for name, version in pairs if _VERSION.fullmatch(version)]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return []


def installed(wheel: Path, place: Path, versions: Sequence[str]) -> Path:
    """Install a wheel with these versions of its dependencies into a new environment; return its Python.

    Raise Failure if that cannot be done.
    """
    (place / "versions.txt").write_text("\n".join(versions), "utf-8")
    python = place / "environment" / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = (str(python), "-I", "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "-qq")
    for command in (
        (sys.executable, "-I", "-m", "venv", str(place / "environment")),
        # A package that is built from source would execute further code.
        (*pip, "--only-binary", ":all:", "-c", str(place / "versions.txt"), f"{wheel}[evidence]"),
    ):
        done = subprocess.run(  # noqa: S603 - this interpreter, and packages that the reader asked for
            command, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise Failure(
                f"The suite in the bundle cannot be installed: {shorten((done.stderr or done.stdout).strip(), 1_000)}",
                remedy="Expected Python with venv and pip, and an index (or PIP_FIND_LINKS) that has its dependencies.",
            )
    return python


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(_WITHHELD)}


def _concluded(code: int, digest: str, *, is_known: bool) -> int:
    """Say who judged, and return the exit code."""
    result = Exit(code) if code in tuple(Exit) else Exit.BROKEN
    if result == Exit.CONFORMS and not is_known:
        click.echo(
            "Not verified. The suite in the bundle agrees, but only the signer says that it is the suite. Compare "
            f"sha256:{digest} with the digest that its publisher names, and give that one with --suite-sha256."
        )
        return Exit.INCONCLUSIVE
    whose = "whose digest you gave" if is_known else "of the signer"
    click.echo(f"Judged by the suite in the bundle, {whose}: exit code {int(result)}.")
    return result
