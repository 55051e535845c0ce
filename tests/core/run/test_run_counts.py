"""What the report of a run says of a service that loses its requests."""

from __future__ import annotations

from report_samples import typed
from whole_runs import bent, config, only, run_over

from conformance.model.verdict import Exit, Outcome
from conformance.reference.call import Call
from conformance.reference.service import Service
from conformance.reference.store import DataRequest
from conformance.reports.exit_code import exit_code
from conformance.reports.outcome import outcome_sentence
from conformance.run.documents import Documents


class StoresNothing(Service):
    async def admit(self, types: tuple[str, ...], call: Call) -> DataRequest:
        return self.new_request(types, call)


def test_a_selection_that_leaves_out_deletions_tells_what_may_be_left() -> None:
    report = typed(Documents(run_over(config(), bent(StoresNothing), plan=only("4.1-requested-types"))).data)

    assert (report.outcome, exit_code(report)) == (Outcome.INCONCLUSIVE, Exit.INCONCLUSIVE)
    assert report.summary.left_behind == 0
    assert "may still exist" in outcome_sentence(report)
