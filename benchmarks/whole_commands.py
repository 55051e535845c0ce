"""The command beside the command of schemathesis, in pairs: wall clock, computing time and memory of whole processes.

Each pair checks a fresh reference service in a process of its own, first by `drsi-conformance check --empty-account`,
then by `schemathesis run` with the document that `drsi-conformance openapi` prints and the token of one user. All
other options are the defaults of each, but for the checks of schemathesis that ask for more than the specification
states (`against_schemathesis.py` names them). The computing time is that of the command, without the service.

Prints the ratios of the suite to schemathesis: the median of the pairs and their range.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

import schemathesis
from against_schemathesis import BEYOND_THE_SPECIFICATION, USERS
from measure import COMMAND, TOKEN_VARIABLES, parser_of, positive

from conformance.reference.config import ReferenceConfig
from conformance.reference.process import ReferenceProcess

_THEIRS: Final = str(Path(COMMAND).with_name("schemathesis"))

_FOUND: Final = (0, 1)
"""Exit codes of a command that ended: schemathesis has 1 where a check failed."""


@dataclass(frozen=True)
class Used:
    """What one command used: seconds of wall clock and of computing, and MiB of its largest process at its peak."""

    wall: float
    computing: float
    memory: float


def main() -> None:
    """Measure the pairs and print the ratios."""
    parser = parser_of(__doc__)
    parser.add_argument("--pairs", type=positive, default=5, help="how many pairs (default: 5)")
    parser.add_argument("--seed", type=int, default=0, help="seed of both (default: 0)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder, "openapi.json")
        document.write_bytes(subprocess.run([COMMAND, "openapi"], capture_output=True, check=True).stdout)
        pairs = [(_ours(folder, options.seed), _theirs(folder, document, options.seed)) for _ in range(options.pairs)]
    print(
        f"drsi-conformance to schemathesis {schemathesis.__version__}, seed {options.seed}, {options.pairs} pairs "
        f"(Python {sys.version.split()[0]}, {os.cpu_count()} cores)"
    )
    for name, unit in (("wall", "s"), ("computing", "s"), ("memory", "MiB")):
        values = [(getattr(ours, name), getattr(theirs, name)) for ours, theirs in pairs]
        ratios = sorted(ours / theirs for ours, theirs in values)
        ours, theirs = (median(each[side] for each in values) for side in (0, 1))
        print(
            f"  {name:<10} {median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}); "
            f"medians {ours:.1f} {unit} and {theirs:.1f} {unit}"
        )


def _ours(folder: str, seed: int) -> Used:
    with ReferenceProcess(ReferenceConfig(users=USERS)) as service:
        options = ["--quiet", "--empty-account", "--seed", str(seed), "--output", str(Path(folder, "run"))]
        tokens = dict(zip(TOKEN_VARIABLES, (user.token for user in USERS), strict=True))
        return _used([COMMAND, "check", service.base_url, *options], folder, tokens)


def _theirs(folder: str, document: Path, seed: int) -> Used:
    with ReferenceProcess(ReferenceConfig(users=USERS)) as service:
        options = ["--seed", str(seed), "--no-color", "--exclude-checks", ",".join(BEYOND_THE_SPECIFICATION)]
        header = f"Authorization: Bearer {USERS[0].token}"
        return _used([_THEIRS, "run", str(document), "--url", service.base_url, "-H", header, *options], folder, {})


def _used(command: list[str], folder: str, variables: dict[str, str]) -> Used:
    """Run a command and return what it used; end the benchmark where it does not get through."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DRSI_")}
    with tempfile.TemporaryFile() as output:
        began = time.perf_counter()
        child = subprocess.Popen(command, cwd=folder, env={**kept, **variables}, stdout=output, stderr=output)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in _FOUND:
            output.seek(0)
            sys.exit(f"{command[0]} ended with {child.returncode}:\n{output.read().decode(errors='replace')[-2000:]}")
    return Used(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


if __name__ == "__main__":
    main()
