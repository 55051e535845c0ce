"""What the answers of a short run decide, in the notation of the smallest traces (docs/traces.md), by `;`.

A requirement that a row of kinds.toml or a schema decides has no check, above which such traces could stand.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from assembled import assembled, broken, detailed, failed, finding, said
from deciding import behaviours
from notation import call_in, steps_of, trace_in, trace_of

from conformance.checks import test_rows
from conformance.facts.life import Doubt
from conformance.facts.world import Facts
from conformance.judge.decisions import Decisions
from conformance.judge.exchanges import decidable, judge
from conformance.judge.requests import keeps_others
from conformance.model.credential_forms import ODD_BEARER
from conformance.model.error_table import IN_QUERY
from conformance.model.errors import NotDecided, RequirementViolated
from conformance.model.exchange import Exchange, Operation
from conformance.model.requirements import catalogue
from conformance.model.verdict import Verdict
from conformance.trace.trace import Trace

FAILS, KEPT, OPEN = "fails", "kept", "open"
PAGE = "'<!doctype html><html><body>Oops</body></html>'"
AT_THE_LIMIT = "GET /settings -> 200 limit 1; POST [a] -> 200 r1"
OWN = '{"error": "Bad Request", "message": "No."}'
SIZE = '{"error": "Bad Request", "message": "size must be between 0 and 1"}'
ELEVEN = f"[{', '.join('abcdefghijk')}]"
TWICE = "POST [a] -> 200 r1; POST [a] -> 200 r1"

CASES: dict[str, dict[str, str]] = {
    # single answers
    f"GET /settings -> 200 {PAGE}": {"0-bodies-are-json": FAILS, "2.3-oAuthUrl": OPEN},
    f"GET /settings -> 500 {PAGE}": {"4.4-answers-200": FAILS, "4.4-object": OPEN},
    "GET /data -> 200 '[]'": {"4.5-array": KEPT, "2.2-type": OPEN},
    "user GET /data -> 200": {"4.5-answers-200": KEPT, "5.4-data-without-token": OPEN},
    "user GET /settings -> 200; GET /settings -> 404": {"4.4-answers-200": FAILS, "5.4-settings-without-token": OPEN},
    "POST [a] -> 200 r1": {"2.1-dataRequested-known": OPEN, "4.1-answers-200": KEPT},
    "GET /settings -> 200 limit 0; POST [a] -> 200 r1": {"4.1-answers-200": OPEN, "2.1-requestId": OPEN},
    "POST [a] -> 200 r1 completed": {"3-in-progress-no-completedAt": OPEN, "2.1-completedAt": KEPT},
    "DELETE r1 -> 404": {"4.3-answers-ok": OPEN},
    "GET r1 -> 404": {"7-not-found": KEPT, "7-not-found-error": KEPT, "2.4-object": KEPT, "4.2-answers-200": OPEN},
    "POST [a] -> 200 r1; anonymous GET r1 -> 401": {"5.3-read-without-token": KEPT, "7-unauthorized-message": KEPT},
    "anonymous GET r9 -> 401": {"5.3-read-without-token": OPEN, "7-unauthorized-message": KEPT},
    "anonymous GET r9 -> 401 '[]'": {"2.4-object": FAILS, "7-unauthorized-error": OPEN},
    "anonymous GET r9 -> 404": {"5.3-read-without-token": FAILS},
    # the life of a request
    "POST [a] -> 200 r1; GET r1 -> 200; GET r1 -> 404": {},
    "POST [a] -> 200 r1; GET r1 -> 404; GET r1 -> 200": {"4.2-answers-200": FAILS},
    "POST [a] -> 200 r1; DELETE r1 -> 500; DELETE r1 -> 404; GET r1 -> 404": {"4.3-answers-ok": FAILS},
    """POST [a] -> 200 r1 {"createdAt": "2026-01-31T12:30:00Z"};
       GET r1 -> 200 {"createdAt": "2026-01-31T13:30:00Z"}""": {"4.2-agrees-with-creation": FAILS},
    """POST [a] -> 200 r1 {"createdAt": "2026-01-31T12:00:00.221Z"};
       GET r1 -> 200 {"createdAt": "2026-01-31T12:00:00.226Z"}""": {"4.2-agrees-with-creation": FAILS},
    """POST [a] -> 200 r1 {"createdAt": "2026-01-31T12:00:00.225Z"};
       GET r1 -> 200 {"createdAt": "2026-01-31T12:00:00.225Z"};
       GET r1 -> 200 {"createdAt": "2026-01-31T12:00:00.227Z"}""": {"4.2-agrees-with-creation": FAILS},
    "POST [a] -> 200 r1; other DELETE r1 -> 200; DELETE r1 -> 404": {"4.3-answers-ok": OPEN},
    "POST [a] -> 200 r1; | DELETE r1 -> 200; | DELETE r1 -> 404": {},
    # without a body
    "POST -> 500": {"4.1-body-omitted": FAILS, "4.1-answers-200": OPEN},
    "POST -> 201 r1": {"4.1-answers-200": FAILS, "4.1-body-omitted": OPEN},
    # a list that is too long for the service, as @Size of Spring (400) or maxItems of pydantic (422) refuse it
    f"POST [a, b] -> 400 {SIZE}": {"4.1-answers-200": OPEN},
    f"POST [a] -> 400 {SIZE}": {"4.1-answers-200": FAILS},
    f"POST [a, b] -> 400 {OWN}": {"4.1-answers-200": FAILS},
    f"GET /data -> 200 {ELEVEN}; POST {ELEVEN} -> 422 {OWN}": {"4.1-answers-200": OPEN},
    # at the limit
    "POST [x] -> 400 MaximumAmountOfRequestsReached": {},
    f"""{AT_THE_LIMIT}; POST [a] -> 400 {{"error": "TooMany", "message": "Too many."}}; GET r1 -> 200""": {
        "7-limit-reached-error": FAILS,
        "7-limit-reached-message": FAILS,
    },
    f"{AT_THE_LIMIT}; | POST [a] -> 503; | DELETE r1 -> 200; | POST [a] -> 400 MaximumAmountOfRequestsReached": {},
    # requests with one identifier
    f"{TWICE}; DELETE r1 -> 200; GET r1 -> 200": {"3-removed": OPEN},
    f"{TWICE}; DELETE r1 -> 200; DELETE r1 -> 404": {},
    f"{TWICE}; DELETE r1 -> 200; DELETE r1 -> 500; GET r1 -> 200": {"3-removed": OPEN},
    f"{TWICE}; DELETE r1 -> 200; other DELETE r1 -> 404; GET r1 -> 200": {"3-removed": OPEN},
    f"{TWICE}; DELETE r1 -> 200; DELETE r1 -> 200; GET r1 -> 200": {"3-removed": FAILS},
    # tokens
    "other GET r1 -> 200; other GET r1 -> 401": {"5.1-accepts-bearer": OPEN},
}


@pytest.mark.parametrize("text", CASES)
def test_answers_violate_keep_or_leave_open_a_requirement(text: str) -> None:
    trace = trace_in(text)
    rows, decisions = assembled([], list(trace.exchanges)), Decisions(trace.facts)

    def end(requirement: str) -> str:
        if requirement in failed(rows):
            return FAILS
        return KEPT if decisions[requirement].kept and not decisions[requirement].shown else OPEN

    assert {each: end(each) for each in CASES[text]} == CASES[text]
    assert failed(rows) <= {each for each, how in CASES[text].items() if how == FAILS}


def test_what_judging_an_exchange_may_find_is_what_a_crash_there_costs() -> None:
    for behaviour in behaviours():
        trace = trace_of(steps_of(behaviour.traces, "FAIL"))
        for one in trace.exchanges:
            judgement = judge(one, trace.facts)
            found = {violation.requirement for violation in judgement.violations} | judgement.kept
            assert found <= (decidable(one.operation) if one.operation else set())


def test_what_one_exchange_decides_has_an_item() -> None:
    of_behaviours = {"3-deletes-completed", "5.1-accepts-bearer", "4.6-account", "4.6-types"}
    items = {each.id for each in test_rows.ROWS}

    assert items | of_behaviours == frozenset().union(*map(decidable, Operation))


@pytest.mark.parametrize(
    ("requirement", "run"),
    [
        ("5.3-rejected-delete-deletes-nothing", "POST [a] -> 200 r1; anonymous DELETE r1 -> 401; DELETE r1 -> 404"),
        ("4.1-creates-in-parallel", "| POST [a] -> 200 r1; | POST [a] -> 200 r2; DELETE r1 -> 404"),
    ],
)
def test_a_loss_beside_another_call_follows_from_a_loss_without_one(requirement: str, run: str) -> None:
    for before, causes in (("", ()), ("POST [a] -> 200 r9; DELETE r9 -> 404; ", ("4.3-answers-ok",))):
        exchanges = list(trace_in(before + run).exchanges)
        found = assembled([broken(requirement, exchanges[-1])], exchanges)
        assert requirement in failed(found)
        assert set(causes) <= set(found[requirement].follows_from)


def decided(requirement: str, trace: Trace) -> object:
    """Return the end of a behaviour."""
    return next(each for each in behaviours() if each.requirement == requirement).decide(trace)


REMOVALS = """races.removals[0].created: POST [a] -> 200 r1; | races.removals[0].deletions: DELETE r1 -> {answer};
    | races.removals[0].reads: GET r1 -> 200; races.removals[0].after: GET r1 -> 404"""
GONE = "POST [a] -> 200 r9; DELETE r9 ->"
CREATIONS = "| races.creations: POST [a] -> {}; | races.creations: POST [a] -> {}"
BY_ANOTHER = """POST [a] -> 200 r2; DELETE r2 -> 200; POST [a] -> 200 r1; by_another.read: other GET r1 -> 404;
    by_another.deleted: other DELETE r1 -> {deleted}; by_another.absent: other GET r9 -> 404;
    by_another.absent: other DELETE r9 -> 401; by_another.after: GET r1 -> {after};
    by_another.released: DELETE r1 -> {after}"""
EXPIRED = BY_ANOTHER.format(deleted=404, after=200)


@pytest.mark.parametrize(
    ("requirement", "run", "end"),
    [
        # An answer that single calls get too is no matter of calls at the same time.
        ("3-removed-in-parallel", REMOVALS.format(answer="200 'OK.'"), RequirementViolated),
        ("3-removed-in-parallel", f"{GONE} 200 'OK.'; {REMOVALS}".format(answer="200 'OK.'"), NotDecided),
        ("3-removed-in-parallel", f"{GONE} 204; {REMOVALS}".format(answer="204"), NotDecided),
        ("4.1-creates-in-parallel", CREATIONS.format("201 r1", "201 r2"), RequirementViolated),
        ("4.1-creates-in-parallel", f"POST [a] -> 201 r9; {CREATIONS}".format("201 r1", "201 r2"), NotDecided),
        # A creation without a body says nothing of one with types.
        ("4.1-creates-in-parallel", f"POST -> 500; {CREATIONS}".format("500", "200 r1"), RequirementViolated),
        # A token that may have expired shows no request of another user.
        ("5-existence-shown", EXPIRED, NotDecided),
        ("5-existence-shown", f"{EXPIRED}; other GET r9 -> 404", RequirementViolated),
    ],
)
def test_a_behaviour_is_violated_where_nothing_else_explains_it(
    requirement: str, run: str, end: type[Exception]
) -> None:
    assert isinstance(decided(requirement, trace_in(run)), end)


@pytest.mark.parametrize(
    ("was_set", "header", "end"),
    [
        (0.0, "", RequirementViolated),
        (3600.0, "", NotDecided),
        (0.0, " with Date: Fri, 30 Jan 2026 12:00:00 GMT", NotDecided),
        (0.0, " with Date: Sat, 31 Jan 2026 12:00:01 GMT", RequirementViolated),
    ],
)
def test_a_clock_that_contradicts_the_one_of_this_machine_accuses_no_service(
    was_set: float, header: str, end: type[Exception]
) -> None:
    made = """creations: POST [a] -> 200 r1 {"createdAt": "2026-01-30T12:00:00Z"}"""
    trace = trace_in(f"{made}{header}; later_creation = null")
    trace.conditions = replace(trace.conditions, clock_was_set=was_set)

    assert isinstance(decided("2.1-createdAt-value", trace), end)


def test_a_deletion_by_another_user_is_an_alert_however_it_was_answered() -> None:
    for deleted in ("401", '403 with WWW-Authenticate: Bearer error="insufficient_scope"'):
        trace = trace_in(BY_ANOTHER.format(deleted=deleted, after=404))
        end = decided("5-isolation", trace)
        assert isinstance(end, RequirementViolated)
        alert = replace(finding(Verdict.OBSERVED, end.message, *end.exchanges), alert=True)
        row = assembled([said("5-isolation", Verdict.OBSERVED, alert)], list(trace.exchanges))["5-isolation"]
        assert (row.verdict, [each.alert for each in row.findings]) == (Verdict.OBSERVED, [True])


@pytest.mark.parametrize(
    ("requirement", "run"),
    [
        ("3-removed", f"{TWICE}; DELETE r1 -> 200; GET r1 -> 200"),
        ("4.2-agrees-with-creation", f"{TWICE}; GET r1 -> 200"),
        ("4.3-answers-ok", f"{TWICE}; DELETE r1 -> 200; DELETE r1 -> 404"),
    ],
)
def test_an_answer_that_may_be_about_another_request_with_the_identifier_is_in_doubt(
    requirement: str, run: str
) -> None:
    found = assembled([said(requirement, Verdict.PASS)], list(trace_in(run).exchanges))[requirement]

    assert found.verdict is Verdict.INCONCLUSIVE
    assert {each.remedy for each in found.findings} == {Doubt.IDENTIFIER.remedy}


@pytest.mark.parametrize(("other", "end"), [("r1", type(None)), ("r2", RequirementViolated)])
def test_a_request_after_its_deletions_may_be_another_one_with_the_identifier(other: str, end: type) -> None:
    trace = trace_in(f"""POST [b] -> 200 {other}; races.removals[0].created: POST [a] -> 200 r1;
        | races.removals[0].deletions: DELETE r1 -> 200; races.removals[0].after: GET r1 -> 200""")

    assert isinstance(decided("3-removed-in-parallel", trace), end)


@pytest.mark.parametrize(("owner", "shown"), [("user", True), ("other", False)])
def test_only_the_removal_of_a_request_of_the_same_user_shows_that_others_remain(owner: str, *, shown: bool) -> None:
    run = f"POST [a] -> 200 r1; {owner} POST [a] -> 200 r2; DELETE r1 -> 200; {owner} GET r2 -> 200"

    assert isinstance(keeps_others(trace_in(run).facts.ledger), Exchange) is shown


SEE_ITS_LOG = "The service fails in this call: find the error in its log"
STRING = "Take requestId as a string in the route"
ROUTE = "Nothing serves DELETE /requests/{requestId}: each of its calls was answered "


@pytest.mark.parametrize(
    ("requirement", "text", "words"),
    [
        ("4.3-answers-ok", "POST [a] -> 200 r1; DELETE r1 -> 202", "Answer 200 instead of 202, "),
        ("4.3-answers-ok", "POST [a] -> 200 r1; DELETE r1 -> 500", SEE_ITS_LOG),
        ("3-removed", "POST [a] -> 200 r1; DELETE r1 -> 200; GET r1 -> 500", SEE_ITS_LOG),
        ("2.4-error", """GET r9 -> 404; GET 12-ab -> 422 '{"detail": []}'""", STRING),
        ("0-bodies-are-json", f"GET r9 -> 404; GET 12-ab -> 404 {PAGE}", STRING),
        # Where UUIDs are answered like that as well, the route is not the reason.
        ("0-bodies-are-json", f"GET r9 -> 404 {PAGE}; GET 12-ab -> 404 {PAGE}", ""),
        ("0-bodies-are-json", f"POST [a] -> 200 r1; DELETE r1 -> 404 {PAGE}", ROUTE),
        ("5.3-delete-without-token", f"POST [a] -> 200 r1; DELETE r1 -> 405; anonymous DELETE r1 -> 404 {PAGE}", ROUTE),
        ("0-bodies-are-json", f"POST [a] -> 200 r1; DELETE r1 -> 403 {PAGE}", ROUTE),
        ("5.3-read-with-bad-token", '"an empty token" GET r9 -> 400', ""),
        # One answer of the service itself shows that the route is there.
        ("0-bodies-are-json", f"POST [a] -> 200 r1; DELETE r1 -> 404 {PAGE}; DELETE r9 -> 404", ""),
    ],
)
def test_what_to_do_follows_from_the_answers(requirement: str, text: str, words: str) -> None:
    trace = trace_in(text)
    row = detailed([], list(trace.exchanges))[requirement]

    assert row.verdict is Verdict.FAIL
    said = row.findings[0].remedy
    assert words in said if words else said == catalogue()[requirement].remedy


ODD, QUERY = f'"{ODD_BEARER}"', f'"{IN_QUERY}"'


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
