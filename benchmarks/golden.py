"""Golden files: the verdicts and the request sequence of each service of the calibration set, to compare two commits.

    python benchmarks/golden.py write DIR [NAME ...]     one text file for each service, or for the named ones;
                                                         the name "quick" stands for the sample of `selftest --quick`
    python benchmarks/golden.py compare OLD NEW          names the services of NEW that differ, with the first lines
    python benchmarks/golden.py verdicts OLD NEW         the same for the verdicts alone

A file holds a line for each requirement with its verdict, then a line for each request of a run with seed 0: method,
path with identifiers numbered in the order of their appearance, identity, and what the request means to ask.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from conformance.calibration.run_one import Job, attempt
from conformance.calibration.sample import everything, only, quick
from conformance.model.exchange import Exchange

_IDENTIFIER: Final = re.compile(r"(?<=/requests/)[^/?]+")
_WORKERS: Final = 2
_SHOWN: Final = 12


def main(command: str, *arguments: str) -> int:
    """Run one of the two commands; return the exit code: 1 where two sets of files differ."""
    if command == "write":
        return write(Path(arguments[0]), arguments[1:])
    return compare(*map(Path, arguments), verdicts_only=command == "verdicts")


def write(folder: Path, names: tuple[str, ...]) -> int:
    """Write a file for each service, or for those that are named."""
    folder.mkdir(parents=True, exist_ok=True)
    jobs = quick() if names == ("quick",) else only(names) if names else everything()
    with ProcessPoolExecutor(_WORKERS, mp_context=get_context("spawn")) as pool:
        for job, text in zip(jobs, pool.map(golden, jobs, chunksize=4), strict=True):
            (folder / f"{job.kind}-{job.name}.txt").write_text(text, "utf-8")
    print(f"{len(jobs)} files in {folder}")
    return 0


def golden(job: Job) -> str:
    """Return the golden file of one service."""
    exchanges: list[Exchange] = []
    trial = attempt(job, exchanges.extend)
    verdicts = [f"{requirement} {verdict}" for requirement, verdict in trial.verdicts.items()]
    return "\n".join([trial.broken, *verdicts, "", *_lines(exchanges), ""])


def _lines(exchanges: list[Exchange]) -> Iterator[str]:
    numbers: dict[str, int] = {}

    def numbered(found: re.Match[str]) -> str:
        return f"#{numbers.setdefault(found.group().lower(), len(numbers) + 1)}"

    for exchange in exchanges:
        meant = exchange.intent.stated()
        words = " ".join(f"{name}={value!r}" for name, value in sorted(meant.items()))
        path = _IDENTIFIER.sub(numbered, exchange.path)
        yield f"{exchange.request.method} {path} [{exchange.request.credential}] {words}"


def compare(old: Path, new: Path, *, verdicts_only: bool) -> int:
    """Print what differs between the golden files in `new` and those of the same services in `old`."""
    names = sorted(each.name for each in new.glob("*.txt"))
    different = 0
    for name in names:
        before, after = (_text(folder / name, verdicts_only) for folder in (old, new))
        lines = difflib.unified_diff(before, after, n=0, lineterm="")
        changed = [each for each in lines if each[:3] not in ("---", "+++") and each[:2] != "@@"]
        different += bool(changed)
        if changed:
            print(f"{name.removesuffix('.txt')}:", *changed[:_SHOWN], sep="\n  ")
    print(f"{different} of {len(names)} services differ")
    return 1 if different else 0


def _text(path: Path, verdicts_only: bool) -> list[str]:
    text = path.read_text("utf-8") if path.exists() else ""
    return (text.partition("\n\n")[0] if verdicts_only else text).splitlines()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
