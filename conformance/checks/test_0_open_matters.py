"""What the specification leaves open, and each answer shows by itself: the run counts the answers that show it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Final, NamedTuple

import pytest

from conformance.checks.marks import Observe, by_answers, last, traces
from conformance.facts.answers import form_of
from conformance.generation.meaning import open_matter_of
from conformance.judge.decisions import plainness
from conformance.judge.run import Run
from conformance.model.error_table import KNOWN_CREDENTIALS, ON_DATA_REQUESTS
from conformance.model.errors import answer_in_words, choice
from conformance.model.exchange import Exchange, Operation, Request, Response, header
from conformance.model.formats import is_date_time, is_uuid
from conformance.model.text import count, in_json, shorten


class Matter(NamedTuple):
    """What answers show an open matter."""

    scenarios: Collection[str]
    """Some whose calls have such answers."""
    operations: Collection[Operation]
    statuses: Collection[int]
    shows: Callable[[Request, Response], str] = lambda _, answer: answer_in_words(answer)
    """Returns in words what one of these answers shows, or ""."""
    among: Callable[[Exchange], bool] = lambda _: True
    """Tells whether a call is about the matter."""
    generated: bool = False
    """Whether only generated calls are."""


def _challenge(_: Request, answer: Response) -> str:
    given = ", ".join(value for name, value in answer.headers if name.lower() == "www-authenticate")
    return f"WWW-Authenticate {given or 'absent'}"


def _label_of_ok(_: Request, answer: Response) -> str:
    return f"Content-Type {answer.media_type or 'absent'}"


def _without_label(_: Request, answer: Response) -> str:
    return "" if answer.document.problem or answer.media_type is not None else "JSON without a Content-Type"


def _offset(_: Request, answer: Response) -> str:
    given = answer.member("createdAt")
    if not isinstance(given, str) or not is_date_time(given):
        return ""
    digits = len(given[19:].lstrip(".")) - len(given[19:].lstrip(".0123456789"))
    after = f"after {count(digits, 'digit')} of a second" if digits else "without a fraction of a second"
    form = {3: " of hours only", 5: " without a colon"}.get(len(given) - max(map(given.rfind, "+-")), "")
    return f"createdAt ends with {given[-1] if given[-1] in 'Zz' else f'a numeric offset{form}'} {after}"


def _grounds(_: Request, answer: Response) -> str:
    listed = answer.document.value if isinstance(answer.document.value, list) else []
    given = {in_json(each.get("processingGround")) for each in listed if isinstance(each, dict)}
    return "" if not given else f"processingGround takes {shorten(', '.join(sorted(given)), 300)}"


def _state(_: Request, answer: Response) -> str:
    states = {True: "a request that is completed", False: "a request in progress"}
    state = answer.member("isCompleted")
    return states[state] if isinstance(state, bool) else ""


def _form(request: Request, answer: Response) -> str:
    form = form_of(request)
    return form and f"{answer_in_words(answer)} to a body with {form}"


def _record(request: Request, answer: Response) -> str:
    kinds: dict[type, str] = {dict: "a JSON object", list: "a JSON array"}
    kind = "no JSON" if answer.document.problem else kinds.get(type(answer.document.value), "another JSON value")
    return f"status {answer.status} and {kind} with the credential {request.credential!r}"


def _credential(request: Request, answer: Response) -> str:
    known = request.credential in KNOWN_CREDENTIALS
    return "" if known else f"status {answer.status} with {request.credential}"


def _label_of_body(request: Request, answer: Response) -> str:
    label = header(request.headers, "content-type") or "application/json"
    return f"{answer_in_words(answer)} to {label}" if "json" not in label.lower() else ""


def _has_open_body(matter: str, exchange: Exchange) -> bool:
    return open_matter_of(exchange.request.body) == matter


def _has_no_uuid(exchange: Exchange) -> bool:
    return not is_uuid(exchange.request_id) and not _is_another_form(exchange)


def _is_another_form(exchange: Exchange) -> bool:
    return exchange.intent.open and exchange.request_id.replace("-", "").isalnum()


_ANY: Final = tuple(Operation)
_PUBLIC: Final = (Operation.SETTINGS, Operation.DATA, Operation.DATA_ME)
_CREATE: Final = (Operation.CREATE,)
_DELETE: Final = (Operation.DELETE,)
_OF_ONE: Final = (Operation.READ, Operation.DELETE)
_OK: Final = (200,)
_EVERY: Final = range(100, 600)
_OUTSIDE_THE_TABLE: Final = {*_EVERY} - {200, 400, 401, 404}

MATTERS: Final[Mapping[str, Matter]] = {
    "0-media-type-absent": Matter((), _ANY, _EVERY, _without_label),
    "0-odd-headers": Matter(
        ("unusual_readings",), _PUBLIC, _EVERY, among=lambda each: each.intent.open, generated=True
    ),
    "0-redirects": Matter((), _ANY, range(300, 400), among=lambda each: each.redirected_to != ""),
    "2.1-timestamp-form": Matter(("creations",), _CREATE, _OK, _offset),
    "2.2-processingGround-values": Matter(("data_answers",), (Operation.DATA,), _OK, _grounds),
    "3-initial-state": Matter(("creations",), _CREATE, _OK, _state),
    "3-transitions": Matter(("creations",), (Operation.READ,), _OK, _state),
    **{
        matter: Matter(("generated",), _CREATE, _EVERY, among=partial(_has_open_body, matter), generated=True)
        for matter in ("4.1-malformed-body", "4.1-other-json", "4.1-empty-array", "4.1-repeated-type")
    },
    "4.1-other-media-types": Matter(("generated",), _CREATE, _EVERY, _label_of_body, generated=True),
    "3-parallel-deletions": Matter(("races",), _DELETE, _EVERY, among=lambda each: each.intent.racing),
    "4.1-server-errors": Matter(("generated",), _CREATE, range(500, 600)),
    "4.1-transfer-forms": Matter(("creations",), _CREATE, _EVERY, _form),
    "4.2-odd-identifiers": Matter(("generated",), _OF_ONE, _EVERY, among=_has_no_uuid, generated=True),
    "4.2-other-forms": Matter(("generated",), _OF_ONE, _EVERY, among=_is_another_form, generated=True),
    "4.3-media-type-absent": Matter(("deletion",), _DELETE, _OK, _label_of_ok),
    "4.3-trailing-line-feed": Matter(("deletion",), _DELETE, _OK, lambda _, answer: f"the body {answer.text[:9]!r}"),
    "4.5-malformed-language": Matter(
        ("malformed_languages",), (Operation.DATA,), _EVERY, among=lambda each: each.intent.language == "malformed"
    ),
    "4.6-shape": Matter(("data_me",), (Operation.DATA_ME,), _EVERY, _record),
    "5-credential-forms": Matter(
        ("doubtful_credentials",), ON_DATA_REQUESTS, _EVERY, _credential, among=lambda each: each.intent.open
    ),
    "5.3-www-authenticate": Matter(("read_without_token",), ON_DATA_REQUESTS, (401,), _challenge),
    "7-other-errors": Matter(("creations",), _ANY, _OUTSIDE_THE_TABLE),
    "8-other-limits": Matter(("generated",), _ANY, (413, 414, 429, 431, 503)),
}
"""Each open matter, and the answers that show it."""


@traces(
    """
    SAYS WWW-Authenticate Bearer: 1 answer
         anonymous GET r1 -> 401 with WWW-Authenticate: Bearer
    """,
    of="5.3-www-authenticate",
)
@pytest.mark.parametrize("matter", [by_answers(name, each, each.scenarios, last) for name, each in MATTERS.items()])
def test_open_matter(run: Run, observe: Observe, matter: Matter) -> None:
    """Shows what the answers of the run show of the matter, and the plainest call with such an answer."""
    shown: defaultdict[str, list[Exchange]] = defaultdict(list)
    for exchange in run.record.in_order():
        is_one = exchange.operation in matter.operations and exchange.status in matter.statuses
        is_one = is_one and (exchange.intent.generated or not matter.generated)
        if exchange.response and is_one and matter.among(exchange):
            shown[matter.shows(exchange.request, exchange.response)].append(exchange)
    shown.pop("", None)
    for words, exchanges in shown.items():
        plainest = min(exchanges, key=plainness)
        observe(choice(words, len(exchanges), plainest), plainest)
    if not shown:
        observe("No answer of the run shows this.")
