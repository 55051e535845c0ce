"""Where little can be decided, a run says why, and blames whom it is due to."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from itertools import count
from typing import Any

import httpx
import pytest
from whole_runs import Send, Silent, Wrap, around, config, only, row_of, run_over, session_over

from conformance.calibration.combinations import combination
from conformance.calibration.faults import FAULTS
from conformance.http.session import Session
from conformance.model.exchange import ErrorKind, TransportError
from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.requirements import catalogue
from conformance.model.target import Budget
from conformance.model.verdict import Blame, Verdict
from conformance.runner.options import Plan
from conformance.runner.run import check


def otherwise(answer: Callable[[httpx.Request], httpx.Response | None]) -> Wrap:
    """Answer as `answer` says, and as the service does where that says nothing."""
    return around(lambda request, send: answer(request) or send(request))


def only_finding(report: Report, requirement_id: str) -> Finding[str]:
    (found,) = row_of(report, requirement_id).findings
    return found


def test_settings_that_are_cut_off_leave_what_does_not_need_them_decided() -> None:
    def cut(request: httpx.Request) -> httpx.Response | None:
        if request.url.path.endswith("/settings"):
            raise TransportError(ErrorKind.TRUNCATED, "the body was cut off: the connection was closed after 109 bytes")
        return None

    report = run_over(wrap=otherwise(cut), plan=only("4.4-answers-200", "4.5-answers-200", "2.2-type")).report

    assert row_of(report, "4.4-answers-200").verdict is Verdict.INCONCLUSIVE
    assert row_of(report, "4.5-answers-200").verdict is row_of(report, "2.2-type").verdict is Verdict.PASS


def test_where_every_answer_is_a_server_error_that_is_said() -> None:
    failing = otherwise(lambda _: httpx.Response(500, json={"error": "Internal", "message": "broken"}))

    report = run_over(wrap=failing, plan=only("0-server-errors")).report

    assert row_of(report, "0-server-errors").verdict is Verdict.OBSERVED
    assert "a server error" in only_finding(report, "0-server-errors").message
    assert {each.blame for each in row_of(report, "0-server-errors").findings} == {Blame.SPECIFICATION}


@pytest.mark.parametrize(
    ("trouble", "detail", "blame", "remedy"),
    [
        (ErrorKind.TOO_LARGE, "the body is more than 10 MiB decoded", Blame.TARGET, "send a smaller response"),
        (ErrorKind.CODING, "the body is not valid gzip", Blame.TARGET, "content coding"),
        (ErrorKind.CLOSED, "the connection was closed", Blame.NETWORK, "log of the service"),
    ],
)
def test_a_body_that_is_too_large_is_not_blamed_on_the_network(
    trouble: ErrorKind, detail: str, blame: Blame, remedy: str
) -> None:
    def answer(request: httpx.Request) -> None:
        if request.url.path.endswith("/data"):
            raise TransportError(trouble, detail)

    report = run_over(wrap=otherwise(answer), plan=only("4.5-array", "2.2-type")).report

    for name in ("4.5-array", "2.2-type"):
        found = only_finding(report, name)
        assert (found.verdict, found.blame) == (Verdict.INCONCLUSIVE, blame)
        assert detail in found.message
        assert remedy in found.remedy


def test_a_selector_whose_calls_get_no_answer_is_not_taken_for_one_without_effect() -> None:
    def answer(request: httpx.Request) -> None:
        if request.headers.get("accept-language") == "eo":
            raise TransportError(ErrorKind.CLOSED, "the connection was closed")

    report = run_over(config(), wrap=otherwise(answer), plan=only("4.5", "7-language-not-supported")).report

    for name in ("4.5-supported-languages", "7-language-not-supported"):
        found = only_finding(report, name)
        assert (found.verdict, found.blame) == (Verdict.INCONCLUSIVE, Blame.NETWORK)
        assert "the connection was closed" in found.message


@pytest.mark.parametrize("number", range(1, 12, 2))
def test_a_deletion_that_did_not_arrive_is_made_again(number: int) -> None:
    deletions = itertools.count(1)

    def answer(request: httpx.Request) -> None:
        if request.method == "DELETE" and next(deletions) == number:
            raise TransportError(ErrorKind.CLOSED, "the connection was closed")

    run = run_over(config(), wrap=otherwise(answer), plan=only("3", "4.3"), account_is_empty=True)

    undecided = [each for each in run.report.requirements if each.verdict is Verdict.INCONCLUSIVE]
    assert [(each.id, found.message) for each in undecided for found in each.findings] == []
    assert run.report.outcome == "conforms-in-part"
    assert next(deletions) > number


# ---------------------------------------------------------------------- creations that come to nothing


def creations_answer(status: int, **how: Any) -> Wrap:
    return otherwise(lambda request: httpx.Response(status, **how) if request.method == "POST" else None)


def said_of_creations(report: Report) -> set[tuple[Blame, str, str]]:
    """Return what is said in all that is undecided because nothing was created."""
    undecided = [each for each in report.requirements if each.verdict is Verdict.INCONCLUSIVE]
    return {(found.blame, found.message, found.remedy) for each in undecided for found in each.findings}


def test_where_the_account_is_full_from_the_start_everything_says_so() -> None:
    with session_over(config(max_requests=1)) as session:
        other = Session(session.target, transport=session.recorder._inner)
        other.send("POST", "/requests", credential="user")
        report = check(session, only("2.1", "4.1", "7-limit-reached", "8"), Silent()).report

    for blame, message, remedy in said_of_creations(report):
        assert blame is Blame.CONFIGURATION
        assert "requests that it did not make count as well" in message
        assert remedy.startswith("The account may not be empty: delete its open requests")
    for name in ("2.1-requestId-random", "7-limit-reached", "8-accepts-up-to-limit"):
        assert row_of(report, name).verdict is Verdict.INCONCLUSIVE


def test_a_limit_that_counts_what_the_run_was_not_told_of_is_kept() -> None:
    made = count(1)

    def made_all_the_same(request: httpx.Request, send: Send) -> httpx.Response:
        """Fail over each third creation, after it was made."""
        answer = send(request)
        if request.method != "POST" or answer.status_code != 200 or next(made) % 3:
            return answer
        answer.close()
        return httpx.Response(500, json={"error": "Internal", "message": "timeout"})

    with session_over(config(max_requests=4), wrap=around(made_all_the_same), account_is_empty=True) as session:
        report = check(session, Plan(), Silent()).report

    assert session.journal.unknown
    # More than one call in ten fails, so the failures are more than an alert with their rate.
    assert "0-server-errors" in report.alerts
    assert row_of(report, "4.1-answers-200").verdict is Verdict.FAIL
    assert row_of(report, "8-accepts-up-to-limit").verdict is Verdict.INCONCLUSIVE
    assert row_of(report, "3-frees-the-limit").verdict is not Verdict.FAIL


@pytest.mark.parametrize(
    ("status", "how", "words"),
    [
        (500, {"json": {"error": "Internal", "message": "broken"}}, "creating one answered 500"),
        (307, {"headers": {"Location": "/elsewhere"}}, "creating one answered 307 with an empty body"),
    ],
)
def test_creations_that_fail_are_why_too_few_identifiers_were_seen(status: int, how: Any, words: str) -> None:
    plan = only("2.1-requestId-random", "4.1-answers-200", "4.2-object")
    report = run_over(wrap=creations_answer(status, **how), plan=plan).report

    for name in ("2.1-requestId-random", "4.2-object"):
        found = only_finding(report, name)
        assert words in found.message
        assert found.blame is Blame.TARGET
        assert row_of(report, name).blocked_by == ("4.1-answers-200",)


def too_few_seen(report: Report) -> Finding[str]:
    found = only_finding(report, "2.1-requestId-random")
    assert found.verdict is Verdict.INCONCLUSIVE
    assert " identifiers; 16 are needed" in found.message
    return found


def test_creations_without_an_identifier_are_why_too_few_were_seen() -> None:
    report = run_over(wrap=creations_answer(200), plan=only("2.1", "0-bodies-are-json")).report

    found = too_few_seen(report)
    assert "gave no requestId that is a UUID" in found.message
    assert found.blame is Blame.TARGET
    assert row_of(report, "2.1-requestId-random").blocked_by == ("0-bodies-are-json",)


def test_identifiers_that_are_no_uuids_are_why_too_few_were_seen() -> None:
    report = run_over(bend=FAULTS["request-id-decimal-text"], plan=only("2.1")).report

    found = too_few_seen(report)
    assert "gave no requestId that is a UUID" in found.message
    assert found.blame is Blame.TARGET
    assert row_of(report, "2.1-requestId-random").blocked_by == ("2.1-requestId",)


def test_a_limit_of_none_is_why_no_identifiers_were_seen() -> None:
    found = only_finding(run_over(config(max_requests=0), plan=only("2.1")).report, "2.1-requestId-random")

    assert found.message.endswith("because the limit is reached: maxNumberOfRequests is 0.")
    assert (found.blame, found.remedy[:15]) == (Blame.CONFIGURATION, "Set maxNumberOf")


@pytest.mark.parametrize(
    ("budget", "option"),
    [(Budget(max_requests=28), "--max-requests"), (Budget(max_created=12), "--max-created to 112")],
)
def test_the_budget_that_was_short_is_the_one_to_raise(budget: Budget, option: str) -> None:
    report = run_over(budget=budget, plan=only("2.1")).report

    found = too_few_seen(report)
    assert (found.blame, found.remedy) == (Blame.CONFIGURATION, f"Raise {option}, and run again.")


def test_what_would_give_more_identifiers_is_said_where_there_are_just_enough() -> None:
    others = tuple({row.clause for row in catalogue().rows.values()} - {"2.1"})
    report = run_over(budget=Budget(max_requests=60), plan=Plan(deselect=others)).report

    (noted,) = (each for each in row_of(report, "2.1-requestId-all-random").findings if "that it needs" in each.message)
    assert noted.message.endswith("and larger ones. Raise --max-requests, and run again.")


# ---------------------------------------------------------------------- what is left behind


@pytest.mark.parametrize(
    ("status", "blame", "words", "remedy"),
    [
        (401, Blame.CREDENTIAL, "answered 401; the token may have expired.", "with a valid token of the same account"),
        (403, Blame.CREDENTIAL, "the deletion was answered 403.", "with a valid token of the same account"),
        (500, Blame.TARGET, "the deletion was answered 500.", "does not delete it: let those who run the service"),
    ],
)
def test_what_is_left_says_how_its_deletion_was_answered(status: int, blame: Blame, words: str, remedy: str) -> None:
    """A 401 and a 403 concern the token, also where other operations accept it: 5.1-accepts-bearer judges that."""
    refusing = otherwise(lambda request: httpx.Response(status) if request.method == "DELETE" else None)

    report = run_over(wrap=refusing, plan=only("4.3-answers-ok")).report

    left = [note for note in report.notes if "was created by this run" in note.message]
    assert left
    for note in left:
        assert note.blame is blame
        assert note.message.endswith(words)
        assert remedy in note.remedy


# ---------------------------------------------------------------------- languages


@pytest.mark.parametrize(
    ("fault", "requirement_id", "words"),
    [
        (
            "unsupported-language-falls-back",
            "7-language-not-supported",
            "An unsupported language is accepted: 200 instead of 400. The call: GET /data with no token, in 'eo' by "
            "the query parameter lang.",
        ),
        (
            "other-languages-are-missing",
            "4.5-supported-languages",
            "A supported language is refused: 404 instead of 200. The call: GET /data with no token, in 'nl' by "
            "the header Accept-Language.",
        ),
    ],
)
def test_a_finding_on_a_language_names_it(fault: str, requirement_id: str, words: str) -> None:
    report = run_over(bend=FAULTS[fault], plan=only(requirement_id)).report

    assert only_finding(report, requirement_id).message == words


def test_a_403_in_place_of_404_does_not_refuse_the_token() -> None:
    """No request can be created that has an identifier, so the calls concern unknown ones."""
    bend = combination("request-id-absent + not-found-answers-403")
    report = run_over(bend=bend, plan=only("5.1-accepts-bearer", "7-not-found")).report

    assert row_of(report, "7-not-found").verdict is Verdict.FAIL
    assert row_of(report, "5.1-accepts-bearer").verdict is Verdict.INCONCLUSIVE
    assert "answered 403 where 404 is due" in only_finding(report, "5.1-accepts-bearer").message


@pytest.mark.parametrize(
    ("faults", "innocent"),
    [
        # The places are taken by requests that always have the same identifier, and that DELETE does not find.
        ("data-request-object-array + limit-reached-with-violations", "4.1-empty-body-labelled"),
        # The account is full of requests for types that do not exist: the refusal is about the limit.
        ("unknown-types-are-stored + error-error-null", "7-invalid-data-types-message"),
    ],
)
def test_a_mistake_is_not_blamed_on_another_requirement(faults: str, innocent: str) -> None:
    report = run_over(bend=combination(faults), plan=only(innocent, "4.1-refused-creates-nothing")).report
    row = row_of(report, innocent)

    assert row.verdict in (Verdict.PASS, Verdict.INCONCLUSIVE), row.findings


def test_a_form_of_the_body_that_is_refused_leaves_the_rest_decided() -> None:
    ids = ("5.3-read-without-token", "5.3-rejected-delete-deletes-nothing")
    report = run_over(bend=FAULTS["only-the-first-piece-of-a-body-is-read"], plan=only("4.1-answers-200", *ids)).report

    assert row_of(report, "4.1-answers-200").verdict is Verdict.FAIL
    assert {row_of(report, each).verdict for each in ids} == {Verdict.PASS}


@pytest.mark.parametrize(
    ("faults", "requirement_id"),
    [
        # The deletion of the request that was removed with another says OK, and says it again.
        ("deletes-all-of-the-user + deleting-nothing-is-ok", "3-deletes-no-other"),
    ],
)
def test_a_mistake_that_another_one_hides_is_not_said_to_be_absent(faults: str, requirement_id: str) -> None:
    report = run_over(bend=combination(faults)).report

    assert row_of(report, requirement_id).verdict is Verdict.INCONCLUSIVE


def test_creations_are_told_from_themselves_where_answers_are_mixed_up() -> None:
    """Only at the same time two creations get one identifier: the control finds each of its creations once."""
    report = run_over(bend=FAULTS["answers-are-mixed-up"], plan=only("4.1-creates-in-parallel")).report

    assert "got the same requestId" in only_finding(report, "4.1-creates-in-parallel").message
