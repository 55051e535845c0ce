"""A check makes no call: scenarios do, and a check reads what they recorded."""

from __future__ import annotations

import ast

import pytest
from deciding import CHECKS

FILES = sorted(path.name for path in CHECKS.glob("test_*.py"))
NOT_READ = {"session", "check_here", "consulted", "result", "so_far"}
"""Members by which a check would reach the calls of a run."""


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_checks_reaches_no_client(name: str) -> None:
    tree = ast.parse((CHECKS / name).read_text("utf-8"))
    modules = {each.module or "" for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
    members = {each.attr for each in ast.walk(tree) if isinstance(each, ast.Attribute)}

    assert not [each for each in modules if each.startswith(("conformance.http", "conformance.client"))]
    assert not members & NOT_READ
