"""The personal data of a run: what the account and the tokens tell, replaced by pseudonyms.

An answer of GET /data/me is replaced as soon as it is received, so that no message can quote it. The same values
elsewhere are replaced where something is written (`http/secrets/redaction.py`): further calls need what was received.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any, Final

from conformance.http.secrets.account_bodies import with_pseudonyms
from conformance.http.secrets.derived import Numbers, derived_from
from conformance.http.secrets.forms import DIGESTED, DISTINCTIVE, Search, digests_of, encode, fold, occurs
from conformance.http.secrets.own_words import names_in_own_words, own_words
from conformance.http.secrets.pseudonyms import Pseudonyms
from conformance.model.account import claims_of, texts
from conformance.model.bodies import LARGE, Content, Keep, Unread, parsed
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.exchange import Exchange, Headers, Operation, Response

_SHORTEST: Final = 4
"""Characters. A shorter value is replaced in the answer of GET /data/me only: elsewhere it is part of other words."""

_FEWEST_DIGITS: Final = 5
"""The same for a number."""

_LONGEST: Final = 500
"""Characters of a value that is looked for elsewhere."""

_MOST: Final = 20_000
"""Values that are looked for elsewhere."""

_MOST_DERIVED: Final = 2_000
"""The same for what can be computed from them."""

SHORTEST_COOKIE: Final = 8
"""Characters of the shortest cookie that may name a session."""

_MOST_COOKIES: Final = 10
"""The same for cookies: a service may set another one with each answer, and each makes a new search."""

_MOST_PUBLIC: Final = 20_000_000
"""Bytes of public answers whose texts are noted; texts of further answers may be taken for personal values."""

_OF_THE_TOKEN: Final = frozenset(
    ("iss", "aud", "exp", "iat", "nbf", "auth_time", "scope", "scp", "azp", "client_id", "typ", "acr", "amr")
)
"""Claims that describe the token and not its user."""

_COOKIE: Final = re.compile(r"([^=;]*+=\s*\"?)([^;\"]*)(.*)", re.DOTALL)

_TOO_LONG: Final = "its personal values take longer to replace than the run has time"

_SECONDS_A_BYTE: Final = 1e-5
"""Measured with many short values: 4 s for each megabyte; a slow machine takes twice as long."""


def shows_account(exchange: Exchange, response: Response | None) -> bool:
    """Whether a response may show the account (4.6). What is refused is no account, but due to be an error object."""
    asked = exchange.operation is Operation.DATA_ME or exchange.path.startswith("/data/me")
    return asked and response is not None and response.status < 400


class PersonalData:
    """What a run learns of its users. Without a key all of it is kept."""

    def __init__(self, key: bytes | None, base_url: str, stays: Callable[[str], bool], keep: Keep = bytes) -> None:
        """`stays` tells of a value that it is not personal: a data type, or the identifier of a request of the run."""
        self._pseudonyms = Pseudonyms(key) if key is not None else None
        self._base_url = base_url
        self._stays = stays
        self._learned: dict[str, str] = {}
        """Each value that is looked for elsewhere, with its pseudonym."""
        self._derived: dict[str, str] = {}
        """The same for what anybody can compute from them."""
        self._public: dict[str, None] = {base_url: None}
        """The texts that the service shows to everybody, and the bodies of the run's own requests."""
        self._asked: dict[str, None] = {}
        """The addresses of the run's own requests."""
        self._identifiers: dict[str, None] = {}
        """The identifiers of requests, which a service may make of a value of the account."""
        self._public_size = 0
        self._keep = keep
        self._noted: set[tuple[str, Content]] = set()
        """The bodies that were searched for such texts, with their credentials: long lists come often."""
        self._received: dict[str, Content] = {}
        self._replaced: dict[Content, Content] = {}
        self._cookies: set[str] = set()
        self._cookie_values: dict[str, str] = {}
        """The value of each cookie, by its pseudonym."""
        self._read: set[str] = set()
        """The tokens whose claims are learned."""
        self._exchanges = 0
        self._stand_ins: dict[str, str] = {}
        self._search, self._numbers = Search([]), Numbers({})
        """Find the learned values."""
        self._shown: set[str] = set()
        """Those that are public, or words of the suite."""
        self._asked_for: set[str] = set()
        """Those in the addresses of the run's own requests."""
        self.within: frozenset[str] = frozenset()
        """Those that the service puts into identifiers, inside of words, and digests that are identifiers."""
        self._digests: set[str] = set()
        self._searched = 0, 0, 0
        """The numbers of public texts, addresses and identifiers that were searched for them."""
        self._as_of = -1, -1
        self._lock = Lock()

    def received(self, exchange: Exchange) -> Any:
        """Return the JSON value of an answer as the service sent it."""
        assert exchange.response is not None
        return parsed(self._received.get(exchange.id, exchange.response.content)).value

    def recorded(self, exchange: Exchange, response: Response, *, seconds: float = math.inf) -> Response:
        """Return the response as the record holds it: with pseudonyms in GET /data/me and in cookies.

        An account whose values take longer to replace than these `seconds` is not read.
        """
        if self._pseudonyms is None:
            return response
        self._note_public(exchange, response)
        if not exchange.redirected_from:
            # The suite made this request, and knows nothing of the account: what both contain is chance. The query is
            # left out: it may hold the token, and the token the name of its user.
            self._asked[exchange.request.url.partition("?")[0]] = None
            self._public[exchange.request.body.decode("utf-8", "replace")] = None
        self._exchanges += 1
        if response.size and shows_account(exchange, response):
            content = self._received[exchange.id] = response.content
            body = content if isinstance(content, Unread) else self._replaced.get(content)
            if body is None and response.size > LARGE and _SECONDS_A_BYTE * response.size > seconds:
                body = self._replaced[content] = Unread(exchange.id.encode(), response.size, _TOO_LONG)
            if body is None:
                body = self._replaced[content] = self._keep(self.of_body(response.body))
            response = replace(response, body=body)
        if response.header("set-cookie") is not None:
            response = replace(response, headers=self._of_cookies(response.headers), body=response.content)
        return response

    def _learn_claims(self, token: str) -> None:
        """Learn what the claims of a token (JWT) tell of its user."""
        if token in self._read:
            return
        self._read.add(token)
        for claim, content in claims_of(token).items():
            for value in texts(content) if claim not in _OF_THE_TOKEN else ():
                self._learn(value, self._of(value))

    def stand_ins(self, tokens: Iterable[str]) -> dict[str, str]:
        """Return the pseudonym of each value that is looked for elsewhere, given the tokens that were used by now.

        Public texts and the suite's own words stay as they are.
        """
        if self._pseudonyms is None:
            return {}
        for token in tokens:
            self._learn_claims(token)
        with self._lock:  # the search and its results belong together, and several threads write and ask
            self._update()
            return self._stand_ins

    def _update(self) -> None:
        if (self._exchanges, len(self._learned) + len(self._derived)) == self._as_of:
            return
        # Other threads learn meanwhile. A copy is made at once; a loop over a dict may meet a new entry.
        known, computed = self._learned.copy(), self._derived.copy()
        as_of = self._exchanges, len(known) + len(computed)
        learned = (*known.items(), *((value, other) for value, other in computed.items() if value not in known))
        if as_of[1] != self._as_of[1]:
            self._search = Search([encode(value) for value, _ in learned])
            self._numbers = Numbers(dict(learned))
            self._shown, self._asked_for, self.within = self._values_in(own_words(), learned), set(), frozenset()
            self._searched = 0, 0, 0
            self._digests = {each for value, _ in learned[:DIGESTED] for each in digests_of(value)}
        public, asked, identifiers = (tuple(each.copy()) for each in (self._public, self._asked, self._identifiers))
        self._shown |= self._values_in(_joined(public[self._searched[0] :]), learned)
        self._asked_for |= self._values_in(_joined(asked[self._searched[1] :]), learned)
        named = _joined(identifiers[self._searched[2] :])
        found = (learned[index][0] for index in self._search.found_in(encode(named)))
        # A shorter one may be there by chance. The run also names a request without the hyphens of its identifier.
        self.within |= {value for value in found if len(value) >= DISTINCTIVE}
        self.within |= self._digests & set(named.replace("-", "").split("\n"))
        self._searched = len(public), len(asked), len(identifiers)
        shown = self._shown | (self._asked_for - self.within)
        self._stand_ins = {value: other for value, other in learned if value not in shown and not self._stays(value)}
        self._as_of = as_of

    def _values_in(self, text: str, learned: Sequence[tuple[str, str]]) -> set[str]:
        values = (learned[index][0] for index in self._search.found_in(encode(text)))
        return {value for value in values if occurs(value, text)} | self._numbers.values_in(text)

    def _note_public(self, exchange: Exchange, response: Response) -> None:
        if not 200 <= response.status < 300 or (exchange.request.credential, response.content) in self._noted:
            return
        self._noted.add((exchange.request.credential, response.content))
        if exchange.operation in (Operation.SETTINGS, Operation.DATA):
            if exchange.request.credential not in KNOWN_CREDENTIALS and self._public_size < _MOST_PUBLIC:
                self._public_size += response.size
                self._public.update(dict.fromkeys(texts(response.document.value)))
        elif exchange.operation in (Operation.CREATE, Operation.READ):
            value = response.document.value if isinstance(response.document.value, dict) else {}
            types = value.get("dataRequested")
            known = [value.get(each) for each in ("createdAt", "completedAt")]
            known += types if isinstance(types, list) else []
            self._public.update(dict.fromkeys(each for each in known if isinstance(each, str)))
            if isinstance(named := value.get("requestId"), str):
                self._identifiers[named] = self._asked[named] = None

    def _learn(self, value: str, replaced: str) -> None:
        wanted = _is_enough(value) and len(value) <= _LONGEST and value != replaced
        if not wanted or value in self._learned or len(self._learned) >= _MOST:
            return
        self._learned[value] = replaced
        if len(self._derived) < _MOST_DERIVED:
            self._derived |= {
                text: other for text, other in derived_from(value, self._of) if text != other and _is_enough(text)
            }

    def of_body(self, body: bytes) -> bytes:
        """Return the body of an answer of GET /data/me with pseudonyms, and learn its values."""
        assert self._pseudonyms is not None
        return with_pseudonyms(body, self._pseudonyms, self._of, self._learn)

    def _of(self, value: str) -> str:
        assert self._pseudonyms is not None
        if value in self._public or value in self._asked or self._stays(value):
            return value
        start = self._base_url if value.startswith(self._base_url) else ""
        return start + self._pseudonyms.of(value.removeprefix(start))

    def _of_cookies(self, headers: Headers) -> Headers:
        return tuple(
            (name, self._of_cookie(value) if name.lower() == "set-cookie" else value) for name, value in headers
        )

    def _of_cookie(self, text: str) -> str:
        found = _COOKIE.fullmatch(text)
        if found is None or not found[2]:
            return text
        replaced = self._of(found[2])
        self._cookie_values.setdefault(replaced, found[2])
        # A shorter one names a choice, such as a language.
        if len(found[2]) >= SHORTEST_COOKIE and len(self._cookies) < _MOST_COOKIES:
            self._cookies.add(found[2])
            self._learn(found[2], replaced)
        return f"{found[1]}{replaced}{found[3]}"

    def path_shown(self, path: str) -> str:
        """Return a path in the account as a message may show it: names that are no words of the suite are values."""
        if self._pseudonyms is None:
            return path
        parts = path.split("/")
        return "/".join(part if self._may_be_named(part) else self._of(part) for part in parts)

    @staticmethod
    def _may_be_named(part: str) -> bool:
        is_index = part.isdecimal() and len(part) < _SHORTEST
        return is_index or not part or fold(part) in names_in_own_words()

    def cookie_to_send(self, recorded: str) -> str:
        """Return the value of a cookie as the service sent it, given the recorded one; learn it, as it is sent."""
        value = self._cookie_values.get(recorded, recorded)
        self._learn(value, recorded)
        return value


def _is_enough(value: str) -> bool:
    enough = _SHORTEST if any(map(str.isalpha, value)) else _FEWEST_DIGITS
    return enough <= sum(map(str.isalnum, value))


def _joined(texts: Iterable[str]) -> str:
    return "\n".join(texts).lower()
