"""Twins whose data types have other names: 2.2 says that type is a string, and no more."""

from __future__ import annotations

from conformance.calibration.variant import add_twin
from conformance.reference.data_types import DataType


def _named(*names: str) -> tuple[DataType, ...]:
    return tuple(DataType(name, {"en": f"Data {n}", "nl": f"Gegevens {n}"}) for n, name in enumerate(names))


for _name, _text, _names in (
    ("empty-first", "The first data type is called by the empty string.", ("", " ", "mail")),
    (
        "like-literals",
        "Identifiers that read like numbers, literals and answers, and one that a checker would take for unknown.",
        ("null", "true", "1", "01", "1.0", "1e3", "-0", "NaN", "[]", '"mail"', "OK", "InvalidDataTypes", "unknown"),
    ),
    ("prefixes-of-each-other", "Each identifier begins with the one before.", ("a", "aa", "aaa", "aaa/", "aaa/a")),
    (
        "ten-kilobytes-long",
        "Identifiers of ten thousand characters that differ in the last one only.",
        tuple("é" * 9_999 + last for last in "abc"),
    ),
    (
        "of-other-scripts",
        "Identifiers with combining, invisible and right-to-left characters, and beyond the basic plane.",
        (
            "e\u0301\u0323",
            "\u05e9\u05dc\u05d5\u05dd",
            "a\u200bb",
            "ab",
            "\u202eabc",
            "👩‍👩‍👧‍👦",
            "\U0002070e",
            "ſ",
            "İ",
        ),
    ),
    (
        "with-control-characters",
        "Identifiers with NUL, tabs, line ends and escapes.",
        ("\x00", "a\tb", "a\r\nb", "\x1b[0m", "\x7f", "\u2028", "\ufeff"),
    ),
    (
        "like-addresses",
        "Identifiers that are links, paths and UUIDs, and what is code to somebody.",
        (
            "https://schema.org/Person#email?x=1&y=2",
            "../../settings",
            "%00",
            "6f1c1a52-7c52-4d2e-9d27-0d7f5b0f1c11",
            "'; DROP TABLE requests; --",
            "${jndi:ldap://x}",
            "{{7*7}}",
            "=1+1",
            "\\u0041",
        ),
    ),
):
    add_twin("2.2", f"type-identifiers-{_name}", _text, data_types=_named(*_names))
