"""What is asked again and again from the start of a run, beside whatever else it does: GET /settings and GET /data.

The checks that read the answers run late, so that nobody waits for them. What the callers say of themselves differs as
clients do, in what must not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from conformance.client.public import PublicClient
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import BROWSING, OTHER_USER

ASKED_ALREADY: Final = 5
"""So often the doctor asks, who warms up connections for a race, and who is at the limit: every answer is judged."""

_LANGUAGES: Final = 3
"""So many answers in one language or another, whose documents are judged too, stand for as many without."""

Calls = list[Callable[[], Exchange]]


def _data(visitor: PublicClient, number: int) -> Calls:
    return [partial(visitor.data, BROWSING), *[visitor.data] * (_plain(visitor, number) - 1)]


def _settings(visitor: PublicClient, number: int) -> Calls:
    different: Calls = [partial(visitor.settings, BROWSING)]
    if OTHER_USER.label in visitor.session.credentials:
        different.append(partial(visitor.settings, OTHER_USER, offered=True))
    return [*different, *[visitor.settings] * (_plain(visitor, number) - len(different))]


def _plain(visitor: PublicClient, number: int) -> int:
    """Return how many are left of a number of calls: once and again the same is asked for in each language besides."""
    return number - min(_LANGUAGES, len(visitor.tags()))


REPEATED: Final[Mapping[str, Callable[[PublicClient, int], Calls]]] = {
    "data_answers": _data,
    "settings_answers": _settings,
}
"""By the fixture that holds the answers, what makes so many calls for a visitor."""


ASKED: Final = {"data_answers": Operation.DATA, "settings_answers": Operation.SETTINGS}
"""By the fixture that holds the answers, the operation that is asked."""


def times(visitor: PublicClient, *, public: bool) -> int:
    """Return how many calls are missing of those that meet a fault in one answer of twenty."""
    return visitor.repeats - (0 if public else ASKED_ALREADY)


def refused_for_its_token(exchange: Exchange) -> bool:
    """Tell whether a call that needs no token was refused with one that it brought: what that does is not stated."""
    return (
        bool(exchange.facts.get("offered")) and exchange.response is not None and exchange.response.status in (401, 403)
    )
