"""`drsi-conformance reply`: what the audited organisation answers to a finding, in a recorded run."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.cli.errors import Failure
from conformance.cli.passwords import passphrase
from conformance.cli.values import PATH
from conformance.model.printable import printable
from conformance.reports import people
from conformance.trust.commands import statements

if TYPE_CHECKING:
    from conformance.model.report import Reply

_KIND = statements.Kind(
    member="replies",
    done="answered",
    about="a requirement with a failure, a warning or an alert in this run",
    subjects=people.answerable,
)


@click.command("reply", short_help="Add the answer of the audited organisation to a finding.")
@click.argument("run", type=PATH, metavar="RUN")
@click.option("--requirement", metavar="ID", help="The requirement whose finding is answered.")
@statements.options
@click.option("--by", metavar="NAME", help="Who answers: the organisation, or a person for it.")
@click.option(
    "--sign",
    type=PATH,
    metavar="KEY",
    help="Sign the reply with this private key (PEM, Ed25519 or ECDSA). DRSI_KEY_PASSPHRASE may hold its pass phrase.",
)
def command(
    run: Path,
    requirement: str | None,
    statement: str | None,
    by: str | None,
    date: datetime | None,
    document: Path | None,
    specification: Path | None,
    sign: Path | None,
) -> None:
    """Add the audited organisation's answer to a finding of a recorded run. RUN is its folder, or its report.json.

    Every report shows the reply beside the finding, with its author and date. It changes no verdict and no number.
    A new reply to the same finding takes its place. 'verify' checks its signature.
    """
    from conformance.model.report import Reply

    said = statements.texts(requirement=requirement, statement=statement, by=by)
    said["name"] = said.pop("by")
    recorded = statements.recorded(run)
    reply = Reply(**said, date=statements.dated(date), document=None)
    evidence = str(recorded.data.get("digests", {}).get("evidence", ""))
    report, paths = statements.add(
        _KIND,
        recorded,
        reply,
        document,
        specification,
        lambda each: _signed(each, evidence, sign) if sign else each,
    )
    for each in report.replies:
        click.echo(printable(f"{each.requirement}: {people.replied(each)}"))
    for path in paths:
        click.echo(path)


def _signed(reply: Reply, evidence: str, key: Path) -> Reply:
    from conformance.trust import signature
    from conformance.trust.replies import payload

    if not evidence:
        raise Failure(
            "The run has no digest of its evidence, so nothing says which finding a signed reply answers.",
            remedy="Repeat the run with this version, or reply without --sign.",
        )
    signer = signature.signer(key, passphrase)
    envelope = signature.signed(payload(reply, evidence), signer).decode()
    return replace(reply, key=signer.public_key.keyid, public_key=signature.public_pem(signer), signature=envelope)
