"""Interrupts at random moments of `check`: each run has to end in order, and to leave nothing at the service.

Each turn starts the installed command against a reference service in another process and sends it one signal, SIGINT
and SIGTERM in turn, at a moment that the seed draws from the length of an undisturbed run. It may end in these ways:

- *interrupted*: exit code 3, and a report that says `"complete": false`;
- *before the first question*: exit code 3 and no report; while Python itself still starts, whatever Python does then;
- *after the last check*: what is left, the clean-up and the report, is finished: exit code 0 and a complete report.

Where the command was faster than the signal, the turn is repeated with another moment.

Everything else is a failure: another exit code, a traceback, a request left at the service, a file left in the
temporary folder. Exit code 1 when there is one.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from measure import COMMAND, parser_of, positive
from watched_service import WatchedService, add_options, watched_service

SIGNALS = (signal.SIGINT, signal.SIGTERM)
PATIENCE = 120
"""Seconds after which a run that does not end counts as hanging."""

_IN_MAIN = re.compile(r'conformance/cli/__init__\.py", line \d+, in main')
"""What a traceback says once the command itself runs: it takes the signals over first of all."""

INTERRUPTED, BEFORE, AFTER = "interrupted", "before the first question", "after the last check"


@dataclass(frozen=True)
class Turn:
    """What came of one signal; `wrong` is empty where the run ended as it may."""

    signal: str
    moment: float
    kind: str
    seconds: float = 0.0
    """From the signal to the end of the command."""
    wrong: str = ""


def main() -> None:
    """Interrupt so many runs, print what came of them, and end with 1 where one did not end as it may."""
    options = _options()
    # A background job of a shell ignores SIGINT, and so would the commands that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with ThreadPoolExecutor(options.jobs) as pool:
        lists = pool.map(lambda worker: _worked(worker, options), range(options.jobs))
        turns = [turn for done in lists for turn in done]
    for name in sorted({turn.signal for turn in turns}):
        kinds = Counter(turn.kind for turn in turns if turn.signal == name and not turn.wrong)
        print(f"  {name:<8}" + ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())))
    waits = sorted(turn.seconds for turn in turns if turn.kind == INTERRUPTED) or [0.0]
    print(f"  seconds from the signal to the end of an interrupted run: {median(waits):.2f}, at most {waits[-1]:.2f}")
    wrong = [turn for turn in turns if turn.wrong]
    for turn in wrong:
        print(f"  WRONG {turn.signal} after {turn.moment:.3f} s: {turn.wrong}")
    print(f"{len(turns)} interrupts, {len(wrong)} wrong endings (seed {options.seed}, Python {sys.version.split()[0]})")
    sys.exit(1 if wrong else 0)


def _worked(worker: int, options: argparse.Namespace) -> list[Turn]:
    chance = random.Random(f"{options.seed}/{worker}")
    turns: list[Turn] = []
    share = range(worker, options.interrupts, options.jobs)
    with watched_service(options.latency) as service, tempfile.TemporaryDirectory() as name:
        began = time.perf_counter()
        _command(service, Path(name), options.arguments).communicate(timeout=PATIENCE)
        length = time.perf_counter() - began
        for number in share:
            while (turn := _turn(SIGNALS[number % 2], chance.uniform(0, length), service, Path(name), options)) is None:
                pass
            turns.append(turn)
            if turn.wrong:
                print(f"  WRONG {turn.signal} after {turn.moment:.3f} s: {turn.wrong}", flush=True)
            elif len(turns) % 25 == 0:
                print(f"  {len(turns)} of {len(share)}", file=sys.stderr, flush=True)
    return turns


def _turn(
    number: signal.Signals, moment: float, service: WatchedService, folder: Path, options: argparse.Namespace
) -> Turn | None:
    """Interrupt one run; return None where it had ended before."""
    for left in folder.iterdir():
        shutil.rmtree(left)
    with _command(service, folder, options.arguments) as run:
        try:
            run.wait(moment)
            return None
        except subprocess.TimeoutExpired:
            run.send_signal(number)
        sent = time.perf_counter()
        try:
            out, err = run.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            run.kill()
            return Turn(number.name, moment, "hangs", wrong=f"it did not end in {PATIENCE} s")
    seconds = time.perf_counter() - sent
    kind, wrong = _judged(number, run.returncode, folder / "out", out + err)
    left_there = service.ask("state")["own"]
    service.ask("clear")
    if left_there:
        wrong = f"{wrong} {left_there} requests are left at the service.".strip()
    if remains := [path.name for path in (folder / "tmp").iterdir()]:
        wrong = f"{wrong} In the temporary folder lie {', '.join(remains)}.".strip()
    return Turn(number.name, moment, kind, seconds, wrong)


def _judged(number: signal.Signals, code: int, out: Path, said: str) -> tuple[str, str]:
    """Return how a run ended, and what is wrong with that."""
    complete, crashes = None, ""
    if (out / "report.json").exists():
        report = json.loads((out / "report.json").read_text("utf-8"))
        complete, crashes = report["complete"], "\n".join(each["traceback"] for each in report["crashes"])
    if (code == -number or said.strip().endswith("KeyboardInterrupt")) and not _IN_MAIN.search(said):
        return BEFORE, ""  # Python was still loading the module that takes the signals over
    kind = {(3, False): INTERRUPTED, (3, None): BEFORE, (0, True): AFTER}.get((code, complete))
    if kind is None or "Traceback" in said:
        return kind or "wrong", f"exit code {code}, complete {complete}: {crashes}\n{said.strip()[-1500:]}"
    return kind, ""


def _command(service: WatchedService, folder: Path, arguments: list[str]) -> subprocess.Popen[str]:
    (folder / "tmp").mkdir(exist_ok=True)
    return subprocess.Popen(
        [COMMAND, "check", service.base_url, "--output", str(folder / "out"), "--debug", *arguments],
        cwd=folder,
        env={**service.environment, "TMPDIR": str(folder / "tmp")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--interrupts", type=positive, default=500, metavar="NUMBER", help="default: 500")
    add_options(parser)
    return parser.parse_args()


if __name__ == "__main__":
    main()
