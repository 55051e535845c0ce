"""Kills at random moments of `check`, and then `cleanup`: nothing of the run may be left, nothing else may be touched.

Each turn starts the installed command against a reference service in another process, in which a third user holds
requests and the run's own user holds one from before. SIGKILL ends the command at a moment that the seed draws from the
length of an undisturbed run. Then `cleanup` runs twice, and the service says what it holds and what it was asked. The
service tells of its user in headers, error objects, identifiers and pages, in clear and as what anybody can compute.

A turn is wrong if

- more requests of the run are left than the clean-up stated: those whose creation got no answer have no identifier;
- a request that the run did not create was read, deleted or lost;
- a file that is left contains a value of the account or what can be computed from one. The journal has the identifiers
  as they are until `cleanup --purge` removes it: the clean-up needs them;
- an exit code is not 0 where nothing can be left, or not 3 where such a creation may have left something;
- the second clean-up sends anything, or a command prints a traceback.

Where the command was faster than the signal, the turn is repeated with another moment. A run that is not killed comes
first: neither its files nor its bundle may contain a value, and `verify` has to find the same. Exit code 1 if a turn is
wrong.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from measure import COMMAND, parser_of, positive
from watched_service import (
    DERIVED,
    FOREIGN,
    PATIENCE,
    PERSONAL,
    PLACES,
    Turn,
    WatchedService,
    add_options,
    conclude,
    disturbed,
    watched_service,
)

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
    whole = _whole(options)
    print(f"  a run that was not killed, its temporary folder and its bundle: {whole or 'no value, verified'}")
    turns = disturbed(options.kills, _killed, options, "others", "--quiet")
    unnamed = [turn for turn in turns if turn.unnamed]
    print(f"  kills that left requests at the service: {sum(turn.held > 0 for turn in turns)} of {len(turns)}")
    print(f"  requests left by the kills: {sum(turn.held for turn in turns)}")
    print(f"  left after the clean-up: {sum(turn.left for turn in turns if not turn.unnamed)} where all had an answer")
    print(
        f"  kills with creations without an answer: {len(unnamed)}; such creations: "
        f"{sum(turn.unnamed for turn in unnamed)}, requests left by them: {sum(turn.left for turn in unnamed)}"
    )
    turns += [Kill(about="without a kill", wrong=whole)] * bool(whole)
    conclude(turns, "kills", options.seed)


def _whole(options: argparse.Namespace) -> str:
    """Make a run that is not killed, pack and verify it; return what is wrong."""
    with watched_service(options.latency, PLACES) as service, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        service.ask("others")
        said = [_run(["check", service.base_url, "--output", "out", "--quiet"], service, folder)]
        said += [_run([command, "out"], service, folder) for command in ("bundle", "verify")]
        with zipfile.ZipFile(folder / "out.drsi.zip") as packed:
            packed.extractall(folder / "opened")
        wrong = [f"{file.name} contains {value}." for file, value in _values_in(folder)]
        wrong += [each.stdout + each.stderr for each in said[1:] if each.returncode]
    return " ".join(wrong)


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
    wrong += [f"{file.name} contains {value}." for file, value in _values_in(folder) if file not in journals]
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
    _run(["cleanup", str(out), "--purge"], service, folder)
    wrong += [f"{file.name} contains {value} after --purge." for file, value in _values_in(folder) if not unnamed]
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
        yield from ((file, value) for value in (*PERSONAL, *DERIVED) if value.lower() in text)


def _run(arguments: list[str], service: WatchedService, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments],
        cwd=folder,
        env={**service.environment, "TMPDIR": str(folder / "tmp")},
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
