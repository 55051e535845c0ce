"""What becomes of the results of an audit: audit.json, a store, and the command that hears of regressions."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import msgspec

from conformance import NAME
from conformance.fleet.audit import document, folders
from conformance.fleet.audit.changes import changes
from conformance.fleet.audit.document import Audit, regressions_json
from conformance.fleet.audit.folders import AuditFolder
from conformance.fleet.audit.result import Result
from conformance.fleet.audit.targets import AuditTarget
from conformance.fleet.moments import now
from conformance.fleet.store.rows import Target
from conformance.http.processes import words_of
from conformance.reports.exit_code import worst

if TYPE_CHECKING:
    from conformance.fleet.store.store import Store

_NOTIFY_PATIENCE: Final = 60.0
"""Seconds that the command of --notify-command may take."""


def concluded(output: Path, folder: AuditFolder, results: list[Result], finished: datetime) -> Audit:
    """Compare the results with those of the last audit, and write audit.json: the audit is finished."""
    last = folders.before(output, folder)
    found = []
    try:
        if last is not None:
            old = document.read(last.document).targets
            found = changes(old, results, last.run, folder.run)
    except (OSError, msgspec.MsgspecError) as error:
        click.echo(f"Warning: the last audit cannot be compared: {last and last.path}: {error}", err=True)
        last = None
    audit = document.Audit(
        id=folder.id,
        started=folder.started,
        finished=f"{finished:%Y-%m-%dT%H:%M:%SZ}",
        exit_code=worst(each.exit_code for each in results),
        targets=tuple(results),
        previous=last.id if last else None,
        changes=tuple(found),
    )
    document.write(audit, folder.document)
    return audit


def notified(text: str, audit: Audit, withheld: frozenset[str]) -> bool:
    """Give the regressions to the command of the user; tell whether it took them, and say so if not."""
    kept = {name: each for name, each in os.environ.items() if name not in withheld and not name.startswith("DRSI_")}
    try:
        done = subprocess.run(  # noqa: S603 - the user's own
            words_of(text), input=regressions_json(audit).encode(), env=kept, timeout=_NOTIFY_PATIENCE, check=False
        )
        reason = f"it ended with exit code {done.returncode}" if done.returncode else ""
    except subprocess.TimeoutExpired:
        reason = f"it took longer than {_NOTIFY_PATIENCE:g} s"
    except (OSError, ValueError) as error:
        reason = f"it could not be started ({getattr(error, 'strerror', None) or error})"
    if reason:
        click.echo(f"Error: --notify-command: {reason}. {NAME} keeps the regressions in audit.json.", err=True)
    return not reason


def stored(
    store: Store,
    folder: AuditFolder,
    chosen: Sequence[AuditTarget],
    results: Sequence[Result],
    finished: datetime,
) -> None:
    """Add an audit to a store, with its targets: its finished runs, and why others have no report.

    What the store has is not added again.
    """
    known = [each.id for each in store.audits() if each.name == folder.id]
    audit = known[0] if known else store.begin_audit(folder.id, started=folder.started)
    result_of = {each.name: each for each in results}
    for each in chosen:
        store.set_target(
            Target(name=each.name, base_url=each.base_url, authority=each.authority, labels=dict(each.labels))
        )
        if result_of[each.name].is_finished:
            store.add_run(folder.run(each.name), target=each.name, audit=audit)
            _record_publication(store, each)
    store.set_unreported(audit, {each.name: (each.state, each.message) for each in results if not each.is_finished})
    store.end_audit(audit, finished=finished.isoformat())


def _record_publication(store: Store, target: AuditTarget) -> None:
    """Record what the file of the targets says of the publication of a target, unless the store says anything of it."""
    from conformance.fleet.store.publication import publish

    text = target.publish_consent or target.publish_authority
    if not text:
        return
    basis = "consent" if target.publish_consent else "authority"
    known = next((each for each in store.publications() if each.target == target.name), None)
    if known is None:
        publish(store, target.name, basis=basis, statement=text, stated=now()[:10])
    elif known.ended:
        click.echo(
            f"Warning: {target.name} is not published: by the store, its {basis} ended on {known.ended[:10]}. Record "
            f"it again with '{NAME} store publish', or remove publish_{basis} from the file.",
            err=True,
        )
