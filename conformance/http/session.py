"""The recorded session with a target, through which every call passes."""

from __future__ import annotations

import contextlib
import random
import secrets
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice
from threading import Semaphore, Thread
from typing import Any, TypeVar

import httpx

from conformance.http import appearance, concurrency
from conformance.http.bodies import BodyStore
from conformance.http.clock import MACHINE, Clock
from conformance.http.credentials import Bearer
from conformance.http.journal import Journal
from conformance.http.network import Peers
from conformance.http.personal import SHORTEST_COOKIE, PersonalData
from conformance.http.pseudonyms import id_of
from conformance.http.record import Record, SharedResults
from conformance.http.recorder import GIVES_UP_AFTER, RecordingTransport
from conformance.http.redaction import RunSecrets
from conformance.http.run_time import TIME_IS_UP, RunTime
from conformance.model.errors import ConfigurationFault, NotDecided
from conformance.model.exchange import (
    CONFLICT,
    NO_INTENT,
    ErrorKind,
    Exchange,
    Intent,
    Operation,
    TransportError,
    redirect_of,
    same_origin,
)
from conformance.model.identity import PLAIN, Manner, segment
from conformance.model.target import Target
from conformance.model.text import hide
from conformance.model.verdict import Blame

_T = TypeVar("_T")


class Session:
    """A run's transport, record, journal and source of chance."""

    replays = False
    """Whether a recorded run answers the calls, so that nothing is generated."""

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
        self.target = target
        self.seed = seed
        self.nonce = nonce
        self._headers = (appearance.COMMON if target.anonymous else appearance.NAMED).copy()
        if nonce:
            self._headers["User-Agent"] += f" (nonce {nonce})"
        self.user_agent = self._headers["User-Agent"]
        """User-Agent of every call."""
        self.journal = journal or Journal()
        self.credentials = {
            label: Bearer(token)
            for label, token in (("user", target.user), ("other user", target.other))
            if token is not None
        }
        self.results = SharedResults()
        key = None if keep_personal_data else pseudonym_key or secrets.token_bytes(32)
        self.pseudonym_key = id_of(key) if key and pseudonym_key else ""
        """The id of the key that was given, if it is used."""
        me = weakref.ref(self)  # what `hide` keeps must not keep the whole run

        def stays(value: str) -> bool:
            session = me()
            return session is not None and session._is_of_the_service(value)

        self.bodies = BodyStore()
        self.personal = PersonalData(key, target.base_url, stays, self.bodies.keep)
        self.secrets = RunSecrets(self.credentials, self.personal.stand_ins, refused=target.refused)
        # The journal keeps personal values: the clean-up needs the identifiers as they are.
        self.journal.clean = self.secrets.secret
        hide(self.secrets)
        budget = target.budget
        self.clock = RunTime(
            clock, budget.max_time, self.journal, concurrency=budget.concurrency, rate=budget.rate, began=began
        )
        """The clock of the run, and how much of the run's time is left."""
        self.record = Record(target.url, clock)
        self._chance = random.Random(seed)
        self.notes: list[str] = []
        """Reservations that the report states first although no requirement is violated."""
        self._assumed: set[str] = set()
        self.kept: set[str] = set()
        """Identifiers of requests that only the end of the run deletes."""
        self.broken: set[str] = set()
        """Ids of the requirements that checks found violated."""
        self.generated: dict[str, list[Any]] = {}
        """What libraries generated for this run: JSON values, by a name. They are part of the evidence."""
        self.short_in: set[str] = set()
        """Where a lack of time changed what the run does, for a replay, which has no time of its own."""
        self._refusals: Counter[str] = Counter()
        self._background: Thread | None = None
        self._in_turn = in_turn
        self._width = 1 if in_turn else target.budget.concurrency
        self._at_once = Semaphore(target.budget.concurrency)
        self.peers: Peers = getattr(transport, "peers", None) or Peers()
        """The addresses and the TLS connection that the requests went to; empty without a network."""
        self.recording_transport = RecordingTransport(
            transport, target, self.record, self.journal, self.clock, self.personal, self.bodies
        )

    def cookies(self, label: str) -> str:
        """Return the cookies that the service set for a user, as a client sends them back; the first of each name."""
        kept: dict[str, str] = {}
        for exchange in self.record.in_order():
            headers = exchange.response.headers if exchange.response and exchange.request.credential == label else ()
            for value in (value for name, value in headers if name.lower() == "set-cookie"):
                name, _, content = (part.strip() for part in value.partition(";")[0].partition("="))
                if len(content) >= SHORTEST_COOKIE:
                    kept.setdefault(name, content)
        return "; ".join(f"{name}={self.personal.cookie_to_send(content)}" for name, content in kept.items())

    def _is_of_the_service(self, value: str) -> bool:
        """Whether a value is a data type, the identifier of a request of the run, or contains a token."""
        if any(token in value for _, token in self.secrets.tokens):
            return True  # redaction marks the token
        journal = self.journal
        known = (self.results.every_type or (), journal.live, journal.gone, journal.lost)
        return any(value in each for each in known)

    def assume(self, assumption: str) -> None:
        """Note an assumption for the report, once; "" is none."""
        if assumption and assumption not in self._assumed:
            self._assumed.add(assumption)
            self.notes.append(f"{assumption} The tests that depend on it use that value.")

    @property
    def chance(self) -> random.Random:
        """The source of chance, of the scenario or check to which the exchanges of this thread are attributed."""
        return self.record.chance_here or self._chance

    @property
    def journal_here(self) -> Journal:
        """The journal as the calls of this thread know it; it may only be read.

        In parallel calls it lacks what the calls beside this thread do: which of them are faster is a matter of chance.
        """
        return self.record.journal_here(self.journal)

    def generate(self, name: str, generate: Callable[[], Sequence[Any]]) -> list[Any]:
        """Return the JSON values that `generate` gives, and keep them by `name`; a replay returns those of its record.

        What libraries generate depends on their versions, so a replay calls none of them.
        """
        if name not in self.generated:
            self.generated[name] = [] if self.replays else list(generate())
        return self.generated[name]

    def is_short(self, decision: str) -> bool:
        """Tell whether the time of the run is short, for one kind of decision about what it does."""
        if self.clock.short:
            self.short_in.add(f"{self.record.check_here}: {decision}")
        return bool(self.clock.short)

    def made_up(self, kind: str) -> str:
        """Return a word that no service knows; `kind` is a noun for what it stands for."""
        return appearance.made_up(kind, self.chance, anonymous=self.target.anonymous)

    def begin(self, check: str) -> None:
        """Attribute the following calls to `check`, whose chance depends only on the seed and its name."""
        self.record.check = check
        self._chance = random.Random(f"{self.seed}/{check}")

    def attributed_to(self, check: str, *, chance_of: str = "") -> AbstractContextManager[None]:
        """Attribute the exchanges of this thread to `check`, with its own chance, or that of another name."""
        return self.record.attributed_to(check, random.Random(f"{self.seed}/{chance_of or check}"))

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
        manner: Manner = PLAIN,
    ) -> Exchange:
        """Make a call and return the recorded exchange, with or without a response.

        `credential` is the label of a known token, or a description of the raw Authorization headers that are sent.
        """
        url = f"{self.target.base_url}{path}" + (f"?{query}" if query else "")
        request = self._request(method, _url(url), headers, content)
        self._write(request, manner)
        exchange = self._send(request, credential, authorization, intent, operation)
        onward = self._redirect(exchange)
        if onward is None:
            return exchange
        again = self._request("GET", onward, headers)
        again.extensions["redirected_from"] = exchange.id
        second = self._send(again, credential, authorization, intent, exchange.operation)
        exchange.redirected_to = second.id
        if _is_elsewhere(exchange, second):
            # That page is no operation of the interface: its errors may have any form.
            second.intent = replace(second.intent, open=True, unusual=True)
            return exchange
        return second

    def _request(
        self, method: str, url: httpx.URL, headers: dict[str, str] | None, content: bytes | None = None
    ) -> httpx.Request:
        said = self._headers.copy()
        for name, value in (headers or {}).items():
            said[name] = value  # in the place of the usual value, as common clients do
        return httpx.Request(method, url, headers=said, content=content)

    def _write(self, request: httpx.Request, manner: Manner) -> None:
        """Write a request in a manner; the headers of an anonymous run stay those of one client."""
        if manner is PLAIN:
            return
        if not self.target.anonymous:
            request.headers.update(manner.headers)
            request.extensions["small"] = manner.small
        if request.content:
            request.extensions["pieces"] = manner.pieces
            if manner.chunked:
                del request.headers["Content-Length"]
                request.headers["Transfer-Encoding"] = "chunked"

    def _send(
        self,
        request: httpx.Request,
        credential: str,
        authorization: str | Sequence[str],
        intent: Intent,
        operation: Operation | None,
    ) -> Exchange:
        request.extensions["credential"] = credential
        raw = (authorization,) if isinstance(authorization, str) else authorization
        for each in raw:
            self.secrets.note_sent(credential, each)
        if raw:
            request.headers = httpx.Headers(
                [*request.headers.raw, *((b"Authorization", each.encode()) for each in raw)]
            )
        # Without httpx.Client, which would spend an eighth of the run on cookies.
        bearer, put = self.credentials.get(credential), self._put
        exchanges: list[Exchange] = []
        request.extensions |= {"intent": intent, "operation": operation, "exchanges": exchanges}
        try:
            # A call of a race does not wait until fewer calls are in progress.
            with nullcontext() if concurrency.in_a_race() else self._at_once:
                if bearer is not None:
                    bearer.send(request, put)
                else:
                    put(request)
        except TransportError as error:
            if not exchanges:
                raise NotDecided(f"{request.method} {request.url} was not sent: {error.detail}.") from None
        exchange = exchanges[-1]
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

    def _put(self, request: httpx.Request) -> httpx.Response:
        if request.extensions.get("small"):  # with the token, which is added last
            host, *fields = request.headers.raw
            request.headers = httpx.Headers([(name.lower(), value) for name, value in (host, *reversed(fields))])
        return self.recording_transport.handle_request(request)

    def to_create_more(self) -> str:
        """Return the advice for a run whose budget of creations is spent."""
        return self.target.budget.to_create_more((self.results.settings or {}).get("maxNumberOfRequests"))

    def _redirect(self, exchange: Exchange) -> httpx.URL | None:
        """Return the target of a GET's redirect within the origin (one hop only), or None."""
        here, there = httpx.URL(exchange.request.url), redirect_of(exchange)
        if exchange.request.method != "GET" or there is None or there == here or not same_origin(there, here):
            return None
        unknown = exchange.operation is Operation.READ and exchange.request.credential not in self.credentials
        if unknown and here.path.rpartition("/")[2] not in there.path:
            return None  # the required status is 401, so the redirect to a login is the answer to judge
        return there

    def parallel(
        self, calls: Sequence[Callable[[], _T]], *, each: int | Sequence[int] = 1, at_most: int | None = None
    ) -> list[_T]:
        """Make independent calls, as many at a time as the budget's concurrency and `at_most` allow.

        `each` is the most exchanges of each call: their ids are reserved here, so that the record has the caller's
        order. A call must not draw from `chance`, unless it is attributed to a name of its own.
        """
        return concurrency.parallel(self._numbered(calls, each), width=min(self._width, at_most or self._width))

    def race(self, calls: Sequence[Callable[[], _T]]) -> list[_T]:
        """Make calls of one exchange each that are sent at one moment."""
        return concurrency.race(self._numbered(calls), in_turn=self._in_turn)

    def start_background(self, work: Callable[[], None], *, calls: int) -> None:
        """Start `work`, of at most `calls` calls, in a thread; without concurrency do it at once.

        `work` changes nothing at the service and raises nothing.
        """
        ids = self.record.reserve(calls)

        def numbered() -> None:
            with self.record.numbered(ids, background=True):
                work()

        if self._width <= 1:
            numbered()
            return
        self._background = Thread(target=copy_context().run, args=[numbered], daemon=True)
        self._background.start()

    def _numbered(self, calls: Sequence[Callable[[], _T]], each: int | Sequence[int] = 1) -> list[Callable[[], _T]]:
        most = [each] * len(calls) if isinstance(each, int) else each
        ids = iter(self.record.reserve(sum(most)))
        own = [list(islice(ids, number)) for number in most]
        group = next((one[0] for one in own if one), "")
        known = self.journal_here.copy()

        def numbered(index: int) -> _T:
            with self.record.numbered(own[index], f"{group}#{index}" if len(calls) > 1 else "", known):
                return calls[index]()

        return [partial(numbered, index) for index in range(len(calls))]

    def end_background(self) -> None:
        """Wait until the background work is over; from then on checks see its exchanges."""
        if self._background is not None:
            self._background.join()
        self.record.show_all()

    def stop(self) -> None:
        """Ask the run to end: the next call raises KeyboardInterrupt. A signal handler may call this."""
        self.clock.stopped = True
        for bearer in self.credentials.values():
            bearer.token.stop()
        if self.target.completion is not None:
            self.target.completion.stop()

    def finish(self, *, early: bool) -> None:
        """Wait for the background work, which makes no more calls if `early`; then only clean up."""
        if early and self._background is not None:
            self.stop()
        self.end_background()
        self.clock.cleaning = True

    def clean_up(self, *, insist: bool = False) -> None:
        """Delete the requests that the run created and that still exist.

        A request whose deletion failed three times is tried again only with `insist`, at the end of the run.
        """
        live = self.journal.live
        doomed = [one for one in live if insist or (one not in self.kept and self._refusals[one] < GIVES_UP_AFTER)]
        doomed.sort(key=lambda one: (live[one], one))  # the journal has them in the order of the answers
        deletions = self.parallel([partial(self._remove, request_id, live[request_id]) for request_id in doomed])
        for request_id, deletion in zip(doomed, deletions, strict=True):
            # Some services refuse a deletion beside another one.
            if deletion is not None and deletion.response is not None and deletion.response.status == CONFLICT:
                self.remove(request_id)
        self._refusals.update(request_id for request_id in doomed if request_id in self.journal.live)

    def remove(self, request_id: str) -> None:
        """Delete a request that the run created, unless it is deleted already."""
        label = self.journal_here.live.get(request_id)
        if label is not None:
            self._remove(request_id, label)

    def _remove(self, request_id: str, label: str) -> Exchange | None:
        known = label if label in self.credentials else "user"
        self.journal.is_deleted_by(request_id, known)
        # Without a token the request is left behind, and the report says so.
        with contextlib.suppress(NotDecided, ConfigurationFault):
            delete = partial(self.send, "DELETE", f"/requests/{segment(request_id)}", credential=known)
            deletion = delete(intent=Intent(request="clean-up"))
            if deletion.error is ErrorKind.CLOSED:
                # The service may not have received it: the request would keep its place for the rest of the run.
                deletion = delete(intent=Intent(request="clean-up", open=True))
            return deletion
        return None

    def close(self) -> None:
        """Close the connections."""
        self.recording_transport.close()


def _is_elsewhere(exchange: Exchange, second: Exchange) -> bool:
    """Whether GET /data/me redirected elsewhere, such as to a login: 4.6 shows no authentication."""
    answer = second.response
    if exchange.operation is not Operation.DATA_ME or answer is None:
        return False
    if answer.status == 200:
        return bool(answer.document.problem)
    here, there = (httpx.URL(each.request.url).path.rstrip("/") for each in (exchange, second))
    return here != there


_url = lru_cache(maxsize=512)(httpx.URL)
