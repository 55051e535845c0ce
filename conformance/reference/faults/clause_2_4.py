"""Faults of clause 2.4: the shape of error objects."""

from __future__ import annotations

from typing import Any

from conformance.reference.changes import (
    Change,
    When,
    always,
    declare,
    mapped,
    on_error,
    on_refusal,
    one_in_ten,
    put,
    renamed,
    text,
    without,
)
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


def _error(name: str, summary: str, change: Change, *conditions: Condition, when: When = always) -> None:
    declare("2.4-error", name, summary, on_error(change, *conditions, when=when), *_rows("error", conditions))


def _message(name: str, summary: str, change: Change, *conditions: Condition, when: When = always) -> None:
    declare("2.4-message", name, summary, on_error(change, *conditions, when=when), *_rows("message", conditions))


def _object(name: str, summary: str, change: Change, *conditions: Condition, when: When = always) -> None:
    declare(
        "2.4-object",
        name,
        summary,
        on_error(change, *conditions, when=when),
        "2.4-error",
        "2.4-message",
        *_rows("error", conditions),
        *_rows("message", conditions),
    )


_error("error-absent", "The code is in the status line only.", without("error"))
_error("error-null", "The code is not known where the object is made.", put(error=None))
_error("error-number", "The status as a number.", put(error=400))
_error("error-called-code", "The field is called code.", renamed("error", "code"))
_error("error-with-details", "The whole problem is under error.", mapped("error", lambda code: {"code": code}))
_error("error-true", "The fact that it is an error.", put(error=True), Condition.NO_REQUEST)
_error("error-absent-in-one-of-ten", "A second error handler.", without("error"), when=one_in_ten)
_error("error-absent-without-token", "The gateway writes this one.", without("error"), Condition.UNAUTHORIZED)

_message("message-absent", "A code is enough, so it was thought.", without("message"))
_message("message-null", "The texts were not loaded.", put(message=None))
_message("message-called-description", "OAuth's name for it.", renamed("message", "error_description"))
_message("message-as-list", "A list of messages.", mapped("message", lambda each: [each]))
_message("message-by-language", "All languages at once.", mapped("message", lambda each: {"en": each}))
_message("message-absent-for-limit", "One handler without a text.", without("message"), Condition.LIMIT)
_message("message-absent-in-one-of-ten", "A second error handler.", without("message"), when=one_in_ten)


def _problem(document: dict[str, Any]) -> dict[str, Any]:
    return {"errors": [{"title": document["error"], "detail": document["message"]}]}


_object("error-object-in-array", "A list of errors, of length one.", lambda document: [document])
_object("error-object-as-text", "Only the message, as a JSON string.", lambda document: document["message"])
_object("error-object-null", "The handler returns nothing.", lambda _document: None, Condition.NO_REQUEST)
_object(
    "error-object-in-array-for-data-types",
    "The validator returns one error for each element.",
    lambda document: [document],
    Condition.DATA_TYPES,
)
declare(
    "2.4-error",
    "error-object-in-envelope",
    "Another interface's envelope around the error.",
    on_error(_problem),
    "2.4-message",
    *_rows("error", ()),
    *_rows("message", ()),
)
declare(
    "2.4-object",
    "errors-as-plain-text",
    "The message as plain text.",
    on_refusal(text("You are not authorized."), Condition.UNAUTHORIZED),
    "0-bodies-are-json",
    "0-json-media-type",
    "2.4-error",
    "2.4-message",
    "7-unauthorized-error",
    "7-unauthorized-message",
)
