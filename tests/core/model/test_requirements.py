"""A row of the catalogue that is declared wrongly is named, with its member and what that may be."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

import pytest

from conformance.model.requirements import catalogue, row_of

ROW = {
    "id": "4.4-no-cookie",
    "level": "should",
    "places": ["4.4, item 2"],
    "basis": "advice",
    "statement": "GET /settings SHOULD NOT set a cookie.",
}


@pytest.mark.parametrize(
    ("wrong", "mistake"),
    [
        ({"basis": "custom"}, "'custom' is not a valid Basis"),
        ({"fix": "None."}, "unexpected keyword argument 'fix'"),
    ],
)
def test_a_wrong_row_is_refused_by_the_member_or_value_that_is_wrong(wrong: dict[str, Any], mistake: str) -> None:
    with pytest.raises((TypeError, ValueError), match=mistake):
        row_of(ROW | wrong)


def test_each_id_of_the_catalogue_is_its_own() -> None:
    document = tomllib.loads((files("conformance.model") / "requirements.toml").read_text("utf-8"))

    assert len(document["requirement"]) == len(catalogue().rows)
