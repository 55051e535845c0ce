"""Twins with other settings, for which clause 2.3 states only the types."""

from __future__ import annotations

from typing import Any

from conformance.calibration.twins.common import LIMIT_NOT_MET, leaving_json, settings_with
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
    (
        "to-hosts-that-are-numbers",
        "Hosts are addresses in the short forms of browsers, which RFC 3986 treats as names.",
        ("http://127.1/forgot", "https://192.0.2/oauth", "https://2130706433/privacy", "http://0x7f.0.0.1/terms"),
    ),
):
    add_twin("2.3", f"links-{_name}", _text, service=settings_with(**dict(zip(_LINKS, _links, strict=True))))

for _name, _text, _email in (
    ("of-another-script", "The contact address has no Latin letter.", "संपर्क@डाटामेल.भारत"),
    ("quoted", "The contact address has a quoted local part.", '"privacy @ desk"@shop.example'),
    ("at-an-address", "The contact address is at an address literal.", "privacy@[IPv6:2001:db8::1]"),
    (
        "with-every-sign",
        "The address has all special characters.",
        "a!#$%&'*+-/=?^_`{|}~b@s.example",
    ),
):
    add_twin("2.3", f"contact-address-{_name}", _text, service=settings_with(privacyContactEmail=_email))

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


def _limit_written(limit: int, number: bytes) -> type[Service]:
    return leaving_json(
        lambda body: body.replace(b'"maxNumberOfRequests":%d' % limit, b'"maxNumberOfRequests":' + number)
    )


for _name, _text, _limit, _written, _acceptable in (
    ("in-scientific-notation", "maxNumberOfRequests is written as 30e-1, which is the integer 3.", 3, b"30e-1", {}),
    (
        "beyond-64-bits",
        "maxNumberOfRequests has thirty digits: the specification does not state its range.",
        10**30 - 1,
        b"9" * 30,
        LIMIT_NOT_MET,
    ),
    ("beyond-every-float", "maxNumberOfRequests is 1e400.", 10**400, b"1e400", LIMIT_NOT_MET),
):
    add_twin("2.3", f"limit-{_name}", _text, _acceptable, service=_limit_written(_limit, _written), max_requests=_limit)


@twin("2.3", source="2.3, table, row 8, Meaning")
class _SettingsChangeInTheCourseOfTheRun(Service):
    """Texts and links of the settings change during the run."""

    def settings(self, call: Call) -> Any:
        edition = self.turn("settings")
        return super().settings(call) | {
            "privacyPolicy": f"https://shop.example/privacy/{edition}",
            "organisationName": f"Example Retail, edition {edition}",
        }
