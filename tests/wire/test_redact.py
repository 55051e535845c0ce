from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest

from conformance.wire.redact import Redactor

TOKEN = 'se/cr+et"tök&n~0123'
LABEL = "[DRSI_TOKEN]"
redactor = Redactor({"DRSI_TOKEN": TOKEN, "DRSI_OTHER_TOKEN": "another-token", "EMPTY": ""})

COPIES: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper": lambda token: token.replace("se", "SE"),
    "reversed": lambda token: token[::-1],
    "hex": lambda token: token.encode().hex(),
    "HEX": lambda token: token.encode().hex().upper(),
    "percent": lambda token: quote(token, safe=""),
    "percent, lower": lambda token: quote(token, safe="").lower(),
    "path": quote,
    "JSON": lambda token: json.dumps(token)[1:-1],
    "JSON, UTF-8": lambda token: json.dumps(token, ensure_ascii=False)[1:-1],
    "JSON, slashes": lambda token: json.dumps(token)[1:-1].replace("/", "\\/"),
    "HTML": html.escape,
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_every_copy_is_replaced(copy: Callable[[str], str]) -> None:
    echoed = copy(TOKEN)

    assert redactor.text(f"a {echoed} b {echoed}") == f"a {LABEL} b {LABEL}"
    assert redactor.raw(f"a {echoed} b".encode()) == f"a {LABEL} b".encode()


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("before", ["", "x", "xy", "Bearer ", "someone:"])
@pytest.mark.parametrize("after", ["", "?", "??"])
def test_base64_is_replaced_wherever_the_secret_stands_in_it(
    encode: Callable[[bytes], bytes], before: str, after: str
) -> None:
    echoed = encode(f"{before}{TOKEN}{after}".encode()).decode()

    redacted = redactor.text(echoed)

    assert LABEL in redacted
    # At most one character on each side depends on the secret and on what stands beside it.
    assert len(redacted) - len(LABEL) <= len(encode(f"{before}{after}".encode())) + 6


def test_secrets_have_labels_of_their_own() -> None:
    assert redactor.text(f"{TOKEN}, ANOTHER-token") == "[DRSI_TOKEN], [DRSI_OTHER_TOKEN]"


def test_the_longer_of_two_secrets_wins() -> None:
    both = Redactor({"SHORT": "token-1", "LONG": "token-12345"})

    assert both.text("token-12345 token-1 token-12") == "[LONG] [SHORT] [SHORT]2"


def test_data_is_walked_however_deep() -> None:
    data = {"a": [TOKEN, ("x", {"b": f"Bearer {TOKEN}"}, ()), 1, None, TOKEN.encode()], "b": ((TOKEN,),)}

    redacted = redactor.data(data)

    assert redacted == {"a": [LABEL, ("x", {"b": f"Bearer {LABEL}"}, ()), 1, None, LABEL.encode()], "b": ((LABEL,),)}
    assert list(redacted) == ["a", "b"]
    assert data["a"][0] == TOKEN
    deep: list[object] = [TOKEN]
    for _ in range(5000):
        deep = [deep]
    deep = redactor.data(deep)
    while isinstance(deep[0], list):
        deep = deep[0]
    assert deep == [LABEL]


def test_keys_and_what_is_the_suites_own_stay_as_they_are() -> None:
    wordlike = Redactor({"DRSI_TOKEN": "verdict"})
    data = {"verdict": "verdict", "said": ["verdict"], "own": ["a verdict"], "own deep": [{"x": "verdict"}]}

    assert wordlike.data(data, own=("verdict", "own", "own deep")) == {
        "verdict": "verdict",
        "said": [LABEL],
        "own": ["a verdict"],
        "own deep": [{"x": LABEL}],
    }


def test_a_short_secret_is_replaced_only_as_a_credential() -> None:
    short = Redactor({"DRSI_TOKEN": "tok"})

    assert short.text("Authorization: Bearer tok; tokens, Bearer token") == (
        "Authorization: [DRSI_TOKEN]; tokens, Bearer token"
    )
    assert short.raw(b"bearer tok") == b"[DRSI_TOKEN]"


def test_what_holds_no_secret_stays_as_it_is() -> None:
    text = "nothing \ud800 to see" * 1000

    assert redactor.text(text) is text
    assert Redactor({}).text(TOKEN) == TOKEN
    assert Redactor({}).raw(b"\xff") == b"\xff"


def test_a_secret_that_a_message_cuts_off_does_not_show() -> None:
    redactor = Redactor({"DRSI_TOKEN": "abcdefghijklmnopqrstuvwxyz"})

    assert redactor.text("body {'token': 'abcdefghijklmnop…") == "body {'token': '[the beginning of a token]…"
    assert redactor.text("abcdefgh is a word… and no token") == "abcdefgh is a word… and no token"


TOKEN_OF_LETTERS = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"


@pytest.mark.parametrize("token", [TOKEN, TOKEN_OF_LETTERS], ids=["signs", "letters"])
@pytest.mark.parametrize(
    "copy",
    [
        *COPIES.values(),
        str.lower,
        str.upper,
        lambda token: base64.b64encode(token.encode()).decode(),
        lambda token: base64.urlsafe_b64encode(f"x{token}".encode()).decode(),
        lambda token: base64.b64encode(f"xy{token}".encode()).decode().upper(),
        lambda token: "".join(f"\\u{ord(letter):04x}" for letter in token),
    ],
)
def test_no_copy_that_a_message_cuts_off_shows(token: str, copy: Callable[[str], str]) -> None:
    redactor = Redactor({"DRSI_TOKEN": token, "DRSI_OTHER_TOKEN": "another-token"})
    echoed = copy(token)

    cut = redactor.text(f"it is '{echoed[: len(echoed) * 3 // 4]}…, as it says")

    # Of base64 the character that what stands before the token decides as well may stay.
    assert cut.endswith("[the beginning of a token]…, as it says")
    assert len(cut) <= len("it is 'eHl[the beginning of a token]…, as it says")


@pytest.mark.parametrize("word", ["abcdefg…", "616263646566…", "\\u0061\\u0062…", "%61%62…", "zyxwvut…", "klmnopqrst…"])
def test_what_is_too_short_to_be_told_for_a_token_stays(word: str) -> None:
    redactor = Redactor({"DRSI_TOKEN": "abcdefghijklmnopqrstuvwxyz"})

    assert redactor.text(f"it is {word}") == f"it is {word}"


def test_copies_that_are_cut_off_one_after_another_are_all_hidden() -> None:
    redactor = Redactor({"DRSI_TOKEN": TOKEN_OF_LETTERS})
    cut = f"{TOKEN_OF_LETTERS[:30]}…"

    redacted = redactor.text(f"{cut} {cut.upper()} eyJhbGci {'eyJhbGci' * 1000} {cut}")

    hidden = "[the beginning of a token]…"
    assert redacted == f"{hidden} {hidden} eyJhbGci {'eyJhbGci' * 1000} {hidden}"
