"""Clause 4.6: GET /data/me exists, and its 200 carries account and types."""

from __future__ import annotations

from conformance.checks.marks import Observe, each_requirement, requirement
from conformance.client.expect import json_body, violated
from conformance.client.public import PublicClient
from conformance.model.errors import NotDecided, answer_of, not_applicable
from conformance.model.identity import USER
from conformance.rules.judge import ABSENT, EXISTS
from conformance.scenarios.basic import DataMe


@requirement("4.6-exists")
def test_data_me_exists(data_me: DataMe) -> None:
    """GET /data/me does not answer with a status for missing resources."""
    exchange = data_me.best
    status = answer_of(exchange).status
    if status in ABSENT:
        message = f"GET /data/me answered {status}, which says that it does not exist."
        raise violated(message, "a status other than 404, 405 and 501", exchange, probe=EXISTS)


@each_requirement("4.6-account", "4.6-types")
def test_data_me_carries(public_client: PublicClient, data_me: DataMe, requirement_id: str) -> None:
    """The 200 of GET /data/me carries the property, in the object or in each object of the array."""
    exchange, status = data_me.best, answer_of(data_me.best).status
    if status in ABSENT:
        raise NotDecided("GET /data/me does not exist.", remedy="See 4.6-exists.", exchanges=[exchange])
    if status != 200:
        message = f"GET /data/me answered {status}; the specification describes only its 200."
        raise not_applicable("data-me-not-shown", message, exchange)
    if json_body(exchange) == []:
        raise not_applicable("data-me-not-shown", "GET /data/me answered with an empty array.", exchange)
    public_client.assert_holds(exchange, requirement_id)


@requirement("4.6-shape")
def test_data_me_answers_somehow(public_client: PublicClient, data_me: DataMe, observe: Observe) -> None:
    """Shows the responses of GET /data/me with and without a token."""
    best, without = data_me.best, data_me.without_token
    observe(f"GET /data/me without a token answered {answer_of(without).status}.", without)
    if USER.label in public_client.session.credentials:
        answer = answer_of(best)
        kinds: dict[type, str] = {dict: "a JSON object", list: "a JSON array"}
        kind = "no JSON" if answer.document.problem else kinds.get(type(answer.document.value), "another JSON value")
        observe(f"GET /data/me with a token answered {answer.status} ({kind}).")
