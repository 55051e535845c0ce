"""Which answers raise an alert beside those of the smallest traces: cases that look alike and are not."""

from __future__ import annotations

import pytest
from deciding import behaviours
from notation import steps_of, trace_of

from conformance.model.errors import NotDecided, RequirementViolated

CHECKS = {each.requirement if "elsewhere" in each.name else each.function.__name__: each for each in behaviours()}

BY_ANOTHER = """
    by_another.read: other GET r1       -> {read}
    by_another.deleted: other DELETE r1 -> {deleted}
    by_another.absent: other GET r9     -> {absent}
    by_another.absent: other DELETE r9  -> 404
    by_another.after: GET r1            -> {after}
    by_another.released: DELETE r1      -> {released}
    DELETE r2                           -> 200 OK
    GET r2                              -> {after}
"""
NOTHING = {"read": "404", "deleted": "404", "absent": "404", "after": "200", "released": "200 OK"}
IN_QUERY = '"the token in the query"'


def alert(check: str, text: str) -> str | None:
    """Return the message of the alert that a check raises on a trace, or None."""
    end = CHECKS[check].decide(trace_of(steps_of(text, "")))
    assert end is None or isinstance(end, RequirementViolated)
    return None if end is None else end.message


@pytest.mark.parametrize(
    ("answers", "could"),
    [
        ({"deleted": "200 OK"}, ""),  # it confirms what it does not do
        ({"deleted": "200 OK", "after": "404"}, ""),  # its own user cannot read any request either
        ({"released": "404"}, "delete"),  # it removes the request before it refuses the call
        ({"read": "200", "deleted": "200 OK", "released": "404"}, "read and delete"),
        ({"read": "200 'null'", "absent": "200 'null'"}, ""),
        ({"read": "200", "absent": "200"}, "read"),  # a mock server shows one example for each identifier
        ({"read": """200 '{"error": "Not Found"}'""", "absent": """200 '{"error": "Not Found"}'"""}, ""),
    ],
)
def test_what_another_user_could_do_is_told_by_its_effect(answers: dict[str, str], could: str) -> None:
    raised = alert("test_one_user_may_see_the_requests_of_another", BY_ANOTHER.format(**NOTHING | answers))

    assert (raised or "").startswith(f"Another user could {could} the request" if could else "")
    assert bool(raised) is bool(could)


def test_a_reading_that_may_be_noise_shows_neither_that_a_request_is_removed_nor_that_it_stays() -> None:
    text = BY_ANOTHER.format(**NOTHING | {"deleted": "200 OK", "after": "503"})

    end = CHECKS["test_one_user_may_see_the_requests_of_another"].decide(trace_of(steps_of(text, "")))

    assert isinstance(end, NotDecided)


@pytest.mark.parametrize(
    ("mine", "account", "is_shared"),
    [
        ("a@example.org", "a@example.org", True),
        ("a@example.org", "b@example.org", False),
        ("active", "active", False),  # nothing in it tells users apart
        ("", "", False),
    ],
)
def test_an_account_that_both_users_are_shown_raises_an_alert(mine: str, account: str, is_shared: bool) -> None:
    shown = f"""
        user GET /data/me  -> 200 {{"account": "{mine}", "types": []}}
        other GET /data/me -> 200 {{"account": "{account}", "types": []}}
    """

    raised = alert("test_one_user_may_see_the_requests_of_another", shown + BY_ANOTHER.format(**NOTHING))

    assert (raised is not None and "the same account" in raised) is is_shared


@pytest.mark.parametrize(
    ("answers", "without_token", "accepted"),
    [
        (("401", "404", "401"), "401", True),  # it accepts the token for reading alone
        (("400 InvalidDataTypes", "404", "404"), "401", True),
        (("400 InvalidDataTypes", "404", "404"), "404", False),  # it looks for the request first
        (("404 '{}'", "404 '{}'", "404 '{}'"), "401", False),  # a gateway has no such path
    ],
)
def test_only_answers_that_a_token_explains_show_that_it_is_accepted_in_the_query(
    answers: tuple[str, str, str], without_token: str, accepted: bool
) -> None:
    text = f"""
        POST [x] -> 400 InvalidDataTypes
        GET r9 -> 404
        DELETE r9 -> 404
        anonymous POST [a] -> {without_token}
        anonymous GET r1 -> {without_token}
        anonymous DELETE r1 -> {without_token}
        {IN_QUERY} POST [x] -> {answers[0]}
        {IN_QUERY} GET r8 -> {answers[1]}
        {IN_QUERY} DELETE r8 -> {answers[2]}
    """

    assert bool(alert("5-token-in-query", text)) is accepted
