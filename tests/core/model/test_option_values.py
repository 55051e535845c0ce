"""How a language is asked for has to be something that can be sent, and that nothing else is said with."""

from __future__ import annotations

import pytest

from conformance.model.errors import ConfigurationFault
from conformance.model.option_values import checked_selector


@pytest.mark.parametrize(
    "text", ["header:Accept-Language", "header:x_lang", "header:Content-Language", "query:lang", "query:filter[a%20b]"]
)
def test_what_can_be_sent_is_taken_as_it_is(text: str) -> None:
    assert str(checked_selector(text)) == text


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        ("header:bad name", "name of a header field"),
        ("header:host", "HTTP gives it another meaning"),
        ("header:Authorization", "the suite sets it by itself"),
        ("query:a&b=c", "one query parameter"),
        ("query:ö", "percent-encoded"),
    ],
)
def test_what_cannot_be_sent_is_refused_with_the_reason(selector: str, words: str) -> None:
    with pytest.raises(ConfigurationFault, match=words):
        checked_selector(selector)
