"""Twins with other settings, for which clause 2.3 states only the types."""

from __future__ import annotations

from typing import Any

from conformance.calibration.twins.common import settings_with
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Call
from conformance.reference.service import Service

add_twin(
    "2.3",
    "links-to-odd-hosts",
    "Links name an IPv4 address, an IPv6 address, a host of one label, and one with a final dot.",
    service=settings_with(
        forgotPasswordLink="http://192.0.2.7:65535/a;b=c/~d/(e)!$&'*+,=",
        oAuthUrl="http://[::ffff:192.0.2.7]:80/x",
        privacyPolicy="http://intranet:/privacy",
        termsOfService="HTTPS://XN--E1AFMKFD.xn--p1ai./",
    ),
)
add_twin(
    "2.3",
    "links-to-odd-places",
    "Links have user information, a fragment with a query, other scripts, and four thousand characters.",
    service=settings_with(
        forgotPasswordLink="https://citizen:open%21@shop.example/privacy",
        oAuthUrl="https://shop.example/?v=1#/legal/privacy?x=[1]",
        privacyPolicy="https://пример.рф/политика?язык=рус#часть",
        termsOfService="https://shop.example/" + "a/" * 2_000,
    ),
)
add_twin(
    "2.3",
    "contact-address-with-every-sign",
    "The address has all special characters.",
    service=settings_with(privacyContactEmail="a!#$%&'*+-/=?^_`{|}~b@s.example"),
)
for _name, _text, _acceptable, _value in (
    ("empty", "Names and client identifier are empty strings.", {"2.3-names-not-empty": ("warn",)}, ""),
    ("long", "Names and client identifier are long, with controls.", {}, "Ü\r\n<i>B</i>\x00\u202e" * 5_000),
):
    _changed = settings_with(**dict.fromkeys(("legalEntity", "organisationName", "oAuthClientId"), _value))
    add_twin("2.3", f"names-{_name}", _text, _acceptable, _changed)


@twin("2.3", source="2.3, table, row 8, Meaning", of="settings")
def settings_change_in_the_course_of_the_run(service: Service, settings: Any, _call: Call) -> Any:
    """Texts and links of the settings change during the run."""
    edition = service.turn("settings")
    return settings | {
        "privacyPolicy": f"https://shop.example/privacy/{edition}",
        "organisationName": f"Example Retail, edition {edition}",
    }
