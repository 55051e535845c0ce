"""Combinations: several faults or twins composed into one service, and the draw of those that are tried."""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import combinations
from typing import Any, Final

from starlette.datastructures import Headers

from conformance.calibration.faults import FAULTS
from conformance.calibration.operators import together
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import REFERENCE, Fault, Kind, Variant
from conformance.model.verdict import Verdict
from conformance.reference.call import Action, Call
from conformance.reference.config import ReferenceConfig, User
from conformance.reference.in_process import SkippingLoop
from conformance.reference.service import Service
from conformance.run.in_process import by_calls

_SIZES: Final = (2, 2, 3, 2, 2, 3, 2)
"""Sizes of consecutive combinations, repeated: five pairs to two triples, also in a small draw."""

_BETWEEN: Final = " + "

Response = tuple[int, bytes, Mapping[str, str]]
"""Status, body and headers."""

_USERS: Final = (User("alice.example", "alice-Qm7xT2vKp9RzW4nL"), User("bob.example", "bob-Yh3cF8jSd5GtB6uE"))

_UNKNOWN: Final = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"

_HEADERS: Final = {"accept": "application/json", "content-type": "application/json"}

_ROUNDS: Final = 4
"""Repetitions of each call: some faults change one answer in ten, the fourth."""


@dataclass(frozen=True, kw_only=True)
class Combination(Variant):
    """One service with the faults and the peculiarities of several; its name lists them."""

    kind = Kind.COMBINATION
    parts: tuple[Variant, ...]

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults among the parts."""
        return tuple(each for each in self.parts if isinstance(each, Fault))

    def accepts(self, requirement: str, verdict: Verdict) -> bool:
        """Tell whether one of the parts declares this verdict."""
        return any(each.accepts(requirement, verdict) for each in self.parts)


class CannotCombine(ValueError):
    """Faults or twins of which one is not visible in a service that has them all."""


def parts_of(name: str) -> list[str]:
    """Return the names of the faults and twins that the name of a service lists, with " + " between them."""
    return name.split(_BETWEEN)


def find_variant(name: str) -> Variant:
    """Return the service called `name`, of which the parts of a combination need not all be visible.

    Raise LookupError if there is none.
    """
    if _BETWEEN in name:
        return _composed(name)
    found = REFERENCE if name == REFERENCE.name else FAULTS.get(name) or TWINS.get(name)
    if found is None:
        raise LookupError(f"no fault and no twin is called {name!r}")
    return found


@cache
def _composed(name: str) -> Combination:
    """Return the service with the faults and twins that `name` lists."""
    parts = [find_variant(each) for each in parts_of(name)]
    config: dict[str, Any] = {}
    run: dict[str, Any] = {}
    for each in parts:
        config |= each.config
        run |= each.run
    return Combination(
        name=name,
        summary=" ".join(each.summary for each in parts),
        service=together(*(each.service for each in parts)),
        config=config,
        run=run,
        given=tuple(dict.fromkeys(one for each in parts for one in each.given)),
        is_in_use=any(each.is_in_use for each in parts),
        parts=tuple(parts),
    )


def faults_to_combine() -> list[str]:
    """Return the names of the faults that a client can detect."""
    return [fault.name for fault in FAULTS.values() if not fault.undetectable]


def draw(number: int, seed: int, among: Collection[str] | None = None) -> list[str]:
    """Return the names of `number` different combinations of faults, or of those named; the same for the same seed."""
    generator = random.Random(seed)
    variants = list(faults_to_combine() if among is None else among)
    drawn: dict[str, None] = {}
    while len(drawn) < number:
        names = generator.sample(variants, _SIZES[len(drawn) % len(_SIZES)])
        if can_combine(names):
            drawn[_BETWEEN.join(names)] = None
    return list(drawn)


def check_combination(name: str) -> None:
    """Raise CannotCombine unless each part of `name` changes an answer of the service that has them all."""
    # Before they are composed: classes of which one is made from the other may have no common order.
    for one, other in combinations([find_variant(each) for each in parts_of(name)], 2):
        _check_pair(one, other)
    answers = _digest_of_answers(name)
    for part in parts_of(name):
        others = _BETWEEN.join(each for each in parts_of(name) if each != part)
        if answers == _digest_of_answers(others):
            raise CannotCombine(f"{name}: {part} changes no answer")


def can_combine(names: Sequence[str]) -> bool:
    """Tell whether each of these faults and twins shows in a service that has them all."""
    try:
        check_combination(_BETWEEN.join(names))
    except CannotCombine:
        return False
    return True


def _check_pair(one: Variant, other: Variant) -> None:
    """Raise CannotCombine where two faults or twins concern the same requirement, setting or method."""
    both = f"{one.name} and {other.name}"
    if (
        isinstance(one, Fault)
        and isinstance(other, Fault)
        and (one.requirement in other.broken or other.requirement in one.broken)
    ):
        raise CannotCombine(f"{both} break the same requirement")
    for options, others in ((one.config, other.config), (one.run, other.run)):
        for key in options.keys() & others.keys():
            if options[key] != others[key]:
                raise CannotCombine(f"{both} need different values of {key}")
    if shared := sorted(_defined(one.service) & _defined(other.service)):
        raise CannotCombine(f"{both} both define {shared[0]}")


def _defined(service: type[Service]) -> frozenset[str]:
    """Return the names of methods and attributes that the classes of `service` below Service define."""
    kinds = [kind for kind in service.__mro__ if kind not in Service.__mro__]
    names = {name for kind in kinds for name in vars(kind)}
    return frozenset(name for name in names if name == "__init__" or not name.startswith(("__", "_abc_")))


@cache
def _digest_of_answers(name: str) -> bytes:
    """Return a digest of the answers of a composed service; raise CannotCombine where it raises an error."""
    try:
        return sha256(repr(tour(find_variant(name))).encode()).digest()
    except Exception as error:
        raise CannotCombine(f"{name}: the composed service raises {error!r}") from None


# ---------------------------------------------------------------------- the answers of a service


def tour(variant: Variant) -> list[Response]:
    """Return the answers of the service, the same ones each time; raise what the service raises."""
    config = variant.configured(by_calls(ReferenceConfig(users=_USERS, seed=0), 0))
    with closing(SkippingLoop(lambda: True)) as loop:
        return loop.run_until_complete(_toured(variant.service(config)))


async def _toured(service: Service) -> list[Response]:
    answers: list[Response] = []
    mine, other = (f"Bearer {token}" for token in service.config.tokens[:2])
    bad = ("", "Bearer made-up")

    async def ask(
        operation: Action, credential: str = "", *, name: str = "", body: bytes = b"", language: str = ""
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
            await ask(Action.SETTINGS, language=language)
            await ask(Action.DATA, language=language)
        for credential in (mine, *bad):
            await ask(Action.SETTINGS, credential)
            await ask(Action.DATA, credential)
            await ask(Action.DATA_ME, credential)
            await ask(Action.READ, credential, name=_UNKNOWN)
            await ask(Action.DELETE, credential, name=_UNKNOWN)
            await ask(Action.CREATE, credential, body=refused[turn])
        await ask(Action.CREATE, other, body=accepted[1])
        await ask(Action.CREATE, mine, body=accepted[turn % len(accepted)])
    for request in service.store.all()[:_ROUNDS]:
        for credential in (mine, other, *bad, mine):
            await ask(Action.READ, credential, name=request.id)
        for credential in (other, *bad, mine, mine):
            await ask(Action.DELETE, credential, name=request.id)
        await ask(Action.READ, mine, name=request.id)
        await ask(Action.CREATE, mine)
    return answers
