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

from conformance.facts.answers import accepted
from conformance.facts.creation import made_by
from conformance.generation.call import GeneratedCall
from conformance.generation.cases import NOWHERE, SearchEnded, call_of, schema, sendable
from conformance.generation.sequences import SEQUENCES
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import OTHER_USER, USER, Identity
from conformance.model.target import SEVERAL
from conformance.scenarios.api import Api
from conformance.scenarios.registry import scenario

if TYPE_CHECKING:
    from schemathesis import Case, Response

STEPS: Final = 8
"""Steps of a series."""


@scenario()
def linked_calls(service: Api) -> None:
    """Makes calls along the links of the OpenAPI document."""
    with service.session.attributed_to("linked calls"):
        follower = _Follower(service)
        if service.session.without != "schemathesis":
            _explore(follower)
    if follower.ended is not None:
        raise follower.ended


class _Follower:
    """Sends the steps of series, one series after another."""

    def __init__(self, service: Api) -> None:
        self.service = service
        self.ended: NotDecided | None = None
        """Why the run could make no further call."""
        # Hypothesis begins another series if a step cannot be sent.
        self._left = SEVERAL * SEQUENCES * service.target.budget.times
        self._users = (USER, OTHER_USER) if OTHER_USER.label in service.users else (USER,)

    def begin(self) -> None:
        """Begin another series; raise SearchEnded if there were enough."""
        self._turns = cycle(self._users)
        self._made: dict[str, tuple[str, Identity]] = {}
        """The identifiers of the requests of the series in lower case, each as the creation has it, with its user."""
        self._left -= 1
        if self._left < 0:
            raise SearchEnded

    def step(self, call: GeneratedCall) -> Exchange:
        """Send a step by the owner of its request, or by the next user."""
        meant: dict[str, Any] = {"offered": True} if call.operation in (Operation.SETTINGS, Operation.DATA) else {}
        own = self._made.get(unquote(call.segment).lower())
        if own is not None:
            # As the creation spelled it: a reading may show it in the other letter case, and the link follows that.
            call = replace(call, segment=quote(own[0], safe=""))
            meant = {"request": self.service.known_as(own[0]), "open": False}
        caller = next(self._turns) if own is None else own[1]
        try:
            exchange = call.send(self.service, caller, **meant)
        except NotDecided as error:
            self.ended = error
            raise SearchEnded from None
        made = (
            made_by(exchange).request_id if call.operation is Operation.CREATE and accepted(exchange.response) else None
        )
        if made:
            self._made[made.lower()] = made, caller
        return exchange


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


def _explore(follower: _Follower) -> None:
    """Let the stateful runner of schemathesis choose the series."""
    from hypothesis import reject
    from hypothesis import seed as seeded
    from hypothesis.errors import Flaky
    from schemathesis.generation.stateful.state_machine import release_state_machines

    from conformance.generation.hypothesis_runs import isolated, quiet

    service = follower.service
    document = schema(sendable(service.some_types()), tuple(service.tags()), only_known=True)
    operations = {(each.method, each.path): each for each in Operation}

    def call(machine: Any, case: Case[Any], **_: Any) -> Any:  # noqa: ARG001
        made = None
        with suppress(UnicodeEncodeError):  # the link took half of a surrogate pair from an answer
            made = call_of(case, operations[case.method.upper(), case.operation.path])
        if made is None:
            reject()
        exchange = follower.step(made)
        if not exchange.counts:
            reject()
        return _response_of(exchange, case)

    members = {
        "setup": lambda _: follower.begin(),
        "teardown": lambda _: service.session.clean_up(),
        "call": call,
        "validate_response": lambda *_, **__: None,
    }
    machine: Any = type("Series", (document.as_state_machine(),), members)
    seed = Random(f"{service.session.seed}/schemathesis: linked calls").getrandbits(64)
    with isolated(), warnings.catch_warnings(), suppress(SearchEnded, Flaky):
        warnings.simplefilter("ignore")
        try:
            settings = quiet(SEQUENCES * service.target.budget.times, steps=STEPS)
            seeded(seed)(machine).run(settings=settings)
        finally:
            release_state_machines(machine)  # else caches of hypothesis keep it, and so the whole run
