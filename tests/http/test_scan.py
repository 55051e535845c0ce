from __future__ import annotations

import base64
import json
from pathlib import Path
from urllib.parse import quote

import pytest

from conformance.http import scan
from conformance.http.scan import kind_in

TOKEN = 'se/cr+et"tok&n~0123'
TOKENS = [("DRSI_TOKEN", TOKEN), ("DRSI_OTHER_TOKEN", "another-token-4711")]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (f"Authorization: Bearer {TOKEN.upper()}", "plain text"),
        (f"?access_token={quote(TOKEN, safe='')}", "percent escapes"),
        (json.dumps({"a": TOKEN.replace("&", "\u0026")}), "JSON escapes"),
        ("".join(f"\\u{ord(each):04x}" for each in TOKEN), "JSON escapes"),
        (base64.b64encode(f"xy:{TOKEN}".encode()).decode(), "base64"),
        (TOKEN[::-1], "reversed text"),
        ("the end", ""),
    ],
)
@pytest.mark.parametrize("before", [0, 30, 64, 100])
def test_a_token_in_a_file_is_found_wherever_the_pieces_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, kind: str, before: int
) -> None:
    monkeypatch.setattr(scan, "_PIECE", 64)
    path = tmp_path / "file"
    path.write_text(f"{'.' * before}{content}{'.' * 70}")

    assert kind_in(path, TOKENS) == kind


def test_a_token_that_is_a_word_of_the_suite_is_not_looked_for(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text('{"requirements": [], "a": "tok"}')

    assert kind_in(path, [("DRSI_TOKEN", "requirements"), ("DRSI_OTHER_TOKEN", "tok")]) == ""
