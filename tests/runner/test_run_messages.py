"""What runs say about services whose cause is easily mistaken: the message is true, and its remedy helps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import httpx
import pytest
from whole_runs import Send, around, bent, by_verdict, config, differences, only, row_of, run_over

from conformance import __version__
from conformance.model.exchange import ErrorKind, TransportError
from conformance.model.findings import Finding, Note
from conformance.model.report import Report
from conformance.model.target import Budget
from conformance.model.verdict import Blame, Outcome, Verdict
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


def only_finding(report: Report, requirement: str) -> Finding[str]:
    """Return the one finding of a requirement."""
    (found,) = next(row.findings for row in report.requirements if row.id == requirement)
    return found


def test_identifiers_of_creations_that_were_not_accepted_are_not_said_to_be_wrong() -> None:
    class Created(Service):
        def finish(self, reply: Reply, call: Call) -> Reply:
            reply = super().finish(reply, call)
            if call.operation is Action.CREATE and reply.status == 200:
                reply.status = 201
            return reply

    plan = only("2.1-requestId-version", "2.1-timestamp-form", "4.1-answers-200")
    report = run_over(bend=bent(Created), plan=plan).report

    found = only_finding(report, "2.1-requestId-version")
    assert found.message == "No creation was answered 200, and only such answers count here."
    assert row_of(report, "2.1-requestId-version").blocked_by == ("4.1-answers-200",)
    other = only_finding(report, "2.1-timestamp-form")
    assert other.message == "No creation was answered 200 with a createdAt that is a date-time."

    few = run_over(config(max_requests=3), bend=bent(Created), plan=only("2.1-createdAt-value")).report
    assert "2.1-createdAt-value" not in by_verdict(few, Verdict.INCONCLUSIVE)  # its creations are deleted one by one


@pytest.mark.parametrize("account_is_empty", [False, True])
def test_a_limit_of_zero_explains_the_lack_of_room(account_is_empty: bool) -> None:
    plan = only("3-deletes-no-other")
    report = run_over(config(max_requests=0), account_is_empty=account_is_empty, plan=plan).report

    found = only_finding(report, "3-deletes-no-other")
    assert (found.message, found.remedy, found.blame) == (
        "The service refused a creation because the limit is reached: maxNumberOfRequests is 0.",
        "Set maxNumberOfRequests to at least 1 for this account, and run again.",
        Blame.CONFIGURATION,
    )


def test_a_service_that_requires_a_language_gets_the_advice_to_name_its_selector() -> None:
    class RequiresALanguage(Service):
        def data(self, call: Call) -> Any:
            if "x-language" not in call.headers:
                raise RefusedError(ErrorCondition.LANGUAGE)
            return super().data(call)

    report = run_over(bend=bent(RequiresALanguage), plan=only("2.2", "4.5", "5.4", "9")).report

    undecided = by_verdict(report, Verdict.INCONCLUSIVE)
    assert {"2.2-type", "4.5-array", "5.4-data-without-token", "9-context-replaces-schemaUrl"} <= undecided.keys()
    for row in undecided.values():
        assert all("--language-selector" in each.remedy for each in row.findings), row.id
        assert {each.blame for each in row.findings} == {Blame.CONFIGURATION}, row.id


@pytest.mark.parametrize(
    ("location", "blame", "remedy"),
    [
        (
            "/v2/requests?from=1",
            Blame.CONFIGURATION,
            "If the service is there, give its address as base_url: http://localhost/v2. Otherwise let POST /requests "
            "answer without a redirect.",
        ),
        ("/requests/", Blame.TARGET, "Let POST /requests answer without a redirect."),
    ],
)
def test_a_redirected_creation_names_where_it_leads_and_the_base_url(location: str, blame: Blame, remedy: str) -> None:
    def redirected(request: httpx.Request, send: Send) -> httpx.Response:
        if request.method != "POST":
            return send(request)
        return httpx.Response(308, headers={"Location": location}, request=request)

    (note,) = run_over(wrap=around(redirected), plan=only("4.1-answers-200")).report.notes

    assert note == Note(
        blame,
        f"POST /requests was answered 308 with Location http://localhost{location}. The suite does not follow the "
        "redirect of a POST.",
        remedy,
    )


@pytest.mark.parametrize("status", [403, 406])
def test_a_gateway_that_refuses_the_user_agent_is_named(status: int) -> None:
    def gateway(request: httpx.Request, send: Send) -> httpx.Response:
        named = "drsi" in request.headers["user-agent"]
        return httpx.Response(status, json={}, request=request) if named else send(request)

    named = Note(
        Blame.NETWORK,
        f"Every call so far was answered {status}. A gateway may refuse the User-Agent of the suite, "
        f"drsi-conformance/{__version__}.",
        "Let the gateway accept this User-Agent; or run check with --anonymous, which looks like a common client.",
    )
    plan = only("4.4")
    assert named in run_over(wrap=around(gateway), plan=plan).report.notes
    assert run_over(wrap=around(gateway), anonymous=True, plan=plan).report.notes == ()


def test_generated_calls_without_an_answer_say_what_happened_to_them() -> None:
    def closing(request: httpx.Request, send: Send) -> httpx.Response:
        response = send(request)
        if b"InvalidDataTypes" in response.read():
            raise TransportError(ErrorKind.CLOSED, "the service closed the connection")
        return response

    report = run_over(wrap=around(closing), plan=only("7-invalid-data-types", "7-invalid-data-types-error")).report

    assert "7-invalid-data-types" in by_verdict(report, Verdict.FAIL)
    found = only_finding(report, "7-invalid-data-types-error")
    assert "got no usable response: the service closed the connection" in found.message
    assert found.blame is Blame.NETWORK
    assert "Run again: a service may close an idle connection" in found.remedy


def test_a_spent_budget_of_creations_names_the_number_that_suffices() -> None:
    spent = config(max_requests=192)
    report = run_over(spent, plan=only("8"), account_is_empty=True).report
    undecided = by_verdict(report, Verdict.INCONCLUSIVE).values()

    assert {each.remedy for row in undecided for each in row.findings} == {"Raise --max-created to 868, and run again."}
    assert Budget().creations_for(192) == 868  # the number of the next but one test, which shows that it suffices


def test_a_spent_budget_names_a_larger_number() -> None:
    assert Budget(max_created=100).to_create_more(3) == "Raise --max-created to 112, and run again."
    assert Budget(max_created=200).to_create_more(3) == "Raise --max-created to 400, and run again."


@pytest.mark.parametrize("limit", [100])
def test_the_number_that_is_named_suffices_for_a_high_limit(limit: int) -> None:
    named = Budget().creations_for(limit)

    few = run_over(config(max_requests=limit), plan=only("8"), account_is_empty=True).report
    undecided = by_verdict(few, Verdict.INCONCLUSIVE)
    report = run_over(config(max_requests=limit), budget=Budget(max_created=named), account_is_empty=True).report

    remedies = {each.remedy for row in undecided.values() for each in row.findings}
    assert remedies == {f"Raise --max-created to {named}, and run again."}
    assert report.outcome is Outcome.CONFORMS


def test_a_limit_that_was_not_reached_is_blocked_by_another_requirement() -> None:
    class NoLimit(Service):
        def has_room(self, existing: Iterable[DataRequest], request: DataRequest) -> bool:  # noqa: ARG002
            return True

    report = run_over(bend=bent(NoLimit), plan=only("3-frees-the-limit", "8-limit-enforced")).report
    row = next(each for each in report.requirements if each.id == "3-frees-the-limit")

    assert [each.message for each in row.findings] == ["The service accepts more requests than the limit allows."]
    assert row.blocked_by == ("8-limit-enforced",)


def test_a_limit_that_counts_deleted_requests_follows_from_a_deletion_without_effect() -> None:
    class DeletesNothing(Service):
        def remove(self, request: DataRequest) -> DataRequest | None:
            return request

    report = run_over(bend=bent(DeletesNothing), account_is_empty=True).report
    row = row_of(report, "8-accepts-up-to-limit")

    assert row.follows_from == ("3-removed",)
    assert "with none in progress, after it had confirmed" in row.findings[0].message
    assert row_of(report, "3-frees-the-limit").follows_from == ("8-accepts-up-to-limit",)


@pytest.mark.parametrize(("languages", "notes"), [(("en", "nl", "de"), 1), (("en",), 0)])
def test_several_languages_without_a_selector_are_noted(languages: tuple[str, ...], notes: int) -> None:
    run = run_over(config(languages=languages, language_selector=None), plan=only("4.5"))

    assert [each.message.partition(",")[0] for each in run.report.notes] == ["The settings publish 3 languages"] * notes
    assert differences(run) == []


def test_a_page_is_no_json_with_a_wrong_label() -> None:
    class Pages(Service):
        def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
            page = b"<!DOCTYPE html><h1>Not Found</h1>"
            reply = super().refuse(condition, call)
            return Reply(404, page, {"content-type": "text/html"}) if condition is ErrorCondition.NO_REQUEST else reply

    report = run_over(bend=bent(Pages), plan=only("0-bodies-are-json", "0-json-media-type", "7-not-found")).report
    said = {row.id: row.verdict for row in report.requirements}

    assert (said["0-bodies-are-json"], said["0-json-media-type"]) == (Verdict.FAIL, Verdict.PASS)
