from __future__ import annotations

import pytest

from conformance.model.requirements import catalogue
from conformance.model.rights import rights
from conformance.model.verdict import Level


def test_every_requirement_that_can_fail_or_alert_has_a_meaning_for_a_person() -> None:
    rows = [row for row in catalogue().rows.values() if row.alert or row.level is not Level.OPEN]
    assert [row.id for row in rows if rights().of(row.id) is None] == []


def test_every_meaning_is_used_and_names_known_articles() -> None:
    used = [rights().of(name) for name in catalogue().rows]
    assert [key for key, meaning in rights().meanings.items() if meaning not in used] == []
    assert {article for meaning in rights().meanings.values() for article in meaning.articles} == set(rights().articles)


@pytest.mark.parametrize(
    ("requirement", "words"),
    [
        ("5-isolation", "One person may see"),
        ("4.3-answers-ok", "cannot withdraw"),
        ("2.1-createdAt", "follow a request"),
    ],
)
def test_the_longest_key_decides(requirement: str, words: str) -> None:
    meaning = rights().of(requirement)
    assert meaning is not None
    assert words in meaning.person


def test_an_unknown_requirement_has_none() -> None:
    assert rights().of("10.1-new") is None
