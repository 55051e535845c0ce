"""The personal data of a run: what the account and the tokens tell, replaced by pseudonyms.

An answer of GET /data/me is replaced as soon as it is received, so that no message can quote it. The same values
elsewhere are replaced where something is written (`http/secrets/redaction.py`): further calls need what was received.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from threading import RLock
from typing import Any, Final

from conformance.http.secrets.forms import (
    JSON,
    Copy,
    Edit,
    Finder,
    copies_of_values,
    edited,
    edits_of,
    encode,
    fold,
    unescaped,
)
from conformance.http.secrets.pseudonyms import Pseudonyms
from conformance.http.secrets.words import names_in_own_words, own_words
from conformance.model.account import claims_of, texts
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.exchange import Exchange, Operation, Response
from conformance.model.strict_json import Unread, parsed
from conformance.schema.documents import member_names

_SHORTEST: Final = 4
"""Characters. A shorter value is replaced in the answer of GET /data/me only: elsewhere it is part of other words."""

_FEWEST_DIGITS: Final = 5
"""The same for a number."""

_LONGEST: Final = 500
"""Characters of a value that is looked for elsewhere."""

_MOST: Final = 20_000
"""Values that are looked for elsewhere, and the same for what can be computed from them."""

SHORTEST_COOKIE: Final = 8
"""Characters of the shortest cookie that may name a session. A shorter one names a choice, such as a language."""

_MOST_COOKIES: Final = 10
"""The same for cookies: a service may set another one with each answer, and each makes a new search."""

_LARGEST: Final = 4 * 1024 * 1024
"""Bytes of the largest account that is read: with many short values each megabyte takes 4 to 10 seconds. Texts of a
larger public answer may be taken for personal values."""

_TOO_LARGE: Final = f"its personal values are replaced up to a size of {_LARGEST:,} bytes"

_OF_THE_TOKEN: Final = frozenset(
    ("iss", "aud", "exp", "iat", "nbf", "auth_time", "scope", "scp", "azp", "client_id", "typ", "acr", "amr")
)
"""Claims that describe the token and not its user."""

_COOKIE: Final = re.compile(r"([^=;]*+=\s*\"?)([^;\"]*)(.*)", re.DOTALL)
_IN_JSON: Final = re.compile(
    r'"(?P<string>(?:[^"\\]|\\.)*+)(?:"(?P<names>\s*:)?)?'
    r"|(?P<word>true|false|null|NaN|Infinity)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[^\W\d_]+",
    re.DOTALL,
)
"""The strings, words and numbers of JSON. A string without an end takes the rest."""
_IN_TEXT: Final = re.compile(rb"""[0-9A-Za-z\x80-\xff+(](?:[^<>"=,;|\t\r\n:]|:(?!\s))*+""")
"""The pieces of markup, of a table, or of lines of names and values."""
_NAME: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_EMAIL: Final = re.compile(r"([^@\s]+)@[^@\s]+\.[^@\s]+")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_NUMBER: Final = re.compile(r"[0-9A-Za-z ./_+()-]{7,50}")

_WORDS: Final = range(2, 6)
"""How many words a name has."""


def shows_account(exchange: Exchange, response: Response | None) -> bool:
    """Whether a response may show the account (4.6). What is refused is no account, but due to be an error object."""
    asked = exchange.operation is Operation.DATA_ME or exchange.path.startswith("/data/me")
    return asked and response is not None and response.status < 400


class PersonalData:
    """What a run learns of its users. Without a key all of it is kept."""

    def __init__(self, key: bytes | None, base_url: str, stays: Callable[[str], bool]) -> None:
        """`stays` tells of a value that it is not personal: a data type, or the identifier of a request of the run."""
        self._pseudonym: Callable[[str], str] = Pseudonyms(key).of if key is not None else str
        self._base_url = base_url
        self._stays = stays
        self._public = {base_url}
        """What the service shows to everybody."""
        self._own: set[str] = set()
        """The addresses and bodies of the run's own requests, and the identifiers of its data requests."""
        self._received: dict[str, bytes] = {}
        self._cookies: dict[str, str] = {}
        """The value of each cookie, by its pseudonym."""
        self._read: set[str] = set()
        """The tokens whose claims are learned."""
        self._learned: dict[str, str] = {}
        """Each value that is looked for elsewhere, with its pseudonym."""
        self._searched = 0
        """How many of them there were when the following was computed."""
        self._values: dict[str, str] = {}
        """The learned values, and what can be computed from them."""
        self._finder = Finder(())
        """Finds them."""
        self._shown: set[str] = set()
        """The values that stay: the service shows them to everybody, or the run itself wrote them."""
        self._stay: set[str] = set()
        """The same, and what a run knows to be no personal value."""
        self._copies: Sequence[Copy] = ()
        """The forms of the others."""
        self._lock = RLock()  # several threads write and ask

    def received(self, exchange: Exchange) -> Any:
        """Return the JSON value of an answer as the service sent it."""
        assert exchange.response is not None
        return parsed(self._received.get(exchange.id, exchange.response.content)).value

    def recorded(self, exchange: Exchange, response: Response) -> Response:
        """Return the response as the record holds it: with pseudonyms in GET /data/me and in cookies."""
        with self._lock:
            self._note(exchange, response)
            content = response.content
            if content and isinstance(content, bytes) and shows_account(exchange, response):
                self._received[exchange.id] = content
                is_too_large = len(content) > _LARGEST
                too_large = Unread(exchange.id.encode(), len(content), _TOO_LARGE)
                response = replace(response, content=too_large if is_too_large else self.of_body(content))
            if response.header("set-cookie") is None:
                return response
            headers = [
                (name, self._of_cookie(value) if name.lower() == "set-cookie" else value)
                for name, value in response.headers
            ]
        return replace(response, headers=tuple(headers), content=response.content)

    def of_body(self, body: bytes) -> bytes:
        """Return the body of an answer of GET /data/me with pseudonyms, and learn its values. It may be malformed.

        The names of members are values too, unless the interface has them: an account may be a map whose keys are
        addresses. Of a page or a table, pieces that consist of words of the suite stay, such as names of tags.
        """
        text = _text(body)
        bare = text.strip("\ufeff \t\r\n")
        with self._lock:
            if bare[:1] in ("{", "[", '"', "-") or bare[:1].isdigit() or bare in ("null", "true", "false"):
                return _bytes(_IN_JSON.sub(self._of_piece, text))
            return edited(body, [*edits_of(body, self._in_text(unescaped(body)))])

    def _in_text(self, text: bytes) -> Iterator[Edit]:
        for each in _IN_TEXT.finditer(text):
            value = _text(each[0]).rstrip("' .!?")
            if not all(fold(word) in names_in_own_words() for word in value.split()):
                yield Edit(each.start(), each.start() + len(_bytes(value)), _bytes(self._of(value)))

    def _of_piece(self, piece: re.Match[str]) -> str:
        if piece["word"]:
            return piece[0]
        if piece["string"] is None:
            return self._of(piece[0], always=True)
        written = _bytes(piece["string"])
        value = _text(said := unescaped(written, JSON))
        is_name = piece["names"] is not None
        if is_name and value in member_names():
            return piece[0]
        # A name that stayed, because it is public, could be the pseudonym of another one, which would then come twice.
        edit = Edit(0, len(said), _bytes(self._of(value, always=is_name)))
        return f'"{_text(edited(written, [*edits_of(written, [edit], JSON)]))}{piece[0][len(piece["string"]) + 1 :]}'

    def _of(self, value: str, *, always: bool = False) -> str:
        """Return what stands for a value, and learn it. A public one stands for itself, unless `always`."""
        replaced = self._pseudonym(value) if always else self._stand_in(value)
        self._learn(value, replaced)
        return replaced

    def _stand_in(self, value: str) -> str:
        if value in self._public or value in self._own or self._stays(value):
            return value
        start = self._base_url if value.startswith(self._base_url) else ""
        return start + self._pseudonym(value.removeprefix(start))

    def _learn(self, value: str, replaced: str) -> None:
        if _is_enough(value) and value != replaced and len(self._learned) < _MOST:
            self._learned.setdefault(value, replaced)

    def copies(self, tokens: Iterable[str]) -> Sequence[Copy]:
        """Return the forms of the values that are looked for elsewhere, given the tokens that were used by now.

        Public texts and the suite's own words stay as they are. It is the same list as before if nothing changed.
        """
        with self._lock:
            for token in tokens:
                self._learn_claims(token)
            if has_more := self._searched != len(self._learned):
                self._search()
            stay = self._shown | set(filter(self._stays, self._values))
            if has_more or stay != self._stay:
                self._stay, self._copies = (
                    stay,
                    [*copies_of_values({each: other for each, other in self._values.items() if each not in stay})],
                )
            return self._copies

    def _search(self) -> None:
        values, self._searched = self._learned.copy(), len(self._learned)
        for value in self._learned:
            if len(values) < self._searched + _MOST:
                values |= {each: self._pseudonym(each) for each in _computed(value) if each not in values}
        self._values = values
        self._finder = Finder(copies_of_values(values))
        self._shown = {each.value for each in self._finder.found_in(encode(own_words()))}
        self._note_shown(self._public, self._own)

    def _note_shown(self, public: Iterable[str], own: Iterable[str]) -> None:
        """Note the values in texts. The run knows no account: what it writes holds only short values, by chance."""
        self._shown |= {each.value for each in self._finder.found_in(encode("\n".join(public)))}
        self._shown |= {each.value for each in self._finder.found_in(encode("\n".join(own))) if each.bounded}

    def _learn_claims(self, token: str) -> None:
        """Learn what the claims of a token (JWT) tell of its user."""
        if token not in self._read:
            self._read.add(token)
            for claim, content in claims_of(token).items():
                for value in texts(content) if claim not in _OF_THE_TOKEN else ():
                    self._of(value)

    def _note(self, exchange: Exchange, response: Response) -> None:
        """Note what shows a value by chance, or to everybody."""
        public, own = set[str](), set[str]()
        if not exchange.redirected_from:
            # The suite made this request, and knows nothing of the account. The query is left out: it may hold the
            # token, and the token the name of its user.
            own = {exchange.request.url.partition("?")[0], exchange.request.body.decode("utf-8", "replace")}
        if 200 <= response.status < 300 and exchange.operation in (Operation.SETTINGS, Operation.DATA):
            if exchange.request.credential not in KNOWN_CREDENTIALS and response.size <= _LARGEST:
                public = {*texts(response.document.value)}
        elif 200 <= response.status < 300 and exchange.operation in (Operation.CREATE, Operation.READ):
            public = {*texts([response.member(each) for each in ("createdAt", "completedAt", "dataRequested")])}
            # The run also names a request without the hyphens of its identifier.
            own |= {form for each in texts(response.member("requestId")) for form in (each, each.replace("-", ""))}
        self._note_shown(public - self._public, own - self._own)
        self._public |= public
        self._own |= own

    def _of_cookie(self, text: str) -> str:
        found = _COOKIE.fullmatch(text)
        if found is None or not found[2]:
            return text
        replaced = self._stand_in(found[2])
        if len(replaced) >= SHORTEST_COOKIE:
            if len(self._cookies) < _MOST_COOKIES:
                self._learn(found[2], replaced)
            self._cookies.setdefault(replaced, found[2])
        return f"{found[1]}{replaced}{found[3]}"

    def cookie_to_send(self, recorded: str) -> str:
        """Return the value of a cookie as the service sent it, given the recorded one; learn it, as it is sent."""
        with self._lock:
            value = self._cookies.get(recorded, recorded)
            self._learn(value, recorded)
        return value


def _is_enough(value: str) -> bool:
    enough = _SHORTEST if any(map(str.isalpha, value)) else _FEWEST_DIGITS
    return enough <= sum(map(str.isalnum, value)) and len(value) <= _LONGEST


def _computed(value: str) -> Iterator[str]:
    """Yield what anybody can compute from a value: parts, other spellings, digests in hexadecimal digits.

    A text that only resembles a value is no computed one: `docs/evidence.md` lists what is not looked for.
    """
    parts = [each for each in _parts(value) if _is_enough(each)]
    yield from parts
    for text in (each for each in (value, *parts) if not each.isascii()):
        yield from (text.lower(), text.upper(), unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text))
    if _DATE.fullmatch(value):
        year, month, day = value.split("-")
        yield from (f"{day}.{month}.{year}", f"{month}/{day}/{year}")
    letters = "".join(filter(str.isalnum, value))
    if _NUMBER.fullmatch(value) and 2 * sum(map(str.isdigit, letters)) >= len(letters) >= 7:
        yield letters
    for text in (value, value.lower()):
        for name in ("md5", "sha1", "sha256"):
            yield hashlib.new(name, encode(text), usedforsecurity=False).hexdigest()


def _parts(value: str) -> Iterator[str]:
    """Yield the words of a name, which begin with no small letter, and those before the @ of an e-mail address."""
    if email := _EMAIL.fullmatch(value):
        yield email[1]
        yield from _NAME.findall(email[1])
        return
    words = value.replace(",", " ").split()
    is_name = len(words) in _WORDS and all(map(_NAME.fullmatch, words))
    if is_name and not any(word[0].islower() for word in (words[0], words[-1])):
        for word in words:
            yield word
            yield from re.split(r"['’-]", word)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
