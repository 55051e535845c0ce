"""The personal data of a run: what the account and the tokens tell, replaced by pseudonyms.

An answer of GET /data/me is replaced as soon as it is received, so that no message can quote it. The same values
elsewhere are replaced where something is written (`http/secrets/redaction.py`): further calls need what was received.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from threading import RLock
from typing import Any, Final

from conformance.http.secrets.account_bodies import with_pseudonyms
from conformance.http.secrets.derived import copies_of_values, derived_from
from conformance.http.secrets.forms import Copy, Finder, encode, fold, is_distinctive
from conformance.http.secrets.own_words import names_in_own_words, own_words
from conformance.http.secrets.pseudonyms import Pseudonyms
from conformance.model.account import claims_of, texts
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.exchange import Exchange, Headers, Operation, Response
from conformance.model.strict_json import Content, Unread, parsed

_SHORTEST: Final = 4
"""Characters. A shorter value is replaced in the answer of GET /data/me only: elsewhere it is part of other words."""

_FEWEST_DIGITS: Final = 5
"""The same for a number."""

_LONGEST: Final = 500
"""Characters of a value that is looked for elsewhere."""

_MOST: Final = 20_000
"""Values that are looked for elsewhere."""

_MOST_DERIVED: Final = 10_000
"""The same for what can be computed from them."""

SHORTEST_COOKIE: Final = 8
"""Characters of the shortest cookie that may name a session."""

_MOST_COOKIES: Final = 10
"""The same for cookies: a service may set another one with each answer, and each makes a new search."""

_LARGEST: Final = 4 * 1024 * 1024
"""Bytes of the largest account that is read: with many short values each megabyte takes 4 to 10 seconds."""

_MOST_PUBLIC: Final = 20_000_000
"""Bytes of public answers whose texts are noted; texts of further answers may be taken for personal values."""

_OF_THE_TOKEN: Final = frozenset(
    ("iss", "aud", "exp", "iat", "nbf", "auth_time", "scope", "scp", "azp", "client_id", "typ", "acr", "amr")
)
"""Claims that describe the token and not its user."""

_COOKIE: Final = re.compile(r"([^=;]*+=\s*\"?)([^;\"]*)(.*)", re.DOTALL)


def shows_account(exchange: Exchange, response: Response | None) -> bool:
    """Whether a response may show the account (4.6). What is refused is no account, but due to be an error object."""
    asked = exchange.operation is Operation.DATA_ME or exchange.path.startswith("/data/me")
    return asked and response is not None and response.status < 400


class _Texts:
    """Texts of a run, which are searched for values. Other threads may add some meanwhile."""

    def __init__(self, *texts: str) -> None:
        self._texts = [*texts]
        self._known = {*texts}
        self._searched = 0

    def __contains__(self, text: str) -> bool:
        return text in self._known

    def add(self, texts: Iterable[str]) -> None:
        for each in texts:
            if each not in self._known:
                self._known.add(each)
                self._texts.append(each)

    def further(self, *, anew: bool) -> str:
        """Return the texts that were added since the last time, or all."""
        first = 0 if anew else self._searched
        further = self._texts[first:]
        self._searched = first + len(further)
        return "\n".join(further)


class PersonalData:
    """What a run learns of its users. Without a key all of it is kept."""

    def __init__(self, key: bytes | None, base_url: str, stays: Callable[[str], bool]) -> None:
        """`stays` tells of a value that it is not personal: a data type, or the identifier of a request of the run."""
        self._pseudonyms = Pseudonyms(key) if key is not None else None
        self._base_url = base_url
        self._stays = stays
        self._learned: dict[str, str] = {}
        """Each value that is looked for elsewhere, with its pseudonym."""
        self._derived: dict[str, str] = {}
        """The same for what anybody can compute from them."""
        self._public = _Texts(base_url)
        """What the service shows to everybody."""
        self._own = _Texts()
        """The addresses and bodies of the run's own requests, and the identifiers of its data requests."""
        self._public_size = 0
        self._noted: set[tuple[str, Content]] = set()
        """The bodies that were searched for such texts, with their credentials: long lists come often."""
        self._received: dict[str, Content] = {}
        self._replaced: dict[Content, Content] = {}
        self._cookies: dict[str, str] = {}
        """The value of each cookie, by its pseudonym."""
        self._looked_for = 0
        """How many of the cookies are looked for elsewhere."""
        self._read: set[str] = set()
        """The tokens whose claims are learned."""
        self._exchanges = 0
        self._as_of = 0, 0
        """How many exchanges and values there were when the following was computed."""
        self._values = 0
        self._forms: Sequence[Copy] = ()
        """The forms of the learned values."""
        self._finder = Finder(())
        """Finds them."""
        self._shown: set[str] = set()
        """Those that stay: the service shows them to everybody, or the run itself wrote them."""
        self._stay: set[str] = set()
        """The same, and what a run knows to be no personal value."""
        self._copies: Sequence[Copy] = ()
        """The forms of the others."""
        self._lock = RLock()

    def received(self, exchange: Exchange) -> Any:
        """Return the JSON value of an answer as the service sent it."""
        assert exchange.response is not None
        return parsed(self._received.get(exchange.id, exchange.response.content)).value

    def recorded(self, exchange: Exchange, response: Response) -> Response:
        """Return the response as the record holds it: with pseudonyms in GET /data/me and in cookies."""
        if self._pseudonyms is None:
            return response
        self._note(exchange, response)
        if response.size and shows_account(exchange, response):
            response = replace(response, content=self._account(exchange.id, response))
        if response.header("set-cookie") is not None:
            with self._lock:
                headers = self._of_cookies(response.headers)
            response = replace(response, headers=headers, content=response.content)
        return response

    def _account(self, exchange_id: str, response: Response) -> Content:
        content = self._received[exchange_id] = response.content
        if isinstance(content, Unread):
            return content
        if content not in self._replaced:
            too_large = f"its personal values are replaced up to a size of {_LARGEST:,} bytes"
            self._replaced[content] = (
                Unread(exchange_id.encode(), response.size, too_large)
                if response.size > _LARGEST
                else self.of_body(response.body)
            )
        return self._replaced[content]

    def copies(self, tokens: Iterable[str]) -> Sequence[Copy]:
        """Return the forms of the values that are looked for elsewhere, given the tokens that were used by now.

        Public texts and the suite's own words stay as they are. It is the same list as before if nothing changed.
        """
        if self._pseudonyms is None:
            return ()
        with self._lock:  # several threads write and ask
            for token in tokens:
                self._learn_claims(token)
            if self._as_of != (as_of := (self._exchanges, len(self._learned))):
                self._as_of = as_of
                self._update()
            return self._copies

    def _update(self) -> None:
        # Those of the account come first, and their pseudonyms count.
        values = {**self._learned, **self._derived, **self._learned}
        if has_more := len(values) != self._values:
            self._values, self._forms = len(values), [*copies_of_values(values)]
            self._finder = Finder(self._forms)
            self._shown = {*self._found_in(own_words())}
        self._shown.update(self._found_in(self._public.further(anew=has_more)))
        own = self._found_in(self._own.further(anew=has_more))
        self._shown |= {each for each in own if not is_distinctive(each)}
        stay = {each for each in values if each in self._shown or self._stays(each)}
        if has_more or stay != self._stay:
            self._stay, self._copies = stay, [each for each in self._forms if each.value not in stay]

    def _found_in(self, text: str) -> Iterator[str]:
        """Yield the learned values that would be replaced in a text."""
        yield from (each.value for each in self._finder.found_in(encode(text)))

    def _learn_claims(self, token: str) -> None:
        """Learn what the claims of a token (JWT) tell of its user."""
        if token in self._read:
            return
        self._read.add(token)
        for claim, content in claims_of(token).items():
            for value in texts(content) if claim not in _OF_THE_TOKEN else ():
                self._learn(value, self._of(value))

    def _note(self, exchange: Exchange, response: Response) -> None:
        """Note what shows a value by chance, or to everybody."""
        self._exchanges += 1
        if not exchange.redirected_from:
            # The suite made this request, and knows nothing of the account. The query is left out: it may hold the
            # token, and the token the name of its user.
            self._own.add((exchange.request.url.partition("?")[0], exchange.request.body.decode("utf-8", "replace")))
        if not 200 <= response.status < 300 or (exchange.request.credential, response.content) in self._noted:
            return
        self._noted.add((exchange.request.credential, response.content))
        if exchange.operation in (Operation.SETTINGS, Operation.DATA):
            if exchange.request.credential not in KNOWN_CREDENTIALS and self._public_size < _MOST_PUBLIC:
                self._public_size += response.size
                self._public.add(texts(response.document.value))
        elif exchange.operation in (Operation.CREATE, Operation.READ):
            value = response.document.value if isinstance(response.document.value, dict) else {}
            types = value.get("dataRequested")
            known = [value.get(each) for each in ("createdAt", "completedAt")]
            known += types if isinstance(types, list) else []
            self._public.add(each for each in known if isinstance(each, str))
            if isinstance(named := value.get("requestId"), str):
                # The run also names a request without the hyphens of its identifier.
                self._own.add((named, named.replace("-", "")))

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
        with self._lock:
            return with_pseudonyms(body, self._pseudonyms, self._of, self._learn)

    def _of(self, value: str) -> str:
        assert self._pseudonyms is not None
        if value in self._public or value in self._own or self._stays(value):
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
        # A shorter one names a choice, such as a language.
        if replaced not in self._cookies and len(found[2]) >= SHORTEST_COOKIE and self._looked_for < _MOST_COOKIES:
            self._looked_for += 1
            self._learn(found[2], replaced)
        self._cookies.setdefault(replaced, found[2])
        return f"{found[1]}{replaced}{found[3]}"

    def path_shown(self, path: str) -> str:
        """Return a path in the account as a message may show it: names that are no words of the suite are values."""
        if self._pseudonyms is None:
            return path
        parts = path.split("/")
        return "/".join(part if _may_be_named(part) else self._of(part) for part in parts)

    def cookie_to_send(self, recorded: str) -> str:
        """Return the value of a cookie as the service sent it, given the recorded one; learn it, as it is sent."""
        with self._lock:
            value = self._cookies.get(recorded, recorded)
            self._learn(value, recorded)
        return value


def _is_enough(value: str) -> bool:
    enough = _SHORTEST if any(map(str.isalpha, value)) else _FEWEST_DIGITS
    return enough <= sum(map(str.isalnum, value))


def _may_be_named(part: str) -> bool:
    is_index = part.isdecimal() and len(part) < _SHORTEST
    return is_index or not part or fold(part) in names_in_own_words()
