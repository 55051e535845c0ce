"""What the keeper of a store records for a public register: which services may be in it, and what no longer holds.

The right to test a service is not the consent to publish what was found: `Target.authority` permits nothing here. What
is recorded stays: a consent that was taken back is kept with the moment at which it ended, so that an import of older
data does not bring it back, and no withdrawal is taken back, because others may have read it.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

from sqlalchemy import Connection, func, insert, select, update

from conformance.fleet.moments import now
from conformance.fleet.store import changes, tables
from conformance.fleet.store.rows import StoreFault
from conformance.fleet.store.store import Store
from conformance.model.printable import printable
from conformance.trust import in_toto

_WITNESS: Final = "urn:drsi-conformance:witness"
_MOST: Final = 1 << 20
"""Most bytes of a witness's statement."""


def publish(store: Store, target: str, *, basis: str, statement: str, stated: str) -> None:
    """Record that a target may be published from its latest run on; raise StoreFault for a target without a run.

    What was recorded before is replaced; while it may be published already, the first run stays the same.
    """
    p = tables.publications
    with store.database.writing() as connection:
        number = target_number(connection, target)
        before = connection.execute(select(p.c.since, p.c.ended).where(p.c.target_id == number)).one_or_none()
        since = before.since if before and not before.ended else _latest(connection, number, target)
        row = {"target_id": number, "basis": basis, "statement": printable(statement), "stated": stated}
        changes.put(connection, p, row | {"since": since, "recorded": now(), "ended": ""}, "target_id")


def _latest(connection: Connection, number: int, target: str) -> str:
    """Return the start of the latest complete run of a target, or of any run; raise StoreFault if it has none."""
    r = tables.runs
    every = select(func.max(r.c.started)).where(r.c.target_id == number)
    latest = connection.scalar(every.where(r.c.complete)) or connection.scalar(every)
    if latest is None:
        raise StoreFault(
            f"{target!r:.100} has no run.",
            remedy="Add a run of it, or accept imported ones with 'store accept'; then record the consent.",
        )
    return str(latest)


def unpublish(store: Store, target: str) -> None:
    """Record that a target may not be published any more; raise StoreFault where it may not be now."""
    p = tables.publications
    with store.database.writing() as connection:
        own = (p.c.target_id == target_number(connection, target), p.c.ended == "")
        if not connection.execute(update(p).where(*own).values(ended=now())).rowcount:
            raise StoreFault(
                f"Nothing permits to publish {target!r:.100}, so nothing can end.", remedy="Name a published service."
            )


def withdraw(store: Store, target: str, *, reason: str, stated: str) -> str:
    """Record that the status of the latest complete run of a target does not hold any more; return its bundle's digest.

    Raise StoreFault if there is none, or if it is withdrawn already.
    """
    r, w = tables.runs, tables.withdrawals
    with store.database.writing() as connection:
        own = (r.c.target_id == target_number(connection, target), r.c.complete)
        wanted = select(r.c.id, r.c.bundle).where(*own).order_by(r.c.started.desc(), r.c.id.desc()).limit(1)
        run = connection.execute(wanted).one_or_none()
        if run is None:
            raise StoreFault(f"{target!r:.100} has no complete run.", remedy="Name a service with a published run.")
        before = connection.scalar(select(w.c.stated).where(w.c.run_id == run.id))
        if before is not None:
            raise StoreFault(
                f"The run with the bundle {run.bundle} is withdrawn since {before}.",
                remedy="A withdrawal stays as it is. A new run of the service gets a status of its own.",
            )
        row = {"run_id": run.id, "reason": printable(reason), "stated": stated, "recorded": now()}
        connection.execute(insert(w).values(row))
    return str(run.bundle)


def add_party(store: Store, *, name: str, key: str, public_key: str) -> None:
    """Record that a key is that of a party who is independent of the services; a known key gets the new name."""
    row = {"key": key, "name": printable(name), "public_key": public_key, "recorded": now()}
    with store.database.writing() as connection:
        changes.put(connection, tables.parties, row, "key")


def add_witness(store: Store, envelope: bytes) -> str:
    """Keep what `witness --attest` wrote about a run; return the digest of the bundle that it is about.

    The signature is not checked here: whose keys count is decided when the statement is used. Raise StoreFault for
    another document, or one about no bundle of the store.
    """
    bundle = witnessed(envelope)
    with store.database.writing() as connection:
        run = connection.scalar(select(tables.runs.c.id).where(tables.runs.c.bundle == bundle))
        if run is None:
            raise StoreFault(
                f"The statement is about the bundle {bundle}, which the store does not have.",
                remedy="Add that bundle to the store first; a run that was packed again has another digest.",
            )
        row = {
            "run_id": run,
            "sha256": hashlib.sha256(envelope).hexdigest(),
            "bundle": bundle,
            "envelope": envelope.decode(),
            "recorded": now(),
        }
        changes.add_if_absent(connection, tables.witnesses, row)
    return bundle


def target_number(connection: Connection, name: str) -> int:
    """Return the number of a target; raise StoreFault if the store has none of this name."""
    number = connection.scalar(select(tables.targets.c.id).where(tables.targets.c.name == changes.name_of_target(name)))
    if number is None:
        raise StoreFault(
            f"The store has no service {name!r:.100}.",
            remedy="Name a service as the store does: SELECT name FROM targets.",
        )
    return int(number)


def witnessed(envelope: bytes) -> str:
    """Return the digest of the bundle that an envelope of a witness is about; raise StoreFault for another document."""
    from conformance.trust import signature

    stated: Any = signature.check(envelope, None).statement if len(envelope) <= _MOST else None
    try:
        if stated["predicate"]["verifier"]["id"] == _WITNESS:
            (digest,) = in_toto.digests(stated)
            return str(digest)
    except (ValueError, TypeError, KeyError, AttributeError):
        pass
    raise StoreFault(
        "Expected the statement of a witness about a bundle, received another document.",
        remedy="Name the file that 'drsi-conformance witness BUNDLE URL --attest KEY' wrote.",
    )
