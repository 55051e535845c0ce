"""The entries of a register: the status documents of the services that a store says may be published, and no others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final

from conformance.fleet.register.status import (
    CLOCKS_DIFFER,
    Independence,
    Proof,
    RunBy,
    Service,
    Standing,
    StatedReply,
    Status,
    Suite,
    Withdrawn,
    later,
)
from conformance.fleet.store.rows import Party, Publication, Statement, StoredRun, Witness
from conformance.fleet.store.store import Store
from conformance.model.verdict import Verdict
from conformance.trust import archive, bundle, in_toto
from conformance.trust.archive import EvidenceFault

_AGREES: Final = "DRSI_LIVE_SERVICE_AGREES"
_MOST: Final = 1 << 20
"""Most bytes of a statement or manifest in a bundle that is looked at."""


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What the operator of a register says for all of it."""

    valid_for: timedelta = timedelta(days=90)
    """From the end of a run."""
    next_update: timedelta = timedelta(days=7)  # as the roles of TUF that are signed again and again have it
    """How long a copy of a status document may stand for the register."""
    operator: str = ""


@dataclass(frozen=True)
class Entry:
    """A published service with its status documents, the latest run first. There is at least one."""

    publication: Publication
    statuses: tuple[Status, ...]
    said: Mapping[str, str]
    """What the latest run found, by requirement that failed or has an alert: the headline of its first finding."""

    @property
    def latest(self) -> Status:
        """The document of the latest run."""
        return self.statuses[0]


def entries(store: Store, terms: Terms, moment: str, number: int = 1) -> Iterator[Entry]:
    """Yield an entry for each service that may be published and has a run for it, in the order of their names.

    A run that was stopped early is not published: it shows less than the one before. Neither is one that ended after
    `moment`: a wrong clock must not make a status valid for longer. `moment` decides the states, and `number` is that
    of each document.
    """
    latest = later(moment, CLOCKS_DIFFER)
    parties = list(store.parties())
    for publication in list(store.publications()):
        if publication.ended:
            continue
        runs = [
            run
            for run in store.runs(publication.target)
            if run.complete and publication.since <= run.started and run.finished <= latest
        ]
        if runs:
            made = _statuses(store, terms, publication, runs, parties)
            own: dict[str, Any] = {"number": number, "issued": moment, "next_update": later(moment, terms.next_update)}
            statuses = tuple(replace(each, state=each.state_at(moment), **own) for each in made)
            yield Entry(publication, statuses, _said(store, runs[0]))


def _said(store: Store, run: StoredRun) -> dict[str, str]:
    """Return the headline of the first finding of each requirement that failed or has an alert in a run."""
    said: dict[str, str] = {}
    for each in store.findings(run.id):
        if each.verdict is Verdict.FAIL or each.alert:
            said.setdefault(each.requirement, each.message.partition(" The call: ")[0].removesuffix("."))
    return said


def _statuses(
    store: Store,
    terms: Terms,
    publication: Publication,
    runs: Sequence[StoredRun],
    parties: Sequence[Party],
) -> Iterator[Status]:
    """Yield the documents of the runs of a service, the latest first."""
    target = publication.target
    withdrawn = {each.run: Withdrawn(reason=each.reason, date=each.stated) for each in store.withdrawals(target)}
    # The key of a reply is the organisation's own, also if somebody recorded it as that of an independent party.
    own = {each.key for run in store.runs(target) for each in store.statements(run.id) if each.kind == "reply"}
    parties = [each for each in parties if each.key not in own]
    witnesses = list(store.witnesses(target))
    successor = None
    for run in runs:
        yield replace(
            _status(store, terms, publication, run, parties, [each for each in witnesses if each.run == run.id]),
            withdrawn=withdrawn.get(run.id),
            superseded_by=successor,
        )
        successor = run.bundle


def _status(
    store: Store,
    terms: Terms,
    publication: Publication,
    run: StoredRun,
    parties: Sequence[Party],
    witnesses: Sequence[Witness],
) -> Status:
    verdicts = [each for each in store.verdicts(run.id) if each.scored]
    replies = [each for each in store.statements(run.id) if each.kind == "reply"]
    run_by = _run_by(store, terms, run, parties)
    return Status(
        service=Service(name=publication.target, base_url=run.base_url),
        bundle=run.bundle,
        outcome=run.outcome,
        failures=tuple(each.requirement for each in verdicts if each.verdict is Verdict.FAIL),
        alerts=tuple(each.requirement for each in verdicts if each.alert),
        started=run.started,
        finished=run.finished,
        profile=run.profile,
        requirement_set=run.requirement_set,
        edition=run.edition,
        catalogue=run.catalogue,
        suite=Suite(version=run.suite_version, build=run.suite_build),
        run_by=run_by,
        independence=_standing(run, run_by, parties, witnesses),
        published_by=publication.basis,
        valid_until=later(run.finished, terms.valid_for),
        replies=tuple(map(_reply, replies)),
        register=terms.operator,
    )


def _reply(given: Statement) -> StatedReply:
    return StatedReply(
        requirement=given.requirement,
        statement=given.statement,
        name=given.name,
        date=given.stated,
        key=given.key,
    )


def _run_by(store: Store, terms: Terms, run: StoredRun, parties: Sequence[Party]) -> RunBy:
    """Return who made a run: the party who signed its bundle, or the operator, if it belongs to an own audit."""
    if parties and (found := _signed_manifest(store.bundles.read(run.bundle))):
        for party in parties:
            if _signed_by(party, *found) is not None:
                return RunBy(name=party.name, key=party.key, basis=Proof.SIGNATURE)
    if run.audit is not None and terms.operator:
        return RunBy(name=terms.operator, basis=Proof.REGISTER)
    return RunBy()


def _signed_manifest(packed: bytes) -> tuple[bytes, str] | None:
    """Return the envelope of the signature in a bundle, and the digest of its manifest; None if it is not signed."""
    try:
        envelope, manifest = (archive.member(packed, name, most=_MOST) for name in (bundle.STATEMENT, bundle.MANIFEST))
    except EvidenceFault:
        return None
    return envelope, hashlib.sha256(manifest).hexdigest()


def _standing(run: StoredRun, run_by: RunBy, parties: Sequence[Party], witnesses: Sequence[Witness]) -> Standing:
    if run_by.basis is Proof.SIGNATURE:
        return Standing(value=Independence.THIRD_PARTY, basis=Proof.SIGNATURE, name=run_by.name, key=run_by.key)
    for party in parties:
        if any(_agrees(each, run, party) for each in witnesses):
            return Standing(value=Independence.WITNESSED, basis=Proof.WITNESS, name=party.name, key=party.key)
    return Standing()


def _signed_by(party: Party, envelope: bytes, digest: str) -> Any:
    """Return the statement in an envelope, if a party signed it and it is about the file with a digest; else None."""
    from conformance.trust import signature

    checked = signature.check_with(envelope, party.public_key.encode())
    return checked.statement if checked.valid and in_toto.digests(checked.statement) == [digest] else None


def _agrees(witness: Witness, run: StoredRun, party: Party) -> bool:
    """Tell whether a party signed that the live service agrees with a run."""
    stated = _signed_by(party, witness.envelope.encode(), witness.bundle)
    predicate = stated and stated.get("predicate")
    return (
        isinstance(predicate, dict)
        and predicate.get("verificationResult") == "PASSED"
        and predicate.get("resourceUri") == run.base_url
        and isinstance(levels := predicate.get("verifiedLevels"), list)
        and _AGREES in levels
    )
