"""The checks of schemathesis on the answers to its cases, and where they ask for more than the specification does."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import httpx

from conformance.generation.call import GeneratedCall
from conformance.generation.cases import NOWHERE
from conformance.model.error_table import is_refusal, is_too_long, may_be_hidden
from conformance.model.exchange import Exchange, Operation, header

if TYPE_CHECKING:
    from schemathesis import Case, Response

CHECKS: Final = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "positive_data_acceptance",
    "missing_required_header",
    "unsupported_method",
    "use_after_free",
    "ensure_resource_availability",
)
"""The checks on the answers to generated calls."""

OF_REFUSED_TOKENS: Final = ("ignored_auth",)
"""The checks on the answers to calls without a valid token, which the checks of clause 5 make."""


WITHHELD: Final = "Bearer withheld"
"""What stands for each token: schemathesis sees no secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stricter:
    """A case in which a check of schemathesis asks for more than the specification does."""

    check: str
    condition: str
    """In words: when the check says nothing about conformance."""
    reason: str
    applies: Callable[[GeneratedCall, Exchange], bool]
    exclude: bool = False
    """Whether a run of schemathesis alone has to exclude the check, because it cannot know the condition."""


def _always(_: GeneratedCall, __: Exchange) -> bool:
    return True


def _is_open(call: GeneratedCall, exchange: Exchange) -> bool:
    return bool(call.row) or call.unclear or exchange.intent.open or exchange.intent.unusual


def _is_no_refusal(_: GeneratedCall, exchange: Exchange) -> bool:
    answer = exchange.response
    if answer is None:
        return False
    if exchange.intent.body == "unprintable type":  # the rules of the suite fail such a call if it is accepted
        return answer.status != 200
    return answer.status >= 400 and not is_refusal(exchange)


def _has_another_label(_: GeneratedCall, exchange: Exchange) -> bool:
    answer = exchange.response
    return answer is not None and (answer.media_type is None or answer.media_type.endswith("+json"))


def _begins_with_a_mark(_: GeneratedCall, exchange: Exchange) -> bool:
    return exchange.response is not None and exchange.response.body.startswith(b"\xef\xbb\xbf")


STRICTER: Final = (
    Stricter(
        check="positive_data_acceptance",
        condition="always",
        reason="A call that keeps the schema may be refused all the same: for strings that are no types of GET /data "
        "(4.1), for the limit or the number of types (8), for an identifier that no request has (7), for a completed "
        "request (4.2), for a missing language (4.5) or token (4.6). The rules of the suite know which to accept.",
        applies=_always,
        exclude=True,
    ),
    Stricter(
        check="negative_data_rejection",
        condition="the body is no list of different strings, the identifier is no UUID, or a header or query is added",
        reason="The table of clause 7 has no row for such a call. A service may also accept it: the empty list, a "
        "repeated type, or an unknown query parameter.",
        applies=_is_open,
        exclude=True,
    ),
    Stricter(
        check="negative_data_rejection",
        condition="the list of the body holds known types, or there is no body",
        reason="schemathesis counts a body as invalid that it made from a broken schema, although it can be valid.",
        applies=lambda _, exchange: exchange.intent.body in ("known types", "omitted"),
        exclude=True,
    ),
    Stricter(
        check="not_a_server_error",
        condition="always",
        reason="Other error statuses, for example 5xx, are not shown (7), and a service may fail now and then. The "
        "suite fails a 5xx where the table states the answer, and else observes it: 0-server-errors.",
        applies=_always,
    ),
    Stricter(
        check="unsupported_method",
        condition="always",
        reason="The specification names the methods of six operations, and no answer to any other method.",
        applies=_always,
        exclude=True,
    ),
    Stricter(
        check="ignored_auth",
        condition="the token of a user is sent in an unusual way: in the query, twice, or with another scheme",
        reason="Clause 5.1 states how a token is sent, and not that a service refuses every other way.",
        applies=_is_open,
    ),
    *(
        Stricter(
            check=check,
            condition="the answer has no Content-Type, or another JSON type than application/json",
            reason="Bodies are JSON (0), but no clause states the label of an answer. Any +json is JSON.",
            applies=_has_another_label,
        )
        for check in ("content_type_conformance", "response_schema_conformance")
    ),
    *(
        Stricter(
            check=check,
            condition="clause 7 has no row for the call, or a gateway or server may have refused it in its own words",
            reason="Statuses such as 413, 414 and 431, and refusals of control characters or odd paths, come from "
            "software in front of the service. Its errors are not those of the interface (7), and no row states "
            "those of an open call.",
            applies=lambda call, exchange: _is_open(call, exchange) or _is_no_refusal(call, exchange),
            exclude=check == "negative_data_rejection",
        )
        for check in (
            "content_type_conformance",
            "response_schema_conformance",
            "status_code_conformance",
            "negative_data_rejection",
        )
    ),
    Stricter(
        check="response_schema_conformance",
        condition="a list of several types is refused for their number",
        reason="Size limits are not shown (8), so the error of such a refusal is none of the table.",
        applies=lambda _, exchange: is_too_long(exchange),
    ),
    Stricter(
        check="response_schema_conformance",
        condition="the reading of a request that exists answers 404",
        reason="A completed request need not be readable (4.2), and the row on 404 is about what no request has (7).",
        applies=lambda _, exchange: may_be_hidden(exchange),
    ),
    *(
        Stricter(
            check=check,
            condition="GET /data/me answers with a page in place of a record",
            reason="Clause 4.6 shows neither authentication nor the shape of the answer: a page to log in is no fault.",
            applies=lambda call, _: call.operation is Operation.DATA_ME,
        )
        for check in ("content_type_conformance", "response_schema_conformance")
    ),
    Stricter(
        check="response_schema_conformance",
        condition="the body begins with a byte order mark",
        reason="A parser of JSON may ignore the mark (RFC 8259, 8.1), and this suite does.",
        applies=_begins_with_a_mark,
    ),
    Stricter(
        check="response_schema_conformance",
        condition="the settings have a number beyond a float, or a URL with characters that browsers accept",
        reason="The suite applies the same JSON Schema, but reads numbers of any size, and URLs as browsers do (2.3).",
        applies=lambda call, _: call.operation is Operation.SETTINGS,
    ),
    Stricter(
        check="ensure_resource_availability",
        condition="always",
        reason="A completed request need not be readable (4.2), and the check takes any earlier answer for a creation. "
        "The rules of the suite know which requests exist (3, 4.2, 4.3).",
        applies=_always,
    ),
    Stricter(
        check="status_code_conformance",
        condition="the limit may have been reached",
        reason="The suite decides on such an answer by the number of requests in progress (8).",
        applies=lambda _, exchange: exchange.intent.limit is not None,
    ),
)
"""Every disagreement between a check of schemathesis and the specification; `docs/schemathesis.md` shows the table."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A failure that a check of schemathesis reports, and no rule of the suite."""

    check: str
    exchange: Exchange
    message: str


def disagreements(
    call: GeneratedCall, case: Case[Any], exchange: Exchange, checks: Sequence[str] = CHECKS, recorder: Any = None
) -> Iterator[Disagreement]:
    """Yield the failures that checks of schemathesis report on an answer, unless the table explains them.

    A check of a series of calls reads the earlier ones in `recorder`, which schemathesis fills.
    """
    answer = exchange.response
    if answer is None or exchange.error or exchange.renewed or exchange.redirected_to or answer.document.unread:
        return
    response = response_of(exchange, case)
    names = [each for each in checks if not any(row.check == each and row.applies(call, exchange) for row in STRICTER)]
    if any(_failures(case, response, names, recorder)):  # seldom: which check it was takes a call for each
        for name in names:
            for failure in _failures(case, response, [name], recorder):
                yield Disagreement(name, exchange, " ".join(str(failure).split()))


def _failures(case: Case[Any], response: Response, names: Sequence[str], recorder: Any) -> Sequence[Exception]:
    from schemathesis import checks
    from schemathesis.core.failures import FailureGroup

    if not names:
        return ()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case.validate_response(response, checks=[getattr(checks, each) for each in names], recorder=recorder)
    except FailureGroup as group:
        return group.exceptions
    except Exception as error:  # an error in a check of schemathesis is no reason to end the run
        return (error,)
    return ()


def response_of(exchange: Exchange, case: Case[Any]) -> Response:
    """Return the answer to a case as schemathesis reads it, with the address of the case."""
    import schemathesis

    answer, sent = exchange.response, exchange.request
    assert answer is not None
    written = case.as_transport_kwargs(base_url=NOWHERE)
    request = httpx.Request(sent.method, written["url"], params=written.get("params"), content=sent.body)
    if header(sent.headers, "authorization"):
        request.headers["Authorization"] = WITHHELD
    dropped = ("content-encoding", "transfer-encoding", "content-length")
    headers = [pair for pair in answer.headers if pair[0].lower() not in dropped]
    encoded = [(name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in headers]
    response = httpx.Response(answer.status, headers=encoded, content=answer.body, request=request)
    response.elapsed = timedelta(seconds=exchange.seconds)
    return schemathesis.Response.from_any(response)
