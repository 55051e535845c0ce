"""An anonymous run: nothing that it sends names the suite, and its checks have an order of the seed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from whole_runs import Silent, session_over

from conformance.model.findings import Crashes
from conformance.run.check import check
from conformance.run.collect import usual_order
from conformance.run.items import check_name
from conformance.run.judging import Judging
from conformance.run.options import Plan
from conformance.trace.trace import Trace

_OF_THE_SUITE = re.compile(rb"drsi|conformance|no-such|x-none|q=0\.1", re.IGNORECASE)


def sent() -> list[bytes]:
    """Return the requests of an anonymous run, each as one text."""
    with session_over(anonymous=True, seed=3) as session:
        check(session, Plan(), Silent())
        requests = [each.request for each in session.record.in_order()]
    return [
        "\n".join((each.method, each.url, *map(": ".join, each.headers))).encode() + b"\n\n" + each.body
        for each in requests
    ]


def test_nothing_that_it_sends_names_the_suite_and_the_same_seed_sends_the_same() -> None:
    texts = sent()

    assert len(texts) > 300
    assert [text for text in texts if _OF_THE_SUITE.search(text)] == []
    assert sent() == texts


@dataclass
class _Order:
    """The order of the checks, and which of them the marks put where."""

    names: list[str]
    places: list[int]


def order(seed: int, *deselect: str, anonymous: bool = True) -> _Order:
    found = _Order([], [])

    def without_calls(items: Sequence[pytest.Item]) -> Trace:
        found.names, found.places = [*map(check_name, items)], [*map(usual_order, items)]
        raise KeyboardInterrupt

    checks = Judging(Plan(deselect=deselect), Crashes(), Silent(), seed=seed if anonymous else None)
    with pytest.raises(KeyboardInterrupt):
        checks.run(without_calls)
    return found
