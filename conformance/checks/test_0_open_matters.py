"""What the specification leaves open, and each answer shows by itself: the run counts the answers that show it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from typing import Final, NamedTuple

import pytest

from conformance.checks.marks import Observe, by_answers, last, traces
from conformance.facts.answers import refuses_form
from conformance.model.date_time import is_date_time
from conformance.model.error_table import KNOWN_CREDENTIALS, ON_DATA_REQUESTS
from conformance.model.errors import in_words
from conformance.model.exchange import Exchange, Operation, Response, header, state_of
from conformance.model.text import count, in_json, shorten
from conformance.rules.run import Run


class Matter(NamedTuple):
    """What answers show an open matter."""

    scenarios: Collection[str]
    """Some whose calls have such answers."""
    operations: Collection[Operation]
    statuses: Collection[int]
    shows: Callable[[Exchange, Response], str]
    """Returns in words what one of these answers shows, or ""."""


def _label(_: Exchange, answer: Response) -> str:
    label = "without a" if answer.media_type is None else "with a"
    return "" if answer.document.problem else f"JSON {label} Content-Type"


def _offset(_: Exchange, answer: Response) -> str:
    given = answer.member("createdAt")
    if not isinstance(given, str) or not is_date_time(given):
        return ""
    return f"createdAt ends with {'Z' if given[-1] in 'Zz' else 'a numeric offset'}"


def _grounds(_: Exchange, answer: Response) -> str:
    listed = answer.document.value if isinstance(answer.document.value, list) else []
    given = {in_json(each.get("processingGround")) for each in listed if isinstance(each, dict)}
    return "" if not given else f"processingGround takes {shorten(', '.join(sorted(given)), 300)}"


def _state(exchange: Exchange, _: Response) -> str:
    state = state_of(exchange)
    return "" if state is None else "a request that is completed" if state else "a request in progress"


def _form(exchange: Exchange, _: Response) -> str:
    headers = exchange.request.headers
    form = next((name for name in ("Transfer-Encoding", "Expect") if header(headers, name)), "")
    return form and f"a body with {form} is {'refused' if refuses_form(exchange) else 'accepted'}"


def _record(exchange: Exchange, answer: Response) -> str:
    kinds: dict[type, str] = {dict: "a JSON object", list: "a JSON array"}
    kind = "no JSON" if answer.document.problem else kinds.get(type(answer.document.value), "another JSON value")
    return f"status {answer.status} and {kind} with the credential {exchange.request.credential!r}"


def _credential(exchange: Exchange, answer: Response) -> str:
    credential = exchange.request.credential
    return "" if credential in KNOWN_CREDENTIALS else f"status {answer.status} with {credential}"


_ANY: Final = tuple(Operation)
_CREATE: Final = (Operation.CREATE,)
_DELETE: Final = (Operation.DELETE,)
_OK: Final = (200,)
_EVERY: Final = range(100, 600)
_OUTSIDE_THE_TABLE: Final = {*_EVERY} - {200, 400, 401, 404}

MATTERS: Final[Mapping[str, Matter]] = {
    "0-media-type-absent": Matter((), _ANY, _EVERY, _label),
    "0-redirects": Matter((), _ANY, _EVERY, lambda exchange, _: exchange.redirected_to and "a redirected GET"),
    "2.1-timestamp-form": Matter(("for_one_type",), _CREATE, _OK, _offset),
    "2.2-processingGround-values": Matter(("data_answers",), (Operation.DATA,), _OK, _grounds),
    "3-initial-state": Matter(("for_one_type",), _CREATE, _OK, _state),
    "3-transitions": Matter(("for_one_type",), (Operation.READ,), _OK, _state),
    "4.1-server-errors": Matter(
        ("for_one_type",), _CREATE, range(500, 600), lambda _, answer: f"status {answer.status}"
    ),
    "4.1-transfer-forms": Matter(("for_one_type",), _CREATE, _EVERY, _form),
    "4.3-media-type-absent": Matter(
        ("deletion",), _DELETE, _OK, lambda _, answer: f"Content-Type {answer.media_type or 'absent'}"
    ),
    "4.3-trailing-line-feed": Matter(("deletion",), _DELETE, _OK, lambda _, answer: f"the body {answer.text[:9]!r}"),
    "4.5-malformed-language": Matter(
        ("malformed_languages",),
        (Operation.DATA,),
        _EVERY,
        lambda exchange, _: in_words(exchange) if exchange.intent.language == "malformed" else "",
    ),
    "4.6-shape": Matter(("data_me",), (Operation.DATA_ME,), _EVERY, _record),
    "5-credential-forms": Matter(
        ("refused_creations", "refused_requests", "doubtful_credentials"), ON_DATA_REQUESTS, _EVERY, _credential
    ),
    "5.3-www-authenticate": Matter(
        ("read_without_token",),
        ON_DATA_REQUESTS,
        (401,),
        lambda _, answer: f"WWW-Authenticate {answer.header('www-authenticate') or 'absent'}",
    ),
    "7-other-errors": Matter(("for_one_type",), _ANY, _OUTSIDE_THE_TABLE, lambda exchange, _: in_words(exchange)),
    "8-other-limits": Matter(("for_one_type",), _ANY, (429, 503), lambda _, answer: f"status {answer.status}"),
}


@traces(
    """
    SAYS In 1 of 1 answer: WWW-Authenticate Bearer.
         anonymous GET r1 -> 401 with WWW-Authenticate: Bearer
    """,
    of="5.3-www-authenticate",
)
@pytest.mark.parametrize("matter", [by_answers(name, each, each.scenarios, last) for name, each in MATTERS.items()])
def test_open_matter(run: Run, observe: Observe, matter: Matter) -> None:
    """Shows what the answers of the run show of the matter, and how many of them."""
    shown: defaultdict[str, list[Exchange]] = defaultdict(list)
    for exchange in run.record.in_order():
        if exchange.response and exchange.operation in matter.operations and exchange.status in matter.statuses:
            shown[matter.shows(exchange, exchange.response)].append(exchange)
    total = sum(map(len, shown.values()))
    words = {each: exchanges for each, exchanges in shown.items() if each}
    for each, exchanges in words.items():
        observe(f"In {len(exchanges)} of {count(total, 'answer')}: {each}.", exchanges[0])
    if not words:
        observe("No answer of the run shows this.")
