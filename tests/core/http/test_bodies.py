"""Large bodies: taken, parsed, judged and written once."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from whole_runs import Send, around, only, run_over

from conformance.http.bodies import Bodies
from conformance.judge import exchanges
from conformance.model import strict_json
from conformance.model.strict_json import LARGE, parsed
from conformance.reports import files
from conformance.run.documents import Documents
from conformance.run.verify import verify
from conformance.trust import chain

LONG = "lorem ipsum " * (LARGE // 6)


def test_equal_bodies_are_taken_once() -> None:
    bodies = Bodies()

    first, again, other = (bodies.received(json.dumps([LONG, end]).encode()) for end in "aab")

    assert first is again
    assert first != other


def test_a_large_body_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[bytes] = []
    monkeypatch.setattr(strict_json, "parse", lambda body: calls.append(body) or strict_json.Document({}, None))
    large = Bodies().received(json.dumps({"unlike": "any other", "trace": LONG}).encode())

    for _ in range(200):
        parsed(large)

    assert len(calls) == 1


def test_the_cached_documents_take_a_bounded_amount_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_json, "_MOST", 10 * 8 * LARGE)
    documents = strict_json._Documents()

    for number in range(100):
        documents.of(json.dumps([number, *range(LARGE // 4)]).encode())

    assert len(documents._documents) < 10


def test_a_run_over_large_answers_keeps_and_judges_each_once_and_verifies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every error has one long member more, which the interface permits: nothing fails, and all of it is evidence."""

    def long(request: httpx.Request, send: Send) -> httpx.Response:
        answer = send(request)
        if answer.status_code < 400:
            return answer
        answer.read()
        document = {**answer.json(), "trace": LONG}
        return httpx.Response(answer.status_code, json=document, headers={"Date": answer.headers["date"]})

    judged: list[object] = []
    exchanges._violations.cache_clear()
    usual = exchanges.violations

    def counted(schema: str, value: object, *, root: str | None = None) -> object:
        judged.append((schema, json.dumps(value, sort_keys=True), root))
        return usual(schema, value, root=root)

    monkeypatch.setattr(exchanges, "violations", counted)

    run = run_over(plan=only("4.1", "4.2", "7"), wrap=around(long))

    assert run.report.summary.verdicts["fail"] == 0
    large = [each for each in run.exchanges if each.response is not None and each.response.size > LARGE]
    assert len(large) > 50
    assert len(judged) == len(set(judged))
    files.write(tmp_path, Documents(run).data, Documents(run).evidence, formats=())
    written = (tmp_path / files.EVIDENCE).read_bytes()
    different = {each.response.content for each in large if each.response}
    assert written.count(LONG.encode()) >= len(different)
    evidence = files.evidence_in(tmp_path / files.EVIDENCE)
    assert list(chain.damage(json.loads(json.dumps(Documents(run).data)), evidence)) == []
    assert verify(json.loads(json.dumps(Documents(run).data)), evidence).is_equal
