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
import asyncio
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from measure import COMMAND, parser_of, positive

from conformance.reference.call import Call, Reply
from conformance.reference.server import serve
from conformance.reference.service import Service

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
    if options.serve:
        _serve(options.latency / 1000)
        return
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
    with _service(options.latency) as service, tempfile.TemporaryDirectory() as name:
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
    number: signal.Signals, moment: float, service: _Service, folder: Path, options: argparse.Namespace
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
    if left_there := service.count():
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


def _command(service: _Service, folder: Path, arguments: list[str]) -> subprocess.Popen[str]:
    (folder / "tmp").mkdir(exist_ok=True)
    tokens = dict(zip(("DRSI_TOKEN", "DRSI_OTHER_TOKEN"), service.tokens, strict=True))
    return subprocess.Popen(
        [COMMAND, "check", service.base_url, "--output", str(folder / "out"), "--debug", *arguments],
        cwd=folder,
        env={**os.environ, **tokens, "TMPDIR": str(folder / "tmp")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


# ---------------------------------------------------------------------- the service, which says how much it holds


class _Service:
    """The service in the other process."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        assert child.stdin
        assert child.stdout
        self._ask, self._say = child.stdin, child.stdout
        ready = json.loads(self._say.readline())
        self.base_url, self.tokens = ready["base_url"], ready["tokens"]

    def count(self) -> int:
        """Return how many requests the service holds, and let it forget them."""
        self._ask.write("\n")
        self._ask.flush()
        return int(self._say.readline())


@contextmanager
def _service(latency: int) -> Iterator[_Service]:
    command = [sys.executable, __file__, "--serve", "--latency", str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin
        try:
            yield _Service(child)
        finally:
            child.stdin.close()


class _Counted(Service):
    """Answers after a while, half of it before and half of it after it does what it is asked; can be looked into."""

    latency: float
    running: _Counted

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]  # passed on as they come
        type(self).running = self

    async def answer(self, call: Call) -> Reply:
        await asyncio.sleep(self.latency / 2)
        reply = await super().answer(call)
        await asyncio.sleep(self.latency / 2)
        return reply


def _serve(latency: float) -> None:
    _Counted.latency = latency
    threading.Thread(target=_say_how_many, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(service_class=_Counted, on_ready=lambda ready: print(json.dumps(asdict(ready)), flush=True))


def _say_how_many() -> None:
    """Answer each line of standard input; end with it."""
    for _ in sys.stdin:
        held = _Counted.running.store.all()
        for request in held:
            _Counted.running.store.remove(request.id)
        print(len(held), flush=True)
    os._exit(0)


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--interrupts", type=positive, default=500, metavar="NUMBER", help="default: 500")
    parser.add_argument("--seed", type=int, default=0, help="same seed, same moments, as far as the machine allows")
    parser.add_argument("--jobs", type=positive, default=2, metavar="NUMBER", help="runs at a time (default: 2)")
    parser.add_argument(
        "--latency", type=positive, default=15, metavar="MS", help="milliseconds for each answer (default: 15)"
    )
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs="*", help="passed on to check, after --")
    return parser.parse_args()


if __name__ == "__main__":
    main()
