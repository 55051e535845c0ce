"""The summary in other languages, and their catalogues: whole, as new as the sources, with placeholders and markup."""

from __future__ import annotations

import html
import json
import re
import tomllib
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import report_samples as samples
from babel.messages import Catalog
from babel.messages.catalog import Message
from babel.messages.extract import extract_from_dir
from pseudo_language import PSEUDO, words_of
from report_samples import everything_wrong, text_of, typed

from conformance.model.verdict import Outcome, Verdict
from conformance.reports import language, summary_page
from conformance.trace.har import exchanges_of

TRANSLATED = [code for code in language.languages() if code != language.ENGLISH]

INCOMPLETE = samples.data(
    samples.report(
        Outcome.INCONCLUSIVE,
        findings={"8-limit-enforced": (samples.finding(Verdict.INCONCLUSIVE),)},
        complete=False,
        left_behind=1,
        left_out_clause="4.6",
    )
)


def page_in(code: str, data: dict[str, Any]) -> str:
    return summary_page.render(typed(data), exchanges_of(samples.evidence()), "ab12", code)


@pytest.mark.parametrize(
    "data",
    [
        samples.data(samples.report(Outcome.CONFORMS, findings=samples.alert_findings())),
        samples.replied(samples.eventful(), "4.3-answers-ok"),
        INCOMPLETE,
    ],
    ids=["conforming", "failing", "incomplete"],
)
def test_each_text_of_the_page_is_a_message(data: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "language", lambda _code: PSEUDO)
    page = page_in("nl", data)

    marked = r"<code>.*?</code>|<h1>.*?</h1>|<dd>.*?</dd>|<span lang=\"en\">.*?</span>"
    shown = words_of(text_of(re.sub(marked, "", page, flags=re.DOTALL)))

    people = words_of(json.dumps([data["waivers"], data["alerts"]]))
    columns = words_of("Type Field Meaning Status Operation Condition Required Also Limit")
    names = words_of("Data Request Service Interface report.json report.html evidence.har drsi-conformance")
    assert shown - people - columns - names == set()


def test_text_of_a_target_is_neither_translated_nor_markup_nor_a_placeholder() -> None:
    assert '<span lang="en">The access token expired.</span>' in page_in("nl", samples.eventful())
    page = page_in("nl", everything_wrong(f"%(num)s %s %(x {samples.HOSTILE}"))
    assert not re.search(r"<(script|img|svg|iframe|a|form)\b|style=|\bon[a-z]+=\"", page)
    assert "<script>alert(1)</script>" in html.unescape(page)
    assert "%(num)s" in page
    assert len(re.findall("<code>", page)) == len(re.findall("</code>", page))


ROOT = Path(__file__).parents[3]

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
