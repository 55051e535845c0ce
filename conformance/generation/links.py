"""Series of linked calls: create, read, delete, create again, along the links of the OpenAPI document, by two users.

The stateful runner of schemathesis chooses the steps. The session sends them, and the record holds them.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from itertools import cycle
from random import Random
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote

import httpx

from conformance.client.user import UserClient, accepted
from conformance.facts.creation import identifier_in
from conformance.generation.call import GeneratedCall
from conformance.generation.cases import NEGATIVE, NOWHERE, POSITIVE, call_of
from conformance.generation.classification import classified
from conformance.generation.document import schema
from conformance.generation.drawn import sendable
from conformance.generation.meaning import Vocabulary
from conformance.generation.model import SequenceEnded
from conformance.model.error_table import UNAUTHORIZED
from conformance.model.errors import NotDecided
from conformance.model.exchange import OPERATIONS, Exchange, Operation
from conformance.model.identity import OTHER_USER, USER, Identity
from conformance.rules.judge import judge, violated
from conformance.rules.run_context import RunContext
from conformance.scenarios.registry import scenario
from conformance.trace.codec import OF_THE_CALLS

if TYPE_CHECKING:
    from schemathesis import Case, Response

SERIES: Final = 2
STEPS: Final = 8
"""Steps of a series; a thorough run makes ten times as many series."""

_TRIED: Final = 2
"""How many series are begun for each that is wanted: hypothesis begins another one if a step cannot be sent."""

SPARE: Final = 60
"""Exchanges that a run may use to shorten a series."""

REQUIREMENTS: Final = ("3-removed", "4.3-answers-ok")
"""What a series can violate; others are judged by each exchange."""

_NAME: Final = "schemathesis: linked calls"


class _Failed(Exception):
    """Tells hypothesis that a series shows a violation."""


@dataclass
class Shown:
    """The shortest series that shows a violation."""

    steps: list[tuple[str, Exchange]]
    """Its calls in words, each with its exchange: the last one shows the violation."""
    calls: list[GeneratedCall] = field(default_factory=list, metadata=OF_THE_CALLS)
    """The steps as schemathesis generated them."""


@dataclass
class LinkedCalls:
    """What the series of linked calls show."""

    shown: dict[str, Shown] = field(default_factory=dict)
    """By requirement."""
    exchanges: list[Exchange] = field(default_factory=list)
    undecided: NotDecided | None = None


@scenario(calls=40)
def linked_calls(service: UserClient) -> LinkedCalls:
    """Makes calls along the links of the OpenAPI document."""
    session, result = service.session, LinkedCalls()
    with session.attributed_to("linked calls"):
        try:
            follower = _Follower(service, result)
            if session.without == "schemathesis":
                return result
            _explore(follower, service.some_types(), tuple(service.tags()))
        except NotDecided as error:
            result.undecided = error
    return result


class _Follower:
    """Sends the steps of series, one series after another, and judges the answers."""

    def __init__(self, service: UserClient, result: LinkedCalls) -> None:
        self.service = service
        self.result = result
        self.number = 0
        self.enough = _TRIED * SERIES * service.session.target.budget.times
        self.most = 0
        """Exchanges at which the shortening of series ends; 0 before there is anything to shorten."""
        both = OTHER_USER.label in service.session.credentials
        self.users = (USER, OTHER_USER) if both else (USER,)
        self._before = service.record.in_order()
        self.vocabulary = Vocabulary.of(service.types())
        self.begin()

    @cached_property
    def wanted(self) -> set[str]:
        """What the series can show: the exchanges before them do not violate it."""
        return set(REQUIREMENTS) - violated(self._before)

    def begin(self) -> None:
        """Begin another series; raise SequenceEnded if there were enough."""
        self.number += 1
        if self.number > self.enough and not self.most:
            raise SequenceEnded
        self.turns = cycle(self.users)
        self.owners: dict[str, Identity] = {}
        self.spelled: dict[str, str] = {}
        self.deleted: set[str] = set()
        self.steps: list[tuple[str, Exchange]] = []
        self.calls: list[GeneratedCall] = []

    def end(self) -> None:
        """Delete what the series left."""
        self.service.session.clean_up()

    def step(self, raw: GeneratedCall) -> Exchange:
        """Send a step by the owner of its request, or by the next user; raise _Failed if it shows a violation."""
        call, service = classified(raw, self.vocabulary), self.service
        if self.most and len(service.record) >= self.most:
            raise SequenceEnded
        identifier = _identifier(call)
        caller = self.owners.get(identifier) or next(self.turns)
        meant: dict[str, Any] = {}
        if call.operation in (Operation.SETTINGS, Operation.DATA):
            meant = {"offered": True}
        if identifier in self.owners:
            # As the creation spelled it: a reading may show it in the other letter case, and the link follows that.
            call = replace(call, segment=self.spelled[identifier])
            meant = {"request": "deleted" if identifier in self.deleted else "existing", "open": False}
        try:
            exchange = call.keep(service, caller, **meant)
        except NotDecided as error:
            self.result.undecided = error
            raise SequenceEnded from None
        self.result.exchanges.append(exchange)
        self.steps.append((call.in_words, exchange))
        self.calls.append(raw)
        if made := _made(exchange):
            self.owners[made.lower()] = caller
            self.spelled[made.lower()] = quote(made, safe="")
        elif call.operation is Operation.DELETE and accepted(exchange):
            self.deleted.add(identifier)
        self._judge(exchange)
        return exchange

    def _judge(self, exchange: Exchange) -> None:
        if exchange.response is None or exchange.response.status == UNAUTHORIZED.status:
            return  # the rules on all exchanges tell a token that expired from one that the service refuses wrongly
        context = RunContext.of([each for _, each in self.steps])
        context.types = self.service.session.results.every_type
        for violation in judge(exchange, context).violations:
            known = self.result.shown.get(violation.requirement)
            if violation.requirement not in self.wanted or (self.result.shown and known is None):
                continue
            if known is None or len(self.steps) < len(known.steps):
                self.result.shown[violation.requirement] = Shown(list(self.steps), list(self.calls))
            if not self.most:
                self.most = len(self.service.record) + SPARE
            raise _Failed


def _identifier(call: GeneratedCall) -> str:
    return unquote(call.segment).lower()


def _made(exchange: Exchange) -> str:
    """Return the identifier that an accepted creation returned, or an empty string."""
    if exchange.operation is not Operation.CREATE or not accepted(exchange) or exchange.response is None:
        return ""
    return identifier_in(exchange.response.document.value) or ""


def _response_of(exchange: Exchange, case: Case[Any]) -> Response:
    """Return the answer to a case, as the runner of schemathesis reads it to follow the links."""
    import schemathesis

    answer, sent = exchange.response, exchange.request
    assert answer is not None
    written = case.as_transport_kwargs(base_url=NOWHERE)
    request = httpx.Request(sent.method, written["url"], params=written.get("params"), content=sent.body)
    dropped = ("content-encoding", "transfer-encoding", "content-length")
    headers = [pair for pair in answer.headers if pair[0].lower() not in dropped]
    encoded = [(name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in headers]
    response = httpx.Response(answer.status, headers=encoded, content=answer.body, request=request)
    response.elapsed = timedelta(seconds=exchange.seconds)
    return schemathesis.Response.from_any(response)


def _shorten(follower: _Follower, shown: Shown, seed: int) -> None:
    """Repeat a part of the steps of a series, as hypothesis chooses it, to find the shortest that shows the same."""
    from conformance.generation.hypothesis_runs import shrink

    places = {_made(exchange).lower(): place for place, (_, exchange) in enumerate(shown.steps) if _made(exchange)}
    parts = [(call, places.get(_identifier(call), place)) for place, call in enumerate(shown.calls)]

    def fails(selection: tuple[int, ...]) -> bool | None:
        made: dict[int, str] = {}
        follower.begin()
        try:
            for place in selection:
                call, creation = parts[place]
                if creation != place:
                    if creation not in made:
                        return None
                    call = replace(call, segment=made[creation])
                made[place] = _made(follower.step(call))
        except _Failed:
            return True
        finally:
            follower.end()
        return None

    shrink(parts, fails, seed=seed, groups=lambda part: (part[1],))


def _explore(follower: _Follower, types: list[str], tags: tuple[str, ...]) -> None:
    """Let the stateful runner of schemathesis choose the series, and shorten one that shows a violation."""
    from hypothesis import reject
    from hypothesis import seed as seeded
    from hypothesis.errors import Flaky
    from schemathesis.generation.stateful.state_machine import release_state_machines

    from conformance.generation.hypothesis_runs import isolated, quiet

    session = follower.service.session
    document = schema(sendable(types), tags, only_known=True)
    operations = {(method, path): operation for operation, (method, path) in OPERATIONS.items()}

    def call(machine: Any, case: Case[Any], **_: Any) -> Any:  # noqa: ARG001
        operation = operations[case.method.upper(), case.operation.path]
        try:
            is_negative = case.meta is not None and case.meta.generation.mode.is_negative
            raw = call_of(case, operation, NEGATIVE if is_negative else POSITIVE)
        except UnicodeEncodeError:  # the link took half of a surrogate pair from an answer
            reject()
        if raw is None:
            reject()
        exchange = follower.step(raw)
        if not exchange.counts:
            reject()
        return _response_of(exchange, case)

    members = {
        "setup": lambda _: follower.begin(),
        "teardown": lambda _: follower.end(),
        "call": call,
        "validate_response": lambda *_, **__: None,
    }
    machine: Any = type("Series", (document.as_state_machine(),), members)
    seed = Random(f"{session.seed}/{_NAME}").getrandbits(64)
    times = session.target.budget.times
    with isolated(), warnings.catch_warnings(), suppress(_Failed, SequenceEnded, Flaky):
        warnings.simplefilter("ignore")
        try:
            seeded(seed)(machine).run(settings=quiet(SERIES * times, steps=STEPS))
        finally:
            release_state_machines(machine)  # else caches of hypothesis keep it, and so the whole run
    for shown in list(follower.result.shown.values()):
        _shorten(follower, shown, seed)
