"""The calls that schemathesis generates for one target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from conformance.client.api import Api
from conformance.generation.call import GeneratedCall
from conformance.generation.cases import NEGATIVE, POSITIVE, Search
from conformance.generation.classification import classified
from conformance.generation.meaning import Vocabulary
from conformance.generation.shortest import SearchEnded
from conformance.model.errors import NotDecided
from conformance.model.exchange import Operation

OF_USERS: Final = {
    Operation.CREATE: (20, 8),
    Operation.READ: (6, 4),
    Operation.DELETE: (5, 3),
    Operation.DATA_ME: (2, 1),
}
"""Different calls with a token, positive and negative; a thorough run sends ten times as many."""

OF_THE_PUBLIC: Final = {
    Operation.SETTINGS: (3, 2),
    Operation.DATA: (3, 2),
    Operation.DATA_ME: (2, 2),
}
"""Different calls without a token."""

READINGS: Final = "generated readings"
"""The name of the check that makes them."""


def drawn(client: Api, counts: Mapping[Operation, tuple[int, int]]) -> list[GeneratedCall]:
    """Return the calls to some operations; raise NotDecided where the time of the run ends first."""
    known: list[str] = []
    types: list[str] = []
    with suppress(NotDecided):
        known, types = client.some_types(), client.types()
    vocabulary, session = Vocabulary.of(types), client.session
    found: list[GeneratedCall] = []
    for operation, numbers in counts.items() if session.without != "schemathesis" else ():
        for mode, number in zip((POSITIVE, NEGATIVE), numbers, strict=True):
            search = Search(
                operation=operation,
                mode=mode,
                count=number * session.target.budget.times,
                seed=session.seed,
                types=sendable(known),
                languages=tuple(client.tags()),
                is_over=session.clock.is_over,
            )
            if session.clock.is_over(search.name):
                raise session.clock.undecided()
            try:
                found += (classified(call, vocabulary) for call in search.calls())
            except SearchEnded:
                raise session.clock.undecided() from None
    return found


def sendable(types: Sequence[str]) -> tuple[str, ...]:
    """Return the types that schemathesis can hold: a name that was cut in a surrogate pair has no UTF-8."""
    return tuple(each for each in types if each == each.encode(errors="replace").decode())
