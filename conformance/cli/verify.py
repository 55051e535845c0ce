"""`drsi-conformance verify`: computes the verdicts of a recorded run again, from its evidence and without a network."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance import NAME
from conformance.cli import bundled_suite, registered, verifier
from conformance.cli import specification as of_reader
from conformance.cli.errors import Failure
from conformance.cli.recorded import AlteredRun, RecordedRun, is_bundle, read, read_report, unpacked
from conformance.cli.values import PATH
from conformance.evidence import builds, chain
from conformance.model.text import count, printable, shorten
from conformance.model.verdict import Exit

if TYPE_CHECKING:
    from conformance.evidence.authenticity import Result
    from conformance.model.report import Report
    from conformance.model.specification import Specification
    from conformance.runner.verify import Difference, Verification

_SHOWN = 20
"""How many differences are printed without --list."""


@click.command(
    "verify",
    short_help="Compute the verdicts of a recorded run again, from its evidence.",
    epilog="Exit codes: 0 all is equal and intact, 1 something differs or was altered, or the register has no valid "
    "status of it, 2 the run or the register cannot be read, 3 not all could be compared: another build made the run, "
    "pages quote the specification and no copy was given, or another version of Babel made translated pages.",
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
@verifier.options
@registered.options
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
    use_bundled_suite: bool,
    suite_sha256: str | None,
    attest: Path | None,
    attest_to: Path | None,
    register: str | None,
    register_key: Path | None,
    now: datetime | None,
    listed: bool,
) -> int:
    """Compute the verdicts of a recorded run again and compare them with its report.

    The suite makes all its checks again. The recorded exchanges answer its requests; nothing is sent.

    RUN is the folder of a run, its report.json, or a bundle. The digests, the signature and the time stamp of a bundle
    are checked as well. --attest KEY writes a signed statement of the result, for those who trust you. --register PLACE
    checks that a public register lists the bundle now.
    """
    from conformance.evidence import authenticity

    packed = is_bundle(run)
    if ca and not key:
        raise click.UsageError("--ca checks the certificate of the signer. Name the file of its chain with --key.")
    if (key or tsa_ca) and run.exists() and not packed:
        raise click.UsageError(f"--key and --tsa-ca check a bundle, and {run} is none. Name the zip file.")
    bundled_suite.demand_bundle(run, asked=use_bundled_suite, expected=suite_sha256, attest=attest)
    asked = registered.asked(register, register_key, now, packed=packed, alone=not use_bundled_suite)
    stated = verifier.statement("verify", run, attest, attest_to)
    try:
        with unpacked(run) as place:
            copy = _copy_of(specification, place)
            vouched = authenticity.check(place, key, tsa_ca, copy, ca=ca) if packed else None
            if vouched is not None and asked is not None:
                vouched += asked.results(run, read_report(place))
            if use_bundled_suite and bundled_suite.is_needed(place):
                return bundled_suite.verified(
                    place, vouched or (), expected=suite_sha256, specification=specification, listed=listed
                )
            return _verified(run, place, vouched, copy, stated, listed=listed)
    except AlteredRun as failure:
        failure.code = Exit.DOES_NOT_CONFORM
        raise


def _copy_of(path: Path | None, place: Path) -> Specification | None:
    """Return the reader's copy of the specification, if it is the edition of the run at `place`."""
    from conformance.runner.live_evidence import is_killed

    if path is None or is_killed(place):  # a killed run has no pages
        return None
    return of_reader.read(path, read_report(place).suite.edition)


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
    from conformance.evidence import authenticity, replies
    from conformance.runner import verify
    from conformance.runner.live_evidence import is_killed

    if of_a_bundle is None and is_killed(folder):
        if stated is not None:
            raise Failure("A killed run has no verdicts to state.", remedy="Leave out --attest.")
        return _of_a_killed_run(folder)
    found = read(folder, needs_evidence=True)
    if found.data.get("repetitions"):
        return _of_repetitions(found, copy, stated, listed=listed)
    vouched = of_a_bundle
    if vouched is None:
        vouched = [each for each in [authenticity.pages(found.folder, copy)] if each.valid is False or each.needs_more]
    vouched = [*vouched, *(authenticity.Result("reply", False, f"{each}.") for each in replies.damage(found.report))]
    try:
        result = verify.verify(found.data, found.evidence, despite_damage=listed)
    except verify.Unreadable as error:
        altered = "".join(f"{each}; " for each in error.damage[:3])
        raise Failure(
            f"The evidence cannot be verified: {altered}{error}.",
            remedy="Expected the evidence.har that this suite wrote beside the report. Ask for an unaltered copy.",
            exit_code=Exit.DOES_NOT_CONFORM if error.damage else Exit.USAGE,
        ) from None
    lines = [*_lines(result, listed=listed), *(f"  note: {each}." for each in result.remarks)]
    lines += [f"  {each.part}: {each.message}" for each in vouched]
    lines += [_stated(found.report)] if result.verdicts else []
    lines.append(_conclusion(result, vouched, found.report))
    lines += [] if result.is_same_build or result.damage else _builds(named, found.report)
    if not result.is_same_build and any(each.part == "suite" for each in vouched):
        lines.append("Or let the suite in the bundle verify it, which executes its code: --use-bundled-suite.")
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
    from conformance.evidence import authenticity, replies
    from conformance.runner import repetitions

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
    click.echo(printable(_stated(found.report)))
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
        "parts": {each.part: "absent" if each.is_absent else _STATES[each.valid] for each in vouched},
        "conclusion": _conclusion(result, vouched, report),
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


def _of_a_killed_run(folder: Path) -> int:
    """Check the digests of the exchanges that a killed run left, and print the result: there are no verdicts."""
    from conformance.runner import live_evidence

    path = folder / live_evidence.FILE
    try:
        entries = list(live_evidence.entries(path))
        wrong = list(chain.unlinked(entries))
        last = entries[-1]["startedDateTime"] if entries else "none"
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise Failure(
            f"{path} cannot be read as the evidence of a run: {type(error).__name__}: {error}.",
            remedy="Expected the file as a killed run left it. Ask for an unaltered copy.",
        ) from None
    for each in wrong:
        click.echo(f"  altered: {printable(each)}")
    click.echo(
        f"The run was killed and decided nothing; {count(len(entries), 'exchange')} recorded, the last at "
        f"{printable(str(last))}; digests {'not ' if wrong else ''}intact up to there"
    )
    return Exit.DOES_NOT_CONFORM if wrong else Exit.CONFORMS


def _lines(result: Verification, *, listed: bool) -> Iterator[str]:
    for words in result.damage:
        yield f"  altered: {words}"
    for requirement, (recorded, recomputed) in result.verdicts.items():
        if requirement in result.not_compared:
            if listed:
                yield f"  {requirement:<40} {recorded:<15} {result.not_compared[requirement]}"
            continue
        differs = requirement in result.differing
        if listed or differs:
            same = "the verdict is equal, its evidence differs" if recorded == recomputed else f"differs: {recomputed}"
            yield f"  {requirement:<40} {recorded:<15} {same if differs else 'equal'}"
    shown = result.differences if listed else result.differences[:_SHOWN]
    for each in shown:
        yield from _difference(each)
    if more := len(result.differences) - len(shown):
        yield f"  {count(more, 'more difference')}; --list prints all."


def _difference(each: Difference) -> Iterator[str]:
    yield f"  {each.requirement or 'the run'}: {each.what} ({_CAUSES[each.cause]})"
    yield f"    recorded    {shorten(each.recorded, 300)}"
    yield f"    recomputed  {shorten(each.recomputed, 300)}"


_CAUSES = {
    "evidence": "the evidence does not support the report",
    "catalogue": "the other build has another catalogue of requirements",
    "interpretation": "the other build interprets the specification otherwise",
    "suite": "the other build judges otherwise",
}


def _stated(report: Report) -> str:
    """Return what the report states: a run that is verified need not conform."""
    from conformance.reports import outcome, summary

    parts = [f"The report states: {outcome.headline(report)}. {summary.numbers_sentence(report)}"]
    parts.append(summary.scope_sentence(report))
    if number := len(report.attestations):
        parts.append(f"{count(number, 'requirement')} attested by a person.")
    if report.replies:
        signed = sum(bool(each.key) for each in report.replies)
        answered = f"{count(len(report.replies), 'requirement')} answered by the organisation"
        parts.append(f"{answered}, {signed} of them with a signature.")
    return " ".join(filter(None, parts))


def _conclusion(result: Verification, vouched: Sequence[Result], report: Report) -> str:
    """Return the result in one line."""
    parts = [_number_of_verdicts(result)]
    if others := [each for each in result.differences if not each.requirement]:
        parts.append(count(len(others), "other difference"))
    parts.append("digests not intact" if result.damage else "digests intact")
    for each in vouched:
        if each.part in ("signature", "time stamp", "register", "register signature"):
            parts.append(f"no {each.part}" if each.is_absent else f"{each.part} {_STATES[each.valid]}")
        elif each.valid is False:
            parts.append(f"{each.part} not as recorded")
        elif each.needs_more:
            parts.append(f"{each.part} not compared")
    nonce = f", nonce {report.run.nonce}" if report.run.nonce else ""
    return f"{'; '.join(parts)}; recorded {report.started} against {report.target.base_url}{nonce}"


def _number_of_verdicts(result: Verification) -> str:
    of, compared = len(result.verdicts), len(result.verdicts.keys() - result.not_compared.keys())
    equal = compared - len(result.differing)
    if not of:
        return "no verdict recomputed, because the run was altered (--list recomputes them all the same)"
    if result.is_same_build:
        return f"{equal} of {of} verdicts recomputed and equal"
    return f"another build made the run: {compared} of {of} verdicts compared, {equal} equal"


def _builds(run: Path, report: Report) -> Iterator[str]:
    """Yield which build made the run, and how to verify with it."""
    made_by = report.suite
    yield (
        "Not verified. Expected the build that made the run: "
        f"{builds.named(made_by.version, made_by.build)}; this is {builds.this_build()}."
    )
    yield (
        f"Verify with that build: uvx {NAME}=={made_by.version} verify {shlex.quote(str(run))}. "
        f"'{NAME} --version' prints the build."
    )


_STATES = {True: "valid", False: "not valid", None: "not checked"}
