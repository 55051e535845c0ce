"""The recorded session with a target, through which every call passes."""

from __future__ import annotations

import random
import secrets
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from ipaddress import ip_address
from itertools import count
from typing import Any, TypeVar

import httpx

from conformance.facts.creation import made_by
from conformance.http import appearance, concurrency
from conformance.http.clock import MACHINE, Clock
from conformance.http.creations.journal import CLEAN_UP, Journal
from conformance.http.record import Record
from conformance.http.run_time import TIME_IS_UP, RunTime
from conformance.http.secrets.personal import PersonalData
from conformance.http.secrets.pseudonyms import id_of
from conformance.http.secrets.redaction import RunSecrets
from conformance.http.secrets.words import distinctive_parts
from conformance.model.errors import ConfigurationFault, NotDecided
from conformance.model.exchange import (
    CONFLICTS,
    NO_INTENT,
    ErrorKind,
    Exchange,
    Intent,
    Operation,
    Superseded,
    redirect_of,
    same_origin,
)
from conformance.model.further_headers import mark_of
from conformance.model.identity import PLAIN, Variation, segment
from conformance.model.run_record import CheckedTarget
from conformance.model.target import SEVERAL, Target, Token
from conformance.model.text import hide
from conformance.model.verdict import Blame

_T = TypeVar("_T")


@dataclass
class SharedResults:
    """Results of a run that every check and scenario may read."""

    settings: dict[str, Any] | None = None
    """The document of GET /settings."""
    data_types: list[Any] | None = None
    """The document of GET /data."""
    types: list[str] | None = None
    """The identifiers of the available data types, without repetition."""
    every_type: frozenset[str] | None = None
    """Every identifier that the service listed during the run, because earlier creations used earlier lists."""
    behind_token: set[str] = field(default_factory=set)
    """The paths of the public operations that require a token."""
    selected_language: dict[str, Any] = field(default_factory=dict)
    """Arguments of GET /data, if the service answers only with a language."""
    data_me: Exchange | None = None
    """An answer to GET /data/me with the token of the user."""
    early_creation: Exchange | None = None
    """The creation of the early request, which exists until the end of the run."""
    left_creation: Exchange | None = None
    """The creation of the request that an earlier run left for this one."""
    selector_is_unknown: bool = False
    """Whether the service publishes several languages, and no selector that the run tried has an effect."""
    selector_denied: str = ""
    """The language selector that has an effect, if the tester confirmed that there is none."""
    scenarios: dict[object, Future[Any]] = field(default_factory=dict)
    """The result or exception of each scenario."""
    on_end: Callable[[Any], None] = lambda _: None
    """Called with each scenario that has a result or an exception."""


class Session:
    """A run's transport, record, journal and source of chance."""

    without = ""
    """A library that generates nothing in this run, so that the self-test can tell what it finds."""

    def __init__(
        self,
        target: Target,
        *,
        seed: int = 0,
        journal: Journal | None = None,
        transport: httpx.BaseTransport,
        clock: Clock = MACHINE,
        began: float | None = None,
        in_turn: bool = False,
        nonce: str = "",
        pseudonym_key: bytes = b"",
        keep_personal_data: bool = False,
    ) -> None:
        """Bind to `target`. The time of the run counts from `began`, in seconds of `clock`, or from now.

        Personal data is replaced by pseudonyms under `pseudonym_key`, or under a random key that is not kept.
        `in_turn` makes parallel calls one after another and starts racing calls in a fixed order, so that the same run
        makes the same calls in the same order. `nonce` is the challenge of a regulator, or empty.
        """
        budget = target.budget
        self.journal = journal or Journal()
        self.clock = RunTime(clock, budget.max_time, self.journal, concurrency=budget.concurrency, began=began)
        """The clock of the run, and how much of the run's time is left."""
        self.target = target
        self._in_turn = in_turn
        self._width = 1 if in_turn else budget.concurrency
        self.seed = seed
        self.nonce = nonce
        self._headers = appearance.header_of(nonce, anonymous=target.anonymous)
        if target.app_host:
            self._headers["Host"] = target.app_host
        self._headers.update(target.headers)
        self.user_agent = self._headers["User-Agent"]
        """User-Agent of every call."""
        self.credentials = {
            label: token for label, token in (("user", target.user), ("other user", target.other)) if token is not None
        }
        self.results = SharedResults()
        key = None if keep_personal_data else pseudonym_key or secrets.token_bytes(32)
        self.pseudonym_key = id_of(key) if key and pseudonym_key else ""
        """The id of the key that was given, if it is used."""
        stays = weakref.WeakMethod(self._is_of_the_service)  # what `hide` keeps must not keep the whole run
        self.personal = PersonalData(key, target.base_url, lambda value: (ask := stays()) is not None and ask(value))
        self.secrets = RunSecrets(self.credentials, self.personal, target.refused, _of_the_way(target))
        # The journal keeps personal values: the clean-up needs the identifiers as they are.
        run_secrets = self.secrets
        self.journal.clean = lambda text: run_secrets.redactor.of_secrets.text(text)
        hide(self.secrets.text)
        self._chance = random.Random(seed)
        self.notes: list[str] = []
        """Reservations that the report states first although no requirement is violated."""
        self.kept: set[str] = set()
        """Identifiers of requests that only the end of the run deletes."""
        self._deletion_failures: Counter[str] = Counter()
        """How often the deletion of a request of the run failed."""
        self.at_once = threading.Semaphore(budget.concurrency)
        """Held by each call that is in progress."""
        self.peers: CheckedTarget = getattr(transport, "peers", None) or CheckedTarget()
        """The addresses and the TLS connection that the requests went to; empty without a network."""
        self.record = Record(transport, target, self.journal, self.clock, self.personal)
        self._groups = count(1)

    def begin_with(self, earlier: Sequence[Exchange]) -> None:
        """Go on with the request that an earlier run left: `earlier` are all calls about it, its creation first."""
        creation = earlier[0]
        request_id, owner = str(made_by(creation).request_id), creation.request.credential
        self.record.begin_with(earlier)
        self.results.left_creation = creation
        self.journal.live, self.journal.left = {request_id: owner}, request_id

    @property
    def is_local(self) -> bool:
        """Whether every connection led to this machine or into a private network."""
        found = self.peers.addresses
        return all(ip_address(each).is_private for each in found) if found else self.target.is_loopback

    def _is_of_the_service(self, value: str) -> bool:
        """Whether a value is a data type, the identifier of a request of the run, or contains a token."""
        if any(token in value for _, token in self.secrets.tokens):
            return True  # redaction marks the token
        journal = self.journal
        known = (self.results.every_type or (), journal.live, journal.gone, journal.lost)
        return any(value in each for each in known)

    def assume(self, assumption: str) -> None:
        """Note an assumption for the report, once; "" is none."""
        note = f"{assumption} The tests that depend on it use that value."
        if assumption and note not in self.notes:
            self.notes.append(note)

    @property
    def chance(self) -> random.Random:
        """The source of chance, of the scenario or check to which the exchanges of this thread are attributed."""
        return concurrency.here().chance or self._chance

    def made_up(self, kind: str) -> str:
        """Return a word that no service knows; `kind` is a noun for what it stands for."""
        return appearance.made_up(kind, self.chance, anonymous=self.target.anonymous)

    @contextmanager
    def attributed_to(self, check: str, *, chance_of: str = "") -> Iterator[list[Exchange]]:
        """Attribute and list the exchanges of this thread: of `check`, with its own chance or that of another name."""
        own: list[Exchange] = []
        with concurrency.changed(check=check, chance=random.Random(f"{self.seed}/{chance_of or check}"), own=own):
            yield own

    def send(
        self,
        method: str,
        path: str,
        *,
        credential: str = "no token",
        authorization: str | Sequence[str] = (),
        content: bytes | None = None,
        headers: dict[str, str] | None = None,
        query: str = "",
        intent: Intent = NO_INTENT,
        operation: Operation | None = None,
        variation: Variation = PLAIN,
    ) -> Exchange:
        """Make a call and return the recorded exchange, with or without a response.

        `credential` is the label of a known token, or a description of the raw Authorization headers that are sent.
        """
        url = f"{self.target.base_url}{path}" + (f"?{query}" if query else "")
        request = self._request(method, _url(url), headers, content)
        appearance.vary(request, variation, anonymous=self.target.anonymous)
        request.extensions |= {"intent": intent, "operation": operation}
        exchange = self._put(request, credential, authorization)
        onward = _redirect_to_follow(exchange, self.credentials) if 300 <= exchange.status < 400 else None
        if onward is None:
            return exchange
        again = self._request("GET", onward, headers)
        again.extensions |= {"intent": intent, "operation": exchange.operation, "redirected_from": exchange.id}
        second = self._put(again, credential, authorization)
        exchange.redirected_to = second.id
        if _leads_elsewhere(exchange, second):
            # That page is no operation of the interface: its errors may have any form.
            second.intent = replace(second.intent, open=True, unusual=True)
            return exchange
        return second

    def _put(self, request: httpx.Request, credential: str, authorization: str | Sequence[str]) -> Exchange:
        """Send a request with its credential; raise NotDecided if a budget is spent."""
        request.extensions["credential"] = credential
        # The description of raw Authorization headers, a byte a letter; the report must not show them.
        raw = (authorization,) if isinstance(authorization, str) else authorization
        for each in raw:
            self.secrets.note_sent(credential, each)
        if raw:
            given = ((b"Authorization", each.encode("latin-1")) for each in raw)
            request.headers = httpx.Headers([*request.headers.raw, *given])
        token = self.credentials.get(credential)
        # A call of a race does not wait until fewer calls are in progress.
        with nullcontext() if concurrency.in_a_race() else self.at_once:
            exchange = self.record.call(request) if token is None else self._with_token(request, token)
        if exchange.error_detail == TIME_IS_UP:
            raise self.clock.undecided()
        if exchange.error is ErrorKind.BUDGET:
            creations = "creations" in exchange.error_detail
            raise NotDecided(
                f"{exchange.error_detail}; this was not tested.",
                blame=Blame.CONFIGURATION,
                remedy=self.to_create_more() if creations else "Raise --max-requests, and run again.",
            )
        return exchange

    def _with_token(self, request: httpx.Request, token: Token) -> Exchange:
        """Send with a token (5.1); once more with a new one if the target refused it and the command gives another.

        If the target accepts the new token, the refused exchange is superseded: its token had expired.
        """
        sent = token.current()
        request.headers["Authorization"] = f"Bearer {sent}"
        exchange = self.record.call(request)
        another = token.instead_of(sent) if exchange.status == 401 else None
        if another is None:
            return exchange
        request.headers["Authorization"] = f"Bearer {another}"
        request.extensions["repeats"] = exchange.id
        repeated = self.record.call(request)
        if repeated.counts and repeated.status not in (401, 403):
            exchange.supersede(Superseded.EXPIRED)
        return repeated

    def parallel(self, calls: Sequence[Callable[[], _T]], *, at_most: int | None = None) -> list[_T]:
        """Make independent calls, as many at a time as the budget's concurrency and `at_most` allow.

        A call must not draw from `chance`, unless it is attributed to a name of its own.
        """
        width = min(self._width, at_most or self._width)
        return concurrency.parallel(calls, width=width, groups=self._groups)

    def race(self, calls: Sequence[Callable[[], _T]]) -> list[_T]:
        """Make calls of one exchange each that are sent at one moment."""
        return concurrency.race(calls, in_turn=self._in_turn, groups=self._groups)

    def _request(
        self, method: str, url: httpx.URL, headers: dict[str, str] | None, content: bytes | None = None
    ) -> httpx.Request:
        said = self._headers.copy()
        if method == "DELETE":
            said["Accept"] = "*/*"  # some frameworks label a text as the client likes best (4.3)
        for name, value in (headers or {}).items():
            said[name] = value  # in the place of the usual value, as common clients do
        return httpx.Request(method, url, headers=said, content=content)

    def to_create_more(self) -> str:
        """Return the advice for a run whose budget of creations is spent."""
        return self.target.budget.to_create_more((self.results.settings or {}).get("maxNumberOfRequests"))

    def stop(self) -> None:
        """Ask the run to end: the next call raises KeyboardInterrupt. A signal handler may call this."""
        self.clock.stopped = True
        for token in self.credentials.values():
            token.stop()
        if self.target.completion is not None:
            self.target.completion.stop()

    def clean_up(self, *, insist: bool = False) -> None:
        """Delete the requests of the run that still exist, except that which stays and those that only its end deletes.

        The run cannot keep a request whose identifier others have. A request whose deletion failed three times is tried
        again only with `insist`, at the end of the run.
        """
        live, failures = self.journal.live, self._deletion_failures
        kept = self.kept - self.journal.repeated.keys()
        doomed = [one for one in live if insist or (one not in kept and failures[one] < SEVERAL)]
        doomed = [one for one in doomed if one != self.journal.left]
        doomed.sort(key=lambda one: (live[one], one))  # the journal has them in the order of the answers
        deletions = self.parallel([partial(self.remove, request_id) for request_id in doomed])
        for request_id, deletion in zip(doomed, deletions, strict=True):
            # Some services refuse a deletion beside another one.
            if deletion is not None and deletion.status in CONFLICTS:
                self.remove(request_id)
        failures.update(request_id for request_id in doomed if request_id in self.journal.live)

    def remove(self, request_id: str) -> Exchange | None:
        """Delete a request that the run created, unless it is deleted already; return the last deletion."""
        deletion = None
        # Without a token the request is left behind, and the report says so.
        with suppress(NotDecided, ConfigurationFault):
            # Where several requests have this identifier, each deletion removes one of them.
            while (label := self.journal.live.get(request_id)) and (deletion is None or 200 <= deletion.status < 300):
                path, intent = f"/requests/{segment(request_id)}", Intent(request=CLEAN_UP)
                deletion = self.send("DELETE", path, credential=label, intent=intent)
        return deletion

    def close(self) -> None:
        """Close the connections."""
        self.record.close()


def _redirect_to_follow(exchange: Exchange, known: Container[str]) -> httpx.URL | None:
    """Return the target of a GET's redirect within the origin (one hop only), or None.

    `known` has the labels of the credentials that the service should accept.
    """
    here, there = exchange.request.url, redirect_of(exchange)
    if exchange.request.method != "GET" or there is None or there == here or not same_origin(there, here):
        return None
    unknown = exchange.operation is Operation.READ and exchange.request.credential not in known
    if unknown and httpx.URL(here).path.rpartition("/")[2] not in there.path:
        return None  # the required status is 401, so the redirect to a login is the answer to judge
    return there


def _leads_elsewhere(exchange: Exchange, second: Exchange) -> bool:
    """Whether GET /data/me redirected elsewhere, such as to a login: 4.6 shows no authentication."""
    answer = second.response
    if exchange.operation is not Operation.DATA_ME or answer is None:
        return False
    if answer.status == 200:
        return bool(answer.document.problem)
    here, there = (httpx.URL(each.request.url).path.rstrip("/") for each in (exchange, second))
    return here != there


def _of_the_way(target: Target) -> list[tuple[str, str]]:
    """Return the secrets for what stands before the service, with their labels.

    What the base_url shows is none, such as the value of Origin: a mark in its place would be in every address.
    """
    found = [(mark_of(name), part) for name, value in target.headers for part in distinctive_parts(value)]
    found += target.proxy.secrets if target.proxy else ()
    shown = target.base_url.lower()
    return [(label, secret) for label, secret in found if secret.lower() not in shown]


_url = lru_cache(maxsize=512)(httpx.URL)
