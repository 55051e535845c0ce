"""Settings that violate clause 2.3 though the intended value is evident."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.facts.assumptions import languages_of, limit_of


@pytest.mark.parametrize(
    ("settings", "limit"),
    [
        ({"maxNumberOfRequests": 3}, 3),
        ({"maxNumberOfRequests": 3.0}, 3),
        ({"maxNumberOfRequests": -1}, -1),
    ],
)
def test_a_limit_that_is_stated_needs_no_assumption(settings: dict[str, Any], limit: int) -> None:
    assert limit_of(settings) == (limit, "")


@pytest.mark.parametrize(
    ("settings", "limit", "named"),
    [
        ({"maxNumberOfRequests": "4"}, 4, 'maxNumberOfRequests "4"'),
        ({"maxNumberOfRequest": 5}, 5, "maxNumberOfRequest 5"),
        ({"maxNumberofRequests": "6"}, 6, 'maxNumberofRequests "6"'),
    ],
)
def test_a_limit_that_is_evident_is_assumed(settings: dict[str, Any], limit: int, named: str) -> None:
    found, assumption = limit_of(settings)

    assert found == limit
    assert named in assumption


@pytest.mark.parametrize(
    "settings",
    [{}, {"maxNumberOfRequests": None}, {"maxNumberOfRequests": True}, {"maxNumberOfRequests": 3.5}, {"limit": 3}],
)
def test_no_limit_is_guessed(settings: dict[str, Any]) -> None:
    assert limit_of(settings) == (None, "")


@pytest.mark.parametrize(
    ("settings", "languages"),
    [
        ({"supportedLanguages": ["en", "nl"]}, ["en", "nl"]),
        ({"supportedLanaguages": "en, nl"}, ["en", "nl"]),
    ],
)
def test_languages_that_are_evident_are_assumed(settings: dict[str, Any], languages: list[str]) -> None:
    found, assumption = languages_of(settings)

    assert found == languages
    assert "supportedLanaguages is taken to be" in assumption


@pytest.mark.parametrize("settings", [{}, {"supportedLanaguages": [1]}, {"supportedLanaguages": None}])
def test_no_languages_are_guessed(settings: dict[str, Any]) -> None:
    assert languages_of(settings) == (None, "")
