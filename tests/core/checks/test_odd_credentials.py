"""A credential that a server may refuse in its own words is not handled as that of a user: odd characters, a query."""

from __future__ import annotations

import pytest
from notation import call_in

from conformance.facts.world import Facts
from conformance.judge.exchanges import judge
from conformance.model.credential_forms import ODD_BEARER
from conformance.model.error_table import IN_QUERY
from conformance.model.exchange import Exchange

ODD, QUERY = f'"{ODD_BEARER}"', f'"{IN_QUERY}"'
PAGE = "'<h1>Bad Request</h1>'"
OWN = '{"error": "Bad Request", "message": "The header is malformed."}'


def again(call: str) -> Exchange:
    """Return a call that was made again: its answer is open, and the request exists."""
    asked = call_in(call, request="existing", open=True)
    asked.repeats = "e1"
    return asked


def violated(asked: Exchange) -> list[str]:
    return [each.requirement for each in judge(asked, Facts()).violations if each.requirement.startswith("5.3")]


def test_one_server_error_that_did_not_come_again_is_no_handling_of_it() -> None:
    assert violated(call_in(f"{ODD} GET r1 -> 500 {PAGE}", request="existing", open=True)) == []


@pytest.mark.parametrize(
    ("answered", "requirement"),
    [
        (f'{ODD} GET r1 -> 404 Not Found {{"message": "The header is malformed."}}', ""),
        (f"{ODD} GET r1 -> 200 {PAGE}", ""),  # the page of a firewall
        (f"{ODD} POST -> 501 {PAGE}", ""),
        (f"{ODD} GET r1 -> 503 {PAGE}", ""),
        # A router may have no path with a query, and answer as for requests that do not exist.
        (f"{QUERY} GET r1 -> 404", ""),
        (f"{QUERY} POST -> 400 MaximumAmountOfRequestsReached", ""),
        (f"{QUERY} GET r1 -> 500 {OWN}", ""),
        (f"{QUERY} DELETE r1 -> 200 {PAGE}", ""),
        (f"{ODD} GET r1 -> 500 {OWN}", "5.3-read-with-bad-token"),
        (f"{ODD} GET r1 -> 200", "5.3-read-with-bad-token"),
        (f"{ODD} POST -> 200 r1", "5.3-create-with-bad-token"),
        (f"{ODD} DELETE r1 -> 200", "5.3-delete-with-bad-token"),
        (f"{ODD} DELETE r1 -> 500 {PAGE}", "5.3-delete-with-bad-token"),
        (f"{QUERY} GET r1 -> 200", "5.3-read-with-bad-token"),
        (f"{QUERY} POST -> 200 r1", "5.3-create-with-bad-token"),
        (f"{QUERY} DELETE r1 -> 200", "5.3-delete-with-bad-token"),
    ],
)
def test_a_server_may_refuse_it_in_its_own_words_and_not_handle_it(answered: str, requirement: str) -> None:
    assert violated(again(answered)) == [requirement] * bool(requirement)
