"""Pseudonyms have the type and the length of their values, and different values have different ones."""

from __future__ import annotations

import json
from datetime import date, timedelta
from uuid import UUID

import pytest

from conformance.http.secrets.pseudonyms import Pseudonyms
from conformance.model.formats import is_email

pseudonyms = Pseudonyms(b"a key")
of = pseudonyms.of


@pytest.mark.parametrize(
    "value",
    ["Anna Müller", "ANNA", "Straße 12-b", "東京都", "Ђорђе", "NL91ABNA0417164300", "+31 6 1234", "", "x" * 999],
)
def test_letters_and_digits_are_replaced_by_their_like(value: str) -> None:
    replaced = of(value)

    assert replaced != value or not value
    for one, other in zip(value, replaced, strict=True):
        forms = [(each.isupper(), each.islower(), each.isdigit(), len(each.encode())) for each in (one, other)]
        assert forms[0] == forms[1]
        assert one == other or one.isalnum()


def test_upper_and_lower_case_of_a_value_have_one_pseudonym() -> None:
    assert of("anna-1").upper() == of("ANNA-1") == of("Anna-1").upper()
    assert of("Anna-1") != Pseudonyms(b"another").of("Anna-1")


def test_a_value_keeps_its_type() -> None:
    given = UUID("6f9619ff-8b86-4011-b42d-00c04fc964ff")
    replaced = UUID(of(str(given)))
    assert (replaced.version, replaced.variant) == (given.version, given.variant)
    assert replaced != given
    assert of(str(given).upper()) == str(replaced).upper()
    assert is_email(of("anna.mueller+post@mail.example"))
    assert of("https://mail.example/anna").startswith("https://")


@pytest.mark.parametrize("literal", ["7", "-12", "1000000", "0.5", "-0.001", "3.25e10", "10"])
def test_a_number_keeps_its_sign_and_the_number_of_its_digits(literal: str) -> None:
    replaced = pseudonyms.of(literal)

    json.loads(replaced)
    assert [each if each in "-.e+" else "0" for each in replaced] == [
        each if each in "-.e+" else "0" for each in literal
    ]


@pytest.mark.parametrize(
    "surnames", ["王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗", "김이박최정강조윤장임한오서신권황안송류전"]
)
def test_a_surname_of_one_character_may_become_any_of_its_script(surnames: str) -> None:
    for other in (surnames, [f"{each}{each}" for each in surnames]):
        places = [(ord(each[0]), ord(of(each)[0])) for each in other]
        assert sum(one // 64 == another // 64 for one, another in places) <= 1
        assert len({another for _, another in places}) == len(surnames)


def test_different_values_have_different_pseudonyms() -> None:
    days = [str(date(1900, 1, 1) + timedelta(day)) for day in range(0, 36_524, 7)]
    names = [f"{one}{other}" for one in "abcXYZ" for other in "abcdefghijklm"]
    for values in ([f"{number:03}" for number in range(1000)], [*map(str, range(1000))], days, names):
        assert len({of(value) for value in values}) == len(values)
