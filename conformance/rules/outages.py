"""Outages: refusals by something in front of the service, which controls showed (7).

The transport marks the refusals that it controlled (`http/controls.py`). The same page elsewhere is part of the outage:
in calls at the same time, and where the outage ended before the control. A page that the same call got again after a
control that was answered is the service's own.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from conformance.model.exchange import CONTROL, Exchange


def outages(exchanges: Sequence[Exchange]) -> frozenset[str]:
    """Return the ids of the exchanges that were answered with the page of an outage."""
    controls = {each.id: each for each in exchanges if each.intent == CONTROL}
    pages = {_page(each) for each in controls.values() if each.error is not None}
    own = {_page(each) for each in exchanges if each.repeats in controls and controls[each.repeats].error is None}
    pages -= own | {None}
    return frozenset(each.id for each in exchanges if pages and _page(each) in pages)


def _page(exchange: Exchange) -> Hashable:
    """Return the status and the body of a refusal that is no error object, or None."""
    answer = exchange.response
    if answer is None or answer.status < 300:
        return None
    value = answer.document.value
    return None if isinstance(value, dict) and "error" in value else (answer.status, answer.content)
