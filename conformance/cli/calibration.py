"""The job of `selftest`: choose, try, write, and tell what came of it."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from conformance import NAME, __version__
from conformance.calibration.combined import Sight
from conformance.calibration.document import Scope, calibration, to_publish
from conformance.calibration.judgement import Mark
from conformance.calibration.pool import attempt_all
from conformance.calibration.run_one import Job
from conformance.calibration.sample import NoSuchVariant, everything, only, pairs, quick, repeated
from conformance.cli.calibration_progress import progress_of
from conformance.cli.failure import Failure
from conformance.cli.selftest import COMBINATIONS
from conformance.cli.streams import as_file
from conformance.model.score import FILE, MEASURES, Measure, published
from conformance.model.text import count, printable
from conformance.model.verdict import Exit
from conformance.reports.files import as_json

_WIDTH = 110


def perform(
    *,
    quick: bool,
    only: Sequence[str],
    pairs: int | None,
    draw_seed: int,
    repeat: int,
    output: Path | None,
    jobs: int | None,
    quiet: bool,
) -> int:
    """Measure the suite and return the exit code; raise Failure for a name that nothing has or a place of no use."""
    scope, chosen = _chosen(quick, only, pairs, draw_seed)
    now = datetime.now(UTC)
    directory = _made(output or Path("reports") / f"calibration-{now:%Y%m%dT%H%M%SZ}")
    wanted = repeated(chosen, repeat)
    began = time.perf_counter()
    with ExitStack() as stack:
        advance = stack.enter_context(progress_of(len(wanted), quiet=quiet))
        trials = attempt_all(wanted, workers=min(jobs or _at_once(), len(wanted)), on_done=lambda _: advance())
    committed = published()
    document = calibration(trials, scope=scope, measured=now, committed=committed)
    paths = _write(directory, document, committed)
    _tell(document, paths, time.perf_counter() - began)
    return Exit.DOES_NOT_CONFORM if document["problems"] else Exit.CONFORMS


def _chosen(is_quick: bool, names: Sequence[str], number: int | None, seed: int) -> tuple[Scope, list[Job]]:
    given = [option for option, value in {"--quick": is_quick, "--only": names, "--pairs": number}.items() if value]
    if len(given) > 1:
        raise Failure(f"{' and '.join(given)} say two different things. Give one of them.")
    if number:
        # Only the combinations of the published rates count as all of them.
        return (Scope.PAIRS if (number, seed) == (COMBINATIONS, 0) else Scope.ONLY), pairs(number, seed)
    if is_quick:
        return Scope.QUICK, quick()
    try:
        return (Scope.ONLY, only(names)) if names else (Scope.FULL, everything())
    except NoSuchVariant as error:
        raise Failure(str(error)) from None


def _at_once() -> int:
    # What this process may use, which in a container is often less than the machine has, and one more: some services
    # keep each call waiting for a while, and a core idle.
    return 1 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def _made(directory: Path) -> Path:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(
            f"{directory} cannot be written: {error.strerror}.", remedy="Name another place with --output."
        ) from None
    return directory


def _write(directory: Path, document: dict[str, Any], committed: dict[str, Any] | None) -> list[Path]:
    texts = {"calibration.json": as_json(document, indent=2)}
    if document["scope"] == Scope.FULL or (document["scope"] == Scope.PAIRS and committed):
        texts[FILE] = as_json(to_publish(document, committed), indent=2)
    try:
        # A score that an earlier run left here must not pass for one of this run.
        (directory / FILE).unlink(missing_ok=True)
        for name, text in texts.items():
            (directory / name).write_text(text, "utf-8")
    except OSError as error:
        raise Failure(
            f"The calibration came to its end, but it cannot be written: {error}.",
            remedy="Make room, or name another place with --output, and run again.",
        ) from None
    return [directory / name for name in texts]


def _tell(document: dict[str, Any], paths: Sequence[Path], seconds: float) -> None:
    console = Console(file=as_file(sys.stdout), highlight=False)
    for style, line in _lines(document, paths, seconds):
        console.print(Text(printable(line, keep="\n"), style=style), soft_wrap=True)


def _lines(document: dict[str, Any], paths: Sequence[Path], seconds: float) -> Iterator[tuple[str, str]]:
    faults = count(len(document["faults"]), "fault")
    conforming = count(len(document["conforming"]), "conforming service")
    tried = f"{faults} and {conforming}" if document["faults"] or document["conforming"] else ""
    if document["combinations"]:
        tried += f"{' and ' if tried else ''}{count(len(document['combinations']), 'combination')} of faults"
    yield "bold", f"{NAME} {__version__}: tried against {tried} in {seconds:.0f} s\n"
    for name, meaning in MEASURES.items():
        data = document["score"][name]
        if data is not None and data["of"]:
            measure = Measure(**data)
            label = name.replace("_", " ")
            yield "", f"  {label:<20} {measure.percent:>8}  {measure.kept} of {measure.of} {meaning}"
    if document["score"]["stability"] is None:
        yield "dim", f"  {'stability':<20} {'':>8}  not measured: --repeat 20 does"
    if document["combinations"]:
        yield "", f"\n  {tally(document['combinations'])}"
    yield "", ""
    for each in document["combinations"]:
        for fault in each["faults"]:
            if fault["sight"] == Sight.MISSED:
                came = f"{fault['requirement']} {fault['verdict']}: {fault['message']}"
                yield "yellow", _wrapped(f"{each['name']}: {fault['name']} is missed. {came}")
    for fault in document["faults"]:
        if fault["mark"] == Mark.EXCUSED:
            yield "", _wrapped(f"{fault['name']} is missed, and no client can tell: {fault['why']}")
    for problem in document["problems"]:
        yield "red", _wrapped(f"{problem['about']}: {problem['what']}")
    left = len(document["problems"])
    yield ("bold red", count(left, "hole")) if left else ("bold green", "No hole")
    yield "", "\n".join(f"  {path}" for path in paths)


def tally(combinations: Sequence[dict[str, Any]]) -> str:
    """Return in words what the combinations came to."""
    sights = Counter(fault["sight"] for each in combinations for fault in each["faults"])
    wrong = sum(len(each["wrong"]) for each in combinations)
    return (
        f"{count(len(combinations), 'combination')}: {count(wrong, 'wrong failure')}; "
        f"of {count(sights.total(), 'fault')} {sights[Sight.FOUND]:,} found, "
        f"{sights[Sight.NAMED]:,} named as hidden, {sights[Sight.MISSED]:,} missed."
    )


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
