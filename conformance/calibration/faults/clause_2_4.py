"""Faults of clause 2.4: error objects that are wrong in some answers only."""

from __future__ import annotations

from conformance.calibration.operators import Change, on_error, on_refusal, one_in_ten, put, text, without
from conformance.calibration.variant import fault_table
from conformance.reference.errors import Condition

_ROWS = {
    Condition.LIMIT: "7-limit-reached",
    Condition.DATA_TYPES: "7-invalid-data-types",
    Condition.LANGUAGE: "7-language-not-supported",
    Condition.UNAUTHORIZED: "7-unauthorized",
    Condition.NO_REQUEST: "7-not-found",
}

_change: Change
for _member, _name, _condition, _summary, _change in (
    ("error", "true-for-not-found", Condition.NO_REQUEST, "The fact that it is an error.", put(error=True)),
    ("error", "absent-without-token", Condition.UNAUTHORIZED, "The gateway writes this one.", without("error")),
    ("message", "absent-for-limit", Condition.LIMIT, "One handler without a text.", without("message")),
    ("object", "null-for-not-found", Condition.NO_REQUEST, "The handler returns nothing.", lambda _document: None),
    (
        "object",
        "in-array-for-data-types",
        Condition.DATA_TYPES,
        "The validator returns a list of errors.",
        lambda error: [error],
    ),
):
    _members = ("error", "message") if _member == "object" else (_member,)
    fault_table(
        f"2.4-{_member}",
        (f"error-{_member}-{_name}", _summary, on_error(_change, _condition)),
        consequences=tuple(each for member in _members for each in (f"2.4-{member}", f"{_ROWS[_condition]}-{member}")),
    )

for _member in ("error", "message"):
    fault_table(
        f"2.4-{_member}",
        (f"{_member}-absent-in-one-of-ten", "A second error handler.", on_error(without(_member), when=one_in_ten)),
        consequences=tuple(f"{row}-{_member}" for row in _ROWS.values()),
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
