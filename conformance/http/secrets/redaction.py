"""Redaction: no output contains a secret or a personal value, in any common encoding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from conformance.http.credentials import Bearer
from conformance.http.secrets.derived import Numbers
from conformance.http.secrets.escapes import Edit, edited, edits_of, unescaped
from conformance.http.secrets.forms import (
    AS_CREDENTIAL,
    AUTHORIZATION,
    BASE64,
    DIGESTED,
    Copy,
    Search,
    bounded,
    copies_as_credential,
    copies_of,
    copies_of_personal,
    decode,
    encode,
    fold,
)
from conformance.http.secrets.personal import PersonalData
from conformance.http.secrets.pseudonyms import in_case_of
from conformance.http.secrets.short_tokens import why_short
from conformance.model.bodies import LARGE, Content, Keep, Unread
from conformance.model.error_table import KNOWN_CREDENTIALS, MADE_UP, REFUSED_CREDENTIALS
from conformance.model.target import Token


@dataclass(frozen=True)
class PersonalValues:
    """Personal values with their pseudonyms, and the forms in which they are looked for."""

    stand_ins: Mapping[str, str] = field(default_factory=dict)
    """The pseudonym of each value: it has the length of the value, and follows its case."""
    within: Set[str] = frozenset()
    """Values that are replaced inside of words too, since identifiers contain them; a digest that is one stays."""

    @cached_property
    def copies(self) -> list[tuple[str, Copy]]:
        """The forms in lower case, each with what it stands for."""
        return [
            (fold(copy.form), copy)
            for index, (value, pseudonym) in enumerate(self.stand_ins.items())
            for copy in copies_of_personal(value, pseudonym, self.within, digests=index < DIGESTED)
        ]

    @cached_property
    def numbers(self) -> Numbers:
        """The search for numbers in other notations."""
        return Numbers(self.stand_ins)


_NONE: Final = PersonalValues()

_AS_CREDENTIAL: Final = "credential"

_LEVELS: Final = 3
"""How often escapes are decoded: those of an address, of JSON and of HTML may be written in each other."""

_LONGEST_ESCAPE: Final = 12
"""Characters that write one at most, such as in `&amp;#x0074;`; a longer one is found where it is not cut."""

_END_OF_VALUE: Final = r"(?![\w~+/=%-]|\.\w)"
"""No further character of a token follows; a full stop may end a sentence."""


class Redactor:
    """Replaces each secret by its label in brackets, and each personal value by its pseudonym, in common encodings.

    A short secret, or one that is part of `words`, which the service itself uses, is replaced only where it is sent: no
    rule reads there.
    """

    def __init__(self, secrets: Iterable[tuple[str, str]], personal: PersonalValues = _NONE, words: str = "") -> None:
        """Take pairs of label and secret. Upper and lower case (ASCII) are one; the first label of a secret counts."""
        self._secrets, self._personal, self._numbers = tuple(secrets), personal, personal.numbers
        self._words = words
        self._marks = {f"[{label}]" for label, _ in self._secrets}
        self._by_form: dict[str, Copy] = {}
        for label, secret in self._secrets:
            if secret.lower() in words or why_short(secret):
                for form in copies_as_credential(secret) if secret else ():
                    self._by_form.setdefault(fold(form), Copy(form, _AS_CREDENTIAL, f"[{label}]"))
                continue
            for kind, form in copies_of(secret):
                self._by_form.setdefault(fold(form), Copy(form, kind, f"[{label}]"))
        for form, copy in personal.copies:
            self._by_form.setdefault(form, copy)
        # A token may contain another one: the longest copy is tried first.
        self._copies = sorted(self._by_form, key=len, reverse=True)
        longest = max((len(secret) for _, secret in self._secrets), default=0)
        longest = max([longest, *map(len, personal.stand_ins)])
        self.longest = (
            max(len(self._copies[0]), self._numbers.longest, _LONGEST_ESCAPE * longest) if self._copies else 0
        )
        """Characters of the longest form in which a secret or a personal value can appear."""
        self._search = Search([encode(copy) for copy in self._copies], little=True)
        self._patterns: dict[tuple[tuple[int, ...], tuple[int, ...]], str] = {}
        self._texts: dict[str, str] = {}
        self._known: dict[bytes, bytes] = {}
        self._kept: dict[Content, Content] = {}

    @cached_property
    def of_secrets(self) -> Redactor:
        """The redactor for what the user wrote: it replaces the secrets only."""
        return Redactor(self._secrets, words=self._words) if self._personal.stand_ins else self

    @cached_property
    def of_personal(self) -> Redactor:
        """The redactor that replaces the personal values only, so that every text keeps its length."""
        return Redactor((), self._personal)

    def personal(self, text: str) -> str:
        """Return `text` with each personal value replaced, and as long as before."""
        return self.of_personal.text(text) if self._personal.stand_ins else text

    def text(self, text: str) -> str:
        """Return `text` without any secret or personal value."""
        known = self._texts.get(text)
        if known is None:  # evidence repeats short texts
            known = decode(self._clean(encode(text)))
            if len(text) <= LARGE:
                self._texts[text] = known
        return known

    def authorization(self, value: str) -> str:
        """Return the value of the header Authorization of a request without its secret."""
        return self.text(f"{AUTHORIZATION}{value}").removeprefix(AUTHORIZATION)

    def raw(self, data: bytes) -> bytes:
        """Return `data` without any secret or personal value; text in it is taken for UTF-8."""
        if len(data) > LARGE:
            return self._clean(data)
        known = self._known.get(data)
        if known is None:
            known = self._known[data] = self._clean(data)
        return known

    def content(self, content: Content, keep: Keep) -> Content:
        """Return a body without any secret or personal value, kept by `keep` where it is large."""
        if isinstance(content, bytes):
            return self.raw(content)
        if isinstance(content, Unread):
            return content
        known = self._kept.get(content)
        if known is None:
            body = content.read()
            clean = self._clean(body)
            known = self._kept[content] = content if clean is body else keep(clean)
        return known

    def _clean(self, data: bytes) -> bytes:
        pattern, deeper = self._sought_in(data), self._deeper(data, _LEVELS)
        if deeper:
            return edited(data, [*self._edits(data, pattern), *deeper])
        return data if pattern is None else pattern.sub(lambda found: self._edit(found).new, data)

    def _sought_in(self, data: bytes) -> re.Pattern[bytes] | None:
        """Return the expression for what occurs in a text as it is written; None if nothing does."""
        found, numbers = tuple(self._search.found_in(data)), self._numbers.found_in(data)
        return re.compile(encode(self._pattern(found, numbers)), re.IGNORECASE) if found or numbers else None

    def _edits(self, data: bytes, pattern: re.Pattern[bytes] | None) -> list[Edit]:
        return [self._edit(each) for each in pattern.finditer(data)] if pattern else []

    def _deeper(self, data: bytes, levels: int) -> list[Edit]:
        """Return the replacements where a text is escaped, in this number of levels."""
        if not levels or (said := unescaped(data)) == data:
            return []
        edits = [*self._edits(said, self._sought_in(said)), *self._deeper(said, levels - 1)]
        return edits_of(data, edits) if edits else []

    def kind_in(self, data: bytes) -> str:
        """Return the kind of the first form of a secret in `data`, also where it is escaped; "" for none."""
        for level in range(_LEVELS + 1):
            if found := self._search.found_in(data):
                return "escapes" if level else self._by_form[self._copies[found[0]]].kind
            data = unescaped(data)
        return ""

    def _edit(self, found: re.Match[bytes]) -> Edit:
        text = decode(found[0])
        copy = self._by_form.get(fold(text))
        is_mark = copy is not None and copy.shown in self._marks
        return Edit(found.start(), found.end(), encode(self._shown(text, copy)), is_mark)

    def _shown(self, found: str, copy: Copy | None) -> str:
        if copy is None:
            return self._numbers.shown(found)
        if copy.kind == _AS_CREDENTIAL:
            before = next(each for each in AS_CREDENTIAL if fold(found).startswith(fold(each)))
            return found[: len(before)] + copy.shown
        if found == copy.form or copy.shown in self._marks:
            return copy.shown
        # In base64 the case is part of the value, so that this is another one.
        return found if copy.kind == BASE64 else in_case_of(found, fold(copy.shown))

    def _pattern(self, places: tuple[int, ...], numbers: tuple[int, ...]) -> str:
        """Return the expression for some copies and numbers; one for all would take seconds if tokens are long."""
        if (places, numbers) not in self._patterns:
            copies = [self._copies[place] for place in places]
            parts = [
                re.escape(copy) + (_END_OF_VALUE if self._by_form[copy].kind == _AS_CREDENTIAL else "")
                for copy in copies
                if not self._by_form[copy].bounded
            ]
            # A place in the text is tested once for all of these.
            within = [re.escape(copy) for copy in copies if self._by_form[copy].bounded]
            parts += bounded([*self._numbers.expressions(numbers), *within])
            self._patterns[places, numbers] = "|".join(parts)
        return self._patterns[places, numbers]


class RunSecrets:
    """The secrets of one run: the tokens of its users, each value that a token command gave, and similar credentials.

    Similar credentials are what the run sends in place of a token, such as a token altered in one character. `refused`
    are real tokens that the service must not accept, by their labels; `further` are secrets for what stands before it.
    """

    def __init__(
        self,
        credentials: Mapping[str, Bearer],
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
        self._secrets: tuple[tuple[str, str], ...] = ()
        self._personal = _NONE
        self._of_secrets = self._redactor = Redactor(())
        self._known: tuple[Redactor, Mapping[str, str], Set[str]] = self._of_secrets, {}, frozenset()

    def note_sent(self, label: str, authorization: str) -> None:
        """Note an Authorization header made of the token of a user: its label replaces it in the outputs."""
        if label not in MADE_UP:
            self._sent.setdefault(authorization.partition(" ")[2], label)

    def note_words(self, words: str) -> None:
        """Note words of the service that contain a token, in lower case: there it is no secret."""
        self._words = words
        self._secrets = ()  # so that the next text gets another redactor

    @property
    def tokens(self) -> list[tuple[str, str]]:
        """The tokens that were used by now, the real ones that the service must not accept, and further secrets.

        Each has its mark.
        """
        used = [
            (f"{KNOWN_CREDENTIALS[label]}{f' {index}' if index else ''}", value)
            for label, bearer in tuple(self._credentials.items())
            for index, value in enumerate(bearer.token.used)
        ]
        return used + self._refused + self.further

    @property
    def sought(self) -> list[tuple[str, str]]:
        """The tokens that no file of the run may contain."""
        return [(label, token) for label, token in self.tokens if token.lower() not in self._words]

    @property
    def of_secrets(self) -> Redactor:
        """The redactor for the secrets that are known by now."""
        secrets = (*self.tokens, *((label, value) for value, label in tuple(self._sent.items())))
        if secrets != self._secrets:
            self._secrets, self._of_secrets = secrets, Redactor(secrets, words=self._words)
        return self._of_secrets

    @property
    def redactor(self) -> Redactor:
        """The redactor for the secrets and the personal values that are known by now."""
        of_secrets, stand_ins = self.of_secrets, self._learned.stand_ins(value for _, value in self.tokens)
        known = of_secrets, stand_ins, self._learned.within
        if known != self._known:
            # A token is no personal value, also where the account shows it.
            personal = {one: other for one, other in stand_ins.items() if of_secrets.text(one) == one}
            values = self._personal  # another thread may replace it meanwhile, by what it knew before
            if (personal, known[2]) != (values.stand_ins, values.within):
                self._personal = values = PersonalValues(personal, known[2])
            redactor = Redactor(self._secrets, values, self._words) if personal else of_secrets
            redactor.of_secrets = of_secrets
            self._redactor, self._known = redactor, known
        return self._redactor

    @property
    def longest(self) -> int:
        """Characters of the longest form in which a secret can appear."""
        return self.redactor.longest

    def text(self, text: str) -> str:
        """Return `text` without any secret or personal value."""
        return self.redactor.text(text)

    def personal(self, text: str) -> str:
        """Return `text` with each personal value replaced, and as long as before."""
        return self.redactor.personal(text)

    def secret(self, text: str) -> str:
        """Return `text` without any secret."""
        return self.of_secrets.text(text)
