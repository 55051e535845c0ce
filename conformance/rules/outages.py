"""Outages: for a while every call gets one and the same refusal, which is none of the service's own (7).

A firewall bans the client, a gateway has no service behind it, a deployment sends everyone to a page. Clause 7 shows no
such response, and none of the calls reached the service, so they decide nothing. The service answers these operations
at other times: afterwards, or before an outage in which the run ends, if it concerns calls without a token as well. A
single refused call, or the calls of one operation, are not an outage, and neither are calls that all name a request,
which may be lost. The same refusal as in an outage is part of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby
from typing import Final

from conformance.model.error_table import ON_DATA_REQUESTS
from conformance.model.exchange import Exchange, Operation
from conformance.rules.server_errors import is_valid

_PUBLIC: Final = frozenset({Operation.SETTINGS, Operation.DATA})
_NAMING_NO_REQUEST: Final = _PUBLIC | {Operation.CREATE}


def outages(exchanges: Sequence[Exchange]) -> frozenset[str]:
    """Return the ids of the exchanges in an outage, given the exchanges in their order."""
    pages = frozenset(_pages(exchanges))
    return frozenset(each.id for each in exchanges if pages and _refusal(each) in pages)


def _pages(exchanges: Sequence[Exchange]) -> Iterator[Hashable]:
    """Yield the refusals that calls of several operations got in a row, valid ones on data requests among them."""
    answered = [each for each in exchanges if each.response is not None]
    last = {
        each.operation: place
        for place, each in enumerate(answered)
        if each.response is not None and each.response.status == 200 and is_valid(each)
    }
    end = -1
    for refusal, group in groupby(answered, key=_refusal):
        calls = list(group)
        end += len(calls)
        valid = {each.operation for each in calls if is_valid(each) and not each.intent.offered}
        if refusal is None or valid.isdisjoint(ON_DATA_REQUESTS) or valid.isdisjoint(_NAMING_NO_REQUEST):
            continue
        if len({each.operation for each in calls}) < 2:
            continue
        goes_on = bool(valid & _PUBLIC) and valid <= last.keys()
        if goes_on or all(last.get(one, -1) > end for one in valid):
            yield refusal


def _refusal(exchange: Exchange) -> Hashable:
    """Return the status and the body of a refusal that is no error object, or None."""
    answer = exchange.response
    if answer is None or answer.status < 300 or isinstance(answer.document.value, dict):
        return None
    return answer.status, answer.content
