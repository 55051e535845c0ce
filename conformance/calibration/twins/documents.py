"""Twins whose documents have another notation that clauses 2 and 7 allow."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from conformance.calibration.operators import of_number, redrawn
from conformance.calibration.sources import JSON_SCHEMA_INTEGER
from conformance.calibration.twins.common import ANOTHER_VERSION
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Call
from conformance.reference.config import DataType
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

add_twin(
    "2.1",
    "upper-case-identifiers",
    "Identifiers in upper case: case has no meaning in a UUID.",
    service=redrawn(lambda drawn, _service: drawn.upper()),
)


def _with_version(version: int) -> type[Service]:
    return redrawn(lambda drawn, _service: f"{drawn[:14]}{version}{drawn[15:]}")


for _version in (1, 7):
    add_twin(
        "2.1",
        f"random-identifiers-version-{_version}",
        f"Random bits under version digit {_version}: 2.1 recommends version 4 and requires randomness.",
        ANOTHER_VERSION,
        _with_version(_version),
    )


add_twin(
    "2.1",
    "mixed-versions",
    "128 random bits in the form of a UUID, without version and variant.",
    ANOTHER_VERSION,
    of_number(lambda _service, bits: bits(128)),
)


@twin("2.1", source="2.1, table, row 3, Required")
class _ExpectedCompletionPresent(Service):
    """The optional expectedCompletion is present, and changes while the request is in progress."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        expected = self.now() + timedelta(days=14)
        return super().document(request, call) | {"expectedCompletion": self.timestamp(expected)}


@twin("2.3", source="2.3, table, row 9")
class _BothSpellings(Service):
    """supportedLanguages beside supportedLanaguages, for clients that know only the correct spelling."""

    def settings(self, call: Call) -> Any:
        document = super().settings(call)
        return document | {"supportedLanguages": document["supportedLanaguages"]}


@twin("2.3", {"2.3-names-not-empty": ("warn",)}, source="2.3, table, row 8, Meaning")
class _UnusualSettings(Service):
    """Links with ports, queries, other scripts and an address literal; a contact address with a tag; long names."""

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {
            "forgotPasswordLink": "HTTPS://shop.example:8443/%E2%9C%93?next=/a%20b&x=%5B1%5D#top",
            "oAuthUrl": "http://[2001:db8::1]:8080",
            "privacyPolicy": "https://bücher.example/datenschutz/ü",
            "termsOfService": "https://shop.example",
            "privacyContactEmail": "o'brien+privacy@mail.shop.example",
            "legalEntity": '株式会社 <b>"Exämple"</b> & Söhne 🏢',
            "organisationName": "",
        }


@twin("2.2", source="2.2, paragraph 1, sentence 1")
class _UnusualDataTypes(Service):
    """context is a term instead of an address, the ground a sentence, the description in another script."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        return super().data_type(data_type, language, call) | {
            "context": "schema:Person/birthDate",
            "processingGround": "GDPR 6(1)(f): our legitimate interest",
            "description": f"{data_type.described_in(language)} — نص 🧾",
        }


@twin("2.2", source="2.2, table, row 3, Meaning, sentence 1")
class _ContextsOfManyForms(Service):
    """context is a word, a URN, a compact IRI, a relative reference and a URL template by turns."""

    forms = ("Person", "urn:iso:std:iso:5218", "schema:Person", "#person", "../terms/person", "https://x.example/{id}")

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        names = [each.type for each in self.types]
        place = names.index(data_type.type) if data_type.type in names else 0
        return super().data_type(data_type, language, call) | {"context": self.forms[place % len(self.forms)]}


@twin("4.1", source="2.1, table, row 6, Meaning, sentence 1")
class _TypesReversed(Service):
    """dataRequested has another order than the body, and another one in each reading."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        turned = request.types[::-1] if self.turn("order") % 2 else request.types[1:] + request.types[:1]
        return super().document(request, call) | {"dataRequested": list(turned)}


@twin("2.3", name="limit-with-a-zero-fraction", source=JSON_SCHEMA_INTEGER)
class _LimitWithFraction(Service):
    """maxNumberOfRequests is written as 3.0, which is an integer in JSON Schema."""

    def settings(self, call: Call) -> Any:
        return super().settings(call) | {"maxNumberOfRequests": float(self.config.max_requests)}
