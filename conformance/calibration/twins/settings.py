"""Twins with other settings, for which clause 2.3 states only the types."""

from __future__ import annotations

from typing import Any

from conformance.calibration.twins.common import settings_with
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Call
from conformance.reference.service import Service

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
    "names-long",
    "Names and client identifier are long, with controls.",
    service=settings_with(
        **dict.fromkeys(("legalEntity", "organisationName", "oAuthClientId"), "Ü\r\n<i>B</i>\x00\u202e" * 5_000)
    ),
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
