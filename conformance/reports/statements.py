"""How views word what a person stated: an attestation, or the reply to a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.model.printable import clip

if TYPE_CHECKING:
    from conformance.model.report import Attestation, Reply

NAME: Final = 100
"""Characters of a name that views show."""


def words(by: str, given: Attestation | Reply, length: int) -> str:
    """Return `by`, a clause with who stated it and when, and at most `length` characters of the statement.

    So no view cuts off what follows. The name, the statement and the document come from the user: escape them.
    """
    document = given.document
    proof = f" (document {clip(document.name, NAME)}, SHA-256 {document.sha256})" if document else ""
    statement = clip(given.statement.rstrip(". \n"), length)
    return f"{by}: {statement}{proof}."
