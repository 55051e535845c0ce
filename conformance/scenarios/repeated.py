"""The repeated scenarios: GET /settings and GET /data, asked often enough to find a fault in one answer of twenty.

Clients describe themselves in different ways, which must not change the answers: so do these calls.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from conformance.client.public import PublicClient
from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import BROWSING, OTHER_USER, USER
from conformance.scenarios.registry import scenario

ASKED_ALREADY: Final = 5
"""How often other parts of a run with a token ask the same: the doctor, a race, the limit. Every answer is judged."""

_LANGUAGES: Final = 3
"""So many answers in one language or another, whose documents are judged too, stand for as many without."""

_FEW: Final = 5
"""Calls that are worth making when the time of the run is short."""

_Calls = list[Callable[[], Exchange]]


@scenario(calls=21, background=True)
def data_answers(visitor: PublicClient) -> list[Exchange]:
    """Asks for GET /data again and again."""
    return _answers(visitor, Operation.DATA, [partial(visitor.data, BROWSING)], visitor.data)


@scenario(calls=21, background=True)
def settings_answers(visitor: PublicClient) -> list[Exchange]:
    """Asks for GET /settings again and again."""
    different: _Calls = [partial(visitor.settings, BROWSING)]
    if OTHER_USER.label in visitor.session.credentials:
        different.append(partial(visitor.settings, OTHER_USER, offered=True))
    answers = _answers(visitor, Operation.SETTINGS, different, visitor.settings)
    return [each for each in answers if not _refused_for_its_token(each)]


def _answers(
    visitor: PublicClient, operation: Operation, different: _Calls, usual: Callable[[], Exchange]
) -> list[Exchange]:
    """Make the `different` calls and `usual` ones, fewer where time is short: then what was answered is enough."""
    other_calls = (ASKED_ALREADY if USER.label in visitor.session.credentials else 0) + min(
        _LANGUAGES, len(visitor.tags())
    )
    number, short = visitor.repeats - other_calls, visitor.session.clock.short
    calls = [*different, *[usual] * (number - len(different))]
    answers: list[Exchange] = []
    try:
        for call in calls[:_FEW] if short else calls:
            answers.append(call())
    except NotDecided:
        answers = answers or visitor.record.answered(operation)
        if not (answers and visitor.session.clock.short):
            raise
    return answers


def _refused_for_its_token(exchange: Exchange) -> bool:
    """Tell whether a call that needs no token was refused with one that it brought: what that does is not stated."""
    return bool(exchange.intent.offered) and exchange.response is not None and exchange.response.status in (401, 403)
