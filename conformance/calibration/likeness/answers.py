"""What the answers of a recorded service show of its choices: labels and refusals (4)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final, NamedTuple

from conformance.calibration.likeness.seen import Copy, Seen, refusing, usual
from conformance.calibration.twins.common import is_json, leaving
from conformance.facts.answers import says
from conformance.facts.kind import is_plain
from conformance.generation.meaning import open_matter_of, types_in_body
from conformance.model.error_table import INVALID_DATA_TYPES
from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.formats import is_uuid
from conformance.model.strict_json import as_strings, parsed
from conformance.reference.call import Action, Call, RefusedError, Reply
from conformance.reference.service import Service

_PARAMETER: Final = r"( ?; ?(charset=\"?(utf-8|us-ascii)\"?)?)?"
_JSON: Final = re.compile(rf"application/(json|[\w.-]+\+json){_PARAMETER}|", re.ASCII | re.IGNORECASE)
_PLAIN: Final = re.compile(rf"text/plain{_PARAMETER}|", re.ASCII | re.IGNORECASE)
_DOCUMENTS: Final = (Operation.SETTINGS, Operation.DATA, Operation.CREATE, Operation.READ)


class Label(NamedTuple):
    """The Content-Type of some answers, which may be absent: in the record, and in the service that is made."""

    right: re.Pattern[str]
    operations: Iterable[Operation]
    statuses: Iterable[int]
    when: Callable[[Reply, Call], bool]


LABELS: Final[Mapping[str, Label]] = {
    "Content-Type of JSON": Label(
        _JSON, _DOCUMENTS, (200,), lambda reply, call: reply.status == 200 and is_json(reply, call)
    ),
    "Content-Type of errors": Label(
        _JSON, Operation, (400, 401, 404), lambda reply, call: reply.status > 200 and is_json(reply, call)
    ),
    "Content-Type of OK": Label(
        _PLAIN, (Operation.DELETE,), (200,), lambda reply, call: call.operation is Action.DELETE and reply.status == 200
    ),
}
"""The labels that are copied, by the words of the command."""


def copied(label: Label, seen: Seen) -> Copy | None:
    """Copy the usual label of some answers, or that they have none."""
    shown = seen.answered(*label.operations, statuses=label.statuses)
    value = usual(answer_of(each).header("content-type") or "" for each in shown)
    if value is None or not label.right.fullmatch(value) or not seen.is_public(value):
        return None

    def change(reply: Reply, call: Call) -> None:
        if label.when(reply, call):
            reply.headers = {name: other for name, other in reply.headers.items() if name != "content-type"}
            reply.headers |= {"content-type": value} if value else {}

    return Copy((leaving(change),))


# ---------------------------------------------------------------------- creations


def _form(content: bytes) -> str:
    """Return the open matter that the body of a creation belongs to, with the type of other JSON; "" for none."""
    matter = open_matter_of(content)
    return f"{matter}: {type(parsed(content).value).__name__}" if matter == "4.1-other-json" else matter


def bodies(seen: Seen) -> Copy | None:
    """Copy what becomes of bodies that are no list of different types: malformed, of other JSON, empty, repetitive."""
    given: dict[str, list[Exchange]] = defaultdict(list)
    for each in seen.of_users(Operation.CREATE):
        if (form := _form(each.request.body)) and seen.types.issuperset(types_in_body(each.request.body) or ()):
            given[form].append(each)
    services, requested = list[type[Service]](), dict[str, str]()
    for form, exchanges in given.items():
        first = exchanges[0].response
        if says(first, INVALID_DATA_TYPES) and says(first, INVALID_DATA_TYPES, "message"):
            continue
        also = () if form == "4.1-repeated-type" else (500, 501, 502)
        refuse = seen.refusal(exchanges, INVALID_DATA_TYPES.error, also=also)
        services += refusing(partial(_has, form), refuse, Action.CREATE)
        made = [as_strings(answer_of(each).member("dataRequested")) for each in exchanges if each.status == 200]
        if not refuse and made and made[0] is not None and seen.types.issuperset(made[0]):
            requested[form] = _meant(form, made[0], seen.types)

    class Changed(Service):
        def wanted_types(self, call: Call) -> tuple[str, ...]:
            every, listed = tuple(each.type for each in self.types), tuple(types_in_body(call.body) or ())
            meant = next((requested[form] for form in requested if _has(form, self, call)), "")
            types = {"all": every, "none": (), "first": every[:1], "as listed": listed}
            return types[meant] if meant in types else super().wanted_types(call)

    return Copy((Changed, *services)) if given else None


def _meant(form: str, types: list[str], known: frozenset[str]) -> str:
    """Return which types a body of a form requests, in a word; "" for what the reference takes."""
    if form == "4.1-repeated-type":
        return "as listed" if len(set(types)) < len(types) else ""
    return "none" if not types else "all" if set(types) == known else "first"


def _has(form: str, service: Service, call: Call) -> bool:
    """Tell whether the body of a creation has a form, and lists no unknown type."""
    return _form(call.body) == form and service.types_match(list(types_in_body(call.body) or ()))


def other_media_types(seen: Seen) -> Copy | None:
    """Copy that a list of types is refused because of its Content-Type."""
    sent = [each for each in seen.of_users(Operation.CREATE) if types_in_body(each.request.body)]
    sent = [each for each in sent if _is_other(header(each.request.headers, "content-type"))]
    sent = [each for each in sent if seen.types.issuperset(types_in_body(each.request.body) or ())]

    def is_meant(_: Service, call: Call) -> bool:
        return bool(call.body) and _is_other(call.headers.get("content-type"))

    return Copy(refusing(is_meant, seen.refusal(sent), Action.CREATE)) if sent else None


def _is_other(label: str | None) -> bool:
    return bool(label) and "json" not in str(label).lower()


# ---------------------------------------------------------------------- readings and deletions


def odd_identifiers(seen: Seen) -> Copy | None:
    """Copy how a path is refused whose identifier is no UUID: a word, or one with other characters."""
    asked = [each for each in seen.of_users(Operation.READ, Operation.DELETE) if each.intent.request == "unknown"]
    odd = [each for each in asked if not is_uuid(each.request_id)]
    services: list[type[Service]] = []
    for plain in (True, False):
        refuse = seen.refusal(each for each in odd if is_plain(each.request_id) is plain)
        services += refusing(partial(_is_odd, plain), refuse, Action.READ, Action.DELETE)
    return Copy(tuple(services)) if odd else None


def _is_odd(plain: bool, service: Service, call: Call) -> bool:
    """Tell whether an identifier is odd, and no other form of that of a request."""
    if is_uuid(call.request_id) or is_plain(call.request_id) is not plain:
        return False
    try:
        return service.find(call) is None
    except RefusedError:
        return True
