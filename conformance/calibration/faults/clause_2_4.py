"""Faults of clause 2.4: the shape of error objects."""

from __future__ import annotations

from typing import Any

from conformance.calibration.operators import (
    mapped,
    on_error,
    on_refusal,
    one_in_ten,
    put,
    renamed,
    text,
    without,
)
from conformance.calibration.variant import fault_table
from conformance.reference.errors import Condition

_ROWS = {
    Condition.LIMIT: "7-limit-reached",
    Condition.DATA_TYPES: "7-invalid-data-types",
    Condition.LANGUAGE: "7-language-not-supported",
    Condition.UNAUTHORIZED: "7-unauthorized",
    Condition.NO_REQUEST: "7-not-found",
}


def _rows(member: str, conditions: tuple[Condition, ...]) -> tuple[str, ...]:
    return tuple(f"{row}-{member}" for condition, row in _ROWS.items() if not conditions or condition in conditions)


fault_table(
    "2.4-error",
    ("error-absent", "The code is in the status line only.", on_error(without("error"))),
    ("error-null", "The code is not known where the object is made.", on_error(put(error=None))),
    ("error-number", "The status as a number.", on_error(put(error=400))),
    ("error-called-code", "The field is called code.", on_error(renamed("error", "code"))),
    ("error-with-details", "The whole problem is under error.", on_error(mapped("error", lambda code: {"code": code}))),
    consequences=(*_rows("error", ()),),
)
fault_table(
    "2.4-error",
    ("error-true", "The fact that it is an error.", on_error(put(error=True), Condition.NO_REQUEST)),
    consequences=(*_rows("error", (Condition.NO_REQUEST,)),),
)
fault_table(
    "2.4-error",
    ("error-absent-in-one-of-ten", "A second error handler.", on_error(without("error"), when=one_in_ten)),
    consequences=(*_rows("error", ()),),
)
fault_table(
    "2.4-error",
    ("error-absent-without-token", "The gateway writes this one.", on_error(without("error"), Condition.UNAUTHORIZED)),
    consequences=(*_rows("error", (Condition.UNAUTHORIZED,)),),
)

fault_table(
    "2.4-message",
    ("message-absent", "A code is enough, so it was thought.", on_error(without("message"))),
    ("message-null", "The texts were not loaded.", on_error(put(message=None))),
    ("message-called-description", "OAuth's name for it.", on_error(renamed("message", "error_description"))),
    ("message-as-list", "A list of messages.", on_error(mapped("message", lambda each: [each]))),
    ("message-by-language", "All languages at once.", on_error(mapped("message", lambda each: {"en": each}))),
    consequences=(*_rows("message", ()),),
)
fault_table(
    "2.4-message",
    ("message-absent-for-limit", "One handler without a text.", on_error(without("message"), Condition.LIMIT)),
    consequences=(*_rows("message", (Condition.LIMIT,)),),
)
fault_table(
    "2.4-message",
    ("message-absent-in-one-of-ten", "A second error handler.", on_error(without("message"), when=one_in_ten)),
    consequences=(*_rows("message", ()),),
)


def _problem(document: dict[str, Any]) -> dict[str, Any]:
    return {"errors": [{"title": document["error"], "detail": document["message"]}]}


fault_table(
    "2.4-object",
    ("error-object-in-array", "A list of errors, of length one.", on_error(lambda document: [document])),
    ("error-object-as-text", "Only the message, as a JSON string.", on_error(lambda document: document["message"])),
    consequences=("2.4-error", "2.4-message", *_rows("error", ()), *_rows("message", ())),
)
fault_table(
    "2.4-object",
    ("error-object-null", "The handler returns nothing.", on_error((lambda _document: None), Condition.NO_REQUEST)),
    consequences=(
        "2.4-error",
        "2.4-message",
        *_rows("error", (Condition.NO_REQUEST,)),
        *_rows("message", (Condition.NO_REQUEST,)),
    ),
)
fault_table(
    "2.4-object",
    (
        "error-object-in-array-for-data-types",
        "The validator returns one error for each element.",
        on_error((lambda document: [document]), Condition.DATA_TYPES),
    ),
    consequences=(
        "2.4-error",
        "2.4-message",
        *_rows("error", (Condition.DATA_TYPES,)),
        *_rows("message", (Condition.DATA_TYPES,)),
    ),
)
fault_table(
    "2.4-error",
    ("error-object-in-envelope", "Another interface's envelope around the error.", on_error(_problem)),
    consequences=("2.4-message", *_rows("error", ()), *_rows("message", ())),
)
fault_table(
    "2.4-object",
    (
        "errors-as-plain-text",
        "The message as plain text.",
        on_refusal(text("You are not authorized."), Condition.UNAUTHORIZED),
    ),
    consequences=(
        "0-bodies-are-json",
        "0-json-media-type",
        "2.4-error",
        "2.4-message",
        "7-unauthorized-error",
        "7-unauthorized-message",
    ),
)
