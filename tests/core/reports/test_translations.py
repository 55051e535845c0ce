"""The catalogues of the languages: as new as the sources, whole, and with the placeholders and markup of messages."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from babel.messages import Catalog
from babel.messages.catalog import Message
from babel.messages.extract import extract_from_dir

from conformance.reports import language

ROOT = Path(__file__).parents[3]
TRANSLATED = [code for code in language.languages() if code != language.ENGLISH]

Key = tuple[str, ...]
"""Context, which is "" for most messages, the message, and its plural, which a message that does not count lacks."""

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%%|\{\w+\}")
TAG = re.compile(r"</?\w+[^>]*>")
NAME = re.compile(r"--[a-z][a-z-]+|DRSI_\w+|\b\w+\.(?:json|html|har|js)\b|\bGET /[a-z/]+|\b[a-z]+[A-Z]\w+|\bSHA-256\b")
"""What stays in every language: options, variables, files, operations and fields."""


@pytest.fixture(scope="module")
def extracted() -> set[Key]:
    """The messages of the sources, by the mapping of pyproject.toml, as `pybabel extract` finds them."""
    mapping = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["babel"]
    methods, options = [], {}
    for each in mapping["mappings"]:
        for pattern in [each["pattern"]] if isinstance(each["pattern"], str) else each["pattern"]:
            methods.append((pattern, mapping["extractors"].get(each["method"], each["method"])))
            options[pattern] = each
    found = extract_from_dir(ROOT, methods, options)
    return {key(context, message) for _file, _line, message, _comments, context in found}


def key(context: str | None, message: str | tuple[str, ...] | list[str]) -> Key:
    return (context or "", *([message] if isinstance(message, str) else message))


def messages(code: str) -> dict[Key, Message]:
    found: Catalog = language.catalogue(code)
    return {key(each.context, each.id): each for each in found if each.id}


def strings(message: Message) -> list[str]:
    return [message.string] if isinstance(message.string, str) else list(message.string)


@pytest.mark.parametrize("code", TRANSLATED)
def test_a_catalogue_has_the_messages_of_the_sources(code: str, extracted: set[Key]) -> None:
    assert len(extracted) > 150
    assert messages(code).keys() == extracted, "see 'Change a text, or add a language' in docs/maintenance.md"


@pytest.mark.parametrize("code", TRANSLATED)
def test_each_message_is_translated_in_each_plural_form_with_its_placeholders_names_and_markup(code: str) -> None:
    found = language.catalogue(code)
    assert list(found.obsolete) == []
    for name, message in messages(code).items():
        assert not message.fuzzy, name
        assert len(strings(message)) == (found.num_plurals if message.pluralizable else 1), name
        for original, each in product(name[1:], strings(message)):
            assert Counter(PLACEHOLDER.findall(each)) == Counter(PLACEHOLDER.findall(original)), each
            assert Counter(NAME.findall(each)) == Counter(NAME.findall(original)), each
            assert TAG.findall(each) == TAG.findall(original), each
            assert not re.search(r'[<>&"]', TAG.sub("", each)), each
            assert "'" not in each.replace("'CMD {requestId}'", ""), each  # a straight quotation mark or apostrophe
            assert each[-1:] in (".", ":") or original[-1:] not in (".", ":"), each
            assert each.strip() == each != "", each
            assert "  " not in each, each


def test_french_has_no_line_break_before_its_double_signs() -> None:
    for message in messages("fr").values():
        for each in strings(message):
            assert not re.search(r"[ \w][:;?!»](?= )|«(?!\xa0)", re.sub(r"\S+:\S", "", each)), each
