"""Twins with other addresses and other use of HTTP: Content-Type, encoding, framing, and errors that no table names."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any
from urllib.parse import quote

from conformance.calibration import sources
from conformance.calibration.operators import body, label, on_refusal, on_success, page, problem, text
from conformance.calibration.twins.common import adding, coded, is_json, lacking, leaving, leaving_json
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.service import Service

_UNLABELLED = {"0-json-media-type": ("not-applicable", "observed"), "4.3-media-type": ("not-applicable", "observed")}


add_twin(
    "0",
    "json-with-charset",
    "application/json with a charset parameter, in unusual spelling.",
    service=adding({"content-type": 'Application/JSON ; Charset="UTF-8"'}, is_json),
)


@twin("0", by=leaving)
def json_with_suffix(reply: Reply, call: Call) -> Reply | None:
    """All media types end in +json; errors are problem+json."""
    media_type = "application/problem+json" if call.condition else "application/vnd.drsi.v1+json"
    return label(media_type)(reply) if is_json(reply, call) else None


add_twin("0", "no-labels", "Answers have no Content-Type.", _UNLABELLED, lacking("content-type"))


@twin("0", by=leaving_json)
def indented_json(content: bytes) -> bytes:
    """JSON over several lines, with escapes for non-ASCII characters, white space around it and sorted members."""
    return f"\r\n\t {json.dumps(json.loads(content), indent=4, sort_keys=True)}\n".encode()


add_twin(
    "0",
    "compressed-whatever-was-asked",
    "Every body is compressed with gzip, for every Accept-Encoding.",
    service=coded("gzip", gzip.compress),
)
add_twin(
    "0",
    "chunked",
    "Bodies come in chunks, without a Content-Length.",
    service=adding({"transfer-encoding": "chunked"}),
)
add_twin(
    "0", "closes-connections", "The connection is closed after every answer.", service=adding({"connection": "close"})
)
add_twin(
    "0",
    "many-headers",
    "Every answer has cookies, a long security policy and an ETag.",
    service=adding(
        {
            "set-cookie": "session=abc; HttpOnly",
            "content-security-policy": "; ".join(["default-src 'none'"] * 40),
            "etag": 'W/"1"',
            "cache-control": "no-store",
            "vary": "*",
            "server": "Exämple/1.0",
        }
    ),
)


for _name, _text, _service in (
    (
        "json-with-a-byte-order-mark",
        "A byte order mark before the JSON, as allowed.",
        leaving_json(lambda content: b"\xef\xbb\xbf" + content),
    ),
    (
        "json-with-escaped-slashes",
        "Slashes are written as escapes, as PHP does.",
        leaving_json(lambda content: content.replace(b"/", b"\\/")),
    ),
    ("coded-by-deflate", "Bodies have Content-Encoding deflate.", coded("Deflate", zlib.compress)),
    (
        "coded-by-bare-deflate",
        "Bodies have Content-Encoding deflate without the zlib frame, as some servers send it.",
        coded("deflate", lambda content: zlib.compress(content, wbits=-zlib.MAX_WBITS)),
    ),
    (
        "json-label-with-an-empty-parameter",
        "Content-Type ends in a semicolon.",
        adding({"content-type": "application/json;"}, is_json),
    ),
    (
        "json-label-of-linked-data",
        "Content-Type is that of JSON-LD.",
        adding({"content-type": 'application/ld+json; profile="https://shop.example/p"'}, is_json),
    ),
    (
        "json-label-in-upper-case",
        "Content-Type is in upper case.",
        adding({"content-type": "APPLICATION/HAL+JSON"}, is_json),
    ),
    (
        "headers-of-caching",
        "Answers may be cached and have ETags.",
        adding(
            {
                "etag": '"x"',
                "last-modified": "Mon, 01 Jan 2024 00:00:00 GMT",
                "cache-control": "public, max-age=60",
                "age": "7",
            }
        ),
    ),
    (
        "headers-of-an-obsolete-date",
        "The Date header has the form of asctime.",
        adding({"date": "Sun Nov  6 08:49:37 1994"}),
    ),
):
    add_twin("0", _name, _text, service=_service)


@twin("5.1", by=leaving)
def cookies_with_token_and_language(reply: Reply, call: Call) -> None:
    """Every answer sets a cookie that replaces token and language if the client returns it."""
    lifetime = "Max-Age=0" if call.operation is Action.DELETE else "Path=/; Secure; SameSite=None"
    reply.headers["set-cookie"] = f"access_token=none; lang=zz; {lifetime}"


for _name, _text, _change in (
    ("with-line-feed", "A line feed follows the OK.", body(lambda _: b"OK\n")),
    (
        "labelled-in-latin",
        "text/plain in another spelling and with another charset, in which OK has the same bytes.",
        label("Text/Plain;charset=iso-8859-1"),
    ),
    (
        "with-a-byte-order-mark",
        "The OK has a byte order mark, in UTF-8.",
        text(b"\xef\xbb\xbfOK"),
    ),
):
    add_twin("4.3", f"ok-{_name}", _text, service=on_success(_change, Action.DELETE))


@twin("4.3", source=sources.SPRING_CONVERTERS, of="finish")
def ok_is_labelled_as_the_client_likes(_service: Service, reply: Reply, _reply: Reply, call: Call) -> Reply:
    """The framework labels a text with the first media type that the client accepts, and else as text/plain."""
    wanted = call.headers.get("accept", "*/*").partition(",")[0].partition(";")[0]
    if call.operation is Action.DELETE and reply.status == 200 and wanted != "*/*":
        reply.headers["content-type"] = f"{wanted};charset=UTF-8"
    return reply


add_twin("5.3", "no-challenge", "A 401 without a challenge.", service=lacking("www-authenticate"), source="5, item 3")


@twin("4", source=sources.EXPRESS_404, by=lambda change: on_refusal(change, ErrorCondition.METHOD))
def other_methods_not_found(_reply: Reply) -> Reply:
    """Methods that the interface does not name answer 404, with a page."""
    return page(404, "<h1>Error</h1>")


@twin("4.4", source=sources.DJANGO_SLASH)
def settings_redirect(service: Service, call: Call) -> Reply | None:
    """GET /settings redirects once, within the origin, to the same path with a query."""
    is_old = call.operation is Action.SETTINGS and "moved" not in call.query
    return Reply(308, b"", {"location": f"{service.config.path_prefix}/settings?moved=1"}) if is_old else None


@twin("8", source=sources.TOO_MANY_REQUESTS)
def too_many_requests_now_and_then(service: Service, _call: Call) -> Reply | None:
    """Every fortieth call answers 429 with Retry-After: 1."""
    reply = problem(429, "TooManyRequests", "Slow down.")
    reply.headers["retry-after"] = "1"
    return reply if service.turn("calls") % 40 == 39 else None


@twin("5.3", source=sources.JETTY_FIELD_CACHE, of="token")
def fields_of_a_connection_are_remembered(service: Service, token: str | None, call: Call) -> Any:
    """The server takes a header field for the one before it on the connection, if only letter case differs (Jetty)."""
    is_new = token is None or call.headers.get("connection") == "close"
    return token if is_new else service.kept.setdefault(str(token).lower(), token)


@twin("4.1", source=sources.LENGTH_REQUIRED)
def length_required(_service: Service, call: Call) -> Reply | None:
    """A gateway answers 411 to a body without Content-Length."""
    return page(411, "<h1>Not in this form</h1>") if "transfer-encoding" in call.headers else None


@twin("4.1", source=sources.WSGI_LENGTH)
def chunks_are_not_understood(_service: Service, call: Call) -> Reply | None:
    """The service answers 400 to a chunked body."""
    return page(400, "<h1>Not in this form</h1>") if "transfer-encoding" in call.headers else None


@twin("4.1", source=sources.EXPECTATION)
def no_expectation_is_met(_service: Service, call: Call) -> Reply | None:
    """A gateway answers 417 to Expect: 100-continue, as RFC 9110 permits."""
    return page(417, "<h1>Not in this form</h1>") if "expect" in call.headers else None


@twin("0", source=sources.NGINX_GZIP, of="finish")
def compressed_where_offered(_service: Service, reply: Reply, _reply: Reply, call: Call) -> Reply:
    """The service compresses every body with gzip for clients that offer it."""
    reply.headers["vary"] = "Accept-Encoding"
    if "gzip" in call.headers.get("accept-encoding", "") and reply.body:
        reply.body = gzip.compress(reply.body, mtime=0)
        reply.headers["content-encoding"] = "gzip"
    return reply


for _name, _text, _prefix in (
    ("with-other-scripts", "The base address has a path in other scripts.", "/café/日本/v1"),
    ("with-blanks", "The base address has a path with spaces and special characters.", "/my api/v1;x=1/(a)!$&'*+,=:@"),
    ("named-like-operations", "The base address ends like an operation.", "/data/me/requests"),
    ("named-like-the-settings", "The base address ends in settings, so that the path contains it twice.", "/settings"),
):
    add_twin("4", f"served-at-a-path-{_name}", _text, path_prefix=_prefix)


@twin("4", source=sources.SPRING_ALL_PATHS, by=lambda change: on_refusal(change, ErrorCondition.NO_PATH))
def unknown_paths_want_tokens(_reply: Reply) -> Reply:
    """Paths that the interface does not name answer 401."""
    return Reply.json({"error": "Unauthorized"}, 401)


@twin("4", source=sources.SINGLE_PAGE_APPS, by=lambda change: on_refusal(change, ErrorCondition.NO_PATH))
def unknown_paths_serve_pages(_reply: Reply) -> Reply:
    """Paths that the interface does not name answer 200 with the start page."""
    return page(200, "<!doctype html><title>Shop</title>")


@twin("4.5", source=sources.DJANGO_SLASH)
def data_redirect(_service: Service, call: Call) -> Reply | None:
    """GET /data redirects once, within the origin, to a relative address."""
    is_old = call.operation is Action.DATA and "moved" not in call.query
    return Reply(308, b"", {"location": "data?moved=1"}) if is_old else None


@twin("4.2", source=sources.DJANGO_SLASH)
def read_redirect_before_the_token(_service: Service, call: Call) -> Reply | None:
    """Reading redirects, within the origin, to a path with a slash at its end, which checks the token."""
    if call.operation is not Action.READ:
        return None
    if not call.request_id.endswith("/"):
        return Reply(307, b"", {"location": f"{quote(call.request_id, safe='')}/"})
    call.request_id = call.request_id.removesuffix("/")
    return None


@twin("5", alerts=("5-existence-shown",), source=sources.GITHUB_NOT_FOUND, of="error")
def not_found_for_others_in_other_words(service: Service, document: Any, condition: ErrorCondition, call: Call) -> Any:
    """Another user's request answers 404 with its own message: the row of the table is about what no request has."""
    theirs = condition is ErrorCondition.NO_REQUEST and service.store.get(call.request_id) is not None
    return {**document, "message": "This is not yours."} if theirs else document
