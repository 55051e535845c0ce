"""Kills at random moments of `check`, and then `cleanup`: nothing of the run may be left, nothing else may be touched.

Each turn starts the installed command against a reference service in another process, in which a third user holds
requests and the run's own user holds one from before. SIGKILL ends the command at a moment that the seed draws from the
length of an undisturbed run. Then `cleanup` runs twice, and the service says what it holds and what it was asked.

A turn is wrong if

- more requests of the run are left than the clean-up stated: those whose creation got no answer have no identifier;
- a request that the run did not create was read, deleted or lost;
- a file that is left contains a value of the account in clear;
- an exit code is not 0 where nothing can be left, or not 3 where such a creation may have left something;
- the second clean-up sends anything, or a command prints a traceback.

Where the command was faster than the signal, the turn is repeated with another moment. Exit code 1 if a turn is wrong.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from measure import COMMAND, parser_of, positive
from watched_service import FOREIGN, PATIENCE, PERSONAL, Turn, WatchedService, add_options, conclude, disturbed

from conformance.http.creations import journal_file


@dataclass(frozen=True, kw_only=True)
class Kill(Turn):
    """What came of one kill."""

    held: int = 0
    """Requests of the run at the service when the run was dead."""
    unnamed: int = 0
    """Creations without an answer, as the clean-up stated them."""
    left: int = 0
    """Requests of the run at the service after the clean-up."""


def main() -> None:
    """Kill so many runs, print what came of them, and end with 1 if one of them is wrong."""
    options = _options()
    turns = disturbed(options.kills, _killed, options, "others", "--quiet")
    unnamed = [turn for turn in turns if turn.unnamed]
    print(f"  kills that left requests at the service: {sum(turn.held > 0 for turn in turns)} of {len(turns)}")
    print(f"  requests left by the kills: {sum(turn.held for turn in turns)}")
    print(f"  left after the clean-up: {sum(turn.left for turn in turns if not turn.unnamed)} where all had an answer")
    print(
        f"  kills with creations without an answer: {len(unnamed)}; such creations: "
        f"{sum(turn.unnamed for turn in unnamed)}, requests left by them: {sum(turn.left for turn in unnamed)}"
    )
    conclude(turns, "kills", options.seed)


def _killed(_number: int, moment: float, run: subprocess.Popen[str], service: WatchedService, folder: Path) -> Kill:
    """Kill a run and clean up after it, twice."""
    run.kill()
    run.communicate(timeout=PATIENCE)
    about = f"after {moment:.3f} s"
    out, held, wrong = folder / "out", service.ask("state")["own"], []
    journals = list(out.glob(journal_file.NAMES))
    unnamed = sum(journal_file.read(path).unnamed for path in journals)
    if not out.is_dir() or not any(out.iterdir()):
        return Kill(about=about, held=held, wrong="The run left requests and no journal." if held else "")
    wrong += [f"{file.name} contains {value} in clear." for file, value in _values_in(out)]
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
    return Kill(about=about, held=held, unnamed=unnamed, left=state["own"], wrong=" ".join(wrong))


def _values_in(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield each file below a folder with a value of the account that it contains in clear."""
    for file in filter(Path.is_file, folder.rglob("*")):
        text = file.read_text("utf-8", "replace").lower()
        yield from ((file, value) for value in PERSONAL if value.lower() in text)


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
