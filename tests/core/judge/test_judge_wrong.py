from __future__ import annotations

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
from hand_made import ONE, SETTINGS, TWO, TYPES, data_request, data_type, deletion, error, exchange
from judged import COMPLETED, CREATE, DATA, DATA_ME, DELETE, HTML, LISTED, READ, broken
from lives import one_after_another

from conformance.facts.world import Facts
from conformance.judge.exchanges import decidable, judge
from conformance.model.error_table import (
    INVALID_DATA_TYPES,
    LANGUAGE_NOT_SUPPORTED,
    LIMIT_REACHED,
    NOT_FOUND,
    UNAUTHORIZED,
)
from conformance.model.exchange import Exchange

OTHER = {"error": "Other", "message": "Something else."}

WRONG: dict[str, tuple[list[Exchange], set[str]]] = {
    # statuses of what needs no token
    "settings missing": ([settings(404, OTHER)], {"4.4-answers-200"}),
    "settings broken down": ([settings(500, HTML)], {"4.4-answers-200"}),
    "settings ask for a token": ([settings(401, OTHER)], {"5.4-settings-without-token"}),
    "settings forbidden": ([settings(403, OTHER)], {"5.4-settings-without-token"}),
    "settings refuse even a token": ([settings(401, OTHER, credential="user")], {"4.4-answers-200"}),
    "data missing": ([exchange(DATA, 404, OTHER, credential="no token")], {"4.5-answers-200"}),
    "data ask for a token": ([exchange(DATA, 401, OTHER, credential="no token")], {"5.4-data-without-token"}),
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
    "error that is not JSON": ([unauthorized(answer=HTML)], {"0-bodies-are-json", "2.4-object"}),
    "JSON labelled as a page": ([settings(label="text/html")], {"0-json-media-type"}),
    "error labelled as text": ([missing(label="text/plain")], {"0-json-media-type"}),
    # creation
    "201": ([creation(201)], {"4.1-answers-200"}),
    "creation broken down": ([creation(500, HTML)], {"4.1-answers-200"}),
    "creation for all refused": (
        [exchange(CREATE, 400, OTHER, body="omitted")],
        {"4.1-answers-200", "4.1-body-omitted"},
    ),
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
    "unknown type answered otherwise": ([unknown_type(422, OTHER)], {"7-invalid-data-types"}),
    "unprintable type accepted": (
        [unknown_type(200, data_request(), body="unprintable type")],
        {"7-invalid-data-types"},
    ),
    # reading and deleting
    "reading broken down": ([reading(500, HTML)], {"4.2-answers-200"}),
    "not found, then seen in progress": ([creation(), reading(404, error(NOT_FOUND)), reading()], {"4.2-answers-200"}),
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
    "deletion labelled as JSON": ([deletion(label="application/json")], {"4.3-media-type"}),
    "completed not deleted": (
        [creation(answer=COMPLETED), deletion(409, OTHER, "application/json")],
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
    "a part of an identifier finds a request": (
        [missing(READ, 200, data_request(), request_id=ONE[:-1])],
        {"7-not-found"},
    ),
    "an underscore stands for any digit": (
        [missing(READ, 200, data_request(), request_id=f"{ONE[:-1]}_", unusual=True)],
        {"7-not-found"},
    ),
    "a word is answered with nothing": ([missing(READ, 200, b"", request_id="constructor")], {"7-not-found"}),
    "a longer identifier deletes a request": (
        [missing(DELETE, 200, b"OK", request_id=f"{ONE}0", label="text/plain")],
        {"7-not-found"},
    ),
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
    "page of the framework": ([creation(400, HTML, body="odd", open=True)], {"0-bodies-are-json"}),
    "empty refusal of a word": ([missing(status=400, answer=b"", request_id="word", open=True)], {"0-bodies-are-json"}),
    "detail of the framework": (
        [creation(422, {"detail": [{"msg": "Input should be a valid list"}]}, body="odd", open=True)],
        {"2.4-error", "2.4-message"},
    ),
    "word not found otherwise": (
        [missing(DELETE, 404, {"error": "Not Found", "message": "No such page."}, request_id="word", open=True)],
        {"7-not-found-message"},
    ),
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
    "limit misnamed": (
        [*AT_THE_LIMIT, full(answer=error(LIMIT_REACHED, error="TooMany")), reading()],
        {"7-limit-reached-error"},
    ),
    "limit without a message": (
        [*AT_THE_LIMIT, full(answer={"error": LIMIT_REACHED.error})],
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


def test_what_judging_an_exchange_may_find_is_what_a_crash_there_costs() -> None:
    for run, _ in WRONG.values():
        exchanges = one_after_another(*run)
        known = Facts.of(exchanges)
        for one in exchanges:
            assert one.operation is not None
            judgement = judge(one, known)
            found = {violation.requirement for violation in judgement.violations} | judgement.kept
            assert found <= decidable(one.operation)
