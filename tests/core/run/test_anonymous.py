"""An anonymous run: nothing that it sends names the suite."""

from __future__ import annotations

import re

from whole_runs import Silent, session_over

from conformance.run.check import check
from conformance.run.options import Plan

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
