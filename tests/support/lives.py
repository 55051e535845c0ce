"""Exchanges of the life of a request, made by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from hand_made import ONE, SETTINGS, data_request, error, exchange

from conformance.model.error_table import LIMIT_REACHED
from conformance.model.exchange import Exchange, Operation


def one_after_another(*run: Exchange) -> list[Exchange]:
    """Return exchanges, numbered in their order, each of which ends before the next one begins."""
    return [
        replace(each, id=f"e{place}", started=each.started + timedelta(seconds=place), seconds=0.5)
        for place, each in enumerate(run, 1)
    ]


def made(request_id: str = ONE, credential: str = "user") -> Exchange:
    answer = data_request(requestId=request_id)
    return exchange(Operation.CREATE, 200, answer, credential=credential, body="known types")


def refused(credential: str = "user") -> Exchange:
    return exchange(Operation.CREATE, 400, error(LIMIT_REACHED), credential=credential, body="known types")


def seen(request_id: str = ONE, credential: str = "user", **changes: Any) -> Exchange:
    answer = data_request(requestId=request_id, **changes)
    return exchange(Operation.READ, 200, answer, request_id=request_id, credential=credential, request="existing")


def settings(number: object = 2) -> Exchange:
    return exchange(Operation.SETTINGS, 200, SETTINGS | {"maxNumberOfRequests": number}, credential="no token")
