from __future__ import annotations

import pytest

from conformance.model.error_table import NOT_FOUND
from conformance.model.requirements import WrongDeclaration
from conformance.spec.kinds import OPEN, State, kinds, row_of, rows_of


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[create.known]\nby = "4.1-answers-201"', "create.known .* '4.1-answers-201'"),
        ('[create.known.full]\nby = "7-limit-reached"\nerror = "Full"', "create.known.full .* Full is no error"),
        ('[read.own]\nby = "4.2-answers-200"\nallows = ["40x"]', "read.own .* 40x is no error"),
        ('["read, delete".odd]\nby = "7-{operation}"', "read.odd .* '7-read'"),
        ("[read.own.gone]\nopen = true", "read.own.gone .* 'gone'"),
        ("[update.own]\nopen = true", "update.own .* 'update' is none of"),
        ("[read.own]\nstatus = 200", "read.own .* it names no requirement"),
        ("[read.own]\nopen = true\nanswer = 200", "read.own .* 'answer'"),
    ],
)
def test_a_wrong_row_fails_at_load_with_a_message_that_names_it(text: str, message: str) -> None:
    with pytest.raises(WrongDeclaration, match=f"The row {message}"):
        rows_of(text)


def test_a_state_has_the_members_of_its_kind_but_those_that_it_states_itself() -> None:
    rows = rows_of(
        '["read, delete".own]\nerror = "Not Found"\nby = "3-removed"\n[read.own."existing, perhaps"]\nopen = true\n'
    )

    assert rows["delete.own", State.ANY].by == rows["read.own", State.ANY].by == "3-removed"
    assert rows["read.own", State.PERHAPS] == rows["read.own", State.EXISTING]
    assert rows["read.own", State.PERHAPS].by == ""
    assert rows["read.own", State.PERHAPS].error == NOT_FOUND.error


def test_a_kind_that_the_table_does_not_have_is_open() -> None:
    assert row_of("create.nothing", State.ROOM) is OPEN
    assert row_of("read.own", State.FULL) is OPEN


def test_a_state_without_a_row_has_that_of_its_kind() -> None:
    assert row_of("create.known", State.ROOM) is kinds()["create.known", State.ANY]
