"""Large bodies are shortened as they are received, and what is left says the same to every rule."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from whole_runs import Send, around, run_over

from conformance.evidence import chain
from conformance.http import bodies
from conformance.http.bodies import BodyStore
from conformance.http.shortening import BEYOND_WHOLE, LONG, MOST_WHOLE
from conformance.http.shortening import shortened as shortened_body
from conformance.model.bodies import LARGE, Unread
from conformance.model.exchange import Response
from conformance.model.strict_json import parse
from conformance.reports import files
from conformance.runner.documents import Documents
from conformance.runner.verify import verify
from conformance.trace import har

WORDS = 'lorem ipsum \u00e9 \u2028 " \\ \n' * (LONG // 20)


def shortened(body: bytes) -> bytes:
    left = shortened_body(body)
    assert left is not None
    return left


def problem_of(body: bytes) -> str | None:
    return parse(body).problem


def test_a_long_text_keeps_its_beginning_and_its_digest() -> None:
    one, other = (shortened(json.dumps({"a": [1, "x"], "text": WORDS + end}).encode()) for end in ("1", "2"))

    assert len(one) < LARGE
    assert json.loads(one)["a"] == [1, "x"]
    assert json.loads(one)["text"].startswith("lorem ipsum \u00e9")
    assert "cut out by the suite, SHA-256 of the whole" in json.loads(one)["text"]
    assert one != other
    assert shortened(one) == one


def test_different_long_names_stay_different() -> None:
    body = json.dumps({f"{WORDS}{number}": 1 for number in range(2)}).encode()

    assert parse(shortened(body)).duplicate_members == ()
    assert len(json.loads(shortened(body))) == 2


def test_a_word_is_left_whole_or_out() -> None:
    token = "a.token" * 200

    assert b"a.token" not in shortened(json.dumps(["x" * 4000 + token + " y" * LONG]).encode())
    assert b"a.token" not in shortened(("<p>" + "x" * 4000 + token + " y" * LONG).encode())


@pytest.mark.parametrize(
    "document",
    [
        [{"description": "short", "type": "x " * LONG}],
        {"error": 1, "dataRequested": ["a", "x " * LONG, "b"], "isCompleted": False},
        {"createdAt": "2026-11-25T12:00:00." + "0" * LONG + "Z"},
        {"supportedLanaguages": ["x " * LONG]},
        {"privacyPolicy": "https://example.org/" + "x" * LONG},
    ],
    ids=["type", "dataRequested", "createdAt", "supportedLanaguages", "address"],
)
def test_a_text_that_is_sent_or_compared_is_not_cut(document: object) -> None:
    assert shortened(json.dumps(document).encode()) == json.dumps(document).encode()


@pytest.mark.parametrize("text", ["x ", '"', "\\", '\\"', "\u00e9\n"])
@pytest.mark.parametrize("short", ['"', "\\", ""])
def test_a_long_text_is_found_among_many_short_ones(text: str, short: str) -> None:
    many = [{"a": [f"{short}{number}"]} for number in range(5_000)]
    body = json.dumps([*many, {"detail": text * LONG}, *many]).encode()

    assert json.loads(shortened(body))[:5_000] == many
    assert len(shortened(body)) < len(body) - LONG // 2
    assert shortened(json.dumps(many).encode()) == json.dumps(many).encode()


def test_only_the_text_of_the_member_itself_is_not_cut() -> None:
    body = json.dumps({"type": "é" * LONG, "detail": ["y " * LONG]}, ensure_ascii=False).replace("type", r"t\u0079pe")
    left = json.loads(shortened(body.encode()))

    assert left["type"] == "é" * LONG
    assert "cut out by the suite" in left["detail"][0]
    assert "cut out by the suite" in next(iter(json.loads(shortened(json.dumps({"type" * LONG: 1}).encode()))))
    assert b"cut out by the suite" in shortened(b'{"\xfftype":"' + b"x " * LONG + b'"}')


def test_a_document_with_too_much_that_is_not_cut_is_not_read_unless_it_is_needed() -> None:
    kinds = [
        json.dumps([{"type": "x" * (MOST_WHOLE // 3), "number": n} for n in range(many)]).encode() for many in (3, 4)
    ]
    store = BodyStore()
    one, other = (store.received(body) for body in kinds)

    assert not isinstance(one, Unread)
    assert isinstance(other, Unread)
    assert other.problem == BEYOND_WHOLE
    assert store.received(kinds[1], needed=True).read() == kinds[1]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "body",
    [
        b'["' + b"x " * (LONG // 4) + b'"]',
        b'["' + b"x " * LONG,
        b'["' + b"x " * LONG + b'\n"]',
        b'["' + b"x " * LONG + b'\\q"]',
        b'["' + b"x " * LONG + b'\xe9"]',
        b'["a"' + b" " * LONG + b',"b"]',
        b" " * LONG,
        b"[" + b"0," * LONG + b"0]",
    ],
    ids=["short", "open", "control", "escape", "not UTF-8", "white space", "blank", "numbers"],
)
def test_what_a_rule_may_read_stays_as_it_is(body: bytes) -> None:
    assert shortened(body) == body


@pytest.mark.parametrize("start", [b"<!doctype html>", b"\xff\xfe", b"5\xff", b"Gateway "])
def test_a_body_unlike_json_keeps_its_beginning(start: bytes) -> None:
    body = start + b"and more " * LONG
    left = shortened(body)

    assert len(left) <= LARGE
    assert left.startswith(start + b"and more and")
    assert (problem_of(left) or "")[:25] == (problem_of(body) or "")[:25]


def test_bodies_beyond_the_limit_of_a_run_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MOST", 3 * LONG)
    store = BodyStore()
    large = [json.dumps([number, *range(LONG // 4)]).encode() for number in range(4)]

    kept = [store.received(body) for body in large]

    assert [isinstance(each, Unread) for each in kept] == [False, True, True, True]
    assert store.received(large[0]) is kept[0]
    assert [each == kept[1] for each in kept] == [False, True, False, False]
    assert not store.is_overdrawn
    assert store.received(large[1], needed=True).read() == large[1]  # type: ignore[union-attr]
    assert store.is_overdrawn


def test_an_unread_body_is_unread_in_the_evidence_too() -> None:
    unread = Response(200, "OK", "HTTP/1.1", (), Unread(b"1", 5_000_000, "too much"))

    content = har._response(unread, "e1", {})["content"]

    assert (content["size"], content["text"], content["_unread"]) == (5_000_000, "", "too much")
    assert "too much" in content["comment"]


def test_a_run_over_bodies_that_are_not_read_fails_nothing_and_verifies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every answer in JSON has a long list more: of the first few it is read."""
    monkeypatch.setattr(bodies, "MOST", 40 * LONG)
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

    run = run_over(wrap=around(long))

    assert run.report.summary.verdicts["fail"] == 0
    assert run.report.summary.left_behind == 0
    assert any(each.response and isinstance(each.response.content, Unread) for each in run.exchanges)
    files.write(tmp_path, Documents(run).data, Documents(run).evidence, formats=("html",))
    assert (tmp_path / files.EVIDENCE).stat().st_size < 100 * LONG
    evidence = files.evidence_in(tmp_path / files.EVIDENCE, BodyStore().keep)
    assert list(chain.damage(json.loads(json.dumps(Documents(run).data)), evidence)) == []
    assert verify(json.loads(json.dumps(Documents(run).data)), evidence).is_equal
