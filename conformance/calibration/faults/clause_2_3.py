"""Faults of clauses 1.4 and 2.3, the settings: those that no single sample shows."""

from __future__ import annotations

from conformance.calibration.operators import on_settings, one_in_ten, put, without
from conformance.calibration.variant import fault_table, kebab

_ALL = "1.4-every-parameter"
_FORM = "2.3-privacyContactEmail-form"
_FIELDS = (
    "forgotPasswordLink",
    "oAuthUrl",
    "privacyPolicy",
    "termsOfService",
    "legalEntity",
    "oAuthClientId",
    "organisationName",
    "privacyContactEmail",
    "supportedLanaguages",
)

for _name in ("privacyPolicy", "privacyContactEmail", "maxNumberOfRequests", "supportedLanaguages"):
    fault_table(
        f"2.3-{_name}",
        (
            f"settings-{kebab(_name)}-absent-in-one-of-ten",
            f"One of the nodes runs an edition without {_name}.",
            on_settings(without(_name), one_in_ten),
        ),
        consequences=(_ALL, _FORM) if _name == "privacyContactEmail" else (_ALL,),
    )

fault_table(
    "2.3-maxNumberOfRequests",
    ("settings-max-number-of-requests-text", "The number is text.", on_settings(put(maxNumberOfRequests="3"))),
)
for _slug, _summary, _missing in (
    ("of-the-edition-before-oauth", "The settings are those before OAuth was added.", ("oAuthUrl", "oAuthClientId")),
    (
        "without-legal-texts",
        "Texts that the legal department has not delivered are left out.",
        ("legalEntity", "privacyPolicy", "termsOfService"),
    ),
    ("limit-only", "Only what the client was seen to use is implemented.", _FIELDS),
):
    fault_table(
        _ALL,
        (f"settings-{_slug}", _summary, on_settings(without(*_missing))),
        consequences=(*(f"2.3-{each}" for each in _missing), *((_FORM,) if _missing is _FIELDS else ())),
    )
