"""`drsi-conformance trust`: lets the files of the working directory count, as long as they stay as they are."""

from __future__ import annotations

from pathlib import Path

import click

from conformance import NAME
from conformance.cli import config, waive
from conformance.cli.errors import Failure
from conformance.cli.trusted import Subject, forget
from conformance.model.printable import printable


@click.command("trust", short_help=f"Let {config.FILE_NAME} of this folder count, as it is now.")
@click.option("--revoke", is_flag=True, help="Trust the files of this folder no more.")
def command(*, revoke: bool) -> None:
    """Let drsi-conformance.toml and drsi-conformance-waivers.toml of the working directory count, as they are now.

    Such files may come from others. Without trust they decide nothing that matters. Waivers, certificates, header
    fields, a baseline and programs of the project that the first one names are trusted with it. What changes is not
    trusted any more.
    """
    names = (config.FILE_NAME, waive.FILE_NAME)
    found = [path for name in names if config.is_found(path := Path(name)) or path.is_symlink()]
    if not found:
        raise Failure(
            f"This folder has neither {config.FILE_NAME} nor {waive.FILE_NAME}.",
            remedy=f"Run the command in the folder of such a file. '{NAME} init' writes one.",
        )
    for path in found:
        if revoke:
            forget(path)
            click.echo(f"{path} is not trusted.")
        else:
            subject = _of(path)
            subject.remember()
            files = ", ".join(map(str, subject.files))
            click.echo("\n".join([printable(f"Trusted, as it is now: {files}"), *subject.lines]))


def _of(path: Path) -> Subject:
    if path.name == config.FILE_NAME:
        return config.read(path).subject
    return waive.subject(path, *waive.read(path))
