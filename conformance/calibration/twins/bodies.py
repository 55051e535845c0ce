"""Twins whose bodies have another encoding or Content-Type: the preamble requires JSON, 4.3 plain text."""

from __future__ import annotations

import zlib

from conformance.calibration.twins.common import adding, coded, is_json, leaving, leaving_json
from conformance.calibration.variant import add_twin
from conformance.reference.call import Action, Call, Reply
from conformance.reference.service import Service

for _name, _text, _change in (
    ("with-a-byte-order-mark", "A byte order mark before the JSON, as allowed.", lambda b: b"\xef\xbb\xbf" + b),
    ("with-escaped-slashes", "Slashes are written as escapes, as PHP does.", lambda b: b.replace(b"/", b"\\/")),
):
    add_twin("0", f"json-{_name}", _text, service=leaving_json(_change))


def _bare_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


for _name, _text, _coding, _code in (
    ("deflate", "Bodies have Content-Encoding deflate.", "Deflate", zlib.compress),
    (
        "bare-deflate",
        "Bodies have Content-Encoding deflate without the zlib frame, as some servers send it.",
        "deflate",
        _bare_deflate,
    ),
):
    add_twin("0", f"coded-by-{_name}", _text, service=coded(_coding, _code))

for _name, _text, _label in (
    ("with-an-empty-parameter", "Content-Type ends in a semicolon.", "application/json;"),
    ("of-linked-data", "Content-Type is that of JSON-LD.", 'application/ld+json; profile="https://shop.example/p"'),
    ("in-upper-case", "Content-Type is in upper case.", "APPLICATION/HAL+JSON"),
):
    add_twin(
        "0",
        f"json-label-{_name}",
        _text,
        service=adding({"content-type": _label}, is_json),
    )


def _ok(body: bytes = b"OK", **headers: str) -> type[Service]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    def change(reply: Reply, call: Call) -> Reply | None:
        if call.operation is not Action.DELETE or reply.status != 200:
            return None
        return Reply(200, body, reply.headers | named)

    return leaving(change)


for _name, _text, _service in (
    ("with-line-feed", "A line feed follows the OK.", _ok(b"OK\n")),
    (
        "labelled-in-latin",
        "text/plain in another spelling and with another charset, in which OK has the same bytes.",
        _ok(content_type="Text/Plain;charset=iso-8859-1"),
    ),
    (
        "with-a-byte-order-mark",
        "The OK has a byte order mark, in UTF-8.",
        _ok(b"\xef\xbb\xbfOK", content_type="text/plain; charset=utf-8"),
    ),
):
    add_twin("4.3", f"ok-{_name}", _text, service=_service)
