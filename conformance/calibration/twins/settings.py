"""Twins with other settings, for which clause 2.3 states only the types."""

from __future__ import annotations

from typing import Any

from conformance.calibration.twins.common import settings_with
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Call
from conformance.reference.service import Service

_LINKS = ("forgotPasswordLink", "oAuthUrl", "privacyPolicy", "termsOfService")

for _name, _text, _links in (
    (
        "to-odd-hosts",
        "Links name an IPv4 address, an IPv6 address, a host of one label, and one with a final dot.",
        (
            "http://192.0.2.7:65535/a;b=c/~d/(e)!$&'*+,=",
            "http://[::ffff:192.0.2.7]:80/x",
            "http://intranet:/privacy",
            "HTTPS://XN--E1AFMKFD.xn--p1ai./",
        ),
    ),
    (
        "to-odd-places",
        "Links have user information, a fragment with a query, other scripts, and four thousand characters.",
        (
            "https://citizen:open%21@shop.example/privacy",
            "https://shop.example/?v=1#/legal/privacy?x=[1]",
            "https://пример.рф/политика?язык=рус#часть",
            "https://shop.example/" + "a/" * 2_000,
        ),
    ),
):
    add_twin("2.3", f"links-{_name}", _text, service=settings_with(**dict(zip(_LINKS, _links, strict=True))))

add_twin(
    "2.3",
    "contact-address-with-every-sign",
    "The address has all special characters.",
    service=settings_with(privacyContactEmail="a!#$%&'*+-/=?^_`{|}~b@s.example"),
)

for _name, _text, _value in (
    ("empty", "Names and client identifier are empty strings.", ""),
    ("long", "Names and client identifier are long, with controls.", "Ü\r\n<i>B</i>\x00\u202e" * 5_000),
):
    add_twin(
        "2.3",
        f"names-{_name}",
        _text,
        {} if _value else {"2.3-names-not-empty": ("warn",)},
        service=settings_with(**dict.fromkeys(("legalEntity", "organisationName", "oAuthClientId"), _value)),
    )


@twin("2.3", source="2.3, table, row 8, Meaning")
class _SettingsChangeInTheCourseOfTheRun(Service):
    """Texts and links of the settings change during the run."""

    def settings(self, call: Call) -> Any:
        edition = self.turn("settings")
        return super().settings(call) | {
            "privacyPolicy": f"https://shop.example/privacy/{edition}",
            "organisationName": f"Example Retail, edition {edition}",
        }
