"""A tour: a short fixed sequence of calls to a service, to see whether two services answer differently."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from typing import Final

from starlette.datastructures import Headers

from conformance.calibration.variant import Variant
from conformance.reference.call import Call, Operation
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.in_process import SkippingLoop
from conformance.reference.service import Service
from conformance.runner.in_process import by_calls

Response = tuple[int, bytes, Mapping[str, str]]
"""Status, body and headers."""

_USERS: Final = (User("alice.example", "alice-Qm7xT2vKp9RzW4nL"), User("bob.example", "bob-Yh3cF8jSd5GtB6uE"))

_UNKNOWN: Final = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"

_HEADERS: Final = {"accept": "application/json", "content-type": "application/json"}

_ROUNDS: Final = 4
"""Each call is made at least so often: some faults change one answer in ten, the fourth."""


def tour(variant: Variant) -> list[Response]:
    """Return the answers of the service, the same ones each time; raise what the service raises."""
    config = variant.configured(by_calls(ReferenceConfig(users=_USERS, seed=0), 0))
    with closing(SkippingLoop(lambda: True)) as loop:
        return loop.run_until_complete(_answers(variant.service(config)))


async def _answers(service: Service) -> list[Response]:
    answers: list[Response] = []
    mine, other = (f"Bearer {token}" for token in service.config.tokens[:2])
    bad = ("", "Bearer made-up")

    async def ask(
        operation: Operation, credential: str = "", *, name: str = "", body: bytes = b"", language: str = ""
    ) -> None:
        service.clock.count_a_call()
        call = Call(
            operation,
            authorization=(credential,) if credential else (),
            headers=Headers({**_HEADERS, **({"accept-language": language} if language else {})}),
            query={"lang": language} if language else {},
            request_id=name,
            body=body,
        )
        reply = await service.answer(call)
        answers.append((reply.status, reply.body, reply.headers))

    types = [each.type for each in service.types[:2]]
    accepted = (b"", json.dumps(types).encode(), json.dumps(types[:1]).encode())
    refused = (b'["no such type"]', json.dumps([*types, "no such type"]).encode(), b"[]", b"{")
    for turn in range(_ROUNDS):
        for language in ("", "nl", "xx"):
            await ask(Operation.SETTINGS, language=language)
            await ask(Operation.DATA, language=language)
        for credential in (mine, *bad):
            await ask(Operation.SETTINGS, credential)
            await ask(Operation.DATA, credential)
            await ask(Operation.DATA_ME, credential)
            await ask(Operation.READ, credential, name=_UNKNOWN)
            await ask(Operation.DELETE, credential, name=_UNKNOWN)
            await ask(Operation.CREATE, credential, body=refused[turn])
        await ask(Operation.CREATE, other, body=accepted[1])
        await ask(Operation.CREATE, mine, body=accepted[turn % len(accepted)])
    for request in service.store.all()[:_ROUNDS]:
        for credential in (mine, other, *bad, mine):
            await ask(Operation.READ, credential, name=request.id)
        for credential in (other, *bad, mine, mine):
            await ask(Operation.DELETE, credential, name=request.id)
        await ask(Operation.READ, mine, name=request.id)
        await ask(Operation.CREATE, mine)
    return answers
