"""What an import asks the keeper of a store to take for true, and what takes effect when the keeper accepts it.

A file that somebody sent cannot say who is independent, what may be published, or who made an audit: it can propose it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, insert, select, update

from conformance.fleet.moments import now
from conformance.fleet.store import changes, publication, tables
from conformance.fleet.store.contents import as_text
from conformance.fleet.store.rows import StoreFault
from conformance.fleet.store.store import Store
from conformance.model.printable import printable
from conformance.model.text import count

_DIGITS: Final = 12
"""Of the digest of a proposal: a keeper types them. Another content under the same ones is refused."""


def propose(store: Store, kind: str, content: Mapping[str, Any], *, source: str) -> None:
    """Record a proposal, unless the store has it, or says something of the same matter already."""
    text = as_text(content)
    digest = hashlib.sha256(f"{kind}\n{text}".encode()).hexdigest()[:_DIGITS]
    row = {"id": digest, "kind": kind, "content": text, "source": printable(source), "recorded": now()}
    with store.database.writing() as connection:
        if not _is_settled(connection, kind, content):
            changes.add_if_absent(connection, tables.proposals, row)


def _is_settled(connection: Connection, kind: str, content: Mapping[str, Any]) -> bool:
    """Tell whether the store has the audit, knows the party, or knows whether the service may be published."""
    p, t = tables.publications, tables.targets
    wanted = {
        "audit": select(tables.audits.c.id).where(tables.audits.c.id == content.get("id")),
        "party": select(tables.parties.c.key).where(tables.parties.c.key == content.get("key")),
        "publication": select(p.c.target_id).join_from(p, t).where(t.c.name == content.get("target")),
    }
    return kind in wanted and connection.execute(wanted[kind]).first() is not None


def accept(store: Store, id: str) -> str:
    """Let a proposal take effect; return what it says. Raise StoreFault if there is none, or if it cannot be done."""
    found = next((each for each in store.proposals() if each.id == id), None)
    if found is None or found.accepted:
        raise StoreFault(
            f"The store has no proposal {id!r:.40} that is not accepted.",
            remedy="'store accept STORE' lists the proposals.",
        )
    with store.database.reading() as connection:
        if _is_settled(connection, found.kind, found.content):
            raise StoreFault(
                f"The store says something else of it already: {in_words(found.kind, found.content)}.",
                remedy="What you recorded stays. Record it anew with 'store publish' or 'store party'.",
            )
    _EFFECTS[found.kind](store, found.content)
    with store.database.writing() as connection:
        connection.execute(update(tables.proposals).where(tables.proposals.c.id == id).values(accepted=now()))
    return in_words(found.kind, found.content)


def in_words(kind: str, content: Mapping[str, Any]) -> str:
    """Return what a proposal says, and what follows when it is accepted. The texts of its file are in quotes."""
    return _WORDS[kind](content)


_WORDS: Final[dict[str, Callable[[Mapping[str, Any]], str]]] = {
    "runs": lambda said: _runs_in_words(said["target"], said["runs"].values()),
    "audit": lambda said: f"the audit {said['name']!r:.100} of {said['started']} is your own",
    "party": lambda said: f"the key {said['key']} is that of {said['name']!r}, independent of the services",
    "publication": lambda said: (
        f"{said['target']!r} may be published by {said['basis']!r}: {said['statement']!r}, stated {said['stated']!r}, "
        f"from the run of {said['since']!r} on" + (f", which ended {said['ended']!r}" if said["ended"] else "")
    ),
}


def _runs_in_words(target: str, runs: Collection[Mapping[str, Any]]) -> str:
    addresses = ", ".join(sorted({each["address"] for each in runs}))
    reasons = [repr(one["reason"]) for each in runs for one in each["withdrawals"]]
    withdrawn = f", {len(reasons)} of them withdrawn: {', '.join(reasons)}" if reasons else ""
    return f"{count(len(runs), 'imported run')} of {target!r}, at {addresses}, as if added by you{withdrawn}"


def _accept_runs(store: Store, content: Mapping[str, Any]) -> None:
    audits = {each.id for each in store.audits()}
    for digest, said in content["runs"].items():
        audit = said["audit"] if said["audit"] in audits else None
        with store.bundles.file(digest) as path:
            number = store.add_run(path, target=content["target"], audit=audit)
        with store.database.writing() as connection:
            for each in said["withdrawals"]:
                changes.add_if_absent(connection, tables.withdrawals, each | {"run_id": number})
        for envelope in said["witnesses"]:
            publication.add_witness(store, envelope.encode())


def _accept_audit(store: Store, content: Mapping[str, Any]) -> None:
    row = {name: value for name, value in content.items() if name != "unreported"}
    with store.database.writing() as connection:
        connection.execute(insert(tables.audits).values(row))
    store.set_unreported(content["id"], content["unreported"])


def _accept_party(store: Store, content: Mapping[str, Any]) -> None:
    from conformance.trust.signature import public_key_in

    key, pem = public_key_in(content["public_key"].encode(), Path("the proposal"))
    if key != content["key"]:
        raise StoreFault(
            f"The key of {content['name']} is another one: expected {content['key']}, received {key}.",
            remedy="Ask the party for the public key, and record it with 'store party'.",
        )
    publication.add_party(store, name=content["name"], key=key, public_key=pem)


def _accept_publication(store: Store, content: Mapping[str, Any]) -> None:
    row = {name: value for name, value in content.items() if name != "target"}
    with store.database.writing() as connection:
        number = publication.target_number(connection, content["target"])
        connection.execute(insert(tables.publications).values(row | {"target_id": number}))


_EFFECTS: Final[dict[str, Callable[[Store, Mapping[str, Any]], None]]] = {
    "runs": _accept_runs,
    "audit": _accept_audit,
    "party": _accept_party,
    "publication": _accept_publication,
}
