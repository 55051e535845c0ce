"""Kills at random moments of `check`, and then `cleanup`: nothing of the run may be left, nothing else may be touched.

Each turn starts the installed command against a reference service in another process, in which a third user holds
requests and the run's own user holds one from before. SIGKILL ends the command at a moment that the seed draws from the
length of an undisturbed run. Then `cleanup` runs twice, and the service says what it holds and what it was asked.

A turn is wrong if

- more requests of the run are left than the clean-up stated: those whose creation got no answer have no identifier;
- a request that the run did not create was read, deleted or lost;
- an exit code is not 0 where nothing can be left, or not 3 where such a creation may have left something;
- the second clean-up sends anything, or a command prints a traceback.

Where the command was faster than the signal, the turn is repeated with another moment. Exit code 1 if a turn is wrong.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from measure import COMMAND, parser_of, positive
from watched_service import FOREIGN, WatchedService, add_options, watched_service

from conformance.http import journal_file

PATIENCE = 120
"""Seconds after which a command that does not end counts as hanging."""


@dataclass(frozen=True)
class Turn:
    """What came of one kill; `wrong` is empty where everything is as it has to be."""

    moment: float
    held: int = 0
    """Requests of the run at the service when the run was dead."""
    unnamed: int = 0
    """Creations without an answer, as the clean-up stated them."""
    left: int = 0
    """Requests of the run at the service after the clean-up."""
    wrong: str = ""


def main() -> None:
    """Kill so many runs, print what came of them, and end with 1 if one of them is wrong."""
    options = _options()
    with ThreadPoolExecutor(options.jobs) as pool:
        lists = pool.map(lambda worker: _worked(worker, options), range(options.jobs))
        turns = [turn for done in lists for turn in done]
    wrong = [turn for turn in turns if turn.wrong]
    unnamed = [turn for turn in turns if turn.unnamed]
    print(f"  kills that left requests at the service: {sum(turn.held > 0 for turn in turns)} of {len(turns)}")
    print(f"  requests left by the kills: {sum(turn.held for turn in turns)}")
    print(f"  left after the clean-up: {sum(turn.left for turn in turns if not turn.unnamed)} where all had an answer")
    print(
        f"  kills with creations without an answer: {len(unnamed)}; such creations: "
        f"{sum(turn.unnamed for turn in unnamed)}, requests left by them: {sum(turn.left for turn in unnamed)}"
    )
    for turn in wrong:
        print(f"  WRONG after {turn.moment:.3f} s: {turn.wrong}")
    print(f"{len(turns)} kills, {len(wrong)} wrong (seed {options.seed}, Python {sys.version.split()[0]})")
    sys.exit(1 if wrong else 0)


def _worked(worker: int, options: argparse.Namespace) -> list[Turn]:
    chance = random.Random(f"{options.seed}/{worker}")
    turns: list[Turn] = []
    share = range(worker, options.kills, options.jobs)
    with watched_service(options.latency) as service, tempfile.TemporaryDirectory() as name:
        began = time.perf_counter()
        _check(service, Path(name), options.arguments).communicate(timeout=PATIENCE)
        length = time.perf_counter() - began
        for _ in share:
            while (turn := _turn(chance.uniform(0, length), service, Path(name), options.arguments)) is None:
                pass
            turns.append(turn)
            if turn.wrong:
                print(f"  WRONG after {turn.moment:.3f} s: {turn.wrong}", flush=True)
            elif len(turns) % 25 == 0:
                print(f"  {len(turns)} of {len(share)}", file=sys.stderr, flush=True)
    return turns


def _turn(moment: float, service: WatchedService, folder: Path, arguments: list[str]) -> Turn | None:
    """Kill one run and clean up after it, twice; return None if the run had ended before."""
    for left in folder.iterdir():
        shutil.rmtree(left)
    service.ask("others")
    with _check(service, folder, arguments) as run:
        try:
            run.wait(moment)
            return None
        except subprocess.TimeoutExpired:
            run.kill()
            run.communicate(timeout=PATIENCE)
    out, held, wrong = folder / "out", service.ask("state")["own"], []
    journals = list(out.glob(journal_file.NAMES))
    unnamed = sum(journal_file.read(path).unnamed for path in journals)
    if not out.is_dir() or not any(out.iterdir()):
        return Turn(moment, held, wrong="The run left requests and no journal." if held else "")
    for number in (1, 2):
        before = service.ask("state")["calls"]
        done = _run(["cleanup", str(out)], service, folder)
        said = done.stdout + done.stderr
        stated = re.search(r"At most ([\d,]+) data request", said)
        if done.returncode != (3 if unnamed else 0) or "Traceback" in said:
            wrong.append(f"Clean-up {number} ended with {done.returncode}: {said.strip()[-800:]}")
        if (int(stated[1].replace(",", "")) if stated else 0) != unnamed:
            wrong.append(f"Clean-up {number} stated other creations without an answer than {unnamed}.")
        if number == 2 and service.ask("state")["calls"] != before:
            wrong.append("The second clean-up sent something.")
    state = service.ask("state")
    if state["own"] > unnamed:
        wrong.append(f"{state['own']} requests are left, and {unnamed} creations got no answer.")
    if state["touched"] or state["foreign"] != len(FOREIGN):
        wrong.append(f"Of the requests of others, {state['touched']} were touched and {state['foreign']} are there.")
    return Turn(moment, held, unnamed, state["own"], " ".join(wrong))


def _check(service: WatchedService, folder: Path, arguments: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [COMMAND, "check", service.base_url, "--output", str(folder / "out"), "--quiet", *arguments],
        cwd=folder,
        env=service.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _run(arguments: list[str], service: WatchedService, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments],
        cwd=folder,
        env=service.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--kills", type=positive, default=200, metavar="NUMBER", help="default: 200")
    add_options(parser)
    return parser.parse_args()


if __name__ == "__main__":
    main()
