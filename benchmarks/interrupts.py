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
import re
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from measure import parser_of, positive
from watched_service import PATIENCE, Turn, WatchedService, add_options, conclude, disturbed

SIGNALS = (signal.SIGINT, signal.SIGTERM)

_IN_MAIN = re.compile(r'conformance/cli/__init__\.py", line \d+, in main')
"""What a traceback says once the command itself runs: it takes the signals over first of all."""

INTERRUPTED, BEFORE, AFTER = "interrupted", "before the first question", "after the last check"


@dataclass(frozen=True, kw_only=True)
class Interrupt(Turn):
    """What came of one signal."""

    signal: str
    kind: str
    seconds: float = 0.0
    """From the signal to the end of the command."""


def main() -> None:
    """Interrupt so many runs, print what came of them, and end with 1 where one did not end as it may."""
    options = _options()
    # A background job of a shell ignores SIGINT, and so would the commands that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    turns = disturbed(options.interrupts, _interrupted, options, "clear", "--debug")
    for name in sorted({turn.signal for turn in turns}):
        kinds = Counter(turn.kind for turn in turns if turn.signal == name and not turn.wrong)
        print(f"  {name:<8}" + ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items())))
    waits = sorted(turn.seconds for turn in turns if turn.kind == INTERRUPTED) or [0.0]
    print(f"  seconds from the signal to the end of an interrupted run: {median(waits):.2f}, at most {waits[-1]:.2f}")
    conclude(turns, "interrupts", options.seed)


def _interrupted(
    number: int, moment: float, run: subprocess.Popen[str], service: WatchedService, folder: Path
) -> Interrupt:
    kind_of_signal = SIGNALS[number % 2]
    about = f"{kind_of_signal.name} after {moment:.3f} s"
    run.send_signal(kind_of_signal)
    sent = time.perf_counter()
    try:
        out, err = run.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        run.kill()
        return Interrupt(about=about, signal=kind_of_signal.name, kind="hangs", wrong=f"it did not end in {PATIENCE} s")
    seconds = time.perf_counter() - sent
    kind, wrong = _judged(kind_of_signal, run.returncode, folder / "out", out + err)
    if left_there := service.ask("state")["own"]:
        wrong = f"{wrong} {left_there} requests are left at the service.".strip()
    if remains := [path.name for path in (folder / "tmp").iterdir()]:
        wrong = f"{wrong} In the temporary folder lie {', '.join(remains)}.".strip()
    return Interrupt(about=about, signal=kind_of_signal.name, kind=kind, seconds=seconds, wrong=wrong)


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


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--interrupts", type=positive, default=500, metavar="NUMBER", help="default: 500")
    add_options(parser)
    return parser.parse_args()


if __name__ == "__main__":
    main()
