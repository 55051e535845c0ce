"""Redaction: no output contains a secret or a personal value, in any common encoding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from conformance.http.secrets import forms
from conformance.http.secrets.forms import Copy, Edit
from conformance.http.secrets.personal import PersonalData, shows_account
from conformance.http.secrets.words import why_short
from conformance.model.error_table import KNOWN_CREDENTIALS, MADE_UP, REFUSED_CREDENTIALS
from conformance.model.exchange import Exchange, Response
from conformance.model.strict_json import Unread
from conformance.model.target import Token
from conformance.model.text import encode

_LEVELS: Final = 3
"""How often escapes are decoded: those of an address, of JSON and of HTML may be written in each other."""

_OF_HTTP: Final = (
    *("age", "connection", "content-encoding", "content-length", "content-type", "date", "expires", "last-modified"),
    *("retry-after", "transfer-encoding"),
)
"""Header fields that hold no personal value, but numbers and moments that rules read."""


class Redactor:
    """Replaces each secret by its label in brackets, and each personal value by its pseudonym, in common encodings.

    A short secret, or one that is part of `words`, which the service itself uses, is replaced only where it is sent: no
    rule reads there.
    """

    def __init__(self, secrets: Iterable[tuple[str, str]], personal: Sequence[Copy] = (), words: str = "") -> None:
        """Take pairs of label and secret. Upper and lower case (ASCII) are one; the first label of a secret counts."""
        secrets = tuple((label, secret) for label, secret in secrets if secret)
        self.of_secrets = Redactor(secrets, words=words) if personal else self
        """The redactor for what the user wrote: it replaces the secrets only."""
        copies: list[Copy] = []
        for label, secret in secrets:
            is_short = secret.lower() in words or bool(why_short(secret))
            copies += forms.copies_of_secret(secret, f"[{label}]", is_short=is_short)
        self._finder = forms.Finder([*copies, *personal])
        self._known: dict[bytes, bytes] = {}
        self._texts: dict[str, str] = {}

    def text(self, text: str) -> str:
        """Return `text` without any secret or personal value."""
        if text not in self._texts:
            clean = self.raw(data := encode(text))
            self._texts[text] = text if clean == data else forms.decode(clean)
        return self._texts[text]

    def raw(self, data: bytes) -> bytes:
        """Return `data` without any secret or personal value; text in it is taken for UTF-8."""
        if data not in self._known:  # evidence repeats texts and bodies
            self._known[data] = forms.edited(data, self._edits(data, _LEVELS))
        return self._known[data]

    def finds(self, data: bytes) -> bool:
        """Whether there is a secret or a personal value in `data`."""
        return bool(self._edits(data, _LEVELS))

    def _edits(self, data: bytes, levels: int) -> list[Edit]:
        """Return the replacements in a text, as it is written and with so many levels of its escapes decoded."""
        edits = forms.chosen(copy.edit(data, start, end) for copy, start, end in self._finder.places_in(data))
        if levels and (said := forms.unescaped(data)) != data and (deeper := self._edits(said, levels - 1)):
            edits = forms.chosen(sorted([*edits, *forms.edits_of(data, deeper)]))
        return edits


class RunSecrets:
    """The secrets of one run: the tokens of its users, each value that a token command gave, and similar credentials.

    Similar credentials are what the run sends in place of a token, such as a token altered in one character. `refused`
    are real tokens that the service must not accept, by their labels; `further` are secrets for what stands before it.
    """

    def __init__(
        self,
        credentials: Mapping[str, Token],
        personal: PersonalData,
        refused: Mapping[str, Token],
        further: Iterable[tuple[str, str]] = (),
    ) -> None:
        self._credentials = credentials
        self._refused = [(REFUSED_CREDENTIALS[label], value) for label, one in refused.items() for value in one.used]
        self.further = list(further)
        """The secrets for what stands before the service, each with its mark."""
        self._personal = personal
        self._sent: dict[str, str] = {}
        self._words = ""
        self._known: tuple[list[tuple[str, str]], Sequence[Copy], str] = [], (), ""
        self._redactor = Redactor(())

    def note_sent(self, label: str, authorization: str) -> None:
        """Note an Authorization header made of the token of a user: its label replaces it in the outputs."""
        if label not in MADE_UP:
            self._sent.setdefault(authorization.partition(" ")[2], label)

    def note_words(self, words: str) -> None:
        """Note words of the service that contain a token, in lower case: there it is no secret."""
        self._words = words

    @property
    def tokens(self) -> list[tuple[str, str]]:
        """The tokens that were used by now, the real ones that the service must not accept, and further secrets.

        Each has its mark.
        """
        used = [
            (f"{KNOWN_CREDENTIALS[label]}{f' {index}' if index else ''}", value)
            for label, token in tuple(self._credentials.items())
            for index, value in enumerate(token.used)
        ]
        return used + self._refused + self.further

    @property
    def sought(self) -> list[tuple[str, str]]:
        """The tokens that no file of the run may contain."""
        return [(label, token) for label, token in self.tokens if token.lower() not in self._words]

    @property
    def redactor(self) -> Redactor:
        """The redactor for the secrets and the personal values that are known by now."""
        tokens = self.tokens
        secrets = [*tokens, *((label, value) for value, label in tuple(self._sent.items()))]
        known = secrets, self._personal.copies(value for _, value in tokens), self._words
        if known != self._known:
            self._known, self._redactor = known, Redactor(*known)
        return self._redactor

    def text(self, text: str) -> str:
        """Return `text` without any secret or personal value."""
        return self.redactor.text(text)


def without_secrets(exchange: Exchange, redactor: Redactor) -> Exchange:
    """Return the exchange as evidence holds it: without secrets in anything that the target or the user wrote.

    The recorded exchange keeps them: further calls need what was really sent. A token may be a word or a
    number that occurs in a conforming document, or part of an identifier. Bodies are redacted as bytes, because
    evidence may hold them as base64; `keep` keeps the large ones.
    """
    text, of_secrets = redactor.text, redactor.of_secrets.text

    def value_of(name: str, value: str) -> str:
        if name.lower() == "authorization":
            return text(f"{forms.AUTHORIZATION}{value}").removeprefix(forms.AUTHORIZATION)
        return of_secrets(value) if name.lower() in _OF_HTTP else text(value)

    types = exchange.intent.types and [text(each) for each in exchange.intent.types]
    request, response = exchange.request, exchange.response
    # The answer that shows the account holds pseudonyms already.
    shown = shows_account(exchange.operation, exchange.path, response)
    clean = redactor.of_secrets if shown else redactor
    return replace(
        exchange,
        request=replace(
            request,
            url=text(request.url),
            headers=tuple((text(name), value_of(name, value)) for name, value in request.headers),
            body=redactor.raw(request.body),
        ),
        response=response
        and Response(
            status=response.status,
            reason=text(response.reason),
            http_version=response.http_version,
            headers=tuple((text(name), value_of(name, value)) for name, value in response.headers),
            content=content if isinstance(content := response.content, Unread) else clean.raw(content),
        ),
        error_detail=text(exchange.error_detail),
        raised=text(exchange.raised),
        path=text(exchange.path),
        intent=replace(exchange.intent, types=types),
    )
