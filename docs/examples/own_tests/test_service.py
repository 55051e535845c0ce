"""Tests of a service as a developer may write them, in a quarter of an hour: `selftest --command` measures them."""

import os
import uuid

import httpx
import pytest

TOKEN = {"Authorization": f"Bearer {os.environ['DRSI_TOKEN']}"}
SETTINGS = {
    *("forgotPasswordLink", "legalEntity", "maxNumberOfRequests", "oAuthClientId", "oAuthUrl"),
    *("organisationName", "privacyPolicy", "privacyContactEmail", "supportedLanaguages", "termsOfService"),
}


@pytest.fixture
def service():
    with httpx.Client(base_url=os.environ["DRSI_BASE_URL"], headers=TOKEN) as client:
        yield client


@pytest.fixture
def created(service):
    answer = service.post("/requests")
    assert answer.status_code == 200
    yield answer.json()
    service.delete(f"/requests/{answer.json()['requestId']}")


def test_settings(service):
    settings = service.get("/settings").json()
    assert settings.keys() >= SETTINGS
    assert settings["maxNumberOfRequests"] > 0


def test_data_types(service):
    for each in service.get("/data").json():
        assert isinstance(each["type"], str)
        assert isinstance(each["isErasable"], bool)


def test_a_request_is_created(service, created):
    assert uuid.UUID(created["requestId"]).version == 4
    assert created["isCompleted"] is False
    assert {each["type"] for each in service.get("/data").json()} == set(created["dataRequested"])


def test_a_request_is_read(service, created):
    assert service.get(f"/requests/{created['requestId']}").json() == created


def test_a_request_is_deleted(service, created):
    answer = service.delete(f"/requests/{created['requestId']}")
    assert (answer.status_code, answer.text) == (200, "OK")
    assert service.get(f"/requests/{created['requestId']}").status_code == 404


def test_the_limit(service):
    limit = service.get("/settings").json()["maxNumberOfRequests"]
    answers = [service.post("/requests") for _ in range(limit + 1)]
    for each in answers[:limit]:
        service.delete(f"/requests/{each.json()['requestId']}")
    assert answers[-1].status_code == 400
    assert answers[-1].json()["error"] == "MaximumAmountOfRequestsReached"


@pytest.mark.parametrize("token", [{}, {"Authorization": "Bearer wrong"}])
def test_without_a_valid_token(service, token):
    answer = httpx.post(f"{service.base_url}requests", headers=token)
    assert answer.status_code == 401
    assert answer.json()["error"] == "Unauthorized"


def test_an_unknown_type(service):
    answer = service.post("/requests", json=["no-such-type"])
    assert answer.status_code == 400
    assert answer.json()["error"] == "InvalidDataTypes"
