"""`drsi-conformance verify`: computes the verdicts of a recorded run again, from its evidence and without a network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from conformance.cli import bundled_suite, part, verifier, verify_words
from conformance.cli import specification as of_reader
from conformance.cli.errors import Failure
from conformance.cli.recorded import AlteredRun, RecordedRun, is_bundle, read, read_report, unpacked
from conformance.cli.values import PATH
from conformance.model.printable import printable
from conformance.model.text import count
from conformance.model.verdict import Exit
from conformance.trust import builds, chain

if TYPE_CHECKING:
    from conformance.model.report import Report
    from conformance.model.specification import Specification
    from conformance.run.verify import Verification
    from conformance.trust.authenticity import Result


_registered = part("the register of verify")
_register_options: Callable[[Callable[..., int]], Callable[..., int]] = _registered.options


@click.command(
    "verify",
    short_help="Compute the verdicts of a recorded run again, from its evidence.",
    epilog="Exit codes: 0 all is equal and intact, 1 something differs or was altered, or the register has no valid "
    "status of it, 2 the run or the register cannot be read, 3 not all could be compared: another build made the run, "
    "pages quote the specification and no copy was given, another version of Babel made translated pages, or the "
    "register has to be asked for a newer status.",
)
@click.argument("run", type=PATH, metavar="RUN")
@click.option("--key", type=PATH, metavar="PUBLIC", help="Public key, or certificate chain (PEM), of the signer.")
@click.option(
    "--ca",
    type=PATH,
    metavar="FILE",
    help="Root certificates (PEM) to which the certificate chain of --key has to lead.",
)
@click.option(
    "--tsa-ca",
    type=PATH,
    metavar="FILE",
    help="Root certificate (PEM) of the expected time-stamping authority.",
)
@of_reader.option
@bundled_suite.options
@verifier.option
@_register_options
@click.option("--unfinished", is_flag=True, help="Judge what a run had recorded before it was killed.")
@click.option(
    "--list",
    "listed",
    is_flag=True,
    help="Print the verdict of every requirement, and every difference, also of an altered run.",
)
def command(
    run: Path,
    *,
    key: Path | None,
    ca: Path | None,
    tsa_ca: Path | None,
    specification: Path | None,
    suite: Path | None,
    use_bundled_suite: bool,
    suite_sha256: str | None,
    attest: Path | None,
    register: str | None,
    register_key: Path | None,
    unfinished: bool,
    listed: bool,
) -> int:
    """Compute the verdicts of a recorded run again and compare them with its report.

    The checks judge the recorded exchanges again; nothing is sent.

    RUN is the folder of a run, its report.json, or a bundle. The digests, the signature and the time stamp of a bundle
    are checked as well. --attest KEY writes a signed statement of the result, for those who trust you. --register PLACE
    checks that a public register lists the bundle now.

    With --unfinished, RUN is the folder of a run that was killed: failures that it had recorded are failures, and what
    it had not reached is inconclusive.
    """
    from conformance.run import live_evidence
    from conformance.trust import authenticity

    packed = is_bundle(run)
    if ca and not key:
        raise click.UsageError("--ca checks the certificate of the signer. Name the file of its chain with --key.")
    if (key or tsa_ca) and run.exists() and not packed:
        raise click.UsageError(f"--key and --tsa-ca check a bundle, and {run} is none. Name the zip file.")
    by_another = use_bundled_suite or suite is not None
    bundled_suite.demand(run, suite, bundled=use_bundled_suite, expected=suite_sha256, attest=attest)
    _registered.demand(register, register_key, packed=packed, alone=not by_another)
    stated = verifier.statement("verify", run, attest)
    try:
        with unpacked(run) as place:
            if live_evidence.is_killed(place):
                return _of_a_killed_run(place, stated, unfinished=unfinished)
            if unfinished:
                raise click.UsageError(
                    f"--unfinished judges what a killed run had recorded, and {run} is none: it has a report, or no "
                    f"{live_evidence.FILE}. 'drsi-conformance cleanup' deletes what a killed run left."
                )
            copy = of_reader.read(specification, read_report(place).suite.edition) if specification else None
            vouched = authenticity.check(place, key, tsa_ca, copy, ca=ca) if packed else None
            if vouched is not None and register is not None:
                vouched += _registered.results(run, read_report(place), register, register_key)
            if by_another and bundled_suite.is_needed(place):
                return bundled_suite.verified(
                    place, vouched or (), suite, expected=suite_sha256, specification=specification, listed=listed
                )
            return _verified(run, place, vouched, copy, stated, listed=listed)
    except AlteredRun as failure:
        failure.code = Exit.DOES_NOT_CONFORM
        raise


def _verified(
    named: Path,
    folder: Path,
    of_a_bundle: Sequence[Result] | None,
    copy: Specification | None,
    stated: verifier.Statement | None,
    *,
    listed: bool,
) -> int:
    """Verify the run in a folder, of the bundle or folder `named`; print the result, and write it if it is `stated`."""
    from conformance.run import verify
    from conformance.trust import authenticity, replies

    found = read(folder, needs_evidence=True)
    if of_a_bundle is None and found.data.get("repetitions"):  # `bundle` packs no joined run
        return _of_repetitions(found, copy, stated, listed=listed)
    vouched = of_a_bundle
    if vouched is None:
        parts = authenticity.pages(found.folder, copy), authenticity.documents(found.folder, found.data)
        vouched = [each for each in parts if each.valid is False or each.needs_more]
    vouched = [*vouched, *(authenticity.Result("reply", False, f"{each}.") for each in replies.damage(found.report))]
    try:
        result = verify.verify(found.data, found.evidence, despite_damage=listed)
    except verify.Unreadable as error:
        altered = "".join(f"{each}; " for each in error.damage[:3])
        code, remedy = Exit.USAGE, "Expected the evidence.har that this suite wrote beside the report."
        if error.damage:
            code = Exit.DOES_NOT_CONFORM
        elif not builds.is_this_build(found.data["suite"].get("build")):
            code, remedy = Exit.INCONCLUSIVE, " ".join(verify_words.builds_of(named, found.report))
        raise Failure(
            f"The evidence cannot be verified: {altered}{error}.",
            remedy=f"{remedy} Or ask for an unaltered copy.",
            exit_code=code,
        ) from None
    lines = [*verify_words.lines(result, listed=listed), *(f"  note: {each}." for each in result.remarks)]
    lines += [f"  {each.part}: {each.message}" for each in vouched]
    lines += [verify_words.stated(found.report)] if result.verdicts else []
    lines.append(verify_words.conclusion(result, vouched, found.report))
    lines += [] if result.is_same_build or result.damage else verify_words.builds_of(named, found.report)
    if not result.is_same_build and any(each.part == "suite" for each in vouched):
        lines.append("Or let the wheel in the bundle verify it: --use-bundled-suite --suite-sha256 DIGEST.")
    code = _code(result, vouched)
    if stated is not None:
        lines += _written(stated, found.report, result, vouched, code)
    for line in lines:
        click.echo(printable(line))
    return code


def _of_repetitions(
    found: RecordedRun, copy: Specification | None, stated: verifier.Statement | None, *, listed: bool
) -> int:
    """Verify each repetition of a joined run, and that the joined report follows from them; print the results."""
    from conformance.run import repetitions
    from conformance.trust import authenticity, replies

    if stated is not None:
        raise Failure("A joined run is stated by its repetitions.", remedy="Name the folder of one with --attest.")
    folders = [found.folder / each["folder"] for each in found.data["repetitions"]]
    codes = [_verified(folder, folder, None, copy, None, listed=listed) for folder in folders]
    runs = [read(folder, needs_evidence=True) for folder in folders]
    try:
        data, evidence = repetitions.joined([each.data for each in runs], [each.evidence for each in runs])
        wrong = repetitions.damage(found.data, found.evidence, evidence)
        wrong += [f"{each} does not follow from the repetitions" for each in repetitions.differences(found.data, data)]
    except (ValueError, LookupError, TypeError) as error:
        wrong = [f"the repetitions cannot be joined: {error}"]
    wrong += [each.message for each in [authenticity.pages(found.folder, copy)] if each.valid is False]
    wrong += replies.damage(found.report)
    for each in wrong:
        click.echo(printable(f"  altered: {each.rstrip('.')}."))
    click.echo(printable(verify_words.stated(found.report)))
    follows = "does not follow" if wrong else "follows"
    click.echo(f"The joined report {follows} from its {count(len(folders), 'repetition')}.")
    if wrong or Exit.DOES_NOT_CONFORM in codes:
        return Exit.DOES_NOT_CONFORM
    return max(codes, default=Exit.INCONCLUSIVE)


def _written(
    stated: verifier.Statement, report: Report, result: Verification, vouched: Sequence[Result], code: Exit
) -> list[str]:
    """Write the verifier's statement, and return what to say about it."""
    valid = [each.part for each in vouched if each.valid and each.part in ("signature", "certificate", "time stamp")]
    compared = result.verdicts.keys() - result.not_compared.keys()
    details = {
        "verdicts": {
            "recorded": len(report.requirements),
            "compared": len(compared),
            "equal": len(compared - result.differing),
        },
        "digestsIntact": not result.damage,
        "parts": {each.part: "absent" if each.is_absent else verify_words.state_of(each) for each in vouched},
        "conclusion": verify_words.conclusion(result, vouched, report),
    }
    return stated.write(
        report,
        code,
        resource=report.target.base_url,
        levels=["DRSI_VERDICTS_RECOMPUTED", *(f"DRSI_{each.replace(' ', '_')}_valid".upper() for each in valid)],
        details=details,
    )


def _code(result: Verification, vouched: Sequence[Result]) -> Exit:
    if result.damage or any(each.valid is False for each in vouched):
        return Exit.DOES_NOT_CONFORM
    if not result.is_same_build:
        return Exit.INCONCLUSIVE
    if result.differences:
        return Exit.DOES_NOT_CONFORM
    return Exit.INCONCLUSIVE if any(each.needs_more for each in vouched) else Exit.CONFORMS


def _of_a_killed_run(folder: Path, stated: verifier.Statement | None, *, unfinished: bool) -> int:
    """Check the digests of the lines that a killed run left; if it is asked for, judge what it had recorded."""
    from conformance.run import live_evidence

    if stated is not None:
        raise Failure("A killed run has no verdicts to state.", remedy="Leave out --attest.")
    path = folder / live_evidence.FILE
    try:
        lines = list(live_evidence.entries(path))
        wrong = list(chain.unlinked(lines))
        entries = [each for each in lines if "_id" in each]
        last = entries[-1]["startedDateTime"] if entries else "none"
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _unreadable(path, f"{type(error).__name__}: {error}") from None
    for each in wrong:
        click.echo(f"  altered: {printable(each)}")
    decided = "" if unfinished else " and decided nothing"
    click.echo(
        f"The run was killed{decided}; {count(len(entries), 'exchange')} recorded, the last at "
        f"{printable(str(last))}; digests {'not ' if wrong else ''}intact up to there"
    )
    if wrong:
        return Exit.DOES_NOT_CONFORM
    return _judged(path, lines) if unfinished else Exit.CONFORMS


def _judged(path: Path, lines: list[dict[str, Any]]) -> int:
    """Judge what a killed run had recorded, and print what it shows: failures, but never that the service conforms."""
    from rich.console import Console

    from conformance.reports import exit_code, terminal
    from conformance.run import verify
    from conformance.run.documents import Documents

    try:
        run, is_same_build = verify.judge_unfinished(iter(lines))
    except verify.Unreadable as error:
        raise _unreadable(path, str(error)) from None
    report = Documents(run).shown
    terminal.print_summary(Console(), report, [])
    if not is_same_build:
        click.echo("Another build of the suite made the run; it may judge otherwise.")
        return Exit.INCONCLUSIVE
    return exit_code.exit_code(report)


def _unreadable(path: Path, reason: str) -> Failure:
    return Failure(
        f"{path} cannot be read as the evidence of a run: {reason.rstrip('.')}.",
        remedy="Expected the file as a killed run left it. Ask for an unaltered copy.",
    )
