from __future__ import annotations

import pytest

from conformance.reports.difference import difference


def marked(pieces: list[tuple[bool, str]]) -> str:
    return "".join(f"[{text}]" if differs else text for differs, text in pieces)


@pytest.mark.parametrize(
    ("expected", "actual", "shown"),
    [
        ("status 404", "status 200, body {}", ("status [404]", "status [200, body {}]")),
        ("OK", '"OK"', ("OK", '["]OK["]')),
        ("an integer", 'the string "3"', ("[an integer]", '[the string "3"]')),
        ("", "null", ("", "null")),
        ("version 2.0", "version 2", ("version [2.0]", "version [2]")),
        (
            "createdAt 2025-01-02T03:04:05Z",
            "createdAt 2025-01-02T03:04:06Z",
            ("createdAt [2025-01-02T03:04:05Z]", "createdAt [2025-01-02T03:04:06Z]"),
        ),
        ("see 4.3-answers-ok.", "see 4.3-answers-200.", ("see [4.3-answers-ok].", "see [4.3-answers-200].")),
        ("limit 3", "limit -3", ("limit [3]", "limit [-3]")),
        ("same", "same", ("same", "same")),
    ],
)
def test_what_the_other_text_lacks_is_marked(expected: str, actual: str, shown: tuple[str, str]) -> None:
    assert tuple(map(marked, difference(expected, actual))) == shown
