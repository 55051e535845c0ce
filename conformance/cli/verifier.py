"""The option --attest of `verify` and `witness`: a signed statement of what they found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli.errors import Failure
from conformance.cli.passwords import passphrase
from conformance.cli.recorded import is_bundle
from conformance.cli.values import PATH

if TYPE_CHECKING:
    from securesystemslib.signer import CryptoSigner  # type: ignore[attr-defined]  # exported, not marked so

    from conformance.model.report import Report

SUFFIX = ".dsse.json"


option = click.option(
    "--attest",
    type=PATH,
    metavar="KEY",
    help="Write a statement of the result beside RUN, <run>.<command>.dsse.json, signed with this private key (PEM, "
    "Ed25519 or ECDSA). DRSI_KEY_PASSPHRASE may hold its pass phrase.",
)


@dataclass(frozen=True)
class Statement:
    """A statement to be written when the command has its result."""

    command: str
    signer: CryptoSigner
    about: Mapping[str, str]
    path: Path

    def write(
        self, report: Report, code: int, *, resource: str, levels: Sequence[str], details: Mapping[str, Any]
    ) -> list[str]:
        """Write the statement, and return what to say about it; raise Failure if it cannot be written."""
        from conformance.trust import signature, summary

        stated = summary.summary(
            self.about, report, command=self.command, resource=resource, code=code, levels=levels, details=details
        )
        try:
            with self.path.open("xb") as file:
                file.write(signature.signed(stated, self.signer))
        except OSError as error:
            raise Failure(
                f"{self.path} cannot be written: {error.strerror or error}.",
                remedy="Copy the run to a folder that can be written, and name the copy.",
            ) from None
        result = stated["predicate"]["verificationResult"]
        return [f"Statement ({result}) signed with {self.signer.public_key.keyid}: {self.path}"]


def statement(command: str, run: Path, key: Path | None) -> Statement | None:
    """Return the statement that is to be written, if a key is given; raise Failure if it could not be."""
    if key is None:
        return None
    from conformance.trust import signature, summary

    beside = run.absolute() if run.name in ("", "..") else run  # "." and ".." are beside nothing
    place = beside.parent / f"{run.resolve().name}.{command}{SUFFIX}"
    if place.exists():
        raise Failure(f"{place} exists, and is not overwritten.", remedy="Move it to another place, or remove it.")
    signer = signature.signer(key, passphrase)
    try:
        about = summary.subjects(run, packed=is_bundle(run))
    except OSError as error:
        raise Failure(f"{run} cannot be read: {error.strerror or error}.", remedy="Name a run.") from None
    return Statement(command, signer, about, place)
