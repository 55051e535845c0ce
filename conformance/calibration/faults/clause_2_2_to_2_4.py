"""Faults of clauses 1.4, 2.2, 2.3, 2.4 and 9: fields of data types, settings and errors that no single sample shows."""

from __future__ import annotations

from conformance.calibration.faults.common import NO_TYPES, SLUGS, members
from conformance.calibration.operators import (
    Change,
    on_data_types,
    on_error,
    on_refusal,
    on_settings,
    one_in_ten,
    put,
    renamed,
    text,
    without,
)
from conformance.calibration.variant import add_fault, kebab
from conformance.reference.call import ErrorCondition

add_fault(
    "2.2-type",
    "type-absent-in-one-of-ten",
    "A cache is not filled yet.",
    on_data_types(without("type"), when=one_in_ten),
    consequences=NO_TYPES,
)
add_fault(
    "2.2-context",
    "context-null-in-one-answer-of-ten",
    "The context comes from a second system, which fails now and then.",
    on_data_types(put(context=None), when=one_in_ten),
)

add_fault(
    "2.2-context-link-like",
    "context-is-a-sentence",
    "The context explains the data type in words.",
    on_data_types(put(context="Contact details of the customer")),
)


_ALL = "1.4-every-parameter"
_FORM = "2.3-privacyContactEmail-form"
_FIELDS = (
    "forgotPasswordLink",
    "oAuthUrl",
    "privacyPolicy",
    "termsOfService",
    "legalEntity",
    "oAuthClientId",
    "organisationName",
    "privacyContactEmail",
    "supportedLanaguages",
)

for _name in ("privacyPolicy", "privacyContactEmail", "maxNumberOfRequests", "supportedLanaguages"):
    add_fault(
        f"2.3-{_name}",
        f"settings-{kebab(_name)}-absent-in-one-of-ten",
        f"One of the nodes runs a version without {_name}.",
        on_settings(without(_name), one_in_ten),
        consequences=(_ALL, _FORM) if _name == "privacyContactEmail" else (_ALL,),
    )

for _slug, _summary, _missing in (
    ("of-the-edition-before-oauth", "The settings are from the version before OAuth.", ("oAuthUrl", "oAuthClientId")),
    ("limit-only", "The service implements only the fields that one client uses.", _FIELDS),
):
    add_fault(
        _ALL,
        f"settings-{_slug}",
        _summary,
        on_settings(without(*_missing)),
        consequences=(*(f"2.3-{each}" for each in _missing), *((_FORM,) if _missing is _FIELDS else ())),
    )

_change: Change
for _member, _name, _condition, _summary, _change in (
    ("error", "true-for-not-found", ErrorCondition.NO_REQUEST, 'The object says only "error".', put(error=True)),
    ("error", "absent-without-token", ErrorCondition.UNAUTHORIZED, "The gateway's own object.", without("error")),
    ("message", "absent-for-limit", ErrorCondition.LIMIT, "One handler sets no text.", without("message")),
    ("object", "null-for-not-found", ErrorCondition.NO_REQUEST, "The handler returns nothing.", lambda _document: None),
    (
        "object",
        "in-array-for-data-types",
        ErrorCondition.DATA_TYPES,
        "The validator has a list.",
        lambda error: [error],
    ),
):
    _names = ("error", "message") if _member == "object" else (_member,)
    add_fault(
        f"2.4-{_member}",
        f"error-{_member}-{_name}",
        _summary,
        on_error(_change, _condition),
        consequences=tuple(each for name in _names for each in (f"2.4-{name}", *members(_condition, name))),
    )

for _member in ("error", "message"):
    add_fault(
        f"2.4-{_member}",
        f"{_member}-absent-in-one-of-ten",
        "One handler is written without the common error object.",
        on_error(without(_member), when=one_in_ten),
        consequences=tuple(each for condition in SLUGS for each in members(condition, _member)),
    )
add_fault(
    "2.4-object",
    "errors-as-plain-text",
    "A plain text.",
    on_refusal(text("You are not authorized."), ErrorCondition.UNAUTHORIZED),
    consequences=(
        "0-bodies-are-json",
        "0-json-media-type",
        "2.4-error",
        "2.4-message",
        *members(ErrorCondition.UNAUTHORIZED),
    ),
)

add_fault(
    "9-context-replaces-schemaUrl",
    "schema-url-in-one-answer-of-ten",
    "One of the nodes runs the edition before context.",
    on_data_types(renamed("context", "schemaUrl"), when=one_in_ten),
    consequences=("2.2-context-present", "9-schemaUrl-removed"),
)
