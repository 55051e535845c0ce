from __future__ import annotations

import json
from dataclasses import replace

import pytest
from answered import (
    AT_THE_LIMIT,
    creation,
    creation_for_all,
    foreign_tongue,
    full,
    missing,
    reading,
    settings,
    unauthorized,
    unknown_type,
)
from hand_made import ONE, SETTINGS, TYPES, data_request, data_type, deletion, error, exchange
from judged import ALL, COMPLETED, CREATE, DATA, DATA_ME, DEEP, DELETE, HTML, LISTED, broken

from conformance.model.error_table import INVALID_DATA_TYPES, LIMIT_REACHED, NOT_FOUND
from conformance.model.exchange import Exchange, Superseded

OTHER = {"error": "Other", "message": "Something else."}

LEGAL: dict[str, list[Exchange]] = {
    # settings and data types
    "settings": [settings()],
    "settings with unknown fields": [settings(answer={**SETTINGS, "theme": None})],
    "both spellings of the languages": [settings(answer={**SETTINGS, "supportedLanguages": ["en"]})],
    "settings with a token": [settings(credential="user")],
    "settings that are elsewhere": [
        replace(settings(302, b"", headers=[("Location", "/v2/settings")], label=None), redirected_to="e2")
    ],
    "data types": [LISTED],
    "no data types": [exchange(DATA, 200, [])],
    "unknown fields of a data type": [exchange(DATA, 200, [{**data_type("a"), "colour": 1}])],
    "data types in a supported language": [exchange(DATA, 200, TYPES, language="supported")],
    "an unsupported language": [foreign_tongue()],
    "an unsupported language that is disregarded": [foreign_tongue(200, TYPES)],
    "own record": [exchange(DATA_ME, 200, {"account": {}, "types": []})],
    "another user's record that does not exist": [exchange(DATA_ME, 404, OTHER, credential="other user")],
    "own record behind a token": [exchange(DATA_ME, 401, OTHER, credential="no token")],
    # creation
    "creation": [LISTED, creation()],
    "creation before the list is known": [creation()],
    "creation for all": [LISTED, creation_for_all(ALL)],
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
    "upper case identifier": [creation(answer=data_request(requestId=ONE.upper())), reading()],
    "numeric offset": [creation(answer=data_request(createdAt="2026-01-31T13:00:00+01:00"))],
    "unknown fields of a request": [creation(answer=data_request(status="new", links=[]))],
    "optional field": [creation(answer=data_request(expectedCompletion="2026-03-01T00:00:00Z"))],
    "completed at once": [creation(answer=COMPLETED)],
    "completed without a moment": [creation(answer=data_request(isCompleted=True))],
    "unknown type": [unknown_type()],
    "unprintable type refused in between": [
        unknown_type(status, HTML, body="unprintable type", sent=b'["a\\u0000b"]') for status in (400, 403, 422, 500)
    ],
    "limit reached": [*AT_THE_LIMIT, full()],
    "limit met in the middle of something else": [creation(400, error(LIMIT_REACHED))],
    "limit met where another refusal was due": [unknown_type(400, error(LIMIT_REACHED))],
    "unknown fields of an error": [unknown_type(answer=error(INVALID_DATA_TYPES, status=400, path="/requests"))],
    # labels
    "JSON with parameters": [settings(label='application/json; charset="utf-8"; profile=x')],
    "JSON with a suffix": [missing(label="application/problem+json")],
    "JSON label in capitals": [settings(label="Application/JSON")],
    "no label": [settings(label=None), creation(label=None), missing(label=None), deletion(label=None)],
    "byte order mark": [settings(answer=b"\xef\xbb\xbf" + json.dumps(SETTINGS).encode())],
    # reading
    "reading": [creation(), reading()],
    "the same moment with another offset": [
        creation(),
        reading(answer=data_request(createdAt="2026-01-31T14:00:00.000+02:00")),
    ],
    "moment cut when read": [
        creation(answer=data_request(createdAt="2026-01-31T12:00:00.9996Z")),
        reading(answer=data_request(createdAt="2026-01-31T12:00:00.999Z")),
        reading(),
    ],
    "moment rounded when read": [
        creation(answer=data_request(createdAt="2026-01-31T11:59:59.700Z")),
        reading(answer=data_request(createdAt="2026-01-31T12:00:00.000Z")),
    ],
    "moment kept to 1/300 of a second": [
        creation(answer=data_request(createdAt="2026-01-31T12:00:00.225Z")),
        reading(answer=data_request(createdAt="2026-01-31T12:00:00.227Z")),
        reading(answer=data_request(createdAt="2026-01-31T12:00:00.227Z")),
    ],
    "OK in UTF-16": [deletion(answer="OK".encode("utf-16"), label="text/plain; charset=utf-16")],
    "the same identifier in the other case": [creation(), reading(answer=data_request(requestId=ONE.upper()))],
    "completed between creation and reading": [creation(), reading(answer=COMPLETED)],
    "new expectation": [creation(), reading(answer=data_request(expectedCompletion="2026-05-01T00:00:00Z"))],
    "completed requests that cannot be read": [creation(answer=COMPLETED), reading(404, error(NOT_FOUND))],
    "a request that may have completed": [creation(), reading(), reading(404, error(NOT_FOUND))],
    "unknown request": [missing(), missing(DELETE)],
    "deleted request": [missing(request="deleted"), missing(DELETE, request="deleted")],
    "another user's request": [
        reading(403, error(NOT_FOUND), credential="other user", request="foreign"),
        reading(404, error(NOT_FOUND), credential="other user", request="foreign"),
        reading(200, data_request(), credential="other user", request="foreign"),
    ],
    # deletion
    "deletion": [deletion()],
    "deletion with a line feed": [deletion(answer="OK\n"), deletion(answer="OK\r\n")],
    "deletion in latin": [deletion(label="text/plain; charset=iso-8859-1")],
    "deletion of a completed request": [creation(answer=COMPLETED), deletion()],
    "clean-up of what is gone": [deletion(404, error(NOT_FOUND), "application/json", request="clean-up")],
    # authentication
    "no token": [unauthorized(), unauthorized(DELETE), unauthorized(CREATE, body="omitted")],
    "bad token": [unauthorized(credential="a made-up token"), unauthorized(DELETE, credential="another scheme")],
    "no token and an odd body": [unauthorized(CREATE, body="odd")],
    # left alone
    "odd bodies": [creation(status, OTHER, body="odd") for status in (200, 400, 422, 500)],
    "odd bodies stopped on the way": [creation(status, HTML, body="odd") for status in (405, 413, 429, 503)],
    "odd bytes": [creation(400, HTML, body="odd", open=True, sent=b'["\x00"]')],
    "odd headers": [settings(400, HTML, open=True, unusual=True)],
    "odd identifiers": [missing(status=400, answer=HTML, request_id="a%2Fb", open=True)],
    "an underscore that no route takes": [
        missing(status=status, answer=HTML, request_id=f"{ONE[:-1]}_") for status in (400, 404)
    ],
    "declared open": [creation(500, HTML, open=True), missing(DELETE, 500, HTML, open=True)],
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
