"""Kills audits at random moments, continues them, and looks at what they left. Linux only.

Every second kill ends the audit alone, whose runs then clean up by themselves; the others end its runs at the same
time. The continued audit must end with one finished run for each target. Nothing may be left at the services, except
what a killed run created without an answer: no clean-up knows its identifier, and the audit must state it. Exit code 1
otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from measure import COMMAND, descendants, parser_of, positive
from watched_service import WatchedService, watched_service

_LATENCY = 15
_PATIENCE = 600
"""Seconds after which an audit that does not end counts as hanging."""


def main() -> None:
    """Kill, continue, look, and print."""
    options = _options()
    generator = random.Random(options.seed)
    wrong: list[str] = []
    left = stated = 0
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        services = [stack.enter_context(watched_service(_LATENCY, 3)) for _ in range(options.targets)]
        place = Path(name)
        environment = _prepared(services, place, options.only)
        began = time.perf_counter()
        _finish(place, "whole", environment)
        length = time.perf_counter() - began
        for number in range(options.kills):
            with_runs = number % 2 == 1
            moment = generator.uniform(0, length)
            # Where the audit was faster, the turn is repeated with an earlier moment.
            while not _kill(place, str(number), environment, moment, with_runs=with_runs):
                shutil.rmtree(place / str(number))
                moment *= generator.random()
            document = _finish(place, str(number), environment)
            runs = sorted(each.name for each in place.glob(f"{number}/*/runs/*") if (each / "report.json").is_file())
            found = sum(service.ask("clear")["own"] for service in services)
            told = sum(each["left_behind"] for each in document["targets"])
            left, stated = left + found, stated + told
            how = f"kill {number} after {moment:.1f} s{' with its runs' if with_runs else ''}"
            if runs != sorted(each["name"] for each in document["targets"]):
                others = [f"{each['name']} {each['state']}: {each['message']}" for each in document["targets"]]
                wrong.append(f"{how}: finished runs {runs}; {others}")
            if found > told or (found and not with_runs):
                wrong.append(f"{how}: {found} requests left, {told} stated")
            print(f"{how}: {len(runs)} runs, {found} left, {told} stated", flush=True)
    print(f"{options.kills} kills of an audit of {options.targets} services, {length:.1f} s long undisturbed")
    print(f"{len(wrong)} wrong; {left} requests left whose creation got no answer, {stated} stated as possible")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


def _prepared(services: Sequence[WatchedService], place: Path, only: str) -> dict[str, str]:
    """Write the file of the targets, and return the environment of the audits."""
    lines, environment = [], dict(os.environ)
    for number, service in enumerate(services):
        names = {f"AUDIT_{number}_{key}": token for key, token in service.tokens.items()}
        environment |= names
        user, other = names
        lines += ["[[target]]", f'name = "t{number}"', f'base_url = "{service.base_url}"', f'token = "variable:{user}"']
        lines += [f'other_token = "variable:{other}"', *([f'only = ["{only}"]'] if only else [])]
    (place / "targets.toml").write_text("\n".join(lines), "utf-8")
    return environment


def _words(output: str) -> list[str]:
    return [COMMAND, "audit", "targets.toml", "--output", output, "--quiet", "--workers", "4", "--retries", "0"]


def _kill(place: Path, output: str, environment: dict[str, str], moment: float, *, with_runs: bool) -> bool:
    """Start an audit and kill it; return whether it was unfinished."""
    with subprocess.Popen(
        _words(output), cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as audit:
        with suppress(subprocess.TimeoutExpired):
            audit.wait(moment)
        ends = [audit.pid, *(descendants(audit.pid)[1:] if with_runs else ())]
        for process in ends:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    return not any(place.glob(f"{output}/*/audit.json"))


def _finish(place: Path, output: str, environment: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(
        _words(output), cwd=place, env=environment, capture_output=True, text=True, timeout=_PATIENCE, check=False
    )
    written = sorted(place.glob(f"{output}/*/audit.json"))
    if not written:
        raise SystemExit(f"The audit ended with exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    document: dict[str, Any] = json.loads(written[-1].read_text("utf-8"))
    return document


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--kills", type=positive, default=20, metavar="NUMBER", help="kills (default: 20)")
    parser.add_argument("--targets", type=positive, default=3, metavar="NUMBER", help="services (default: 3)")
    parser.add_argument("--only", default="", metavar="ID", help="only these checks, for quicker runs (default: all)")
    parser.add_argument("--seed", type=int, default=0, metavar="NUMBER", help="seed of the moments (default: 0)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
