"""No verdict asks a clock or chance; that no check makes a call, import-linter enforces."""

from __future__ import annotations

import ast

import pytest
from deciding import CHECKS

CHANGING = {"socket", "time", "random", "secrets", "os", "subprocess", "threading", "asyncio"}
MOMENTS = {"now", "utcnow", "today", "uuid1", "uuid4"}


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
