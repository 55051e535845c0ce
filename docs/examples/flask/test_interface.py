"""The service follows the Data Request Service Interface: one test function for all of it."""

from conformance.model.report import Report


def test_the_service_conforms(drsi_report: Report) -> None:
    assert drsi_report.outcome == "conforms"
    assert drsi_report.alerts == ()
