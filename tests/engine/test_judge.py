from __future__ import annotations

import json
from dataclasses import replace

import pytest
from answered import (
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
from hand_made import ONE, SETTINGS, TWO, TYPES, data_request, data_type, deletion, error, exchange

from conformance.conditions import INVALID_DATA_TYPES, LANGUAGE_NOT_SUPPORTED, LIMIT_REACHED, NOT_FOUND, UNAUTHORIZED
from conformance.exchange import Exchange, Operation
from conformance.judge import judge
from conformance.knowledge import Knowledge
from conformance.wire.trouble import Trouble

CREATE, READ, DELETE = Operation.CREATE, Operation.READ, Operation.DELETE
DATA, DATA_ME = Operation.DATA, Operation.DATA_ME
LISTED = exchange(DATA, 200, TYPES)
HTML = "<!doctype html><html><body>Oops</body></html>"


def broken(*run: Exchange) -> list[set[str]]:
    """Return what each exchange of a run breaks."""
    numbered = [replace(each, id=f"e{number}") for number, each in enumerate(run, 1)]
    known = Knowledge.of(numbered)
    return [{found.requirement for found in judge(each, known)} for each in numbered]


ALL = data_request(dataRequested=["account", "orders"])
COMPLETED = data_request(isCompleted=True, completedAt="2026-01-31T12:00:01+01:00")
DEEP = b"[" * 100_000 + b"]" * 100_000

LEGAL: dict[str, list[Exchange]] = {
    # settings and data types
    "settings": [settings()],
    "settings with unknown fields": [settings(answer={**SETTINGS, "theme": None})],
    "both spellings of the languages": [settings(answer={**SETTINGS, "supportedLanguages": ["en"]})],
    "settings with a token": [settings(credential="user")],
    "settings that are elsewhere": [settings(302, b"", headers=[("Location", "/v2/settings")], label=None)],
    "data types": [LISTED],
    "no data types": [exchange(DATA, 200, [])],
    "unknown fields of a data type": [exchange(DATA, 200, [{**data_type("a"), "colour": 1}])],
    "data types in a supported language": [exchange(DATA, 200, TYPES, language="supported")],
    "an unsupported language": [foreign_tongue()],
    "an unsupported language that is disregarded": [foreign_tongue(200, TYPES)],
    "own record": [exchange(DATA_ME, 200, {"account": {}, "types": []})],
    "another user's record that does not exist": [exchange(DATA_ME, 404, b"", credential="other user")],
    "own record behind a token": [exchange(DATA_ME, 401, b"", credential="no token")],
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
    "upper case identifier": [creation(answer=data_request(requestId=ONE.upper())), reading()],
    "another version of UUID": [creation(answer=data_request(requestId=ONE[:14] + "7" + ONE[15:]))],
    "numeric offset": [creation(answer=data_request(createdAt="2026-01-31T13:00:00+01:00"))],
    "unknown fields of a request": [creation(answer=data_request(status="new", links=[]))],
    "optional field": [creation(answer=data_request(expectedCompletion="2026-03-01T00:00:00Z"))],
    "completed at once": [creation(answer=COMPLETED)],
    "completed without a moment": [creation(answer=data_request(isCompleted=True))],
    "unknown type": [unknown_type()],
    "unprintable type refused in between": [
        unknown_type(status, HTML, body="unprintable type") for status in (400, 403, 422, 500)
    ],
    "limit reached": [full()],
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
    "odd bodies": [creation(status, HTML, body="odd") for status in (200, 400, 422, 500)],
    "declared open": [creation(500, HTML, open=True), missing(DELETE, 500, HTML, open=True)],
    "races": [
        creation(400, error(LIMIT_REACHED), racing=True),
        creation(racing=True),
        creation(503, HTML, racing=True),
        deletion(404, error(NOT_FOUND), "application/json", racing=True),
        deletion(409, HTML, racing=True),
    ],
    "put off": [settings(429, HTML, trouble=Trouble.RATE_LIMITED), settings(503, b"", trouble=Trouble.UNAVAILABLE)],
    "redirected and followed": [settings(302, HTML, redirected_to="e2")],
    "legal but deeper than what is read": [settings(answer=DEEP)],
}


@pytest.mark.parametrize("name", LEGAL)
def test_what_is_legal_breaks_nothing(name: str) -> None:
    assert broken(*LEGAL[name]) == [set()] * len(LEGAL[name])


WRONG: dict[str, tuple[list[Exchange], set[str]]] = {
    # statuses of what needs no token
    "settings missing": ([settings(404, b"", label=None)], {"4.4-answers-200"}),
    "settings broken down": ([settings(500, HTML)], {"4.4-answers-200"}),
    "settings ask for a token": ([settings(401, b"")], {"5.4-settings-without-token"}),
    "settings forbidden": ([settings(403, b"")], {"5.4-settings-without-token"}),
    "settings refuse even a token": ([settings(401, b"", credential="user")], {"4.4-answers-200"}),
    "data missing": ([exchange(DATA, 404, b"", credential="no token")], {"4.5-answers-200"}),
    "data ask for a token": ([exchange(DATA, 401, b"", credential="no token")], {"5.4-data-without-token"}),
    # documents
    "settings misspelt": (
        [
            settings(
                answer={("supportedLanguages" if n == "supportedLanaguages" else n): v for n, v in SETTINGS.items()}
            )
        ],
        {"1.4-every-parameter", "2.3-supportedLanaguages"},
    ),
    "settings in an array": ([settings(answer=[SETTINGS])], {"4.4-object"}),
    "data in an object": ([exchange(DATA, 200, {"types": TYPES})], {"4.5-array"}),
    "superseded field": (
        [exchange(DATA, 200, [{**data_type("a"), "schemaUrl": "https://schema.org/Person"}])],
        {"9-schemaUrl-removed"},
    ),
    "type of data a number": ([exchange(DATA, 200, [{**data_type("a"), "type": 1}])], {"2.2-type"}),
    "own record gone": ([exchange(DATA_ME, 404, b"")], {"4.6-exists"}),
    "own record without types": ([exchange(DATA_ME, 200, {"account": {}})], {"4.6-types"}),
    "created in an array": ([creation(answer=[data_request()])], {"4.1-object"}),
    "read in an array": ([reading(answer=[data_request()])], {"4.2-object"}),
    "null is not absent": (
        [creation(answer=data_request(completedAt=None))],
        {"2.1-completedAt", "3-in-progress-no-completedAt"},
    ),
    "in progress yet completed": (
        [reading(answer=data_request(completedAt="2026-01-31T12:00:00Z"))],
        {"3-in-progress-no-completedAt"},
    ),
    "identifier no UUID": ([creation(answer=data_request(requestId="17"))], {"2.1-requestId"}),
    "moment without offset": ([creation(answer=data_request(createdAt="2026-01-31T12:00:00"))], {"2.1-createdAt"}),
    # bodies
    "not JSON": ([settings(answer=HTML)], {"0-bodies-are-json"}),
    "empty": ([creation(answer=b"")], {"0-bodies-are-json"}),
    "NaN": ([exchange(DATA, 200, b"[NaN]")], {"0-bodies-are-json"}),
    "error that is not JSON": ([unauthorized(answer=HTML)], {"0-bodies-are-json"}),
    "JSON labelled as a page": ([settings(label="text/html")], {"0-json-media-type"}),
    "error labelled as text": ([missing(label="text/plain")], {"0-json-media-type"}),
    # creation
    "201": ([creation(201)], {"4.1-answers-200"}),
    "creation broken down": ([creation(500, HTML)], {"4.1-answers-200"}),
    "creation for all refused": ([exchange(CREATE, 400, {}, body="omitted")], {"4.1-answers-200"}),
    "a type of its own": (
        [LISTED, creation(answer=data_request(dataRequested=["orders", "extra"]))],
        {"2.1-dataRequested-known", "4.1-requested-types"},
    ),
    "fewer types than asked for": (
        [LISTED, creation(types=["orders", "account"])],
        {"4.1-requested-types"},
    ),
    "not all types": ([LISTED, creation_for_all(data_request())], {"4.1-body-omitted"}),
    "unknown type accepted": ([unknown_type(200, data_request())], {"7-invalid-data-types"}),
    "unknown type answered otherwise": ([unknown_type(422, HTML)], {"7-invalid-data-types"}),
    "unprintable type accepted": (
        [unknown_type(200, data_request(), body="unprintable type")],
        {"7-invalid-data-types"},
    ),
    # reading and deleting
    "reading broken down": ([reading(500, HTML)], {"4.2-answers-200"}),
    "not found, then seen in progress": ([reading(404, error(NOT_FOUND)), reading()], {"4.2-answers-200"}),
    "another moment": (
        [
            creation(answer=data_request(createdAt="2026-01-31T12:00:07Z")),
            reading(answer=data_request(createdAt="2026-01-31T12:00:08Z")),
        ],
        {"4.2-agrees-with-creation"},
    ),
    "another hour": (
        [
            creation(answer=data_request(createdAt="2026-01-31T12:30:00Z")),
            reading(answer=data_request(createdAt="2026-01-31T13:30:00Z")),
        ],
        {"4.2-agrees-with-creation"},
    ),
    "a whole hour that is too far": (
        [
            creation(answer=data_request(createdAt="2026-01-31T13:00:01Z")),
            reading(answer=data_request(createdAt="2026-01-31T12:00:00Z")),
        ],
        {"4.2-agrees-with-creation"},
    ),
    "another second than at the reading before": (
        [
            creation(answer=data_request(createdAt="2026-01-31T12:00:00.700Z")),
            reading(),
            reading(answer=data_request(createdAt="2026-01-31T12:00:01Z")),
        ],
        {"4.2-agrees-with-creation"},
    ),
    "five milliseconds later": (
        [
            creation(answer=data_request(createdAt="2026-01-31T12:00:00.221Z")),
            reading(answer=data_request(createdAt="2026-01-31T12:00:00.226Z")),
        ],
        {"4.2-agrees-with-creation"},
    ),
    "two milliseconds later than at the reading before": (
        [
            creation(answer=data_request(createdAt="2026-01-31T12:00:00.225Z")),
            reading(answer=data_request(createdAt="2026-01-31T12:00:00.225Z")),
            reading(answer=data_request(createdAt="2026-01-31T12:00:00.227Z")),
        ],
        {"4.2-agrees-with-creation"},
    ),
    "another identifier": ([creation(), reading(answer=data_request(requestId=TWO))], {"4.2-agrees-with-creation"}),
    "other types": (
        [LISTED, creation(), reading(answer=data_request(dataRequested=["account"]))],
        {"4.2-agrees-with-creation"},
    ),
    "deletion without content": ([deletion(204, b"", None)], {"4.3-answers-ok"}),
    "deletion with quotes": ([deletion(answer='"OK"')], {"4.3-answers-ok"}),
    "deletion in small letters": ([deletion(answer="ok")], {"4.3-answers-ok"}),
    "deletion not found": ([deletion(404, error(NOT_FOUND), "application/json")], {"4.3-answers-ok"}),
    "deletion labelled as JSON": ([deletion(label="application/json")], {"4.3-media-type"}),
    "completed not deleted": (
        [creation(answer=COMPLETED), deletion(409, b"", None)],
        {"3-deletes-completed"},
    ),
    "deleted and still there": ([reading(request="deleted")], {"3-removed"}),
    "deleted twice": ([deletion(request="deleted")], {"3-removed"}),
    "beaten by another deletion and told so otherwise": (
        [deletion(404, {"error": "Gone", "message": "Too late."}, "application/json", racing=True)],
        {"7-not-found-error", "7-not-found-message"},
    ),
    "unknown yet read": ([missing(status=200, answer=data_request())], {"7-not-found"}),
    "unknown yet deleted": ([deletion(request="unknown")], {"7-not-found"}),
    # authentication
    "created without a token": (
        [unauthorized(CREATE, 200, data_request(), body="omitted")],
        {"5.3-create-without-token"},
    ),
    "read without a token": ([unauthorized(status=200, answer=data_request())], {"5.3-read-without-token"}),
    "404 before 401": (
        [unauthorized(status=404, answer=error(NOT_FOUND), request="unknown")],
        {"5.3-read-without-token"},
    ),
    "400 before 401": (
        [unauthorized(CREATE, 400, error(INVALID_DATA_TYPES), body="unknown type", credential="a made-up token")],
        {"5.3-create-with-bad-token"},
    ),
    "403 instead of 401": ([unauthorized(DELETE, 403, credential="an empty token")], {"5.3-delete-with-bad-token"}),
    "deleted without a token": ([unauthorized(DELETE, 200, "OK", label="text/plain")], {"5.3-delete-without-token"}),
    "an odd body makes a request for what is not listed": (
        [LISTED, creation(answer=data_request(dataRequested=["ORDERS"]), body="odd", open=True, generated=True)],
        {"2.1-dataRequested-known"},
    ),
    "an odd body makes a request for no text": (
        [creation(answer=data_request(dataRequested=[7]), body="odd", open=True, generated=True)],
        {"2.1-dataRequested"},
    ),
    # errors
    "error misnamed": (
        [unauthorized(answer=error(UNAUTHORIZED, error="unauthorized"))],
        {"7-unauthorized-error"},
    ),
    "a full stop too few": (
        [missing(answer=error(NOT_FOUND, message=NOT_FOUND.message.rstrip(".")))],
        {"7-not-found-message"},
    ),
    "a full stop too many": (
        [foreign_tongue(answer=error(LANGUAGE_NOT_SUPPORTED, message=f"{LANGUAGE_NOT_SUPPORTED.message}."))],
        {"7-language-not-supported-message"},
    ),
    "limit misnamed": ([full(answer=error(LIMIT_REACHED, error="TooMany"))], {"7-limit-reached-error"}),
    "limit without a message": (
        [full(answer={"error": LIMIT_REACHED.error})],
        {"2.4-message", "7-limit-reached-message"},
    ),
    "limit with another message in the middle of something else": (
        [creation(400, error(LIMIT_REACHED, message="Too many."))],
        {"7-limit-reached-message"},
    ),
    "unknown type misnamed": (
        [unknown_type(answer=error(INVALID_DATA_TYPES, error="InvalidDataType"))],
        {"7-invalid-data-types-error"},
    ),
    "error in an array": ([missing(answer=[error(NOT_FOUND)])], {"2.4-object"}),
    "error a number": (
        [unauthorized(answer=error(UNAUTHORIZED, error=401))],
        {"2.4-error", "7-unauthorized-error"},
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_breaks_its_requirement_and_no_other(name: str) -> None:
    run, requirements = WRONG[name]

    found = broken(*run)

    assert set().union(*found) == requirements
    # Of the exchanges that a case needs, one alone is wrong.
    assert sum(map(bool, found)) == 1


# ---------------------------------------------------------------------- a refused token


def test_a_token_that_one_operation_never_accepts_is_refused_by_it() -> None:
    accepted, refused = missing(), creation(401, error(UNAUTHORIZED))

    assert broken(accepted, refused) == [set(), {"5.1-accepts-bearer"}]


def test_a_token_that_is_refused_now_and_then_is_refused() -> None:
    run = [reading(), reading(401, error(UNAUTHORIZED)), reading()]

    assert broken(*run) == [set(), {"5.1-accepts-bearer"}, set()]


def test_a_401_to_one_kind_of_question_is_about_that_question() -> None:
    run = [missing(), reading(401, error(UNAUTHORIZED)), missing()]

    assert broken(*run) == [set(), {"4.2-answers-200"}, set()]


def test_a_401_instead_of_a_404_is_about_the_404() -> None:
    run = [reading(), missing(status=401, answer=error(UNAUTHORIZED)), reading()]

    assert broken(*run) == [set(), {"7-not-found"}, set()]


# ---------------------------------------------------------------------- knowledge


def test_types_of_another_language_are_not_the_types_on_offer() -> None:
    translated = exchange(DATA, 200, [data_type("bestellingen")], language="supported")

    assert Knowledge.of([LISTED, translated]).types == frozenset(["orders", "account"])


def test_judging_changes_nothing() -> None:
    run = [LISTED, creation(), reading(), full(), deletion()]

    assert broken(*run) == broken(*run)


def test_readings_side_by_side_have_no_order() -> None:
    run = (creation(), reading(404, error(NOT_FOUND), beside="e2#0"), reading(beside="e2#1"))
    assert broken(*run)[1] == set()
    assert broken(*run, reading())[1] == {"4.2-answers-200"}
