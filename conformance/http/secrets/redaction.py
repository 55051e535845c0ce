"""Redaction: no output contains a secret or a personal value, in any common encoding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from conformance.http.secrets.escapes import Edit, chosen, edited, edits_of, unescaped
from conformance.http.secrets.forms import (
    AUTHORIZATION,
    Copy,
    Finder,
    copies_as_credential,
    copies_of_secret,
    decode,
    encode,
)
from conformance.http.secrets.personal import PersonalData
from conformance.http.secrets.short_tokens import why_short
from conformance.model.error_table import KNOWN_CREDENTIALS, MADE_UP, REFUSED_CREDENTIALS
from conformance.model.strict_json import Content, Unread
from conformance.model.target import Token
from conformance.model.text import Secrets

_LEVELS: Final = 3
"""How often escapes are decoded: those of an address, of JSON and of HTML may be written in each other."""

_LONGEST_ESCAPE: Final = 12
"""Characters that write one at most, such as in `&amp;#x0074;`; a longer one is found where it is not cut."""


class Redactor:
    """Replaces each secret by its label in brackets, and each personal value by its pseudonym, in common encodings.

    A short secret, or one that is part of `words`, which the service itself uses, is replaced only where it is sent: no
    rule reads there.
    """

    def __init__(self, secrets: Iterable[tuple[str, str]], personal: Sequence[Copy] = (), words: str = "") -> None:
        """Take pairs of label and secret. Upper and lower case (ASCII) are one; the first label of a secret counts."""
        self._secrets, self._words = tuple(secrets), words
        self.of_secrets = self
        """The redactor for what the user wrote: it replaces the secrets only."""
        copies: list[Copy] = []
        for label, secret in self._secrets:
            is_short = secret.lower() in words or why_short(secret)
            copies += (copies_as_credential if is_short else copies_of_secret)(secret, f"[{label}]")
        self._finder = Finder([*copies, *personal])
        forms = [each.form for each in personal] + [secret for _, secret in self._secrets]
        self.longest = max(self._finder.longest, _LONGEST_ESCAPE * max(map(len, forms), default=0))
        """Characters of the longest form in which a secret or a personal value can appear."""
        self._known: dict[bytes, bytes] = {}

    def with_personal(self, copies: Sequence[Copy]) -> Redactor:
        """Return the redactor that replaces personal values too."""
        redactor = Redactor(self._secrets, copies, self._words)
        redactor.of_secrets = self
        return redactor

    def text(self, text: str) -> str:
        """Return `text` without any secret or personal value."""
        return decode(self.raw(encode(text)))

    def authorization(self, value: str) -> str:
        """Return the value of the header Authorization of a request without its secret."""
        return self.text(f"{AUTHORIZATION}{value}").removeprefix(AUTHORIZATION)

    def raw(self, data: bytes) -> bytes:
        """Return `data` without any secret or personal value; text in it is taken for UTF-8."""
        known = self._known.get(data)
        if known is None:  # evidence repeats texts and bodies
            known = self._known[data] = self._clean(data)
        return known

    def content(self, content: Content) -> Content:
        """Return a body without any secret or personal value."""
        return content if isinstance(content, Unread) else self.raw(content)

    def kind_in(self, data: bytes) -> str:
        """Return the kind of the first form of a secret in `data`, also where it is escaped; "" for none."""
        for level in range(_LEVELS + 1):
            if found := next(self._finder.found_in(data), None):
                return "escapes" if level else found.kind
            data = unescaped(data)
        return ""

    def _clean(self, data: bytes) -> bytes:
        edits = self._edits(data, _LEVELS)
        return edited(data, edits) if edits else data

    def _edits(self, data: bytes, levels: int) -> list[Edit]:
        """Return the replacements in a text, as it is written and with so many levels of its escapes decoded."""
        edits = self._finder.edits_in(data)
        if levels and (said := unescaped(data)) != data and (deeper := self._edits(said, levels - 1)):
            edits = chosen(sorted([*edits, *edits_of(data, deeper)]))
        return edits


class RunSecrets(Secrets):
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
        self._learned = personal
        self._sent: dict[str, str] = {}
        self._words = ""
        self._known: tuple[tuple[tuple[str, str], ...], str] = (), ""
        self._of_secrets = Redactor(())
        self._redactor: tuple[Redactor, Sequence[Copy]] = self._of_secrets, ()

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
    def of_secrets(self) -> Redactor:
        """The redactor for the secrets that are known by now."""
        known = (*self.tokens, *((label, value) for value, label in tuple(self._sent.items()))), self._words
        if known != self._known:
            self._known, self._of_secrets = known, Redactor(known[0], words=self._words)
        return self._of_secrets

    @property
    def redactor(self) -> Redactor:
        """The redactor for the secrets and the personal values that are known by now."""
        of_secrets, personal = self.of_secrets, self._learned.copies(value for _, value in self.tokens)
        redactor, replaced = self._redactor
        if redactor.of_secrets is not of_secrets or replaced is not personal:
            redactor = of_secrets.with_personal(personal) if personal else of_secrets
            self._redactor = redactor, personal
        return redactor

    @property
    def longest(self) -> int:
        """Characters of the longest form in which a secret can appear."""
        return self.redactor.longest

    def text(self, text: str) -> str:
        """Return `text` without any secret or personal value."""
        return self.redactor.text(text)

    def secret(self, text: str) -> str:
        """Return `text` without any secret."""
        return self.of_secrets.text(text)
