"""A check makes no call: scenarios do, and a check reads what they recorded. No verdict asks a clock or chance."""

from __future__ import annotations

import ast

import pytest
from deciding import CHECKS

FILES = sorted(path.name for path in CHECKS.glob("test_*.py"))
NOT_READ = {"session", "check_here", "consulted", "result", "so_far"}
"""Members by which a check would reach the calls of a run."""
CHANGING = {"socket", "time", "random", "secrets", "os", "subprocess", "threading", "asyncio"}
MOMENTS = {"now", "utcnow", "today", "uuid1", "uuid4"}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_checks_reaches_no_client(name: str) -> None:
    tree = ast.parse((CHECKS / name).read_text("utf-8"))
    modules = {each.module or "" for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
    members = {each.attr for each in ast.walk(tree) if isinstance(each, ast.Attribute)}

    assert not [each for each in modules if each.startswith(("conformance.http", "conformance.client"))]
    assert not members & NOT_READ


@pytest.mark.parametrize("folder", ["checks", "facts", "judge", "schema", "spec"])
def test_a_verdict_asks_no_network_no_clock_and_no_chance(folder: str) -> None:
    files = [*(CHECKS.parent / folder).rglob("*.py")]
    assert files
    for path in files:
        nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
        imported = {name.name for each in nodes if isinstance(each, ast.Import) for name in each.names}
        imported |= {each.module or "" for each in nodes if isinstance(each, ast.ImportFrom)}
        assert not {name.partition(".")[0] for name in imported} & CHANGING, path.name
        assert not {each.attr for each in nodes if isinstance(each, ast.Attribute)} & MOMENTS, path.name
