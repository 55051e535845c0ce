"""What is asked again and again from the start of a run, beside whatever else it does: GET /settings and GET /data.

The checks that read the answers run late, so that nobody waits for them. What the callers say of themselves differs as
clients do, in what must not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from conformance.caller import ANYTHING, NOBODY, OTHER_USER
from conformance.exchange import Exchange
from conformance.visitor import Visitor

ASKED_ALREADY: Final = 4
"""So often the doctor asks, and who warms up connections for a race: every answer is judged."""

_BROWSING: Final = replace(NOBODY, accept=ANYTHING)


def _data(visitor: Visitor) -> list[Callable[[], Exchange]]:
    return [partial(visitor.data, _BROWSING)]


def _settings(visitor: Visitor) -> list[Callable[[], Exchange]]:
    known = OTHER_USER.label in visitor.session.credentials
    other = [partial(visitor.settings, OTHER_USER, offered=True)] if known else []
    return [partial(visitor.settings, _BROWSING), *other]


REPEATED: Final[Mapping[str, Callable[[Visitor, bool], list[Callable[[], Exchange]]]]] = {
    "data_answers": lambda visitor, public: _filled(_data(visitor), visitor.data, visitor, public),
    "settings_answers": lambda visitor, public: _filled(_settings(visitor), visitor.settings, visitor, public),
}
"""By the fixture that holds the answers, what makes the calls, for a visitor; in a public run more are missing."""


def _filled(
    calls: list[Callable[[], Exchange]], usual: Callable[[], Exchange], visitor: Visitor, public: bool
) -> list[Callable[[], Exchange]]:
    missing = visitor.repeats - (0 if public else ASKED_ALREADY)
    return [*calls, *[usual] * (missing - len(calls))]


def refused_for_its_token(exchange: Exchange) -> bool:
    """Tell whether a call that needs no token was refused with one that it brought: what that does is not stated."""
    return bool(exchange.facts.get("offered")) and exchange.answer is not None and exchange.answer.status in (401, 403)
