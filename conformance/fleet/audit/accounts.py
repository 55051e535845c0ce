"""The accounts of a target: whether they may hold data requests of earlier runs whose state is unknown.

`empty_account` in the file of the targets confirms that nothing else counts against the limit. It was written before
those runs. A run that rested on it could accuse the service of what the audit itself had left. So such a run is made
without the confirmation, until `account_emptied` in the file says that the accounts were emptied since.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from conformance.fleet.audit import folders, result
from conformance.fleet.audit.folders import AuditFolder
from conformance.fleet.audit.result import Result
from conformance.fleet.audit.targets import AuditTarget
from conformance.http.creations.remains import Remains, journals, remains_in
from conformance.model.target import EMPTY_ACCOUNT
from conformance.model.text import count

_CONFIRMATION: Final = "--empty-account"
_RESET: Final = "--reset-command="


def ended(found: Result, left: Remains) -> Result:
    """Return the result of a run that ends now, with what it left: its own, and that of attempts before it."""
    since = result.in_utc(datetime.now(UTC)) if left.unclear else found.unclear_since
    return replace(found, left_behind=left.live, not_found=left.not_found, unclear_since=since)


def still_unclear(target: AuditTarget, since: str) -> str:
    """Return `since` if a run of the target would meet what was left then; nothing if the accounts were emptied."""
    resets = any(each.startswith(_RESET) for each in target.arguments)
    return "" if resets or target.account_emptied >= since else since


def is_withheld(target: AuditTarget, unclear_since: str) -> bool:
    """Tell whether a run is made without the confirmation of its target."""
    return bool(unclear_since) and _CONFIRMATION in target.arguments


def arguments_of(target: AuditTarget, unclear_since: str) -> list[str]:
    """Return the target's own options of a run, which has a label if they lack the confirmation."""
    if not is_withheld(target, unclear_since):
        return list(target.arguments)
    why = f"not confirmed: a run of the audit that ended {unclear_since} left requests in doubt"
    return [f"--label={EMPTY_ACCOUNT}={why}", *(each for each in target.arguments if each != _CONFIRMATION)]


def remark(target: AuditTarget, before: str, found: Result) -> str:
    """Return what the row of a result says of the confirmation; `before` is since when the accounts are unclear."""
    if _CONFIRMATION not in target.arguments or not still_unclear(target, found.unclear_since):
        return ""
    how = (
        "Delete every open data request of these accounts, and then set account_emptied of the target to the time at "
        "which that was done."
    )
    if is_withheld(target, before):
        return (
            f"This run was made without the confirmation empty_account: a run that ended {before} left data requests "
            f"whose state is unknown, and which may count against the limit. {how}"
        )
    return (
        f"Later runs are made without the confirmation empty_account: this one left "
        f"{count(found.left_behind + found.not_found, 'data request')} whose state is unknown. {how}"
    )


def unclear_since(targets: Iterable[AuditTarget], output: Path) -> dict[str, str]:
    """Return by name since when the accounts of a target are unclear; nothing for those of which that is not known.

    The last audit that has a run of the same name or of the same address says so, also one that was given up.
    """
    unknown = {each.name: each for each in targets}
    found: dict[str, str] = {}
    for folder in reversed(folders.audits(output)):
        if not unknown:
            break
        since: dict[str, str] = {}
        for name, base_url, moment in _moments(folder):
            for key in (f"name {name}", f"address {base_url}"):
                since[key] = max(since.get(key, ""), moment)
        for each in list(unknown.values()):
            keys = {f"name {each.name}", f"address {each.base_url}"} & since.keys()
            if keys:
                found[each.name] = still_unclear(each, max(since[key] for key in keys))
                del unknown[each.name]
    return found


def _moments(folder: AuditFolder) -> Iterator[tuple[str, str, str]]:
    """Yield name, address, and since when the accounts are unclear, for the runs of an audit."""
    import msgspec

    from conformance.fleet.audit import document

    results: Iterable[Result] = ()
    if folder.document.is_file():
        with suppress(OSError, msgspec.MsgspecError):  # the comparison with it warns
            results = document.read(folder.document).targets
    else:
        results = filter(None, map(result.of_folder, (folder.path / "runs").glob("*")))
        for work in (folder.path / "unfinished").glob("*"):
            if moment := _left_at(work):
                yield work.name, "", moment
    yield from ((each.name, each.base_url, each.unclear_since) for each in results)


def _left_at(work: Path) -> str:
    """Return when a run was at work last that was never finished, if its journals leave something open."""
    moments = [path.stat().st_mtime for path in journals(work) if remains_in(path).unclear]
    return result.in_utc(datetime.fromtimestamp(max(moments), UTC)) if moments else ""
