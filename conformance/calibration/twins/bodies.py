"""Twins whose bodies have another encoding or Content-Type: the preamble requires JSON, 4.3 plain text."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable

from conformance.calibration.twins.common import adding, is_json, leaving, leaving_json
from conformance.calibration.variant import add_twin
from conformance.reference.call import Action, Call, Reply
from conformance.reference.service import Service


def _escaped(body: bytes) -> bytes:
    return re.sub(
        rb'"((?:[^"\\]|\\.)*)"',
        lambda found: b'"' + b"".join(b"\\u%04X" % unit for unit in _units(json.loads(found.group()))) + b'"',
        body,
        flags=re.DOTALL,
    )


def _units(text: str) -> list[int]:
    raw = text.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(raw[place : place + 2]) for place in range(0, len(raw), 2)]


for _name, _text, _change in (
    ("with-a-byte-order-mark", "A byte order mark before the JSON, as allowed.", lambda b: b"\xef\xbb\xbf" + b),
    ("escaped-throughout", "Every character of every string is written as an escape, in names as well.", _escaped),
    ("with-escaped-slashes", "Slashes are written as escapes, as PHP does.", lambda b: b.replace(b"/", b"\\/")),
    ("amid-white-space", "A thousand white-space characters.", lambda b: b" \r\n\t" * 250 + b + b"\n" * 1000),
):
    add_twin("0", f"json-{_name}", _text, service=leaving_json(_change))


def _coded(name: str, code: Callable[[bytes], bytes]) -> type[Service]:
    def change(reply: Reply, _call: Call) -> None:
        if reply.body:
            reply.body = code(reply.body)
            reply.headers["content-encoding"] = name

    return leaving(change)


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
    add_twin("0", f"coded-by-{_name}", _text, service=_coded(_coding, _code))

for _name, _text, _label in (
    ("with-many-parameters", "Content-Type has many parameters.", 'application/json; q=1; v="1;2"; charset=utf8'),
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
    ("with-carriage-return", "A carriage return and a line feed follow the OK.", _ok(b"OK\r\n")),
    ("flowed", "Content-Type has unusual parameters.", _ok(content_type="text/plain; format=flowed; delsp=yes")),
    ("as-a-download", "Content-Disposition is attachment.", _ok(content_disposition='attachment; filename="ok.txt"')),
    (
        "never-sniffed",
        "The OK has Content-Language and the security headers of a gateway.",
        _ok(x_content_type_options="nosniff", content_language="en", clear_site_data='"cache"'),
    ),
    (
        "in-utf16",
        "The OK is in UTF-16 with a byte order mark, and its charset says so.",
        _ok("OK".encode("utf-16"), content_type="text/plain; charset=utf-16"),
    ),
    (
        "with-a-byte-order-mark",
        "The OK has a byte order mark, in UTF-8.",
        _ok(b"\xef\xbb\xbfOK", content_type="text/plain; charset=utf-8"),
    ),
    (
        "in-utf16-le",
        "The OK and a line feed are in UTF-16LE, and its charset says so in quotes.",
        _ok("OK\n".encode("utf-16-le"), content_type='Text/Plain; format=fixed; Charset="UTF-16LE"'),
    ),
):
    add_twin("4.3", f"ok-{_name}", _text, service=_service)
