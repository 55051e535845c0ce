"""What an installation costs: its size with each package, and the first run by `uvx` from a warm cache."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import Cost, Row, repeat, show, timed

from conformance.evidence import wheel

_MB = 1_000_000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, help="wheel to install; otherwise one is made of this installation")
    parser.add_argument("--extra", default="", help="extras to install, such as evidence,app")
    parser.add_argument("--times", type=int, default=3, help="how many first runs")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        built = given.wheel.resolve() if given.wheel else place / wheel.FILE
        if not given.wheel:
            built.write_bytes(wheel.of_this_suite())
        packages = _installed(place / "environment", f"{built}[{given.extra}]" if given.extra else str(built))
        heaviest = sorted(packages.items(), key=lambda each: -each[1])
        size = sum(packages.values())
        rows = [Row("all, with compiled files", [size], "MB", 90)]
        show("an installation by pip", [*rows, *(Row(name, [weight], "MB") for name, weight in heaviest[:12])])
        show("the first run by uvx", [Row("wall clock", _first_runs(place, built, given.times), "s", 20)])


def _installed(place: Path, what: str) -> dict[str, float]:
    """Install into a new environment; return the size of each folder and file beside it, in MB."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(place / "bin" / "python"), "install", "-qq", what]
    subprocess.run(pip, check=True)
    (folder,) = place.glob("lib/python*/site-packages")
    return {each.name: sum(file.stat().st_size for file in _files(each)) / _MB for each in folder.iterdir()}


def _files(place: Path) -> list[Path]:
    return [place] if place.is_file() else [file for file in place.rglob("*") if file.is_file()]


def _first_runs(place: Path, built: Path, times: int) -> list[float]:
    """Return the seconds of runs by `uvx` that find each package in its cache, and no environment."""
    uv = shutil.which("uv")
    if uv is None:
        raise SystemExit("uv is needed: pip install uv")
    command = [uv, "tool", "run", "--quiet", "--from", str(built), "drsi-conformance", "check", "--quiet"]
    command += ["--output", str(place / "run")]
    cache = place / "cache"
    environment = {"UV_CACHE_DIR": str(cache), "PATH": os.environ["PATH"]}
    timed(command, place, **environment)  # fills the cache

    def first() -> Cost:
        for each in cache.glob("environments-*"):
            shutil.rmtree(each)
        return timed(command, place, **environment)

    return [cost.wall for cost in repeat(times, first)]


if __name__ == "__main__":
    main()
