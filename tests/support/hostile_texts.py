"""Texts of a service that become headers, addresses, names of files, words of a command or lines of a terminal."""

from __future__ import annotations

HOSTILE = (
    *("\u00e9", "\u65e5\u672c", "a\r\nX-Other: 1", "a\0b", "\ud800", "b\u202egnp", "../../x", "file:///etc/passwd"),
    *("javascript:alert(1)", "<img src=x>", "$(touch x)", "--help", "x" * 300_000, "https://[::1", "https://a b/"),
    *("https://\ud800.example/", "https://a\nb.example/", "https://127.0.0.1:1/\ud800", "https://\u2603.example/"),
    *(f"https://{'a' * 300}.example/", "https://127.0.0.1:99999/", f"https://127.0.0.1:1/{'a' * 99_000}", "//host/"),
)
"""What a service may publish in place of a client, an address, a type or a language."""
