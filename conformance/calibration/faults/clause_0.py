"""Faults of the preamble: bodies that are not JSON, and JSON with another Content-Type."""

from __future__ import annotations

from conformance.calibration.faults.common import no_error_object
from conformance.calibration.operators import body, label, on_refusal, on_success, text
from conformance.calibration.variant import add_fault
from conformance.reference.call import Action, ErrorCondition, Reply

_JSON = "0-bodies-are-json"


for _name, _summary, _service in (
    (
        "settings-with-trailing-comma",
        "The settings are a hand-written file with a comma after the last member.",
        on_success(body(lambda content: content[:-1] + b",}"), Action.SETTINGS),
    ),
    (
        "settings-with-nan",
        "The serializer writes an average over no values as NaN, which only some parsers accept.",
        on_success(body(lambda content: content[:-1] + b',"averageDays":NaN}'), Action.SETTINGS),
    ),
):
    add_fault(_JSON, _name, _summary, _service, consequences=("4.4-object",))
add_fault(
    _JSON,
    "data-types-in-latin-1",
    "The database delivers ISO 8859-1, and the service does not convert it.",
    on_success(body(lambda content: content.decode().encode("latin-1")), Action.DATA),
    consequences=("4.5-array",),
)
add_fault(
    _JSON,
    "data-me-as-html",
    "The address shows the profile page of the web shop.",
    on_success(text("<html><body>Your account and types</body></html>", "text/html"), Action.DATA_ME),
    consequences=("0-json-media-type", "4.6-account", "4.6-types"),
)
add_fault(
    _JSON,
    "not-found-without-body",
    "The framework's 404 has no body.",
    on_refusal(lambda reply: Reply(reply.status), ErrorCondition.NO_REQUEST),
    consequences=no_error_object(ErrorCondition.NO_REQUEST),
)
for _name, _summary, _service in (
    (
        "json-labelled-html",
        "The default Content-Type of the language is text/html, and the service does not set another.",
        on_success(
            label("text/html; charset=utf-8"),
            Action.CREATE,
            Action.READ,
            Action.SETTINGS,
            Action.DATA,
            Action.DATA_ME,
        ),
    ),
    (
        "errors-labelled-plain-text",
        "The error handler sends a string, which the framework labels as plain text.",
        on_refusal(label("text/plain")),
    ),
    (
        "data-types-labelled-javascript",
        "The Content-Type was chosen for JSONP.",
        on_success(label("application/javascript"), Action.DATA),
    ),
):
    add_fault("0-json-media-type", _name, _summary, _service)
