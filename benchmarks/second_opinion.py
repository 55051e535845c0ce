"""Gaps of our rules: what the checks of schemathesis find in recorded answers, and no finding of the report shows.

    .venv/bin/python benchmarks/second_opinion.py reports/RUN …

It makes no calls. A failure of a check is a gap if no finding of the report shows an answer of the same operation and
status. Left out are the cases of docs/schemathesis.md in which a check asks for more than the specification does, and
the checks that need more than one answer, or the form in which schemathesis generated a call. The exit code is 1 if
there is a gap.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import schemathesis
from measure import parser_of
from schemathesis import checks
from schemathesis.core.failures import FailureGroup

from conformance.cli.recorded import RecordedRun, read
from conformance.facts.answers import is_too_long
from conformance.facts.due import due
from conformance.facts.kind import kind_of
from conformance.generation.cases import NOWHERE, schema
from conformance.model.error_table import KNOWN_CREDENTIALS
from conformance.model.exchange import Exchange, Operation, is_missing
from conformance.model.verdict import Verdict

OF_ANSWERS: tuple[str, ...] = (
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)
"""The checks on one answer to a call with a valid token, or to one that needs none."""

OF_REFUSED_TOKENS: tuple[str, ...] = ("ignored_auth",)
"""The checks on a call without a valid token that was accepted: no other answer can fail them."""

OF_DOCUMENTS = OF_ANSWERS[1:]
"""Those that read the label or the body."""

ON_REQUESTS = (Operation.CREATE, Operation.READ, Operation.DELETE)


def main() -> int:
    """Print the gaps that some runs show."""
    parser = parser_of(__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="a folder that 'check' wrote, or a bundle")
    gaps = [f"{path}: {each}" for path in parser.parse_args().runs for each in gaps_in(read(path, needs_evidence=True))]
    print("\n".join(gaps) or "No check of schemathesis finds what no finding shows.")
    return bool(gaps)


def gaps_in(run: RecordedRun) -> Iterator[str]:
    """Yield each failure that no finding shows, in words, once for each check, operation and status."""
    by_id = {each.id: each for each in run.exchanges}
    shown = {
        _kind_of(by_id[id])
        for row in run.report.requirements
        for finding in row.findings
        if finding.verdict in (Verdict.FAIL, Verdict.WARN) or finding.alert
        for id in finding.exchanges
    }
    known = set[tuple[str, object]]()
    for exchange in run.exchanges:
        for name, message in failures(exchange):
            kind = _kind_of(exchange)
            if kind not in shown and (name, kind) not in known:
                known.add((name, kind))
                yield f"{exchange.id}, {exchange.operation} answered {kind[1]}: {name}: {message}"


def _kind_of(exchange: Exchange) -> tuple[Operation | None, int | None]:
    return exchange.operation, exchange.response.status if exchange.response else None


def failures(exchange: Exchange) -> Iterator[tuple[str, str]]:
    """Yield the names and messages of the checks that fail on an answer, and that the specification supports."""
    answer, intent = exchange.response, exchange.intent
    if exchange.operation is None or answer is None or not exchange.counts or answer.document.unread:
        return
    if intent.open or intent.unusual or intent.racing or 300 <= answer.status < 400 or answer.status >= 500:
        return
    is_known = exchange.request.credential in KNOWN_CREDENTIALS
    is_ignored = exchange.operation in ON_REQUESTS and not is_known and answer.status == 200
    names = OF_REFUSED_TOKENS if is_ignored else OF_ANSWERS
    case = _case_of(exchange)
    response = _response_of(exchange, case)
    for name in names:
        if name in OF_DOCUMENTS and _is_no_document(exchange):
            continue
        if failure := _failure(case, response, name):
            yield name, failure


def _is_no_document(exchange: Exchange) -> bool:
    """Tell whether the specification states neither label nor body of an answer, or this suite reads it anyway."""
    answer = exchange.response
    assert answer is not None
    label = answer.media_type
    own_words = answer.status >= 400 and not due(exchange).must_be_error
    other_label = label is None or label.endswith("+json")
    marked = answer.body.startswith(b"\xef\xbb\xbf")
    hidden = is_too_long(exchange.intent, answer) or (kind_of(exchange) == "read.own" and is_missing(exchange))
    return own_words or other_label or marked or hidden or exchange.operation is Operation.DATA_ME


@cache
def _document() -> Any:
    return schema((), ())


def _case_of(exchange: Exchange) -> schemathesis.Case[Any]:
    assert exchange.operation is not None
    method, path = exchange.operation.method, exchange.operation.path
    identifier = exchange.request_id
    case: schemathesis.Case[Any] = _document()[path][method].Case(
        path_parameters={"requestId": identifier} if "{" in path else {}
    )
    return case


def _response_of(exchange: Exchange, case: schemathesis.Case[Any]) -> schemathesis.Response:
    """Return an answer as schemathesis reads it; it sees no token."""
    answer, sent = exchange.response, exchange.request
    assert answer is not None
    request = httpx.Request(sent.method, case.as_transport_kwargs(base_url=NOWHERE)["url"], content=sent.body)
    dropped = ("content-encoding", "transfer-encoding", "content-length")
    headers = [
        (name.encode("latin-1", "replace"), value.encode("latin-1", "replace"))
        for name, value in answer.headers
        if name.lower() not in dropped
    ]
    response = httpx.Response(answer.status, headers=headers, content=answer.body, request=request)
    response.elapsed = timedelta(seconds=exchange.seconds)
    return schemathesis.Response.from_any(response)


def _failure(case: schemathesis.Case[Any], response: schemathesis.Response, name: str) -> str:
    """Return the message of a check that fails, or ""."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case.validate_response(response, checks=[getattr(checks, name)])
    except FailureGroup as group:
        return " ".join(str(group.exceptions[0]).split())
    return ""


if __name__ == "__main__":
    sys.exit(main())
