from __future__ import annotations

import json
from dataclasses import replace

import pytest
from answered import (
    AT_THE_LIMIT,
    creation,
    foreign_tongue,
    missing,
    reading,
    settings,
    unknown_type,
)
from hand_made import ONE, SETTINGS, TYPES, data_request, deletion, error, exchange
from judged import COMPLETED, DATA_ME, DEEP, HTML, LISTED, broken

from conformance.model.error_table import INVALID_DATA_TYPES, LIMIT_REACHED, NOT_FOUND
from conformance.model.exchange import Exchange, Superseded

OTHER = {"error": "Other", "message": "Something else."}

LEGAL: dict[str, list[Exchange]] = {
    # settings and data types
    "settings that are elsewhere": [
        replace(settings(302, b"", headers=[("Location", "/v2/settings")], label=None), redirected_to="e2")
    ],
    "an unsupported language that is disregarded": [foreign_tongue(200, TYPES)],
    "own record behind a token": [exchange(DATA_ME, 401, OTHER, credential="no token")],
    # creation
    "types in another order and repeated": [
        LISTED,
        creation(types=["orders", "account"], answer=data_request(dataRequested=["account", "orders", "account"])),
    ],
    "an odd body that makes a request": [LISTED, creation(body="odd", open=True, generated=True)],
    "an odd body that is answered with something else": [creation(answer={"id": 7}, open=True, generated=True)],
    "an odd body that is refused at the limit for a reason of its own": [
        *AT_THE_LIMIT,
        creation(400, OTHER, body="odd", open=True),
    ],
    "unprintable type refused in between": [
        unknown_type(status, HTML, body="unprintable type", sent=b'["a\\u0000b"]') for status in (400, 403, 422, 500)
    ],
    "limit met where another refusal was due": [unknown_type(400, error(LIMIT_REACHED))],
    "unknown fields of an error": [unknown_type(answer=error(INVALID_DATA_TYPES, status=400, path="/requests"))],
    # labels
    "no label": [settings(label=None), creation(label=None), missing(label=None), deletion(label=None)],
    "byte order mark": [settings(answer=b"\xef\xbb\xbf" + json.dumps(SETTINGS).encode())],
    # reading
    "OK in UTF-16": [deletion(answer="OK".encode("utf-16"), label="text/plain; charset=utf-16")],
    "completed requests that cannot be read": [creation(answer=COMPLETED), reading(404, error(NOT_FOUND))],
    "a request that may have completed": [creation(), reading(), reading(404, error(NOT_FOUND))],
    "another user's request": [
        reading(403, error(NOT_FOUND), credential="other user", request="foreign"),
        reading(404, error(NOT_FOUND), credential="other user", request="foreign"),
        reading(200, data_request(), credential="other user", request="foreign"),
    ],
    # left alone
    "odd bytes": [creation(400, HTML, body="odd", open=True, sent=b'["\x00"]')],
    "an underscore that no route takes": [
        missing(status=status, answer=HTML, request_id=f"{ONE[:-1]}_") for status in (400, 404)
    ],
    "races": [
        creation(400, error(LIMIT_REACHED), racing=True),
        creation(racing=True),
        creation(503, HTML, racing=True),
        deletion(404, error(NOT_FOUND), "application/json", racing=True),
        deletion(409, OTHER, "application/json", racing=True),
    ],
    "retried": [
        settings(429, HTML, superseded=Superseded.RATE_LIMITED),
        settings(503, b"", superseded=Superseded.UNAVAILABLE),
    ],
    "redirected and followed": [settings(302, HTML, redirected_to="e2")],
    "legal but deeper than what is read": [settings(answer=DEEP)],
}


@pytest.mark.parametrize("name", LEGAL)
def test_what_is_legal_breaks_nothing(name: str) -> None:
    assert broken(*LEGAL[name]) == [set()] * len(LEGAL[name])
