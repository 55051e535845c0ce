"""The signatures of replies: an organisation signs its answer to a finding with a key of its own.

The signed statement is an in-toto Statement v1 about the evidence of the run. It names the requirement, so that a
reply cannot be moved to another finding, and the digest of the evidence, so that it cannot be moved to another run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from conformance.trust import in_toto

if TYPE_CHECKING:
    from conformance.model.report import Reply, Report

_PREDICATE_TYPE: Final = "urn:drsi-conformance:reply:v1"


def payload(reply: Reply, evidence: str) -> dict[str, Any]:
    """Return the statement that a reply signs; `evidence` is the digest of the evidence of its run."""
    document = reply.document
    predicate = {
        "requirement": reply.requirement,
        "statement": reply.statement,
        "name": reply.name,
        "date": reply.date,
        "document": {"name": document.name, "digest": {"sha256": document.sha256}} if document else None,
    }
    return in_toto.statement({"evidence.har": evidence.removeprefix("sha256:")}, _PREDICATE_TYPE, predicate)


def damage(report: Report) -> Iterator[str]:
    """Yield, in words, each reply whose signature is not that of its text for this run."""
    evidence = report.digests.evidence if report.digests else ""
    for reply in report.replies:
        if not (reply.signature or reply.key or reply.public_key):
            continue
        from conformance.trust import signature  # an extra: a reply without a signature needs none of its packages

        found = signature.check_with(reply.signature.encode(), reply.public_key.encode())
        if not found.valid or found.key != reply.key or found.statement != payload(reply, evidence):
            yield f"the signature of the reply to {reply.requirement} is not valid"
