"""Faults that some clients meet: those that accept other media types, or write and send a body in another way."""

from __future__ import annotations

from conformance.calibration import sources
from conformance.calibration.operators import on_success, text
from conformance.calibration.variant import add_fault, fault
from conformance.reference.call import JSON, Action, Call, Reply
from conformance.reference.service import Service

_LABEL = "0-json-media-type"
_PAGE = {"content-type": "text/html; charset=utf-8"}


def _asks_for_json(call: Call) -> bool:
    return "json" in call.headers.get("accept", "")


def _is_browser(call: Call) -> bool:
    return "text/html" in call.headers.get("accept", "")


@fault("0-bodies-are-json", _LABEL, source=sources.SPRING_CONVERTERS, of="finish")
def xml_unless_json_is_asked_for(_service: Service, reply: Reply, _reply: Reply, call: Call) -> Reply:
    """The XML converter comes first: clients that accept anything receive XML."""
    if call.operation in (Action.SETTINGS, Action.DATA) and reply.status == 200 and not _asks_for_json(call):
        return Reply(200, b"<document/>", {"content-type": "application/xml"})
    return reply


@fault("0-bodies-are-json", _LABEL, "2.4-object", source=sources.SPRING_ERROR_PAGE, of="finish")
def error_pages_unless_json_is_asked_for(_service: Service, reply: Reply, _reply: Reply, call: Call) -> Reply:
    """The framework answers errors with a page, unless the client accepts JSON."""
    return reply if reply.status < 400 or _asks_for_json(call) else Reply(reply.status, b"<h1>Error</h1>", _PAGE)


@fault("5.3-create-without-token", "5.3-*-token", source=sources.LARAVEL_LOGIN, of="finish")
def login_unless_json_is_asked_for(_service: Service, reply: Reply, _reply: Reply, call: Call) -> Reply:
    """The service redirects clients without login to the login page, unless they accept JSON."""
    return reply if reply.status != 401 or _asks_for_json(call) else Reply(302, b"", {"location": "/login"})


@fault("4.1-requested-types", source=sources.MEDIA_TYPE, at="wanted_types")
def labels_with_a_parameter_are_not_known(_service: Service, call: Call) -> None:
    """The service compares the media type as a string: with a parameter, it ignores the body and requests all types."""
    if call.headers.get("content-type") not in (None, "application/json"):
        call.body = b""


@fault(
    "4.1-requested-types",
    "7-invalid-data-types",
    "2.1-dataRequested-known",
    source=sources.WSGI_LENGTH,
    at="wanted_types",
)
def chunked_body_is_treated_as_omitted(_service: Service, call: Call) -> None:
    """The service reads as many bytes as Content-Length announces: a chunked body counts as omitted."""
    if "content-length" not in call.headers:
        call.body = b""


@fault("4.1-answers-200", source=sources.GO_READER, at="wanted_types")
def only_the_first_piece_of_a_body_is_read(_service: Service, call: Call) -> None:
    """The service reads once from the connection and takes what has arrived for the whole body."""
    call.body = call.first_piece


@fault("4.1-answers-200", source=sources.NODE_STREAMS, at="wanted_types")
def each_piece_of_a_body_is_decoded_alone(_service: Service, call: Call) -> None:
    """The service adds each piece of the body to a string, which breaks a letter of two bytes between two pieces."""
    first, rest = call.first_piece, call.body[len(call.first_piece) :]
    call.body = "".join(each.decode(errors="replace") for each in (first, rest)).encode()


@fault(
    "0-bodies-are-json",
    "0-json-media-type",
    "2.4-object",
    "7-not-found-*",
    "7-unauthorized-*",
    "7-invalid-data-types-*",
    source=sources.DRF_BROWSABLE_API,
    of="finish",
)
def browsers_get_pages(_service: Service, reply: Reply, _reply: Reply, call: Call) -> Reply:
    """The framework renders what a browser asks for as a page, errors included."""
    if call.operation is Action.DELETE and reply.status == 200:
        return reply
    if _is_browser(call) and call.operation is not Action.CREATE:
        reply.body = b"<!doctype html><pre>" + reply.body + b"</pre>"
        reply.headers["content-type"] = "text/html; charset=utf-8"
    return reply


_OK = "4.3-answers-ok"


add_fault(
    _OK,
    "deletion-answers-json-unless-text-is-asked-for",
    "The formats of the answer have JSON before text: clients that take anything receive OK in quotes.",
    on_success(text('"OK"', JSON), Action.DELETE, among=lambda call: call.headers.get("accept", "*/*") == "*/*"),
    consequences=("4.3-media-type", "3-deletes-completed"),
    source=sources.EXPRESS_FORMATS,
)
add_fault(
    _OK,
    "deletion-sends-browsers-to-the-list",
    "A browser goes back to the list after a deletion, as after a form.",
    on_success(lambda _reply: Reply(303, b"", {"location": "/requests"}), Action.DELETE, among=_is_browser),
    consequences=("3-deletes-completed",),
)
add_fault(
    "0-bodies-are-json",
    "creation-answers-browsers-with-a-page",
    "The framework renders what it has created as a page, where the client accepts one.",
    on_success(text("<!doctype html><h1>Created</h1>", _PAGE["content-type"]), Action.CREATE, among=_is_browser),
    consequences=(_LABEL,),
)
