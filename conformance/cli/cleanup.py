"""`drsi-conformance cleanup`: deletes what a run that was killed left at the service, as its journal lists it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance import NAME
from conformance.cli.errors import Failure, explained, writing
from conformance.cli.option import with_options
from conformance.cli.options import Options
from conformance.cli.target_options import TargetOptions
from conformance.cli.values import PATH
from conformance.model.printable import printable
from conformance.model.text import count, shorten
from conformance.model.verdict import Blame, Exit

if TYPE_CHECKING:
    from conformance.http.creations.journal_file import Remains
    from conformance.http.session import Session
    from conformance.model.findings import Note


@click.command("cleanup", short_help="Delete the data requests that a killed run left behind.")
@click.argument("run", type=PATH, metavar="RUN")
@with_options(TargetOptions)
@click.option("--purge", is_flag=True, help="Remove what the killed run recorded, and its journal if nothing is left.")
@click.option("--keep-left", is_flag=True, help="Keep the request that the run left on purpose (check --leave).")
@click.pass_context
def command(context: click.Context, /, *, run: Path, purge: bool, keep_left: bool, **_: Any) -> int:
    """Delete the data requests that the journal of RUN lists and that no deletion has removed, and nothing else.

    RUN is the folder of a run, or a journal. BASE_URL is that of the run; it can be left out if you made the run on
    this machine. A second clean-up sends nothing. Without --purge, the exchanges that a killed run recorded are kept.

    Exit code 0: nothing is left; 2: the configuration has to be fixed; 3: something is left, or may be.
    """
    journals = {path: _read(path) for path in _journals(run)}
    if keep_left and purge:
        raise click.UsageError("--keep-left and --purge exclude each other: the journal names what is kept.")
    for remains in journals.values() if keep_left else ():
        remains.live.pop(remains.left, None)
    given: str | None = context.params["base_url"]
    for path, remains in journals.items():
        _check_address(path, remains, given)
    left = {path: remains for path, remains in journals.items() if remains.total}
    for path in journals.keys() - left.keys():
        click.echo(f"{path}: nothing {_beside(journals[path])}is left of this run, so nothing was sent.")
    if not journals:
        click.echo(f"{run} has no journal, so nothing is left of this run, and nothing was sent.")
    if not left:
        return _kept(run, journals, Exit.CONFORMS, purge=purge)
    codes = []
    for path, remains in left.items():
        # The tokens are for the service of the journal; without its address they would be for the reference service.
        context.params["base_url"] = given or remains.base_url
        codes.append(clean_up(path, remains, Options.of(context)))
    return _kept(run, journals, max(codes), purge=purge)


def _kept(run: Path, journals: Iterable[Path], code: int, *, purge: bool) -> int:
    """Remove the files that a killed run left on this machine, or say that they are kept; return the exit code."""
    from conformance.http.creations.journal_file import is_in_progress
    from conformance.run.live_evidence import FILE, is_killed

    folder = run if run.is_dir() else run.parent
    recorded = [folder / FILE] if is_killed(folder) else []
    if purge:
        if active := next((path for path in journals if is_in_progress(path)), None):
            raise Failure(f"The run of {active} is in progress.", remedy="Wait until it ends, and purge then.")
        with writing("RUN", "The service was cleaned up."):
            for path in [*recorded, *(journals if code == Exit.CONFORMS else ())]:
                path.unlink(missing_ok=True)
                click.echo(f"Removed {path}.")
    elif recorded:
        click.echo(f"Kept: {recorded[0]}, the exchanges that the killed run recorded. --purge removes them.")
    return code


def _journals(run: Path) -> list[Path]:
    """Return the journals of a run; none if the run removed its journal because nothing was left."""
    from conformance.http.creations.journal_file import NAMES
    from conformance.reports.files import DATA

    folder = run.parent if run.name == DATA else run
    if not folder.is_dir():
        return [run]
    journals = sorted(folder.glob(NAMES))
    if not journals and not (folder / DATA).is_file():
        raise Failure(
            f"{run} is not the folder of a run: it has neither a journal nor a {DATA}.",
            remedy="Name the folder that 'drsi-conformance check' wrote, or its journal.jsonl.",
        )
    return journals


def _read(path: Path) -> Remains:
    from conformance.http.creations.journal_file import read
    from conformance.http.creations.owners import sealing

    try:
        return read(path, sealing())
    except OSError as error:
        raise Failure(
            f"{path} cannot be read: {error.strerror or error}.",
            remedy="Name the folder that 'drsi-conformance check' wrote, or its journal.jsonl.",
        ) from None


def _check_address(path: Path, remains: Remains, given: str | None) -> None:
    """Raise Failure if the requests of a journal are not those of the service at `given`."""
    from conformance.model.exchange import same_origin

    if remains.total and remains.base_url is None and given is None:
        raise Failure(
            f"{path} does not contain the address of the service, because a token was part of it.",
            remedy="Add the BASE_URL of the run.",
        )
    if remains.total and remains.base_url and not remains.first_seal and given is None:
        by_hand = f"{NAME} cleanup {shlex.quote(str(path))} {shlex.quote(remains.base_url)}"
        raise Failure(
            f"{path} is not as a run of yours on this machine wrote it, so its address may be anyone's: the token goes "
            "only to an address that you name.",
            remedy=f"If you know the run and its service, add the BASE_URL: {by_hand}",
            state="Nothing was sent.",
        )
    if given and remains.base_url and not same_origin(given, remains.base_url):
        raise Failure(
            f"{path} is the journal of a run against {remains.base_url}, and BASE_URL is {given}.",
            remedy="Leave BASE_URL out, also of the configuration file, or name the journal of a run against it.",
            state="Nothing was sent.",
        )


def clean_up(path: Path, remains: Remains, options: Options) -> int:
    """Delete what the journal lists with the credentials that created it; say what was done and what is left."""
    from conformance.http.creations import journal_file
    from conformance.http.creations.cleanup import verify_deletions
    from conformance.http.creations.journal import Journal
    from conformance.http.creations.owners import sealing

    target = options.target()
    labels = {"user": target.user, "other user": target.other}
    # As at the end of a run, the user deletes what was created with neither token.
    able = {
        one: label if label in labels else "user"
        for one, label in remains.live.items()
        if labels.get(label, target.user)
    }
    if remains.live and not able:
        raise Failure(
            f"{path} lists {count(len(remains.live), 'data request')}, and no token is given to delete them.",
            remedy="Set DRSI_TOKEN, and DRSI_OTHER_TOKEN for the second user, or use the options that check has.",
            state="Nothing was sent.",
        )
    with ExitStack() as stack:
        with writing("RUN", "Nothing was sent."):
            claim = journal_file.claim(path)
            if claim is None:
                raise Failure(
                    f"The run of {path} is in progress ({remains.process}).",
                    remedy="Wait until it ends: it deletes what it created. To end it early, press Ctrl-C there.",
                    state="Nothing was sent.",
                )
            stack.enter_context(claim)
            journal_file.mend(path)
        seal = sealing() if remains.first_seal else None
        journal = Journal(path, live=able, repeated=remains.shared, seal=seal, first_seal=remains.first_seal)
        session = stack.enter_context(closing(options.session(target, journal)))
        stack.enter_context(explained(session.secrets.text))
        click.echo(printable(f"{path}: deleting {count(len(able), 'data request')} at {target.base_url}"))
        session.clock.cleaning = True
        session.clean_up(insist=True)
        verify_deletions(session, every=True)
        return _print(path, remains, session)


def _print(path: Path, remains: Remains, session: Session) -> int:
    journal = session.journal
    numbers = {"deleted": len(journal.gone), "already gone": len(journal.lost), "left": len(remains.live)}
    numbers["left"] -= len(journal.gone) + len(journal.lost)
    click.echo(", ".join(f"{number:,} {what}" for what, number in numbers.items()))
    unsolved = list(_unsolved(path, remains, session))
    for problem in unsolved:
        click.echo(printable(session.secrets.text(problem.message)))
        click.echo(printable(session.secrets.text(f"  fix    {problem.remedy}")))
    if not unsolved:
        click.echo(f"Nothing {_beside(remains)}is left of this run.")
    return Exit.INCONCLUSIVE if unsolved else Exit.CONFORMS


def _beside(remains: Remains) -> str:
    """Return the words for what a clean-up keeps."""
    is_kept = remains.left and remains.left not in remains.live
    return "but the data request that it left on purpose " if is_kept else ""


def _unsolved(path: Path, remains: Remains, session: Session) -> Iterator[Note]:
    """Yield what is left, or may be, and what to do about it."""
    from conformance.model.error_table import KNOWN_CREDENTIALS
    from conformance.model.findings import Note
    from conformance.run.notes import left_behind

    journal = session.journal
    yield from left_behind(session)
    for request_id, label in remains.live.items():
        if any(request_id in known for known in (journal.gone, journal.lost, journal.live)):
            continue
        named = shorten(request_id, 80)
        message = f"The data request {named} is left: it belongs to the {label}, whose token is not given."
        remedy = f"Set {KNOWN_CREDENTIALS.get(label, 'DRSI_TOKEN')}, and run the clean-up again."
        yield Note(blame=Blame.CREDENTIAL, message=message, remedy=remedy)
    look = f"Look into the accounts of the run for data requests created from {remains.started} on, and delete them."
    if remains.hidden:
        yield Note(
            blame=Blame.TARGET,
            message=f"{count(len(remains.hidden), 'data request')} of this run cannot be deleted by the journal: a "
            "token is part of the identifier, and the journal contains no tokens, or the identifier is not one segment "
            "of a path.",
            remedy=f"{look} Then remove {path}.",
        )
    if remains.unnamed:
        yield Note(
            blame=Blame.NETWORK,
            message=f"At most {count(remains.unnamed, 'data request')} may be left without a known identifier: the run "
            "had sent the creation, and no answer told it the identifier.",
            remedy=f"{look} Then remove {path}.",
        )


def cleanup_words(journal: Path, remedy: str = "") -> str:
    """Return how to delete what a journal names; `remedy` says it where the command alone does not."""
    usual = f"To delete it: {NAME} cleanup {shlex.quote(str(journal))}"
    return f"{journal} names what is left. {remedy or usual}"
