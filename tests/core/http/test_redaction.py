"""Tokens and personal values are replaced in every form that the documentation names, and nothing else is."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from conformance.http.secrets import written
from conformance.http.secrets.forms import copies_of_values
from conformance.http.secrets.redaction import Redactor
from conformance.http.secrets.words import distinctive_parts
from conformance.http.secrets.written import kind_in
from conformance.model import text as texts
from conformance.model.text import hide, shorten

Hidden = Callable[..., None]


@pytest.fixture
def hidden(monkeypatch: pytest.MonkeyPatch) -> Hidden:
    """Let `shorten` know secrets, until the end of the test."""
    monkeypatch.setattr(texts, "_clean", str)
    return lambda *secrets: hide(Redactor(secrets).text)


TOKEN = "se/cr+e't\"tök&n~0123"
LABEL = "[DRSI_TOKEN]"
redactor = Redactor([("DRSI_TOKEN", TOKEN), ("DRSI_OTHER_TOKEN", "another-token"), ("EMPTY", "")])

COPIES: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper": lambda token: token.replace("se", "SE"),
    "HEX": lambda token: token.encode().hex().upper(),
    "percent, lower": lambda token: quote(token, safe="").lower(),
    "path": quote,
    "JSON": lambda token: json.dumps(token)[1:-1],
    "JSON, slashes": lambda token: json.dumps(token, ensure_ascii=False)[1:-1].replace("/", "\\/"),
    "HTML": html.escape,
    **{
        name: lambda token, form=form: "".join(form.format(ord(letter)) for letter in token)
        for name, form in {
            "HTML, hexadecimal": "&#x{:x};",
            "HTML, zeros": "&#x{:06X};",
            "HTML in HTML": "&amp;#{};",
            "JSON, all": "\\u{:04x}",
            "JSON in JSON": "\\\\u{:04x}",
            "JSON in an address": "%5Cu{:04X}",
            "HTML in an address": "%26%23{}%3B",
        }.items()
    },
    "HTML, names": lambda token: token.replace("ö", "&ouml;").replace("&n", "&amp;n"),
    "percent, three times": lambda token: quote(quote(quote(token, safe=""), safe=""), safe=""),
    "percent, one letter": lambda token: token.replace("e", "%65", 1),
    "percent, all twice": lambda token: "".join(f"%25{byte:02x}" for byte in token.encode()),
    "JSON in HTML": lambda token: html.escape(json.dumps(token)[1:-1]),
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_every_copy_is_replaced(copy: Callable[[str], str]) -> None:
    echoed = copy(TOKEN)

    assert redactor.text(f"a {echoed} b {echoed}") == f"a {LABEL} b {LABEL}"


@pytest.mark.parametrize("coding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_copy_in_another_charset_is_replaced(coding: str) -> None:
    redacted = redactor.raw("a another-token b".encode(coding))
    assert b"[DRSI_OTHER_TOKEN]" in redacted
    assert "token" not in redacted.decode(coding, "replace")


def _base64_in_an_address(data: bytes) -> bytes:
    return quote(base64.b64encode(data), safe="").encode()


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode, _base64_in_an_address])
@pytest.mark.parametrize("before", ["", "x", "xy", "Bearer "])
def test_base64_is_replaced_wherever_the_secret_stands_in_it(encode: Callable[[bytes], bytes], before: str) -> None:
    for after in ("", "?", "??"):
        redacted = redactor.text(encode(f"{before}{TOKEN}{after}".encode()).decode())

        assert LABEL in redacted
        # At most one character on each side depends on the secret and on what stands beside it.
        assert len(redacted) - len(LABEL) <= len(encode(f"{before}{after}".encode())) + 6


def test_secrets_have_labels_of_their_own_and_the_longer_one_wins() -> None:
    assert redactor.text(f"{TOKEN}, ANOTHER-token") == "[DRSI_TOKEN], [DRSI_OTHER_TOKEN]"
    both = Redactor([("SHORT", "token-12"), ("LONG", "token-123456")])
    assert both.text("token-123456 token-12 token-123") == "[LONG] [SHORT] [SHORT]3"


@pytest.mark.parametrize("token", ["1", "tok", "request", "Unauthorized", "2026-11-28", "12:30:45Z"])
def test_a_short_token_or_a_word_is_replaced_only_where_it_is_sent(token: str) -> None:
    short = Redactor([("DRSI_TOKEN", token)])
    text = f"{token}: Bearer {token} and Authorization: Bearer {token}x, ?access_token={token}x"

    assert short.text(text) == text
    assert short.text(f"authorization: bearer {token}") == "authorization: bearer [DRSI_TOKEN]"
    assert short.text(f"Authorization: Token {token}") == "Authorization: Token [DRSI_TOKEN]"
    assert short.text(f"see http://x/?access_token={token}.") == "see http://x/?access_token=[DRSI_TOKEN]."
    assert short.text(f"curl -H 'Authorization: Bearer {token}'") == "curl -H 'Authorization: Bearer [DRSI_TOKEN]'"


TOKEN_OF_LETTERS = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"


@pytest.mark.parametrize("token", [TOKEN, TOKEN_OF_LETTERS], ids=["signs", "letters"])
@pytest.mark.parametrize(
    "copy",
    [
        str,
        COPIES["path"],
        COPIES["JSON, slashes"],
        lambda token: base64.urlsafe_b64encode(f"x{token}".encode()).decode(),
        lambda token: "".join(f"\\u{ord(letter):04x}" for letter in token),
    ],
)
def test_no_text_is_cut_inside_a_secret(hidden: Hidden, token: str, copy: Callable[[str], str]) -> None:
    hidden(("OTHER", "another-token"), ("DRSI_TOKEN", token))
    text = f"it is '{copy(token)}' or {copy(token)} and so on, until the end of the text" + "." * 50

    cut = [shorten(text, limit) for limit in range(10, len(text))]

    # Of base64, characters that also depend on what stands before the token may stay.
    parts = [copy(token)[start : start + 5] for start in range(len(copy(token)) - 4)]
    assert [each for each in cut if any(part in each for part in parts)] == []
    assert all(len(each) <= limit for limit, each in enumerate(cut, 10))


PERSONAL = {"Wilhelmina": "Qyzkoepdfw", "anna": "bxqe", "48213": "70934", "1984-02-29": "1951-11-07"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("xWilhelmina's WILHELMINA", "xQyzkoepdfw's QYZKOEPDFW"),
        ("anna, Anna: /u/anna?n=anna%20anna \\nanna", "bxqe, Bxqe: /u/bxqe?n=bxqe%20bxqe \\nbxqe"),
        ("annas joanna Anna_1", "annas joanna Bxqe_1"),
        ("no 48213, 148213, 48213.5, 12:48213, id-48213", "no 70934, 148213, 48213.5, 12:48213, id-70934"),
        ("1984-02-29 1984-02-29T10:00:00Z", "1951-11-07 1951-11-07T10:00:00Z"),
    ],
)
def test_a_personal_value_is_replaced_where_it_is_no_part_of_another_word(text: str, shown: str) -> None:
    personal = Redactor([("DRSI_TOKEN", "a-long-token")], [*copies_of_values(PERSONAL)])

    assert personal.text(f"{text} a-long-token") == f"{shown} [DRSI_TOKEN]"
    assert personal.of_secrets.text(text) == text


ASCII_TOKEN = 'se/cr+et"tok&n~0123'


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (f"Authorization: Bearer {ASCII_TOKEN.upper()}", "plain text"),
        (f"?access_token={quote(ASCII_TOKEN, safe='')}", "escapes or base64"),
        ("".join(f"\\u{ord(each):04x}" for each in ASCII_TOKEN), "escapes or base64"),
        (base64.b64encode(f"xy:{ASCII_TOKEN}".encode()).decode(), "escapes or base64"),
        ("the end", ""),
    ],
)
@pytest.mark.parametrize("before", [0, 900, 960, 1000])
def test_a_token_in_a_file_is_found_wherever_the_pieces_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, kind: str, before: int
) -> None:
    monkeypatch.setattr(written, "_PIECE", 64)
    monkeypatch.setattr(written, "_OVERLAP", 256)
    path = tmp_path / "file"
    path.write_text(f"{'.' * before}{content}{'.' * 70}")

    assert kind_in(path, [("DRSI_TOKEN", ASCII_TOKEN), ("DRSI_OTHER_TOKEN", "another-token-4711")]) == kind


def test_a_token_that_is_a_word_of_the_suite_is_not_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text('{"requirements": [], "a": "tok"}')

    assert kind_in(path, [("DRSI_TOKEN", "requirements"), ("DRSI_OTHER_TOKEN", "tok")]) == ""


PAIR = base64.b64encode(b"staging:pass-of-the-gate").decode()


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ("k3y-of-the-gateway", ["k3y-of-the-gateway"]),
        ("Token k3y-of-the-gateway", ["Token k3y-of-the-gateway", "k3y-of-the-gateway"]),
        (f"Basic {PAIR}", [f"Basic {PAIR}", PAIR, "staging:pass-of-the-gate", "pass-of-the-gate"]),
        (f"basic  {PAIR}", [f"basic  {PAIR}", PAIR, "staging:pass-of-the-gate", "pass-of-the-gate"]),
        ('Key id="a", key="k3y-of-the-gateway"', ['Key id="a", key="k3y-of-the-gateway"', "k3y-of-the-gateway"]),
        ("dataRequested", []),
        ("requests", []),
    ],
    ids=[
        *("a key", "after a scheme", "Basic", "two spaces", "parameters"),
        *("a word of the interface", "a word of the suite"),
    ],
)
def test_the_parts_of_a_value_that_are_marked(value: str, parts: list[str]) -> None:
    assert list(distinctive_parts(value)) == parts
