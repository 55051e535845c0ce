"""Tokens that no search can remove from a record: with --allow-short-token they are removed where they are sent."""

from __future__ import annotations

import json

import pytest
from whole_runs import config, differences, only, problem_of, run_over, written

from conformance.model.verdict import Verdict
from conformance.reference.config import User
from conformance.run.check import CannotBegin
from conformance.run.options import Plan

LONG = "Bob-9876543210zyxwvutsrqpo"

PLAN = only("4.1-answers-200", "4.5-array", "5.3")


def users(*tokens: str) -> dict[str, tuple[User, ...]]:
    return {"users": tuple(User(f"user-{number}.example", token) for number, token in enumerate(tokens))}


@pytest.mark.parametrize(
    "tokens",
    [
        ("1", LONG),  # the public server of the interface's ancestor issues it
        ("2026-11-28", "newsletter"),  # a data type of the service
    ],
    ids="-".join,
)
def test_an_honest_run_is_verified_and_its_record_shows_no_token_where_it_was_sent(tokens: tuple[str, ...]) -> None:
    run = run_over(config(**users(*tokens)), plan=PLAN, in_turn=False, allow_short_token=True)

    assert [row.id for row in run.report.requirements if row.verdict is Verdict.FAIL] == []
    assert differences(run) == []
    report, evidence = written(run)
    requests = [each["request"] for each in evidence["log"]["entries"]]
    fields = [field for each in requests for field in each["headers"]]
    sent = [each["value"] for each in fields if each["name"].lower() == "authorization"]
    asked = [each["url"] for each in requests if "access_token=" in each["url"]]
    assert sent
    assert asked
    for token in tokens:
        assert [each for each in sent if each.partition(" ")[2].lower() == token.lower()] == []
        assert [each for each in asked if each.lower().endswith(f"={token.lower()}")] == []
    assert f"Authorization: Bearer {tokens[0]}'" not in json.dumps(report)


def test_a_token_that_is_a_data_type_is_refused_as_soon_as_the_service_shows_it() -> None:
    with pytest.raises(CannotBegin) as refused:
        run_over(config(**users(LONG, "newsletter")), plan=Plan())

    problem = problem_of(refused.value)
    assert "lists a data type that contains it" in problem.message
    assert "--allow-short-token" in problem.remedy


def test_so_is_the_value_of_a_header_field_that_is_a_data_type() -> None:
    headers = (("X-Tenant", "newsletter"),)
    with pytest.raises(CannotBegin, match="TOKEN_IN_A_TYPE"):
        run_over(plan=PLAN, headers=headers)
