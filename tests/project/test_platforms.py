"""No test that cannot run on a system goes there without saying so."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
NEEDED = {
    "POSIX_SIGNALS": re.compile(r"\bos\.kill\(|\bos\.killpg\(|\.send_signal\(|signal\.SIG(HUP|KILL)|\bos\.mkfifo\("),
    "POSIX_COMMANDS": re.compile(r"\[\"(sh|bash)\"|[\"'](echo|touch|printf|sleep) |\"#!/bin/sh|'#!/bin/sh"),
    "POSIX_MODES": re.compile(r"\bst_mode\b|\bS_IMODE\b|\.chmod\(0o[0-7]*[04][04]\)"),
    "SYMBOLIC_LINKS": re.compile(r"\.symlink_to\(|\bos\.symlink\("),
}
"""What stands in the text of a test that needs it."""

_SAYS_SO = re.compile("|".join([*NEEDED, "skipif"]))
"""Each of these marks skips the same systems, so one is enough."""


def _tests(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield each test of a file, with the text of its marks (those of the file as well) and its own text."""
    text = path.read_text("utf-8")
    lines, tree = text.splitlines(), ast.parse(text)
    of_file = "".join(each for each in lines if each.startswith("pytestmark"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            marks = of_file + "".join(ast.unparse(each) for each in node.decorator_list)
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield node.name, marks, "\n".join(lines[first - 1 : node.end_lineno])


def test_tests_that_need_posix_are_skipped_elsewhere() -> None:
    files = [path for path in sorted(TESTS.rglob("test_*.py")) if path != Path(__file__)]
    lacking = [
        f"{path.relative_to(TESTS).as_posix()}::{name} needs @{mark} of tests/support/platforms.py"
        for path in files
        for name, marks, text in _tests(path)
        for mark, needed in NEEDED.items()
        if needed.search(text) and not _SAYS_SO.search(marks)
    ]

    assert len(files) > 100
    assert lacking == [], "\n".join(lacking)
