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
    DISTINCTIVE,
    Copy,
    Edit,
    Finder,
    copies_of_values,
    edited,
    edits_of,
    unescaped,
)
from conformance.http.secrets.pseudonyms import Pseudonyms
from conformance.http.secrets.words import names_in_own_words, own_words
from conformance.model.account import LONGEST_VALUE, claims_of, texts
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.exchange import Exchange, Operation, Response
from conformance.model.formats import is_uuid
from conformance.model.strict_json import Unread, parsed
from conformance.model.text import encode, fold
from conformance.schema.documents import member_names

_SHORTEST: Final = 4
"""Characters. A shorter value is replaced in the answer of GET /data/me only: elsewhere it is part of other words."""

_FEWEST_DIGITS: Final = 5
"""The same for a number."""

_MOST: Final = 20_000
"""Values that are looked for elsewhere, and as many that can be computed from them."""

_MOST_COOKIES: Final = 10
"""Cookies that are looked for elsewhere: a service may set one with each answer, and each makes a new search."""

_LARGEST: Final = 4 * 1024 * 1024
"""Bytes of the largest account that is read: with many short values each megabyte takes 4 to 10 seconds. Texts of a
larger public answer may be taken for personal values."""

_TOO_LARGE: Final = f"its personal values are replaced up to a size of {_LARGEST:,} bytes"

_OF_THE_TOKEN: Final = frozenset(
    ("iss", "aud", "exp", "iat", "nbf", "auth_time", "scope", "scp", "azp", "client_id", "typ", "acr", "amr")
)
"""Claims that describe the token and not its user."""

_COOKIE: Final = re.compile(r"([^=;]*+=\s*\"?)([^;\"]*)(.*)", re.DOTALL)
_LIKE_JSON: Final = re.compile(r'[\ufeff \t\r\n]*(?:[{\["\d-]|(?:null|true|false)\s*\Z)')
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
_PART_OF_A_UUID: Final = re.compile(r"[0-9A-Fa-f]{4}")


def shows_account(operation: Operation | None, path: str, response: Response | None) -> bool:
    """Whether a response may show the account (4.6). What is refused is no account, but due to be an error object."""
    asked = operation is Operation.DATA_ME or path.startswith("/data/me")
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
        self._received: dict[str, bytes] = {}
        self._tokens: set[str] = set()
        """Those whose claims are learned."""
        self._cookies: dict[str, str] = {}
        """The value of each cookie, by its pseudonym."""
        self._learned: dict[str, str] = {}
        """Each value that is looked for elsewhere, with its pseudonym."""
        self._values: dict[str, str] = {}
        """These values, and what can be computed from them; empty where further ones were learned."""
        self._finder = Finder(())
        """Finds them."""
        self._shown: set[str] = set()
        """The values that stay: the service shows them to everybody, or the suite itself uses them."""
        self._stay: set[str] = set()
        """The same, and what a run knows to be no personal value."""
        self._copies: Sequence[Copy] = ()
        """The forms of the others."""
        self._changed = True
        """Whether an answer or a value came since: with a large account it takes long to find out which values stay."""
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
            if content and isinstance(content, bytes) and shows_account(exchange.operation, exchange.path, response):
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
        with self._lock:
            if _LIKE_JSON.match(text):
                return _bytes(_IN_JSON.sub(self._of_piece, text))
            return edited(body, edits_of(body, self._in_text(unescaped(body))))

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
        written, is_name = _bytes(piece["string"]), piece["names"] is not None
        value = _text(said := unescaped(written))
        if is_name and value in member_names():
            return piece[0]
        # A name that stayed, because it is public, could be the pseudonym of another one, which would then come twice.
        edit = Edit(0, len(said), _bytes(self._of(value, always=is_name)))
        return f'"{_text(edited(written, edits_of(written, [edit])))}{piece[0][len(piece["string"]) + 1 :]}'

    def _of(self, value: str, *, always: bool = False) -> str:
        """Return what stands for a value, and learn it. A public one stands for itself, unless `always`."""
        replaced = self._pseudonym(value) if always else self._stand_in(value)
        self._learn(value, replaced)
        return replaced

    def _stand_in(self, value: str) -> str:
        if value in self._public or self._stays(value):
            return value
        start = self._base_url if value.startswith(self._base_url) else ""
        return start + self._pseudonym(value.removeprefix(start))

    def _learn(self, value: str, replaced: str) -> None:
        is_new = value not in self._learned and value != replaced
        if is_new and _is_enough(value) and len(self._learned) < _MOST:
            self._learned[value], self._values, self._changed = replaced, {}, True

    def copies(self, tokens: Iterable[str]) -> Sequence[Copy]:
        """Return the forms of the values that are looked for elsewhere, given the tokens that were used by now.

        Public texts and the suite's own words stay as they are. It is the same list as before if nothing changed.
        """
        with self._lock:
            for token in tokens:
                if token not in self._tokens:
                    self._tokens.add(token)
                    self._learn_claims(token)
            if not self._changed:
                return self._copies
            self._changed = False
            if has_more := bool(self._learned) and not self._values:
                self._search()
            stay = self._shown | set(filter(self._stays, self._values))
            if has_more or stay != self._stay:
                self._stay = stay
                values = {each: other for each, other in self._values.items() if each not in stay}
                self._copies = [*copies_of_values(values)]
            return self._copies

    def _search(self) -> None:
        values = self._learned.copy()
        for value in self._learned:
            if len(values) < len(self._learned) + _MOST:
                values |= {each: self._pseudonym(each) for each in _computed(value) if each not in values}
        self._values, self._finder = values, Finder(copies_of_values(values))
        self._shown = self._shown_in(own_words()) | self._shown_in(encode("\n".join(self._public)))

    def _shown_in(self, public: bytes) -> set[str]:
        return {copy.value for copy, _, _ in self._finder.places_in(public)}

    def _learn_claims(self, token: str) -> None:
        """Learn what the claims of a token (JWT) tell of its user."""
        for claim, content in claims_of(token).items():
            for value in texts(content) if claim not in _OF_THE_TOKEN else ():
                self._of(value)

    def _note(self, exchange: Exchange, response: Response) -> None:
        """Note what the service shows to everybody."""
        self._changed, public = True, set[str]()
        if 200 <= response.status < 300 and exchange.operation in (Operation.SETTINGS, Operation.DATA):
            if exchange.request.credential not in KNOWN_CREDENTIALS and response.size <= _LARGEST:
                public = {*texts(response.document.value)} - self._public
        elif 200 <= response.status < 300 and exchange.operation in (Operation.CREATE, Operation.READ):
            members = [response.member(each) for each in ("createdAt", "completedAt", "dataRequested")]
            public = {*texts(members)} - self._public
        self._shown |= self._shown_in(encode("\n".join(public)))
        self._public |= public

    def _of_cookie(self, text: str) -> str:
        found = _COOKIE.fullmatch(text)
        if found is None or not found[2]:
            return text
        replaced = self._stand_in(found[2])
        if len(replaced) >= DISTINCTIVE:  # a shorter one names a choice, such as a language
            if len(self._cookies) < _MOST_COOKIES:
                self._learn(found[2], replaced)
            self._cookies.setdefault(replaced, found[2])
        return f"{found[1]}{replaced}{found[3]}"

    def cookie_header(self, exchanges: Iterable[Exchange], credential: str) -> str:
        """Return the Cookie header for the answers to a credential, as a client sends it back; "" for none.

        It has the first cookie of each name, with the value that the service sent, which is learned.
        """
        kept: dict[str, str] = {}
        for exchange in exchanges:
            answer = exchange.response if exchange.request.credential == credential else None
            for value in (value for name, value in answer.headers if name.lower() == "set-cookie") if answer else ():
                name, _, content = (part.strip() for part in value.partition(";")[0].partition("="))
                if len(content) >= DISTINCTIVE:
                    kept.setdefault(name, content)
        with self._lock:
            sent = {name: self._cookies.get(recorded, recorded) for name, recorded in kept.items()}
            for name, value in sent.items():
                self._learn(value, kept[name])
        return "; ".join(f"{name}={value}" for name, value in sent.items())


def _is_enough(value: str) -> bool:
    enough = _SHORTEST if any(map(str.isalpha, value)) else _FEWEST_DIGITS
    return (
        enough <= sum(map(str.isalnum, value)) and len(value) <= LONGEST_VALUE and not _PART_OF_A_UUID.fullmatch(value)
    )


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
    if is_uuid(value):
        yield letters
    elif _NUMBER.fullmatch(value) and 2 * sum(map(str.isdigit, letters)) >= len(letters) >= 7:
        yield letters
        yield " ".join(letters[start : start + 4] for start in range(0, len(letters), 4))  # as an IBAN is printed
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
    is_name = 2 <= len(words) <= 5 and all(map(_NAME.fullmatch, words))
    if is_name and not any(word[0].islower() for word in (words[0], words[-1])):
        for word in words:
            yield word
            yield from re.split(r"['’-]", word)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
