"""`drsi-conformance bundle`: a recorded run as one archive, perhaps signed and time-stamped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli import pseudonym_key
from conformance.cli.errors import Failure, existing, writing
from conformance.cli.passwords import PASSPHRASE, PASSWORD, passphrase, password
from conformance.cli.recorded import is_bundle, read
from conformance.cli.values import PATH
from conformance.http.secrets.pseudonyms import id_of
from conformance.model.printable import printable

if TYPE_CHECKING:
    from conformance.model.report import ReportData


@click.command("bundle", short_help="Pack a recorded run as evidence, signed if you like.")
@click.argument("run", type=PATH, metavar="RUN")
@click.option(
    "--sign",
    type=PATH,
    metavar="KEY",
    help=f"Sign with this private key (PEM, Ed25519 or ECDSA). {PASSPHRASE} may hold its pass phrase.",
)
@click.option("--timestamp", metavar="URL", help="Add a time stamp from this RFC 3161 authority.")
@click.option(
    "--timestamp-user",
    metavar="NAME",
    help=f"Name yourself to the authority (HTTP Basic). {PASSWORD} may hold the password.",
)
@click.option(
    "--timestamp-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Add this time stamp (.tsr) of the statement in RUN, which is a bundle, and write another bundle.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Archive to write. An existing file is never overwritten.  [default: <folder of the run>.drsi.zip, with "
    "--timestamp-file <bundle>.stamped.drsi.zip]",
)
@click.option(
    "--with-suite",
    is_flag=True,
    help="Also pack the wheel of this suite, so that the run can be verified by the build that made it.",
)
@click.option(
    "--include-key",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also pack this file of --pseudonym-key. With it, a reader can test which value a pseudonym stands for.",
)
def command(
    run: Path,
    sign: Path | None,
    timestamp: str | None,
    timestamp_user: str | None,
    timestamp_file: Path | None,
    output: Path | None,
    with_suite: bool,
    include_key: Path | None,
) -> None:
    """Pack a recorded run into one archive for others to verify.

    RUN is the folder of the run, or its report.json; with --timestamp-file it is a bundle. The archive contains report,
    evidence, pages, catalogue and schemas, with the digest of each. The same run gives the same archive.
    """
    from conformance.trust import archive, bundle

    if timestamp_user is not None and timestamp is None:
        raise click.UsageError("--timestamp-user is for --timestamp URL. Add the address of the authority.")
    if timestamp_file is not None:
        if sign or timestamp or include_key or with_suite:
            raise click.UsageError("--timestamp-file goes with --output only: the rest of the bundle stays as it is.")
        _attach(run, timestamp_file, output)
        return
    if is_bundle(run):
        raise click.UsageError(f"{run} is a bundle already. Name the folder of the run.")
    recorded = read(run, needs_evidence=True)
    recorded.demand_unaltered(run)
    folder = recorded.folder.resolve()
    named = folder if recorded.folder.name in ("", "..") else recorded.folder
    path = output or named.with_name(f"{folder.name}{bundle.SUFFIX}")
    if path.is_file():
        raise existing(path)
    key = _key_of(recorded.data, include_key) if include_key else ""
    with writing("--output"):
        try:
            content = bundle.contents(folder, recorded.data, recorded.evidence, key=key, suite=with_suite)
            credentials = (timestamp_user, password()) if timestamp_user is not None else None
            said = _vouched(content, recorded.data, sign, timestamp, credentials)
            said += [f"With {name}, sha256:{digest}" for name, digest in bundle.wheels(content).items()]
            archive.write(path, content)
        except OSError as error:
            if error.filename and Path(error.filename).parent == folder:
                what = f"{error.filename} cannot be read: {error.strerror or error}."
                raise Failure(what, remedy="Correct the folder of the run.") from None
            raise
    for line in [*said, str(path)]:
        click.echo(printable(line))


def _key_of(report: ReportData, file: Path) -> str:
    """Return the key in the file, as hexadecimal digits; raise Failure if the run did not use it."""
    key = pseudonym_key.read(file, "--include-key")
    if report["run"].get("pseudonym_key", id_of(key)) != id_of(key):  # an older run recorded no id
        raise Failure(
            f"--include-key: {file} is not the key of this run.",
            remedy="Name the file that 'check --pseudonym-key' used for it. Without that option no key was kept.",
        )
    return key.hex()


def _attach(run: Path, file: Path, output: Path | None) -> None:
    """Write the bundle `run` again, with the time stamp in `file`; raise Failure if that is about other bytes."""
    from conformance.trust import archive, bundle, timestamp

    if not is_bundle(run):
        raise click.UsageError(f"--timestamp-file is added to a bundle, and {run} is none. Pack the run before.")
    path = output or run.with_name(f"{run.name.removesuffix(bundle.SUFFIX)}.stamped{bundle.SUFFIX}")
    if path.is_file():
        raise existing(path)
    with writing("--output"):
        with bundle.opened(run) as folder:
            content = bundle.read(folder)
        if bundle.TIME_STAMP in content:
            raise Failure(f"{run} has a time stamp already.", remedy="Name the bundle that has none.")
        covered = bundle.STATEMENT if bundle.STATEMENT in content else bundle.MANIFEST
        stamp = content[bundle.TIME_STAMP] = file.read_bytes()
        found = timestamp.check(stamp, content[covered], None)
        if found.valid is False:
            raise Failure(
                f"{file} is no time stamp of this bundle: {found.problem}.",
                remedy=f"Let the authority stamp {covered} of the bundle: openssl ts -query -cert -data {covered}",
            )
        archive.write(path, content)
    click.echo(printable(f"Time stamp of {found.time}"))
    click.echo(printable(str(path)))


def _vouched(
    content: dict[str, bytes],
    report: ReportData,
    key: Path | None,
    authority: str | None,
    credentials: tuple[str, str] | None,
) -> list[str]:
    """Add manifest, signature and time stamp to `content`; return what to say about them."""
    from conformance.trust import bundle

    covered = content[bundle.MANIFEST] = bundle.manifest(content)
    said = []
    if key is not None:
        from conformance.trust import signature, statement

        signer = signature.signer(key, passphrase)
        covered = signature.signed(statement.statement(report, covered), signer)
        content[bundle.STATEMENT] = covered
        said.append(f"Signed with {key.name}, {signer.public_key.keyid}")
    else:
        said.append("Not signed: --sign KEY signs.")
    if authority is not None:
        from conformance.trust import timestamp

        content[bundle.TIME_STAMP] = stamp = timestamp.requested(authority, covered, credentials)
        said.append(f"Time stamp of {timestamp.check(stamp, covered, None).time}")
    else:
        said.append("Not time-stamped: --timestamp URL adds a time stamp.")
    return said
