"""Faults of clauses 1.4 and 2.3: the settings."""

from __future__ import annotations

from conformance.calibration.operators import Change, When, mapped, on_settings, one_in_ten, put, renamed, without
from conformance.calibration.variant import fault_table

_ALL = "1.4-every-parameter"
_LINKS = ("forgotPasswordLink", "oAuthUrl", "privacyPolicy", "termsOfService")
_TEXTS = ("legalEntity", "oAuthClientId", "organisationName", "privacyContactEmail")


def _slug(name: str) -> str:
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)


def _also(name: str) -> tuple[str, ...]:
    return ("2.3-privacyContactEmail-form",) if name == "privacyContactEmail" else ()


def _absent(name: str, fault: str, summary: str, change: Change, when: When | None = None) -> None:
    service = on_settings(change, when) if when else on_settings(change)
    fault_table(f"2.3-{name}", (fault, summary, service), consequences=(_ALL, *_also(name)))


for _name in (*_LINKS, *_TEXTS, "maxNumberOfRequests", "supportedLanaguages"):
    _absent(_name, f"settings-{_slug(_name)}-absent", f"{_name} is not implemented.", without(_name))
    fault_table(
        f"2.3-{_name}",
        (f"settings-{_slug(_name)}-null", f"{_name} was never entered.", on_settings(put(**{_name: None}))),
        consequences=(*_also(_name),),
    )
    _absent(
        _name,
        f"settings-{_slug(_name)}-absent-in-one-of-ten",
        f"One of the nodes runs an edition without {_name}.",
        without(_name),
        one_in_ten,
    )

for _name in _LINKS:
    fault_table(
        f"2.3-{_name}",
        (f"settings-{_slug(_name)}-relative", "A path within the site.", on_settings(put(**{_name: "/legal/page"}))),
        consequences=(*_also(_name),),
    )
    fault_table(
        f"2.3-{_name}",
        (f"settings-{_slug(_name)}-empty", "An empty text.", on_settings(put(**{_name: ""}))),
        consequences=(*_also(_name),),
    )
    fault_table(
        f"2.3-{_name}",
        (
            f"settings-{_slug(_name)}-without-scheme",
            "A bare host name.",
            on_settings(put(**{_name: "shop.example/page"})),
        ),
        consequences=(*_also(_name),),
    )
    fault_table(
        f"2.3-{_name}",
        (
            f"settings-{_slug(_name)}-by-mail",
            "A mail link.",
            on_settings(put(**{_name: "mailto:privacy@shop.example"})),
        ),
        consequences=(*_also(_name),),
    )
    fault_table(
        f"2.3-{_name}",
        (f"settings-{_slug(_name)}-as-object", "A link object.", on_settings(mapped(_name, lambda url: {"href": url}))),
        consequences=(*_also(_name),),
    )
    fault_table(
        f"2.3-{_name}",
        (
            f"settings-{_slug(_name)}-without-host",
            "A template left empty.",
            on_settings(put(**{_name: "https:///page"})),
        ),
        consequences=(*_also(_name),),
    )

for _name in _TEXTS:
    fault_table(
        f"2.3-{_name}",
        (f"settings-{_slug(_name)}-number", "A key instead of a text.", on_settings(put(**{_name: 4711}))),
        consequences=(*_also(_name),),
    )
    fault_table(
        f"2.3-{_name}",
        (f"settings-{_slug(_name)}-as-array", "A list of one.", on_settings(mapped(_name, lambda value: [value]))),
        consequences=(*_also(_name),),
    )

for _name, _misspelt in (
    ("supportedLanaguages", "supportedLanguages"),
    ("organisationName", "organizationName"),
    ("oAuthUrl", "oauthUrl"),
    ("oAuthUrl", "oAuthURL"),
    ("oAuthClientId", "oAuthClientID"),
    ("oAuthClientId", "oauth_client_id"),
    ("forgotPasswordLink", "forgotPasswordUrl"),
    ("maxNumberOfRequests", "maxNumberOfRequest"),
    ("privacyContactEmail", "privacyContactEMail"),
    ("privacyPolicy", "privacyPolicyLink"),
    ("termsOfService", "termsAndConditions"),
    ("legalEntity", "LegalEntity"),
):
    _fault = f"settings-{_slug(_name)}-spelt-{_misspelt}"
    _absent(_name, _fault, f"The field is spelt {_misspelt}.", renamed(_name, _misspelt))

for _fault, _summary, _change in (
    ("text", "The number is text.", put(maxNumberOfRequests="3")),
    ("boolean", "Whether there is a limit, not which.", put(maxNumberOfRequests=True)),
    ("fraction", "An average of some kind.", put(maxNumberOfRequests=3.5)),
    ("as-object", "A limit for each period.", put(maxNumberOfRequests={"month": 3})),
):
    fault_table(
        f"2.3-{'maxNumberOfRequests'}",
        (f"settings-max-number-of-requests-{_fault}", _summary, on_settings(_change)),
        consequences=(*_also("maxNumberOfRequests"),),
    )

for _fault, _summary, _change in (
    ("joined", "One text with commas.", mapped("supportedLanaguages", ",".join)),
    (
        "as-objects",
        "Objects with names.",
        mapped("supportedLanaguages", lambda all_: [{"code": each} for each in all_]),
    ),
    ("as-map", "An object by language.", mapped("supportedLanaguages", lambda all_: dict.fromkeys(all_, True))),
    ("with-null", "A language that was removed.", mapped("supportedLanaguages", lambda all_: [*all_, None])),
):
    fault_table(
        f"2.3-{'supportedLanaguages'}",
        (f"settings-languages-{_fault}", _summary, on_settings(_change)),
        consequences=(*_also("supportedLanaguages"),),
    )

for _fault, _value, _summary in (
    ("address-as-link", "https://shop.example/contact", "The address of a contact form."),
    ("address-in-words", "privacy at shop dot example", "Written so that robots do not find it."),
    ("address-empty", "", "An empty text."),
    ("address-without-host", "privacy@", "The host was to be filled in."),
):
    fault_table(
        "2.3-privacyContactEmail-form", (f"settings-{_fault}", _summary, on_settings(put(privacyContactEmail=_value)))
    )

fault_table(
    _ALL,
    (
        "settings-of-the-edition-before-oauth",
        "The settings are those of the edition that had no OAuth fields.",
        on_settings(without("oAuthUrl", "oAuthClientId")),
    ),
    consequences=("2.3-oAuthUrl", "2.3-oAuthClientId"),
)
fault_table(
    _ALL,
    (
        "settings-without-legal-texts",
        "Texts that the legal department has not delivered are left out.",
        on_settings(without("legalEntity", "privacyPolicy", "termsOfService")),
    ),
    consequences=("2.3-legalEntity", "2.3-privacyPolicy", "2.3-termsOfService"),
)
fault_table(
    _ALL,
    (
        "settings-limit-only",
        "Only what the client was seen to use is implemented.",
        on_settings(lambda document: {"maxNumberOfRequests": document["maxNumberOfRequests"]}),
    ),
    consequences=(
        *(f"2.3-{each}" for each in (*_LINKS, *_TEXTS, "supportedLanaguages")),
        "2.3-privacyContactEmail-form",
    ),
)
