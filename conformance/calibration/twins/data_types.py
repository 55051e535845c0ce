"""Twins with other data types: clause 2.2 says that identifiers are strings, and no more."""

from __future__ import annotations

from conformance.calibration.variant import twin
from conformance.reference.data_types import REALISTIC, DataType
from conformance.reference.service import Service


def _types_named(*names: str) -> tuple[DataType, ...]:
    return tuple(DataType(name, {"en": f"Data {n}", "nl": f"Gegevens {n}"}) for n, name in enumerate(names))


for _name, _types, _text, _acceptable in (
    (
        "odd-type-identifiers",
        _types_named(
            "a b", "a/b/../c", "\"quoted\" 'twice'", "naïve ☂ 🧾", "%2F?x=1#y", "<i>", " lead", "", "a\nb", "07"
        ),
        "Identifiers with blanks, slashes, quotes, other scripts, emoji, line ends, and an empty one.",
        {},
    ),
    (
        "similar-type-identifiers",
        _types_named("mail", "Mail", "MAIL", "mail ", "é", "e\u0301"),
        "Identifiers that differ in case, a blank or composition only.",
        {},
    ),
    (
        "one-data-type",
        REALISTIC[:1],
        "A single data type.",
        {},
    ),
    (
        "a-thousand-data-types",
        1000,
        "A thousand data types.",
        {},
    ),
    (
        "no-data-types",
        (),
        "No data types at all: nothing says that there has to be one.",
        dict.fromkeys(
            (
                "4.1-requested-types",
                "2.1-dataRequested-known",
                "2.2-type",
                *(
                    f"2.2-{field}{suffix}"
                    for field in ("description", "context", "processingGround", "isErasable", "isRectifiable")
                    for suffix in ("", "-present")
                ),
                "9-context-replaces-schemaUrl",
                "9-schemaUrl-removed",
                "4.5-supported-languages",
                "7-language-not-supported",
                "7-language-not-supported-error",
                "7-language-not-supported-message",
            ),
            ("inconclusive", "not-applicable"),
        ),
    ),
):
    twin("2.2", _acceptable, name=_name, data_types=_types)(type("Changed", (Service,), {"__doc__": _text}))
