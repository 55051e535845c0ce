"""What a creation made: a request that its answer names, none, or perhaps one that no answer names (4.1)."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import unquote

import httpx

from conformance.facts.answers import names_a_tabled_error
from conformance.facts.kind import kind_of
from conformance.model.error_table import KNOWN_CREDENTIALS, REFUSED_IN_OWN_WORDS
from conformance.model.exchange import INTERRUPTED, NEVER_ARRIVED, ErrorKind, Exchange, Response
from conformance.model.strict_json import as_strings, parse
from conformance.spec.kinds import State, row_of

OF_GATEWAYS: Final = frozenset({408, 425, 502, 503, 504, 509, *range(520, 531), 598, 599})
"""Statuses by which a gateway reports that it has no response for now."""

DONE_OR_NOT: Final = OF_GATEWAYS - {408, 425, 503, 509}
"""The statuses of these after which the service may have processed the request."""

_CRASHED: Final = frozenset({502, 520})
"""The statuses of these by which it reports that the service closed the connection, or answered no HTTP."""

_WRITTEN: Final = re.compile(r"""["']requestId["']\s*:\s*["']([0-9A-Fa-f-]{36})["']""")
"""The identifier in a body that is not JSON, such as JSON with something after it."""

_NAMES_OF_AN_IDENTIFIER = ("requestid", "request_id", "id", "uuid")


@dataclass(frozen=True, slots=True)
class Made:
    """What a creation made; by default nothing."""

    request_id: str | None = None
    perhaps: str = ""
    """Why it may have made a request that its answer does not name."""
    is_left: bool = False
    """Whether the clean-up counts this request as one that may be left; where the service answered that it failed, or
    hung up at a body that it need not take, it does not."""


NOTHING: Final = Made()


def made_by(creation: Exchange, *, full: bool = False) -> Made:
    """Return what a creation that is over made; `full` if the limit was reached, so that an error refuses it."""
    answer, odd, credential = creation.response, creation.intent.body == "odd", creation.request.credential
    # A gateway may refuse such a creation with any page, or no answer, before it looks for a token.
    of_no_user = credential in REFUSED_IN_OWN_WORDS
    if answer is None:
        if creation.error in NEVER_ARRIVED or of_no_user:
            return NOTHING
        # A service may hang up where the answer is open.
        hung_up = creation.error is ErrorKind.CLOSED and creation.error_detail != INTERRUPTED
        return Made(perhaps=creation.error_detail or "there was no answer", is_left=not (hung_up and odd))
    accepted = 200 <= answer.status < 300
    request_id = _named(answer)
    if request_id is not None:
        return Made(request_id)
    if names_a_tabled_error(answer) or (of_no_user and (not accepted or answer.document.problem)):
        return NOTHING
    if accepted:
        return Made(perhaps="the answer names no requestId", is_left=True)
    sent = parse(creation.request.body) if odd else None
    if answer.status in _CRASHED and sent is not None and as_strings(sent.value) is None:
        return Made(perhaps=f"a gateway answered {answer.status}")  # as where the service hangs up
    row = row_of(kind_of(creation), State.ROOM)
    if answer.status in DONE_OR_NOT and not row.lacks_refusal(answer.status):
        return Made(perhaps=f"a gateway answered {answer.status}", is_left=True)
    failed = Made(perhaps=f"the service answered {answer.status}", is_left=answer.status not in OF_GATEWAYS)
    if answer.status >= 500 and not full and failed.is_left and row.document:
        return failed  # a service that fails during a valid creation may have stored the request first
    known = credential in KNOWN_CREDENTIALS and sent is not None and sent.problem is None
    return replace(failed, is_left=False) if answer.status == 503 or (answer.status == 500 and known) else NOTHING


def identifier_in(body: Any, depth: int = 3) -> str | None:
    """Return what looks like the identifier of a created request, so that it can be deleted after a faulty response."""
    if isinstance(body, list):
        body = body[0] if len(body) == 1 else None
    if not isinstance(body, dict) or not depth:
        return None
    if isinstance(body.get("requestId"), str) and body["requestId"]:
        return str(body["requestId"])  # other members may differ from it only in case
    names = {name.lower(): value for name, value in body.items() if isinstance(value, str) and value}
    for name in _NAMES_OF_AN_IDENTIFIER:
        if name in names:
            return names[name]
    inner = (identifier_in(value, depth - 1) for value in body.values() if isinstance(value, dict | list))
    return next((found for found in inner if found is not None), None)


def _named(answer: Response) -> str | None:
    """Return the identifier that the answer to a creation names."""
    accepted = 200 <= answer.status < 300
    request_id = identifier_in(answer.document.value) if accepted else None
    if accepted and answer.document.problem and "createdAt" in answer.text:  # no page that shows its own requestId
        request_id = written[1] if (written := _WRITTEN.search(answer.text)) else None
    if request_id is None and answer.status < 400 and (location := answer.header("location")):
        with suppress(httpx.InvalidURL):
            path = httpx.URL(location).raw_path.decode("ascii").partition("?")[0].rstrip("/")
            *_, collection, segment = ["", *path.split("/")]
            if collection == "requests" and segment:
                return unquote(segment)
    return request_id
