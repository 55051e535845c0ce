"""What an engineer has to know of a run: the modules that it imports, and the numbers that somebody chose."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ENGINE = Path(__file__).parents[2] / "conformance"
CHECKS = tuple(f"conformance.checks.{path.stem}" for path in sorted((ENGINE / "checks").glob("test_*.py")))

FILES_OF_THE_MODULES = """
import importlib, json, sys
for names in json.loads(sys.argv[1]):
    for name in names:
        importlib.import_module(name)
    own = [each for name, each in sys.modules.items() if name.partition(".")[0] == "conformance" and each.__file__]
    print(json.dumps([each.__file__ for each in own]))
"""


@cache
def _imported() -> list[list[str]]:
    """Return the text of each module of the suite that the checks import, and of each that a run with them imports."""
    command = [sys.executable, "-c", FILES_OF_THE_MODULES, json.dumps([CHECKS, ["conformance.run.check"]])]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return [[Path(each).read_text("utf-8") for each in json.loads(line)] for line in found.stdout.splitlines()]


def test_the_imports_of_a_run_do_not_grow() -> None:
    """The target of a run is 13,000 lines. A change that needs a higher bound says in its commit why."""
    of_the_checks, of_a_run = (sum(len(text.splitlines()) for text in texts) for texts in _imported())
    assert of_the_checks <= 13_942
    assert of_a_run <= 17_098


def _numbers(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the name of each number or span of time that a module states at its top, and whether a reason is there."""
    lines, body = text.splitlines(), ast.parse(text).body
    for place, node in enumerate(body):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and _is_number(node.value):
            after = body[place + 1] if place + 1 < len(body) else None
            stated = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            named = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            yield ast.unparse(named), stated or "#" in lines[node.lineno - 1]


def _is_number(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return ast.unparse(value.func) == "timedelta"
    if isinstance(value, ast.BinOp):
        return _is_number(value.left) and _is_number(value.right)
    return (
        isinstance(value, ast.Constant) and isinstance(value.value, int | float) and not isinstance(value.value, bool)
    )


OF_FORMATS = {"FIXED", "_DAY", "_STATE", "_VERSIONED", "_FACTOR", "_INCREMENT", "_GROWTH", "_WORD", "_ROUNDS"}
"""Numbers that a format, an algorithm or a theorem states. Somebody has to defend each other one."""


def test_each_number_of_a_run_has_its_reason_and_few_are_needed() -> None:
    numbers = [each for text in _imported()[1] for each in _numbers(text) if each[0] not in OF_FORMATS]

    assert [name for name, has_reason in numbers if not has_reason] == []
    assert len(numbers) <= 48
