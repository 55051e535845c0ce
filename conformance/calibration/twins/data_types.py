"""Twins with other data types: clause 2.2 says only that type is a string."""

from __future__ import annotations

import json

from conformance.calibration.twins.common import UNDECIDED, leaving_json
from conformance.calibration.variant import Acceptable, add_twin
from conformance.reference.config import REALISTIC, DataType


def _named(*names: str) -> tuple[DataType, ...]:
    return tuple(DataType(name, {"en": f"Data {n}", "nl": f"Gegevens {n}"}) for n, name in enumerate(names))


_WITHOUT_TYPES: Acceptable = dict.fromkeys(
    (
        "4.1-requested-types",
        "4.1-empty-body-labelled",
        "4.1-similar-type",
        "2.1-dataRequested-known",
        "2.2-type",
        "2.2-type-unique",
        "2.2-type-listed-once",
        "2.2-context-link-like",
        "2.2-not-empty",
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
    UNDECIDED,
)

for _name, _types, _text, _acceptable in (
    (
        "odd-type-identifiers",
        _named("a b", "a/b/../c", "\"quoted\" 'twice'", "naïve ☂ 🧾", "%2F?x=1#y", "<i>", " lead", "", "a\nb", "07"),
        "Identifiers with spaces, slashes, quotes, other scripts, emoji and line ends, and an empty one.",
        {"2.2-not-empty": ("warn",)},
    ),
    (
        "similar-type-identifiers",
        _named("mail", "Mail", "MAIL", "mail ", "é", "e\u0301"),
        "Identifiers that differ only in case, a space or Unicode composition.",
        {},
    ),
    ("one-data-type", REALISTIC[:1], "A single data type.", {}),
    ("a-thousand-data-types", 1000, "A thousand data types.", {}),
    (
        "no-data-types",
        (),
        "No data types: the specification does not require one.",
        _WITHOUT_TYPES,
    ),
):
    add_twin("2.2", _name, _text, _acceptable, data_types=_types)


def _escaped(body: bytes) -> bytes:
    """Write all non-ASCII characters as escapes, the only way to write half of a surrogate pair."""
    return json.dumps(json.loads(body.decode("utf-8", "surrogatepass"))).encode()


add_twin(
    "2.2",
    "types-cut-in-an-emoji",
    "One type is half of a surrogate pair, one begins with it, and one is the whole pair.",
    service=leaving_json(_escaped),
    data_types=tuple(DataType(name, {"en": "Data"}) for name in ("\ud83d", "\ud83dx", "\U0001f600")),
)
