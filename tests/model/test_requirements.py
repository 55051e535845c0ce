"""A row of the catalogue that is declared wrongly is named, with its member and what that may be."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.model.declarations import WrongDeclaration
from conformance.model.requirements import row_of
from conformance.model.verdict import Basis, Level

ROW = {
    "id": "4.4-no-cookie",
    "level": "should",
    "places": ["4.4, item 2"],
    "basis": "advice",
    "statement": "GET /settings SHOULD NOT set a cookie.",
}


def without(member: str) -> dict[str, Any]:
    return {name: value for name, value in ROW.items() if name != member}


def test_a_whole_row_is_a_requirement() -> None:
    row = row_of(ROW)

    assert (row.level, row.basis, row.places) == (Level.SHOULD, Basis.ADVICE, ("4.4, item 2",))


@pytest.mark.parametrize(
    ("row", "mistake"),
    [
        (without("basis"), "it has no basis; write basis = one of 'stated', 'inferred', 'advice'."),
        (without("level"), "it has no level; write level = one of 'must', 'should', 'open'."),
        (without("statement"), "it has no statement."),
        (ROW | {"basis": "custom"}, "its basis is 'custom'; write basis = one of 'stated', 'inferred', 'advice'."),
        (ROW | {"level": ["must"]}, "its level is ['must']; write level = one of 'must', 'should', 'open'."),
        (ROW | {"fix": "None."}, "it has the member fix, but a row may only have id, level, statement, places, "),
        (ROW | {"since": "2026-01-01"}, "it has the member since, but a row may only have "),
    ],
)
def test_a_wrong_row_is_named_with_the_member_and_what_it_may_be(row: dict[str, Any], mistake: str) -> None:
    with pytest.raises(WrongDeclaration) as caught:
        row_of(row)

    message = str(caught.value)
    assert message.startswith(f"The row 4.4-no-cookie of conformance/model/requirements.toml is wrong: {mistake}")


def test_a_row_without_an_id_is_named_by_its_statement() -> None:
    with pytest.raises(WrongDeclaration, match=r"The row GET /settings SHOULD NOT set a cookie\. of .*it has no id\."):
        row_of(without("id"))
