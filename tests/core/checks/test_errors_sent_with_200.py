"""An error of the table that is sent with status 200: the status is wrong, and nothing was accepted."""

from __future__ import annotations

from deciding import behaviours
from notation import trace_of
from whole_runs import bent, notes_of, only, row_of, run_over

from conformance.calibration.faults import FAULTS
from conformance.model.verdict import Verdict
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service


def test_a_string_that_resembles_a_type_is_not_said_to_be_accepted() -> None:
    (check,) = (each for each in behaviours() if each.requirement == "4.1-similar-type")

    assert check.decide(trace_of(["POST [A] -> 200 InvalidDataTypes"])) is None


def test_malformed_json_is_not_said_to_hide_whether_requests_complete() -> None:
    class AnswersNoJsonWith200(Service):
        def finish(self, reply: Reply, call: Call) -> Reply:
            reply = super().finish(reply, call)
            no_json = call.body.startswith(b'["unfinished') and reply.status == 400
            return Reply.json({"error": "SyntaxError"}) if no_json else reply

    plan = only("4.1-refused-creates-nothing", "8-completed-do-not-count")
    report = run_over(bend=bent(AnswersNoJsonWith200), plan=plan).report

    assert row_of(report, "8-completed-do-not-count").verdict is Verdict.NOT_APPLICABLE


def test_a_deleted_request_is_not_said_to_be_left_behind() -> None:
    run = run_over(bend=FAULTS["not-found-answers-200"], plan=only("3", "4.3"))

    assert run.report.summary.left_behind == 0
    assert not notes_of(run)
