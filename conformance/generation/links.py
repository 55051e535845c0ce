"""Series of linked calls: create, read, delete, create again, along the links of the OpenAPI document, by two users.

The stateful runner of schemathesis chooses the steps. The session sends them, and the record holds them.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from itertools import cycle
from random import Random
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote

import httpx

from conformance.client.api import Api
from conformance.facts.answers import accepted
from conformance.facts.creation import identifier_in
from conformance.generation.call import GeneratedCall
from conformance.generation.cases import NEGATIVE, NOWHERE, POSITIVE, call_of
from conformance.generation.classification import classified
from conformance.generation.document import schema
from conformance.generation.drawn import sendable
from conformance.generation.meaning import Vocabulary
from conformance.generation.shortest import SearchEnded, Series, Shortest, Shown
from conformance.model.errors import NotDecided, describe, in_words
from conformance.model.exchange import OPERATIONS, Exchange, Operation
from conformance.model.identity import OTHER_USER, USER, Identity
from conformance.scenarios.registry import scenario

if TYPE_CHECKING:
    from schemathesis import Case, Response

SERIES: Final = 2
STEPS: Final = 8
"""Steps of a series; a thorough run makes ten times as many series."""

_TRIED: Final = 2
"""How many series are begun for each that is wanted: hypothesis begins another one if a step cannot be sent."""

SPARE: Final = 60
"""Exchanges that a run may use to shorten a series."""

_NAME: Final = "schemathesis: linked calls"


@scenario()
def linked_calls(service: Api) -> Series:
    """Makes calls along the links of the OpenAPI document."""
    session, result = service.session, Series()
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
    """Sends the steps of series, one series after another."""

    def __init__(self, service: Api, result: Series) -> None:
        self.service = service
        self.result = result
        self.left = _TRIED * SERIES * service.session.target.budget.times
        self.shortest = Shortest(service, result, SPARE)
        both = OTHER_USER.label in service.session.credentials
        self.users = (USER, OTHER_USER) if both else (USER,)
        self.vocabulary = Vocabulary.of(service.types())
        self.calls: list[tuple[str, Exchange]] = []

    def begin(self) -> None:
        """Begin another series; raise SearchEnded if there were enough."""
        self.turns = cycle(self.users)
        self.owners: dict[str, Identity] = {}
        self.spelled: dict[str, str] = {}
        self.calls = []
        self.left -= 1
        if self.left < 0 and not self.shortest.is_shrinking:
            raise SearchEnded

    def end(self) -> None:
        """Delete what the series left; raise Shown if it shows a violation."""
        self.service.session.clean_up()
        if self.calls and self.shortest.is_shown(self.calls):
            raise Shown

    def step(self, raw: GeneratedCall) -> Exchange:
        """Send a step by the owner of its request, or by the next user."""
        self.shortest.raise_if_over()
        call, service = classified(raw, self.vocabulary), self.service
        identifier = _identifier(call)
        caller = self.owners.get(identifier) or next(self.turns)
        meant: dict[str, Any] = {}
        if call.operation in (Operation.SETTINGS, Operation.DATA):
            meant = {"offered": True}
        if identifier in self.owners:
            # As the creation spelled it: a reading may show it in the other letter case, and the link follows that.
            spelled = self.spelled[identifier]
            call = replace(call, segment=quote(spelled, safe=""))
            meant = {"request": service.known_as(spelled), "open": False}
        try:
            exchange = call.keep(service, caller, **meant)
        except NotDecided as error:
            self.result.undecided = error
            raise SearchEnded from None
        self.calls.append((f"{describe(exchange)}: {in_words(exchange)}", exchange))
        if made := _made(exchange):
            self.owners[made.lower()] = caller
            self.spelled[made.lower()] = made
        return exchange


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
    with isolated(), warnings.catch_warnings(), suppress(Shown, SearchEnded, Flaky):
        warnings.simplefilter("ignore")
        try:
            seeded(seed)(machine).run(settings=quiet(SERIES * times, steps=STEPS, shrink=True))
        finally:
            release_state_machines(machine)  # else caches of hypothesis keep it, and so the whole run
