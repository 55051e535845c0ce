from __future__ import annotations

from typing import Any

import pytest

from conformance.reports.causes import by_cause


def row(id: str, *signs: tuple[str, str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    return {"id": id}, [{"exchanges": [exchange], "actual": actual, "message": id} for exchange, actual in signs]


@pytest.mark.parametrize(
    ("rows", "groups"),
    [
        ([row("a", ("e1", "null")), row("b", ("e1", "null"))], [["a", "b"]]),
        ([row("a", ("e1", 'the string "3"')), row("b", ("e1", 'the string "x"'))], [["a", "b"]]),
        ([row("a", ("e1", "null")), row("b", ("e1", "absent"))], [["a"], ["b"]]),
        ([row("a", ("e1", "status 200")), row("b", ("e2", "status 200"))], [["a"], ["b"]]),
        ([row("a", ("e1", "")), row("b", ("e1", ""))], [["a"], ["b"]]),
        (
            [row("a", ("e1", "null")), row("b", ("e2", "null")), row("c", ("e2", "null"), ("e1", "null")), row("d")],
            [["a", "b", "c"], ["d"]],
        ),
    ],
    ids=["same", "other values", "other deviation", "other exchange", "only messages", "through a third"],
)
def test_one_exchange_with_one_deviation_is_one_cause(rows: Any, groups: list[list[str]]) -> None:
    assert [[row["id"] for row, _ in group] for group in by_cause(rows)] == groups
