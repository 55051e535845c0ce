from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID

import httpx
import pytest
from reference_samples import ANONYMOUS, BAD, CONFIG, USERS

from conformance.model.exchange import Operation
from conformance.reference.app import MAX_BODY, build_app
from conformance.reference.call import Action
from conformance.reference.config import ReferenceConfig, numbered
from conformance.reference.in_process import InProcessTransport

LIMIT = {
    "error": "MaximumAmountOfRequestsReached",
    "message": "The maximum amount of requests has been reached.",
}
INVALID = {
    "error": "InvalidDataTypes",
    "message": "The data types that were specified do not match the available datatypes for this organisation.",
}
LANGUAGE = {
    "error": "LanguageNotSupported",
    "message": "The language you are requesting is not supported by this organisation",
}
UNAUTHORIZED = {
    "error": "Unauthorized",
    "message": "You are not authorized. Generate authentication tokens via OAuth to access this resource.",
}
NOT_FOUND = {"error": "Not Found", "message": "Could not find a data request with this id."}


def _client(config: ReferenceConfig, token: str | None = USERS[0].token) -> httpx.Client:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    app = build_app(config)
    return httpx.Client(
        transport=InProcessTransport(app), base_url=f"http://reference{config.path_prefix}", headers=headers
    )


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with _client(CONFIG) as client:
        yield client


def _without_token(client: httpx.Client) -> None:
    del client.headers["Authorization"]


def test_settings_need_no_token_and_have_ten_fields(client: httpx.Client) -> None:
    _without_token(client)

    response = client.get("/settings")

    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert len(response.json()) == 10
    assert response.json()["supportedLanaguages"] == ["en", "nl", "de"]
    assert response.json()["maxNumberOfRequests"] == 3


def test_data_types_need_no_token_and_have_six_fields(client: httpx.Client) -> None:
    _without_token(client)

    response = client.get("/data")

    assert response.status_code == 200
    assert len(response.json()) == 5
    assert all(len(each) == 6 for each in response.json())
    assert 'betaling/IBAN "privé"' in {each["type"] for each in response.json()}


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("nl", "Bankrekening"),
        ("NL-be, en;q=0.5", "Bankrekening"),
        ("de;q=0.8", "Bankkonto"),
        ("*", "Bank account"),
        ("", "Bank account"),
    ],
)
def test_descriptions_are_in_the_language_asked_for(client: httpx.Client, asked: str, text: str) -> None:
    response = client.get("/data", headers={"Accept-Language": asked})

    assert response.json()[-1]["description"] == text


@pytest.mark.parametrize("asked", ["fr", "xx-nl", "e", "english", "???", "fr, nl"])
def test_an_unsupported_language_is_refused(client: httpx.Client, asked: str) -> None:
    response = client.get("/data", headers={"Accept-Language": asked})

    assert (response.status_code, response.json()) == (400, LANGUAGE)


def test_the_language_can_be_chosen_by_query() -> None:
    with _client(replace(CONFIG, language_selector="query:lang")) as client:
        assert client.get("/data?lang=nl").json()[-1]["description"] == "Bankrekening"
        assert client.get("/data?lang=fr").json() == LANGUAGE
        assert client.get("/data", headers={"Accept-Language": "fr"}).status_code == 200


def test_data_me_carries_account_and_types(client: httpx.Client) -> None:
    assert client.get("/data/me").json().keys() == {"account", "types"}
    _without_token(client)
    assert client.get("/data/me").status_code == 401


def test_a_request_is_created_read_and_deleted(client: httpx.Client) -> None:
    created = client.post("/requests", json=["newsletter", "newsletter", 'betaling/IBAN "privé"'])
    path = f"/requests/{created.json()['requestId']}"

    assert created.status_code == 200
    assert UUID(created.json()["requestId"]).version == 4
    assert created.json()["dataRequested"] == ["newsletter", 'betaling/IBAN "privé"']
    assert created.json()["isCompleted"] is False
    assert "completedAt" not in created.json()
    assert client.get(path).json() == created.json()
    deleted = client.delete(path)
    assert (deleted.status_code, deleted.text) == (200, "OK")
    assert deleted.headers["content-type"].startswith("text/plain")
    for again in (client.get(path), client.delete(path)):
        assert (again.status_code, again.json()) == (404, NOT_FOUND)


def test_without_a_body_all_types_are_requested(client: httpx.Client) -> None:
    offered = {each["type"] for each in client.get("/data").json()}

    assert set(client.post("/requests").json()["dataRequested"]) == offered


HOSTILE_BODIES = [
    b"[]",
    b"{}",
    b"5",
    b"null",
    b'"newsletter"',
    b'["newsletter", "unknown"]',
    b'["unknown", "newsletter"]',
    b"[[]]",
    b'[{"type": "newsletter"}]',
    b"[1]",
    b"[null]",
    b"[NaN]",
    b"NaN",
    b"[Infinity]",
    b"[",
    b" ",
    b"\x00",
    b"\xff\xfe",
    b'["\xff"]',
    b'["\\ud800"]',
    b'["newsletter"] trailing',
    b"\xef\xbb\xbf[]",
    '["newsletter"]'.encode("utf-16"),
    b"[" * 10_000 + b"]" * 10_000,
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"9" * 10_000,
    b"[" + b"9" * 5_000 + b"]",
    b"[1e99999]",
    b'["' + b"x" * 1_000_000 + b'"]',
    b"true" * 1000,
]


def test_a_body_that_does_not_match_is_refused_and_creates_nothing(client: httpx.Client) -> None:
    for body in HOSTILE_BODIES:
        response = client.post("/requests", content=body)
        assert (response.status_code, response.json()) == (400, INVALID), body[:20]

    assert [client.post("/requests").status_code for _ in range(4)] == [200, 200, 200, 400]


def test_a_body_beyond_what_memory_allows_is_refused(client: httpx.Client) -> None:
    assert client.post("/requests", content=b" " * (MAX_BODY + 1)).status_code == 413


@pytest.mark.parametrize("header", [*BAD, "", "Bearer", "bearer", "Bearer \xff", "Bearer a b", "\x7f", "Digest x=1"])
def test_whoever_is_not_authenticated_gets_401_whatever_is_asked(client: httpx.Client, header: str) -> None:
    request_id = client.post("/requests").json()["requestId"]
    _without_token(client)
    raw = {b"Authorization": header.encode("latin-1")}

    for method, path, content in (
        ("POST", "/requests", b""),
        ("POST", "/requests", b"[broken"),
        ("GET", f"/requests/{request_id}", b""),
        ("GET", f"/requests/{ANONYMOUS}", b""),
        ("DELETE", f"/requests/{ANONYMOUS}", b""),
        ("DELETE", f"/requests/{request_id}", b""),
    ):
        response = client.request(method, path, content=content, headers=raw)
        assert (response.status_code, response.json()) == (401, UNAUTHORIZED)
        assert response.headers["www-authenticate"] == "Bearer"
    client.headers["Authorization"] = f"bEARER  {USERS[0].token} "
    assert client.get(f"/requests/{request_id}").status_code == 200


def test_two_authorization_headers_are_not_accepted(client: httpx.Client) -> None:
    both = [("Authorization", f"Bearer {token}") for token in CONFIG.tokens]
    _without_token(client)

    assert client.get(f"/requests/{ANONYMOUS}", headers=both).status_code == 401


@pytest.mark.parametrize(
    "odd",
    [
        "",
        "%2F",
        "a%2Fb",
        "..%2F..%2Fsettings",
        "%2e%2e",
        "%00",
        "%0d%0aX: 1",
        "%ff",
        "%",
        "{id}",
        "x" * 60_000,
        "%F0%9F%A7%BE",
    ],
)
def test_odd_identifiers_are_not_found(client: httpx.Client, odd: str) -> None:
    for method in ("GET", "DELETE"):
        response = client.request(method, f"/requests/{odd}")
        assert (response.status_code, response.json()) == (404, NOT_FOUND)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "HEAD", "get"])
def test_other_methods_are_refused_and_head_has_no_body(client: httpx.Client, method: str) -> None:
    for path in ("/settings", "/data", "/data/me", "/requests", f"/requests/{ANONYMOUS}"):
        response = client.request(method, path)

        assert response.status_code in (200, 404, 405)
        assert (method == "HEAD") == (response.content == b"")
        assert response.status_code != 405 or "allow" in response.headers


def test_the_request_of_another_user_is_not_found(client: httpx.Client) -> None:
    path = f"/requests/{client.post('/requests').json()['requestId']}"
    other = {"Authorization": f"Bearer {USERS[1].token}"}

    assert client.get(path, headers=other).status_code == 404
    assert client.delete(path, headers=other).status_code == 404
    assert client.get(path).status_code == 200


def test_the_limit_is_for_each_user_and_a_deletion_frees_it_at_once(client: httpx.Client) -> None:
    names = [client.post("/requests").json()["requestId"] for _ in range(3)]
    beyond = client.post("/requests")

    assert (beyond.status_code, beyond.json()) == (400, LIMIT)
    assert client.post("/requests", headers={"Authorization": f"Bearer {USERS[1].token}"}).status_code == 200
    client.delete(f"/requests/{names[0]}")
    assert client.post("/requests").status_code == 200
    assert client.get(f"/requests/{names[1]}").status_code == 200


def test_the_limit_holds_under_threads() -> None:
    with _client(replace(CONFIG, max_requests=7)) as client, ThreadPoolExecutor(16) as threads:
        statuses = [each.status_code for each in threads.map(lambda _n: client.post("/requests"), range(200))]

    assert statuses.count(200) == 7
    assert set(statuses) == {200, 400}


def test_parallel_deletions_of_one_request_succeed_once(client: httpx.Client) -> None:
    path = f"/requests/{client.post('/requests').json()['requestId']}"

    with ThreadPoolExecutor(8) as threads:
        statuses = [each.status_code for each in threads.map(lambda _n: client.delete(path), range(32))]

    assert statuses.count(200) == 1


@pytest.mark.parametrize("readable", [True, False])
def test_completed_requests_do_not_count_and_can_be_deleted(readable: bool) -> None:
    with _client(replace(CONFIG, max_requests=1, complete_after=0.0, completed_readable=readable)) as client:
        first, second = (client.post("/requests").json() for _ in range(2))
        assert first["isCompleted"]
        assert first["completedAt"] == first["createdAt"]
        path = f"/requests/{second['requestId']}"
        assert client.get(path).status_code == (200 if readable else 404)
        assert client.delete(path).text == "OK"
        assert client.delete(path).status_code == 404


@pytest.mark.parametrize("prefix", ["", "/a.b/~c"])
def test_the_path_prefix_is_the_base_of_every_path(prefix: str) -> None:
    with _client(replace(CONFIG, path_prefix=prefix)) as client:
        assert client.get("/settings").status_code == 200
        assert client.get("http://reference/elsewhere/settings").status_code == 404


@pytest.mark.parametrize("wrong", [{"path_prefix": "api"}, {"path_prefix": "/api/"}, {"language_selector": "cookie:x"}])
def test_a_configuration_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must be"):
        ReferenceConfig(**wrong)


def test_a_configuration_survives_json() -> None:
    for config in (CONFIG, replace(CONFIG, data_types=numbered(3)), replace(CONFIG, data_types=7)):
        assert ReferenceConfig.from_json(config.as_json()) == config


def test_a_seed_makes_identifiers_repeatable_and_tokens_stay_fresh() -> None:
    def identifiers(seed: int | None) -> list[str]:
        with _client(replace(CONFIG, seed=seed)) as client:
            return [client.post("/requests").json()["requestId"] for _ in range(3)]

    assert identifiers(5) == identifiers(5)
    assert identifiers(5) != identifiers(6)
    assert identifiers(None) != identifiers(None)
    assert not set(ReferenceConfig(seed=5).tokens) & set(ReferenceConfig(seed=5).tokens)


def test_the_number_of_data_types_can_be_set() -> None:
    with _client(replace(CONFIG, data_types=1000)) as client:
        listed = [each["type"] for each in client.get("/data").json()]
        assert len(set(listed)) == 1000
        assert client.post("/requests", content=json.dumps(listed)).status_code == 200


def test_operations_are_called_as_in_the_suite() -> None:
    assert {each.value for each in Operation} == {each.value for each in Action} - {"other"}


def test_a_response_of_the_transport_is_not_read_yet(client: httpx.Client) -> None:
    with client.stream("GET", "/settings") as response:
        assert not response.is_stream_consumed
        assert json.loads(response.read())["maxNumberOfRequests"] == 3
