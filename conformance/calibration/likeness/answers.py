"""What the answers of a recorded service show of its choices: header fields, refusals, tokens, other users (4, 5)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

from conformance.calibration.likeness.seen import ANY, Copy, Seen, refusing, twins, usual
from conformance.calibration.operators import body, on_success
from conformance.calibration.twins.common import is_json, leaving
from conformance.facts.answers import form_of, refuses_form, says
from conformance.facts.kind import is_plain
from conformance.generation.meaning import open_matter_of, types_in_body
from conformance.model.error_table import (
    INVALID_DATA_TYPES,
    LANGUAGE_NOT_SUPPORTED,
    NOT_FOUND,
    ON_DATA_REQUESTS,
    TOKEN_IN_QUERY,
    Condition,
)
from conformance.model.errors import answer_of
from conformance.model.exchange import Exchange, Operation, header
from conformance.model.formats import is_uuid
from conformance.model.identity import ANONYMOUS
from conformance.model.strict_json import as_strings, parsed
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.scenarios.credentials import ByAnother

_PARAMETER: Final = r"( ?; ?(charset=\"?(utf-8|us-ascii)\"?)?)?"
_JSON: Final = re.compile(rf"application/(json|[\w.-]+\+json){_PARAMETER}|", re.ASCII | re.IGNORECASE)
_PLAIN: Final = re.compile(rf"text/plain{_PARAMETER}|", re.ASCII | re.IGNORECASE)
_DIRECTIVE: Final = (
    r"(no-(store|cache|transform)|private|public|immutable|must-(revalidate|understand)|proxy-revalidate|"
    r"(max-age|s-maxage|stale-while-revalidate|stale-if-error)=\d{1,8})"
)
_CACHING: Final = re.compile(rf"({_DIRECTIVE}(, ?{_DIRECTIVE})*)?", re.ASCII | re.IGNORECASE)
_WORDING: Final = re.compile(r'\b(realm|error_description)="[^"]*"')
_PART: Final = r'((realm|error_description)="reference"|error="(invalid_request|invalid_token|insufficient_scope)")'
_SCHEME: Final = rf"(Basic|Bearer|Digest|DPoP|Negotiate|OAuth|Token|JWT)( {_PART}(, ?{_PART})*)?"
_CHALLENGE: Final = re.compile(rf"({_SCHEME}(, ?{_SCHEME})*)?", re.ASCII | re.IGNORECASE)
"""Of words that say nothing of the recorded service, as what `_WORDING` finds is replaced."""
_TAG: Final = re.compile(r"[A-Za-z]{1,8}([-_][0-9A-Za-z]{1,8})*|\*")
_DOCUMENTS: Final = (Operation.SETTINGS, Operation.DATA, Operation.CREATE, Operation.READ)


class Field(NamedTuple):
    """A header field of some answers, which may be absent: in the record, and in the service that is made."""

    name: str
    right: re.Pattern[str]
    operations: Iterable[Operation]
    statuses: Iterable[int]
    when: Callable[[Reply, Call], bool]
    among: Callable[[Exchange], bool] = lambda _: True


def _is_challenge(anonymous: bool, _: Reply, call: Call) -> bool:
    return call.condition is ErrorCondition.UNAUTHORIZED and anonymous is not bool(call.authorization)


def _is_anonymous(exchange: Exchange) -> bool:
    return exchange.request.credential == ANONYMOUS.label


FIELDS: Final[Mapping[str, Field]] = {
    "Content-Type of JSON": Field(
        "content-type", _JSON, _DOCUMENTS, (200,), lambda reply, call: reply.status == 200 and is_json(reply, call)
    ),
    "Content-Type of errors": Field(
        *("content-type", _JSON, Operation, (400, 401, 404)),
        lambda reply, call: reply.status > 200 and is_json(reply, call),
    ),
    "Content-Type of OK": Field(
        *("content-type", _PLAIN, (Operation.DELETE,), (200,)),
        lambda reply, call: call.operation is Action.DELETE and reply.status == 200,
    ),
    "Cache-Control": Field("cache-control", _CACHING, _DOCUMENTS, (200,), lambda _, call: not call.condition),
    "WWW-Authenticate": Field(
        "www-authenticate", _CHALLENGE, ON_DATA_REQUESTS, (401,), partial(_is_challenge, True), _is_anonymous
    ),
    "WWW-Authenticate to a wrong token": Field(
        *("www-authenticate", _CHALLENGE, ON_DATA_REQUESTS, (401,)),
        partial(_is_challenge, False),
        lambda exchange: not _is_anonymous(exchange),
    ),
}
"""The fields that are copied, by the words of the command."""


def copied(field: Field, seen: Seen) -> Copy | None:
    """Copy the usual value of a header field, or that it is absent."""
    shown = filter(field.among, seen.answered(*field.operations, statuses=field.statuses))
    value = usual(_WORDING.sub(r'\1="reference"', answer_of(each).header(field.name) or "") for each in shown)
    if value is None or not field.right.fullmatch(value) or not seen.is_public(value):
        return None

    def change(reply: Reply, call: Call) -> None:
        if field.when(reply, call):
            reply.headers = {name: other for name, other in reply.headers.items() if name != field.name}
            reply.headers |= {field.name: value} if value else {}

    return Copy((leaving(change),))


def confirmation(seen: Seen) -> Copy | None:
    """Copy a line feed after the OK of a deletion."""
    text = usual(answer_of(each).body for each in seen.answered(Operation.DELETE))
    is_right = text in (b"OK", b"OK\n", b"OK\r\n")
    return Copy((on_success(body(lambda _: text or b""), Action.DELETE),)) if is_right else None


def redirects(seen: Seen) -> Copy | None:
    """Copy that GET of settings, data types or a request redirects within the origin, once."""
    found: dict[Action, int] = {}
    for operation in (Operation.SETTINGS, Operation.DATA, Operation.READ):
        first = [each for each in seen.answered(operation, statuses=ANY) if not each.redirected_from]
        status = usual(each.status if each.redirected_to else 0 for each in first)
        found |= {Action(operation.value): status} if status else {}

    class Changed(Service):
        async def shortcut(self, call: Call) -> Reply | None:
            if call.operation not in found or "moved" in call.query:
                return await super().shortcut(call)
            query = "&".join(filter(None, (str(call.query), "moved=1")))
            return Reply(found[call.operation], b"", {"location": f"?{query}"})

    return Copy((Changed,) if found else ())


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
        if _is_as_tabled(exchanges, INVALID_DATA_TYPES):
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


def _is_as_tabled(exchanges: Iterable[Exchange], row: Condition) -> bool:
    """Tell whether the first exchange is answered with the words of a row of clause 7."""
    answer = next((each.response for each in exchanges), None)
    return says(answer, row) and says(answer, row, "message")


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


def transfer_forms(seen: Seen) -> Copy | None:
    """Copy that a chunked body, or one that Expect announces, is refused."""
    sent = [each for each in seen.of_users(Operation.CREATE) if form_of(each.request)]
    services: list[type[Service]] = []
    for name in ("Transfer-Encoding", "Expect"):
        refused = [each for each in sent if form_of(each.request) == name and refuses_form(each)]
        services += refusing(partial(_carries, name), seen.refusal(refused), Action.CREATE)
    return Copy(tuple(services)) if sent else None


def _carries(name: str, _: Service, call: Call) -> bool:
    return name in call.headers


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


def parallel_deletions(seen: Seen) -> Copy | None:
    """Copy that each of several simultaneous deletions answers OK."""
    statuses = {each.status for each in seen.answered(Operation.DELETE, statuses=ANY) if each.intent.racing}
    names = ["every-deletion-of-several-is-confirmed"] if statuses == {200} else []
    return Copy(twins(names)) if statuses else None


def other_users(seen: Seen) -> Copy | None:
    """Copy how another user's request is answered, which may be read and deleted."""
    found = seen.trace.results.get("by_another")
    if not isinstance(found, ByAnother) or not found.read.counts or found.absent[0].status != 404:
        return None
    read, deleted = found.read.status, found.deleted.status
    if read == 200 and answer_of(found.read).member("requestId"):
        return Copy(twins(["users-share-an-organisation" if deleted == 200 else "others-may-read-only"]))
    others = {401: "unauthorized-to-others", 403: "forbidden-to-others"}
    if not _is_as_tabled([found.read], NOT_FOUND):
        others[404] = "not-found-for-others-in-other-words"
    return Copy(twins([others[read]] if read in others else ()))


# ---------------------------------------------------------------------- languages and tokens


def malformed_languages(seen: Seen) -> Copy | None:
    """Copy how GET /data answers a language that is no tag."""
    asked = seen.answered(Operation.DATA, statuses=ANY)
    asked = [each for each in asked if each.intent.language == "malformed" and not each.intent.unusual]
    if not asked:
        return None
    row = LANGUAGE_NOT_SUPPORTED
    refuse = None if _is_as_tabled(asked, row) else seen.refusal(asked, row.error)

    class Changed(Service):
        def language(self, call: Call) -> str:
            is_ignored = asked[0].status == 200 and self.is_malformed(call)
            return super().language(replace(call, headers={}, query={}) if is_ignored else call)

        def finish(self, reply: Reply, call: Call) -> Reply:
            reply, is_refused = super().finish(reply, call), call.condition is ErrorCondition.LANGUAGE
            return refuse() if refuse and is_refused and self.is_malformed(call) else reply

        def is_malformed(self, call: Call) -> bool:
            first = self.language_asked(call).partition(",")[0].partition(";")[0].strip()
            return first not in ("", *self.config.languages) and not _TAG.fullmatch(first)

    return Copy((Changed,))


_FORMS: Final = {
    "the token with the scheme Token": (404, "scheme-token-as-well"),
    "the token with the scheme bearer in lower case": (401, "scheme-in-exact-case"),
    TOKEN_IN_QUERY: (404, "token-in-the-query-as-well"),
}
"""The forms of a token that clause 5 leaves open: what a reading of no request shows, and the twin that does that."""


def forms_of_a_token(seen: Seen) -> Copy | None:
    """Copy which other forms of a token are accepted."""
    shown = {(each.request.credential, each.status) for each in seen.answered(Operation.READ, statuses=ANY)}
    seen_at_all = any(label in _FORMS for label, _ in shown)
    names = [name for label, (status, name) in _FORMS.items() if (label, status) in shown]
    return Copy(twins(names)) if seen_at_all else None
