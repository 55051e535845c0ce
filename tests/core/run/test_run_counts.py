"""The numbers of data requests in the reports of services that lose requests, or give one identifier to several."""

from __future__ import annotations

from dataclasses import replace

from report_samples import typed
from whole_runs import bent, config, only, run_over

from conformance.model.results import Summary, Waiver
from conformance.model.verdict import Exit, Outcome
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest
from conformance.reports import summary
from conformance.reports.exit_code import exit_code
from conformance.reports.outcome import outcome_sentence
from conformance.run.conclusion import Run
from conformance.run.documents import Documents


def checked(service: type[Service], **changes: object) -> Run:
    """Return a short run against `service`, whose numbers add up."""
    run = run_over(config(**changes), bent(service), plan=only("2.1", "3", "4.3"))
    summary = run.report.summary
    named = summary.created - summary.deleted - summary.not_found
    assert 0 <= named <= summary.left_behind
    return run


def ledger(run: Run) -> str:
    return summary.traffic_sentence(typed(Documents(run).data)).partition("data requests: ")[2]


class StoresNothing(Service):
    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        return self.new_request(types, call)


class OneIdentifier(Service):
    """Stores each request under the same identifier."""

    def new_id(self, call: Call) -> str:  # noqa: ARG002
        return "8b1d8f0e-3c50-4f0c-9d34-5b2a7f6d1c11"


class DeletesNothing(Service):
    """Confirms each deletion, and does nothing."""

    def remove(self, request: DataRequest) -> DataRequest | None:
        return request


def test_no_request_of_a_service_that_stores_nothing_is_deleted() -> None:
    run = checked(StoresNothing)
    summary = run.report.summary

    assert run.report.outcome is Outcome.DOES_NOT_CONFORM
    assert summary.created > 10
    assert (summary.deleted, summary.not_found, summary.left_behind) == (0, summary.created, 0)
    assert (
        ledger(run) == f"{summary.created} created, 0 deleted, {summary.created} not found at the end, 0 left behind."
    )


def test_one_identifier_for_all_requests_is_one_request() -> None:
    run = checked(OneIdentifier)

    assert run.report.outcome is Outcome.DOES_NOT_CONFORM
    assert ledger(run) == "1 created, 0 deleted, 1 not found at the end, 0 left behind."


def test_requests_whose_deletion_has_no_effect_are_left_behind() -> None:
    run = checked(DeletesNothing)
    summary = run.report.summary

    assert run.report.outcome is Outcome.DOES_NOT_CONFORM
    assert (summary.deleted, summary.not_found, summary.left_behind) == (0, 0, summary.created)
    assert ledger(run) == f"{summary.created} created, 0 deleted, {summary.created} left behind."


def test_completed_requests_that_cannot_be_read_are_deleted_like_the_others() -> None:
    summary: Summary = checked(Service, complete_after=0.0, completed_readable=False).report.summary

    assert (summary.created, summary.not_found, summary.left_behind) == (summary.deleted, 0, 0)


def test_completed_requests_that_the_service_drops_are_not_found() -> None:
    class Drops(Service):
        """Forgets a request once it is completed."""

        def find(self, call: Call) -> DataRequest:
            for request in self.store.all():
                if request.completed_at(self.now()) is not None:
                    self.store.remove(request.id)
            return super().find(call)

    run = checked(Drops, complete_after=0.0)
    summary = run.report.summary

    assert (summary.deleted, summary.not_found, summary.left_behind) == (0, summary.created, 0)


def creating(service: type[Service]) -> Run:
    """Return a run that creates data requests, and whose selection has no requirement on deletions."""
    return run_over(config(), bent(service), plan=only("4.1-requested-types"))


def test_a_selection_that_leaves_out_deletions_tells_what_may_be_left() -> None:
    run = creating(StoresNothing)
    report = typed(Documents(run).data)

    assert report.outcome is Outcome.INCONCLUSIVE
    assert report.summary.left_behind == 0
    assert exit_code(report) is Exit.INCONCLUSIVE
    assert outcome_sentence(report).endswith(
        f"but the service did not find {report.summary.not_found} data requests of this run when they were to be "
        "deleted, so that they may still exist."
    )


def test_a_request_that_another_call_may_have_removed_is_not_left() -> None:
    class Loses(Service):
        """Conforms, behind a gateway that loses each answer to a deletion that was made."""

        async def answer(self, call: Call) -> Reply:
            reply = await super().answer(call)
            is_deletion = call.operation == "deleteRequest" and reply.status == 200
            return Reply(502) if is_deletion else reply

    run = creating(Loses)

    assert run.report.summary.not_found > 0
    assert run.report.outcome is Outcome.CONFORMS_IN_PART


def test_a_failure_on_deletions_tells_it_although_it_is_waived() -> None:
    waiver = Waiver(requirement="4.3-answers-ok", reason="known", owner="A. Person", expires="2999-01-01")
    plan = replace(only("4.3-answers-ok", "4.4"), waivers=(waiver,))

    run = run_over(config(), bent(StoresNothing), plan=plan)

    assert run.report.summary.not_found > 0
    assert run.report.outcome is Outcome.CONFORMS_WITH_WAIVERS
