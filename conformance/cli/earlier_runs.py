"""What earlier runs left in the accounts, as their journals beside a run say: it contradicts --empty-account.

A journal decides nothing but that. Requests are deleted at the BASE_URL of the present run, with its tokens.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from conformance import NAME
from conformance.cli.cleanup import clean_up, cleanup_words
from conformance.cli.errors import Failure
from conformance.cli.options import Options
from conformance.cli.output import REPORTS
from conformance.http.creations import owners
from conformance.http.creations.journal_file import Remains, unfinished
from conformance.model.errors import ConfigurationFault
from conformance.model.findings import Note
from conformance.model.text import count
from conformance.model.verdict import Blame

if TYPE_CHECKING:
    from conformance.model.target import Target


def settled(options: Options, *, known: str = "") -> tuple[Options, tuple[Note, ...]]:
    """Return the options of a run, and the notes on what earlier runs left that are written beside it.

    Raises Failure where a journal lists requests of these accounts although --empty-account confirms that there are
    none; with --cleanup-first they are deleted, but for what stays on purpose (--leave). Where it stays open whether
    something is left, the run lacks the confirmation. The run goes on with the request `known`.
    """
    if options.base_url is None or options.profile == "public":
        return options, ()
    output = options.output or REPORTS / "this run"
    place = (output if output.name else output.resolve()).parent
    target = options.target()
    confirmed = options.empty_account and not options.resets
    if options.cleanup_first:
        for path, remains in _own(place, target, known):
            remains.live.pop(remains.left, None)
            if remains.live:
                clean_up(path, remains, options)
    elif confirmed:
        for path, remains in _own(place, target, known):
            raise _contradicted(path, remains, target, known)
    unsettled = list(_unsettled(place, target, known))
    notes = [_note(path, remains, target) for path, remains in unsettled]
    if confirmed and any(remains.base_url == target.base_url for _, remains in unsettled):
        notes.append(_UNCONFIRMED)
        options = replace(options, empty_account=False)
    return options, tuple(notes)


def _unsettled(place: Path, target: Target, known: str) -> Iterator[tuple[Path, Remains]]:
    """Yield the journals that leave something open at this service, beside the request `known`."""
    for path, remains in unfinished(place, target.base_url, owners.sealing()):
        remains.live.pop(known, None)
        if remains.total:
            yield path, remains


def _own(place: Path, target: Target, known: str) -> Iterator[tuple[Path, Remains]]:
    """Yield the journals that list requests of the accounts of this run at exactly this service."""
    for path, remains in _unsettled(place, target, known):
        with suppress(ConfigurationFault):  # without a token: the run says so
            if remains.live and remains.base_url == target.base_url and owners.are_of(remains.owners, target):
                yield path, remains


def _contradicted(path: Path, remains: Remains, target: Target, known: str) -> Failure:
    remedy = _CLEANUP_FIRST
    by_hand = f"{NAME} cleanup {shlex.quote(str(path))} {shlex.quote(target.base_url)}"
    if known:
        remedy = f"This run goes on with another one. Leave out --empty-account, or delete it: {by_hand}."
    elif words := _going_on(path, remains):
        remedy = f"{words}To delete it: {by_hand}."
    elif not target.is_application:  # an application listens only while it is checked
        remedy = f"Delete them: {by_hand}. Or add{remedy.removeprefix('Add')}"
    return Failure(
        f"--empty-account confirms that nothing else counts against the limit, but an earlier run of these accounts "
        f"({remains.started}) created {count(len(remains.live), 'data request')} that nothing has deleted: {path} "
        "names them.",
        remedy=remedy,
        state="Nothing was sent.",
    )


def _going_on(journal: Path, remains: Remains) -> str:
    """Return how to go on with what a run left on purpose; nothing if that is not among what remains."""
    if remains.left not in remains.live:
        return ""
    folder = shlex.quote(str(journal.parent))
    return f"That run left a data request on purpose (--leave). Add --resume {folder} to go on with it. "


def _note(path: Path, remains: Remains, target: Target) -> Note:
    address = "" if remains.first_seal else f" {shlex.quote(remains.base_url or '')}"
    in_an_application = target.is_application and remains.live
    remedy = cleanup_words(path, _CLEANUP_FIRST) if in_an_application else f"{cleanup_words(path)}{address}"
    return Note(
        blame=Blame.CONFIGURATION,
        message=f"{count(remains.total, 'data request')} of an earlier run may still exist: that run did not delete "
        "all that it created.",
        remedy=f"{_going_on(path, remains)}{remedy}",
    )


_CLEANUP_FIRST = "Add --cleanup-first: then the run deletes them before it begins."
"""The remedy for an application: nothing answers a clean-up where no run serves it."""


_UNCONFIRMED = Note(
    Blame.CONFIGURATION,
    "This run lacks the confirmation --empty-account: it is unknown whether these accounts hold what an earlier run "
    "left.",
    "Delete what the notes on earlier runs name, remove their journals, and run again.",
)
