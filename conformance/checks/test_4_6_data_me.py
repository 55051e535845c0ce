"""Clause 4.6: GET /data/me exists; what little is said of its answer."""

from __future__ import annotations

from conformance.check import Observe, each_requirement, requirement
from conformance.exchange import Exchange
from conformance.expect import Broken, answer_of, json_body, not_applicable
from conformance.service import NOBODY, USER, Visitor


def _ask(visitor: Visitor) -> Exchange:
    """Return the answer with the best token there is, asked for once for the run."""
    best = USER if USER.label in visitor.session.credentials else NOBODY
    return visitor.once("data/me", lambda: visitor.data_me(best))


@requirement("4.6-exists")
def test_data_me_exists(visitor: Visitor) -> None:
    """GET /data/me answers something else than that it does not exist."""
    exchange = _ask(visitor)
    status = answer_of(exchange).status
    if status in (404, 405, 501):
        raise Broken(
            f"GET /data/me answered {status}, which says that it does not exist.",
            expected="a status other than 404, 405 and 501",
            actual=f"status {status}",
            exchanges=[exchange],
        )


@each_requirement("4.6-account", "4.6-types")
def test_data_me_carries(visitor: Visitor, requirement_id: str) -> None:
    """The 200 of GET /data/me carries the property, in the object or in the objects of the array."""
    exchange = _ask(visitor)
    if answer_of(exchange).status != 200:
        raise not_applicable(
            f"GET /data/me answered {answer_of(exchange).status}; only its 200 is described.", exchange
        )
    if json_body(exchange) == []:
        raise not_applicable("GET /data/me answered with an empty array.", exchange)

    visitor.demand(exchange, requirement_id)


@requirement("4.6-shape")
def test_data_me_answers_somehow(visitor: Visitor, observe: Observe) -> None:
    """Shows how GET /data/me answers with and without a token."""
    without = visitor.data_me(NOBODY)
    observe(f"GET /data/me without a token answered {answer_of(without).status}.", without)
    if USER.label in visitor.session.credentials:
        answer = answer_of(_ask(visitor))
        kind = type(answer.document.value).__name__ if not answer.document.problem else "no JSON"
        observe(f"GET /data/me with a token answered {answer.status} ({kind}).")
