from __future__ import annotations

import re

import pytest

from conformance.model.error_table import CONDITIONS
from conformance.model.requirements import catalogue
from conformance.spec.kinds import WORDS, kinds, rows_of


def test_each_row_names_operations_requirements_and_errors_that_exist() -> None:
    errors, statuses = {each.error for each in CONDITIONS}, re.compile(r"[1-5](xx|[0-9]{2})")

    for (kind, state), row in kinds().items():
        where = f"the row {kind} {state} of conformance/spec/kinds.toml"
        assert kind.partition(".")[0] in WORDS.values(), where
        assert set(row.requirements) <= set(catalogue().rows), where
        assert {*row.names, *(each for each in row.allows if not statuses.fullmatch(each))} <= errors, where


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[read.own.gone]\nopen = true", "'gone' is not a valid State"),
        ("[read.own]\nstatus = 200", "read.own names no requirement"),
        ("[read.own]\nopen = true\nanswer = 200", "'answer'"),
        ('[create.known.full]\nby = "7-limit-reached"\nerror = "Full"', "Full"),
    ],
)
def test_a_row_that_says_nothing_is_refused(text: str, message: str) -> None:
    with pytest.raises((LookupError, TypeError, ValueError), match=message):
        rows_of(text)
