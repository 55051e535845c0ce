"""Redirects within the origin of the target, of which a GET follows one."""

from __future__ import annotations

from collections.abc import Container

import httpx

from conformance.model.exchange import Exchange, Operation, redirect_of, same_origin


def redirect_to_follow(exchange: Exchange, known: Container[str]) -> httpx.URL | None:
    """Return the target of a GET's redirect within the origin (one hop only), or None.

    `known` has the labels of the credentials that the service should accept.
    """
    here, there = exchange.request.url, redirect_of(exchange)
    if exchange.request.method != "GET" or there is None or there == here or not same_origin(there, here):
        return None
    unknown = exchange.operation is Operation.READ and exchange.request.credential not in known
    if unknown and httpx.URL(here).path.rpartition("/")[2] not in there.path:
        return None  # the required status is 401, so the redirect to a login is the answer to judge
    return there


def leads_elsewhere(exchange: Exchange, second: Exchange) -> bool:
    """Whether GET /data/me redirected elsewhere, such as to a login: 4.6 shows no authentication."""
    answer = second.response
    if exchange.operation is not Operation.DATA_ME or answer is None:
        return False
    if answer.status == 200:
        return bool(answer.document.problem)
    here, there = (httpx.URL(each.request.url).path.rstrip("/") for each in (exchange, second))
    return here != there
