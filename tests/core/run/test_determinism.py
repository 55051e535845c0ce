"""With the same seed the suite asks the same questions in the same order, whatever the machine's speed."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time

import httpx
import pytest
from whole_runs import Send, Silent, Wrap, around, config, session_over

from conformance.http.session import Session
from conformance.model.exchange import Operation
from conformance.run.check import check
from conformance.run.options import Plan

CONFIG = config(seed=7)
Asked = tuple[str, str, str, tuple[tuple[str, str], ...], bytes]

_IDENTIFIER = re.compile(r"(?i)[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{11,12}")
"""An identifier, also one that is cut short."""


def questions(session: Session) -> list[Asked]:
    """Run every check and return what was asked: check, method, URL below base_url, headers but Host, and body."""
    check(session, Plan(), Silent())
    base_url = session.target.base_url
    exchanges = session.record.in_order()
    together = {exchange.check for exchange in exchanges if exchange.operation is Operation.CREATE and exchange.beside}
    asked = []
    for exchange in exchanges:
        question, url = exchange.request, exchange.request.url.removeprefix(base_url)
        if exchange.check in together and (found := _IDENTIFIER.search(url.partition("?")[0])):
            url = url.replace(found.group(), "#")  # which of the creations at the same time gets it is the target's
        headers = tuple(pair for pair in question.headers if pair[0].lower() != "host")
        asked.append((exchange.check, question.method, url, headers, question.body))
    return asked


def in_process(seed: int = 0, *, wrap: Wrap = lambda transport: transport) -> list[Asked]:
    with session_over(CONFIG, seed=seed, wrap=wrap) as session:
        return questions(session)


@pytest.fixture(scope="module")
def expected() -> list[Asked]:
    return in_process()


def test_a_slow_service_is_asked_the_same(expected: list[Asked]) -> None:
    def late(request: httpx.Request, send: Send) -> httpx.Response:
        time.sleep(random.choice((0.0, 0.0, 0.0, 0.002, 0.008)))  # never in the same rhythm twice
        return send(request)

    assert in_process(wrap=around(late)) == expected


NAMES = """
from conformance.run.all_checks import all_checks
print([item.nodeid for item in all_checks()])
"""


def test_the_order_of_the_checks_is_the_same_in_each_process() -> None:
    """A check that reads an exchange is named in its evidence, and another process verifies it."""
    orders = {
        subprocess.run(
            [sys.executable, "-c", NAMES],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(orders) == 1
