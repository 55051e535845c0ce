"""Clauses 1.4 and 2.3: every parameter of the settings."""

from __future__ import annotations

from conformance.checks.marks import each_requirement
from conformance.model.exchange import Exchange
from conformance.rules.run import Run


@each_requirement(
    "2.3-forgotPasswordLink",
    "2.3-legalEntity",
    "2.3-maxNumberOfRequests",
    "2.3-oAuthClientId",
    "2.3-oAuthUrl",
    "2.3-organisationName",
    "2.3-privacyPolicy",
    "2.3-privacyContactEmail",
    "2.3-privacyContactEmail-form",
    "2.3-supportedLanaguages",
    "2.3-termsOfService",
    "2.3-links-http",
    "2.3-names-not-empty",
    "1.4-every-parameter",
)
def test_parameter_of_the_settings(run: Run, settings_answers: list[Exchange], requirement_id: str) -> None:
    """GET /settings contains the parameter with this exact name and its type, in every response."""
    run.assert_all_hold(settings_answers, requirement_id)
