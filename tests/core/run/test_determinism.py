"""With the same seed the suite asks the same questions in the same order, whatever the machine's speed."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time

import httpx
import pytest
from whole_runs import Send, Silent, Wrap, around, config, session_over

from conformance.model.exchange import Operation
from conformance.run.all_checks import all_checks
from conformance.run.check import check
from conformance.run.options import Plan

Asked = tuple[str, str, str, tuple[tuple[str, str], ...], bytes]

_IDENTIFIER = re.compile(r"(?i)[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{11,12}")
"""An identifier, also one that is cut short."""
_OF_THE_SUITE = re.compile(r"drsi|conformance|no-such|x-none|q=0\.1", re.IGNORECASE)


def questions(wrap: Wrap = lambda transport: transport) -> list[Asked]:
    """Run every check anonymously and return what was asked: check, method, URL below base_url, headers and body."""
    with session_over(config(seed=7), seed=3, anonymous=True, wrap=wrap) as session:
        check(session, Plan(), Silent())
    base_url = session.target.base_url
    exchanges = session.record.in_order()
    together = {exchange.check for exchange in exchanges if exchange.operation is Operation.CREATE and exchange.beside}
    asked = []
    for exchange in exchanges:
        question, url = exchange.request, exchange.request.url.removeprefix(base_url)
        if exchange.check in together and (found := _IDENTIFIER.search(url.partition("?")[0])):
            url = url.replace(found.group(), "#")  # which of the creations at the same time gets it is the target's
        asked.append((exchange.check, question.method, url, tuple(question.headers), question.body))
    return asked


@pytest.fixture(scope="module")
def expected() -> list[Asked]:
    return questions()


def test_nothing_that_it_sends_names_the_suite(expected: list[Asked]) -> None:
    assert len(expected) > 300
    assert [asked for _, *asked in expected if _OF_THE_SUITE.search(str(asked))] == []


def test_a_slow_service_is_asked_the_same(expected: list[Asked]) -> None:
    def late(request: httpx.Request, send: Send) -> httpx.Response:
        time.sleep(random.choice((0.0, 0.0, 0.0, 0.002, 0.008)))  # never in the same rhythm twice
        return send(request)

    assert questions(around(late)) == expected


NAMES = """
from conformance.run.all_checks import all_checks
print([item.nodeid for item in all_checks()])
"""


def test_the_order_of_the_checks_is_the_same_in_another_process() -> None:
    """A check that reads an exchange is named in its evidence, and another process verifies it."""
    other = subprocess.run([sys.executable, "-c", NAMES], capture_output=True, text=True, check=True).stdout

    assert other == f"{[item.nodeid for item in all_checks()]}\n"
