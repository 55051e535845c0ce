"""Settings that violate clause 2.3 though the intended value is evident."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.facts.assumptions import languages_of, limit_of


@pytest.mark.parametrize(
    ("settings", "limit", "named"),
    [
        ({"maxNumberOfRequests": 3}, 3, ""),
        ({"maxNumberOfRequests": 3.0}, 3, ""),
        ({"maxNumberOfRequests": -1}, -1, ""),
        ({"maxNumberOfRequests": "4"}, 4, 'maxNumberOfRequests "4"'),
        ({"max_number_of_requests": "6"}, 6, 'max_number_of_requests "6"'),
        ({"maxNumberOfRequest": 7}, 7, "maxNumberOfRequest 7"),
        *(({"maxNumberOfRequests": given}, None, "") for given in (None, True, 3.5)),
        ({"limit": 3}, None, ""),
    ],
)
def test_a_limit_is_stated_or_evident_or_unknown(settings: dict[str, Any], limit: int | None, named: str) -> None:
    found, assumption = limit_of(settings)

    assert (found, bool(assumption)) == (limit, bool(named))
    assert named in assumption


@pytest.mark.parametrize(("published", "languages"), [("en, nl", ["en", "nl"]), ([1], None)])
def test_languages_are_evident_or_unknown(published: object, languages: list[str] | None) -> None:
    found, assumption = languages_of({"supportedLanaguages": published})

    assert found == languages
    assert ("supportedLanaguages is taken to be" in assumption) is (languages is not None)
    assert languages_of({"supportedLanguages": ["en"]})[0] == ["en"]
