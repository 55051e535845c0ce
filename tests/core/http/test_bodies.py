"""Of a large page the beginning is kept, and beyond a limit no large body is read."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from whole_runs import Send, around, only, run_over

from conformance.http import bodies
from conformance.http.bodies import Bodies
from conformance.model.strict_json import LARGE, Unread, parse
from conformance.reports import files
from conformance.run.documents import Documents
from conformance.run.verify import verify
from conformance.trust import chain

LONG = 64 * 1024


def shortened(body: bytes) -> bytes:
    left = Bodies().received(body)
    assert isinstance(left, bytes)
    return left


def problem_of(body: bytes) -> str | None:
    return parse(body).problem


def test_a_word_is_left_whole_or_out() -> None:
    token = "a.token" * 200

    assert b"a.token" not in shortened(("<p>" + "x" * (LARGE // 2 - 100) + token + " y" * LONG).encode())


@pytest.mark.parametrize("start", [b"<!doctype html>", b"\xff\xfe", b"Gateway "])
def test_a_body_unlike_json_keeps_its_beginning(start: bytes) -> None:
    body = start + b"and more " * LONG
    left = shortened(body)

    assert len(left) <= LARGE
    assert left.startswith(start + b"and more and")
    assert (problem_of(left) or "")[:25] == (problem_of(body) or "")[:25]


def test_bodies_beyond_the_limit_of_a_run_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MOST", 3 * LONG)
    store = Bodies()
    large = [json.dumps([number, *range(LONG // 4)]).encode() for number in range(4)]

    kept = [store.received(body) for body in large]

    assert [isinstance(each, Unread) for each in kept] == [False, True, True, True]
    assert store.received(large[0]) is kept[0]
    assert [each == kept[1] for each in kept] == [False, True, False, False]
    assert not store.is_overdrawn
    assert store.received(large[1], needed=True) == large[1]
    assert store.is_overdrawn


def test_a_run_over_bodies_that_are_not_read_fails_nothing_and_verifies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every answer in JSON has a long list more: of the first few it is read."""
    monkeypatch.setattr(bodies, "MOST", 10 * LONG)
    numbers = iter(range(100_000))

    def long(request: httpx.Request, send: Send) -> httpx.Response:
        answer = send(request)
        answer.read()
        if not answer.content.startswith(b"{"):
            return answer
        more = b'"list":[%d%s]' % (next(numbers), b",0" * (LONG // 2))
        content = answer.content[:-1] + (b"," if answer.json() else b"") + more + b"}"
        headers = {"Content-Type": "application/json", "Date": answer.headers["date"]}
        return httpx.Response(answer.status_code, content=content, headers=headers)

    run = run_over(plan=only("4.1-object", "4.3-answers-ok", "4.4-object"), wrap=around(long))

    assert run.report.summary.verdicts["fail"] == 0
    assert run.report.summary.left_behind == 0
    assert any(each.response and isinstance(each.response.content, Unread) for each in run.exchanges)
    files.write(tmp_path, Documents(run).data, Documents(run).evidence, formats=("html",))
    assert (tmp_path / files.EVIDENCE).stat().st_size < 100 * LONG
    evidence = files.evidence_in(tmp_path / files.EVIDENCE)
    assert list(chain.damage(json.loads(json.dumps(Documents(run).data)), evidence)) == []
    assert verify(json.loads(json.dumps(Documents(run).data)), evidence).is_equal
