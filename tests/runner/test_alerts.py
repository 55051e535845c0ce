"""Alerts: which observations raise one, and what --fail-on makes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pytest
import whole_runs
from report_samples import typed
from whole_runs import bent, only, row_of, run_over

from conformance.calibration.faults import FAULTS
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Variant
from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.report_data import data_of
from conformance.model.requirements import catalogue
from conformance.model.verdict import Blame, Exit, Outcome, Verdict
from conformance.reference.call import Action, Call, ErrorCondition, RefusedError, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest
from conformance.reports.exit_code import exit_code
from conformance.runner.options import Plan
from conformance.runner.run import check

SOME = ("4.4", "5-isolation", "5-existence-shown", "5-token-in-query", "5-token-over-http")


def checked(bend: Variant | None = None, *fail_on: str) -> Report:
    return run_over(bend=bend, plan=replace(only(*SOME), fail_on=fail_on)).report


def finding(report: Report, requirement_id: str) -> Finding[str]:
    row = row_of(report, requirement_id)
    assert row.verdict is Verdict.OBSERVED
    (found,) = row.findings
    return found


def test_the_reference_raises_none() -> None:
    report = checked()

    assert report.alerts == ()
    assert "could not read the request of the first user (404)" in finding(report, "5-isolation").message
    message = finding(report, "5-token-in-query").message
    assert message.startswith("The service accepts no token in the query: 401, 401, 401")


def test_users_that_are_not_isolated_raise_one() -> None:
    report = checked(TWINS["users-share-an-organisation"])

    found = finding(report, "5-isolation")
    assert (report.alerts, report.outcome) == (("5-isolation",), Outcome.CONFORMS_IN_PART)
    assert (found.alert, found.blame, len(found.exchanges)) == (True, Blame.TARGET, 4)
    assert found.message.startswith("Another user could read and delete the request of the first user, and it was gone")
    assert found.remedy == catalogue()["5-isolation"].remedy
    assert found.curl == "", "the run has deleted the request since"


class _DeletesNothingOfOthers(Service):
    """Answers 200 to the deletion of another user's request, and keeps it."""

    async def delete(self, call: Call) -> Reply:
        request = self.store.get(call.request_id)
        if request is not None and call.user is not None and request.owner != call.user.name:
            return Reply(200, b"OK", {"content-type": "text/plain"})
        return await super().delete(call)


class _KeepsNothing(Service):
    """Answers 200 to each creation and deletion, and 404 to each reading."""

    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        request = await super().admit(types, call)
        self.store.remove(request.id)
        return request

    async def delete(self, call: Call) -> Reply:  # noqa: ARG002 every deletion is answered alike
        return Reply(200, b"OK", {"content-type": "text/plain"})


@pytest.mark.parametrize("service", [_DeletesNothingOfOthers, _KeepsNothing])
def test_a_deletion_by_another_user_that_deletes_nothing_raises_none(service: type[Service]) -> None:
    report = checked(bent(service))

    assert report.alerts == ()
    message = finding(report, "5-isolation").message
    assert "The DELETE by that user answered 200, and the DELETE by the first user afterwards answered 200." in message


def test_an_error_for_another_user_that_is_sent_with_200_raises_none() -> None:
    report = checked(FAULTS["not-found-answers-200"])

    assert report.alerts == ()
    assert finding(report, "5-isolation").message.startswith("Another user could not read the request")


class _ShowsItsExample(Service):
    """A mock server: it answers each creation and each reading with the example of the document, to every user."""

    example: ClassVar = {
        "requestId": "b1f2c3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d",
        "createdAt": "2026-01-31T12:00:00Z",
        "isCompleted": False,
        "dataRequested": ["newsletter"],
    }

    async def create(self, call: Call) -> Reply:  # noqa: ARG002 every creation is answered alike
        return Reply.json(self.example)

    def read(self, call: Call) -> Reply:  # noqa: ARG002 every reading is answered alike
        return Reply.json(self.example)

    async def delete(self, call: Call) -> Reply:  # noqa: ARG002 every deletion is answered alike
        return Reply(200, b"OK", {"content-type": "text/plain"})


def test_an_answer_that_shows_the_asked_for_request_raises_one_although_absent_ones_are_answered_alike() -> None:
    report = checked(bent(_ShowsItsExample))

    assert report.alerts == ("5-isolation",)
    assert finding(report, "5-isolation").message.startswith("Another user could read the request")


class _OthersMayDeleteOnly(Service):
    """Every user may delete the requests of every other and read only their own."""

    async def delete(self, call: Call) -> Reply:
        request = self.store.get(call.request_id)
        if request is not None and call.user is not None:
            call.user = replace(call.user, name=request.owner)
        return await super().delete(call)


def test_a_deletion_by_another_user_that_deletes_raises_one() -> None:
    report = checked(bent(_OthersMayDeleteOnly))

    assert report.alerts == ("5-isolation",)
    assert finding(report, "5-isolation").message.startswith("Another user could delete the request")


def test_a_refused_deletion_by_another_user_that_deletes_raises_one() -> None:
    report = checked(TWINS["others-delete-before-they-are-refused"], "5-isolation")

    found = finding(report, "5-isolation")
    assert (report.alerts, report.outcome) == (("5-isolation",), Outcome.DOES_NOT_CONFORM)
    assert (
        "could delete the request of the first user, and it was gone after a DELETE that answered 404" in found.message
    )


def test_answers_that_tell_another_user_of_a_request_raise_one() -> None:
    report = checked(TWINS["forbidden-to-others"])

    assert report.alerts == ("5-existence-shown",)
    message = finding(report, "5-existence-shown").message
    assert "(GET 403 Forbidden: This is not yours. and 404 Not Found: Could not find a data request with" in message


class _ErrorNamesTheIdentifier(Service):
    """The message repeats the identifier that was asked for."""

    def error(self, condition: ErrorCondition, call: Call) -> dict[str, str]:
        error: dict[str, str] = super().error(condition, call)
        return error | {"message": f"{error['message']} ({call.request_id})"}


def test_an_error_that_repeats_the_identifier_tells_nothing_of_the_request() -> None:
    report = checked(bent(_ErrorNamesTheIdentifier))

    assert report.alerts == ()
    assert finding(report, "5-existence-shown").message.startswith("Another user is answered alike")


def test_a_token_that_is_accepted_in_the_query_raises_one() -> None:
    report = checked(TWINS["token-in-the-query-as-well"])

    found = finding(report, "5-token-in-query")
    assert (report.alerts, report.outcome) == (("5-token-in-query",), Outcome.CONFORMS_IN_PART)
    assert "400, 404, 404 for creation, reading and deletion" in found.message
    assert found.curl.startswith("curl -i 'http://localhost/")


class _QueryTokenForReading(Service):
    """Accepts the token in the query for reading alone."""

    def token(self, call: Call) -> str | None:
        given = call.query.get("access_token") if call.operation is Action.READ else None
        return super().token(call) or given


class _QueryTokenWithOwnWords(_QueryTokenForReading):
    """The same with errors that are not those of the table, and name what was asked for."""

    def error(self, condition: ErrorCondition, call: Call) -> dict[str, str]:
        return {"error": condition.name, "message": f"Sorry: {call.request_id}"}


class _ErrorsWithStatus200(Service):
    """Sends each error with status 200, and another one to another user than to the owner."""

    def find(self, call: Call) -> DataRequest:
        request = self.store.get(call.request_id)
        if request is not None and request.owner != call.owner:
            raise RefusedError(ErrorCondition.UNAUTHORIZED)
        return super().find(call)

    def refuse(self, condition: ErrorCondition, call: Call) -> Reply:
        return replace(super().refuse(condition, call), status=200)


def test_errors_with_status_200_show_that_a_request_exists_and_open_none() -> None:
    report = checked(bent(_ErrorsWithStatus200))

    assert report.alerts == ("5-existence-shown",)
    assert finding(report, "5-isolation").message.startswith("Another user could not read the request")


class _ExistenceFirst(Service):
    """Looks for the request before it looks at the token."""

    async def perform(self, call: Call) -> Reply:
        if call.operation in (Action.READ, Action.DELETE) and self.store.get(call.request_id) is None:
            return self.refuse(ErrorCondition.NO_REQUEST, call)
        return await super().perform(call)


@pytest.mark.parametrize(
    ("bend", "alerts"),
    [
        (bent(_QueryTokenForReading), ("5-token-in-query",)),
        (bent(_QueryTokenWithOwnWords), ("5-token-in-query",)),
        (TWINS["no-route-for-a-query-in-json"], ()),
        (bent(_ExistenceFirst), ()),
        (TWINS["malformed-calls-refused-at-the-gate"], ()),
    ],
    ids=["reading alone", "own words", "a gateway", "404 without a token", "400 to every query"],
)
def test_only_answers_that_a_token_explains_count(bend: Variant, alerts: tuple[str, ...]) -> None:
    assert checked(bend).alerts == alerts


@pytest.mark.parametrize(
    ("origin", "message", "alerts"),
    [
        ("http://service.test", "The tokens are sent over plain http: everyone", ("5-token-over-http",)),
        ("https://service.test", "The tokens are sent over https.", ()),
        ("http://api.localhost", "The tokens are sent over http; the service runs on this machine.", ()),
    ],
)
def test_tokens_over_http_raise_one_unless_they_stay_on_this_machine(
    monkeypatch: pytest.MonkeyPatch, origin: str, message: str, alerts: tuple[str, ...]
) -> None:
    monkeypatch.setattr(whole_runs, "ORIGIN", origin)

    report = run_over(plan=only(*SOME), account_is_for_testing=True).report

    assert report.alerts == alerts
    assert finding(report, "5-token-over-http").message.startswith(message)
    assert len(finding(report, "5-token-over-http").exchanges) == 1


@pytest.mark.parametrize(
    ("fail_on", "outcome", "code"),
    [
        ((), Outcome.CONFORMS_IN_PART, Exit.CONFORMS),
        (("5-token-in-query",), Outcome.CONFORMS_IN_PART, Exit.CONFORMS),
        (("5-token-in-query", "5-isolation"), Outcome.DOES_NOT_CONFORM, Exit.DOES_NOT_CONFORM),
        (("alerts",), Outcome.DOES_NOT_CONFORM, Exit.DOES_NOT_CONFORM),
    ],
)
def test_an_alert_is_a_failure_where_that_is_asked(fail_on: tuple[str, ...], outcome: Outcome, code: Exit) -> None:
    report = checked(TWINS["users-share-an-organisation"], *fail_on)

    assert (report.outcome, exit_code(typed(data_of(report))), report.fail_on) == (outcome, code, fail_on)
    assert finding(report, "5-isolation").alert


def test_an_alert_that_was_not_selected_has_no_effect() -> None:
    plan = Plan(select=("4.4",), deselect=only(*SOME).deselect, fail_on=("5-isolation",))

    assert run_over(bend=TWINS["users-share-an-organisation"], plan=plan).report.outcome is Outcome.CONFORMS_IN_PART


def test_an_alert_that_the_catalogue_does_not_declare_is_a_crash_of_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalogue().rows, "5-isolation", replace(catalogue()["5-isolation"], alert=False))

    with whole_runs.session_over(bend=TWINS["users-share-an-organisation"]) as session:
        report = check(session, only(*SOME), whole_runs.Silent()).report

    (crash,) = report.crashes
    assert crash.requirements == ("5-isolation",)
    assert "5-isolation raised an alert, which the catalogue does not declare" in crash.exception
    assert (report.alerts, report.outcome) == ((), Outcome.INCONCLUSIVE)


@pytest.mark.parametrize(
    ("twin", "alerts"), [("members-named-twice", ("0-duplicate-members",)), ("members-repeated-alike", ())]
)
def test_a_member_that_is_repeated_with_another_value_raises_one(twin: str, alerts: tuple[str, ...]) -> None:
    report = run_over(bend=TWINS[twin], plan=only("0-duplicate-members")).report

    assert report.alerts == alerts
    assert "with different values" in finding(report, "0-duplicate-members").message or not alerts


class _AmbiguousRefusals(Service):
    """Two layers add a code to errors of one operation, deep in the object, and one writes its name with an escape."""

    def finish(self, reply: Reply, call: Call) -> Reply:
        reply = super().finish(reply, call)
        if call.operation is not Action.DELETE or reply.status != 404:
            return reply
        return replace(reply, body=reply.body[:-1] + b', "details": [{"code": 1, "\\u0063ode": 2}]}')


def test_each_body_of_the_interface_is_searched_for_such_members() -> None:
    report = run_over(bend=bent(_AmbiguousRefusals), plan=only("0-duplicate-members", "4.3")).report

    assert report.alerts == ("0-duplicate-members",)
    assert "repeats code, with different values: clients read" in finding(report, "0-duplicate-members").message
