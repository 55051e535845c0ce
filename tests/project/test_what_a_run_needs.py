"""What an engineer has to know of a run: the modules that it imports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[2] / "conformance"
CHECKS = [f"conformance.checks.{path.stem}" for path in sorted((ENGINE / "checks").glob("test_*.py"))]

LINES_OF_THE_MODULES = """
import importlib, json, pathlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
own = [each for name, each in sys.modules.items() if name.partition(".")[0] == "conformance" and each.__file__]
print(json.dumps(sum(len(pathlib.Path(each.__file__).read_text("utf-8").splitlines()) for each in own)))
"""


# The target of a run is 13,000 lines. A change that needs a higher bound says in its commit why.
@pytest.mark.parametrize(
    ("modules", "most"), [(CHECKS, 13_739), (["conformance.run.check", *CHECKS], 17_000)], ids=["checks", "run"]
)
def test_the_imports_of_a_run_do_not_grow(modules: list[str], most: int) -> None:
    counted = subprocess.run(
        [sys.executable, "-c", LINES_OF_THE_MODULES, *modules], capture_output=True, text=True, check=True
    )
    assert json.loads(counted.stdout) <= most
