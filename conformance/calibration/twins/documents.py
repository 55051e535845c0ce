"""Twins whose documents have another notation, unknown members or unusual settings, which clauses 2 and 7 allow."""

from __future__ import annotations

import json
from typing import Any

from conformance.calibration import sources
from conformance.calibration.operators import (
    on_data_me,
    on_data_types,
    on_error,
    on_request,
    on_settings,
    together,
)
from conformance.calibration.twins.common import leaving_json, settings_with
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Action, Call, ErrorCondition
from conformance.reference.config import DataType
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


@twin("2.3", source="2.3, table, row 9", of="settings")
def both_spellings(_service: Service, document: Any, _call: Call) -> Any:
    """supportedLanguages beside supportedLanaguages, for clients that know only the correct spelling."""
    return document | {"supportedLanguages": document["supportedLanaguages"]}


@twin("2.3", {"2.3-names-not-empty": ("warn",)}, source="2.3, table, row 8, Meaning", of="settings")
def unusual_settings(_service: Service, settings: Any, _call: Call) -> Any:
    """Links with ports, queries, other scripts and an address literal; a contact address with a tag; long names."""
    return settings | {
        "forgotPasswordLink": "HTTPS://shop.example:8443/%E2%9C%93?next=/a%20b&x=%5B1%5D#top",
        "oAuthUrl": "http://[2001:db8::1]:8080",
        "privacyPolicy": "https://bücher.example/datenschutz/ü",
        "termsOfService": "https://shop.example",
        "privacyContactEmail": "o'brien+privacy@mail.shop.example",
        "legalEntity": '株式会社 <b>"Exämple"</b> & Söhne 🏢',
        "organisationName": "",
    }


@twin("2.2", source="2.2, paragraph 1, sentence 1", of="data_type")
def unusual_data_types(_service: Service, document: Any, data_type: DataType, language: str, *_: object) -> Any:
    """context is a term instead of an address, the ground a sentence, the description in another script."""
    return document | {
        "context": "schema:Person/birthDate",
        "processingGround": "GDPR 6(1)(f): our legitimate interest",
        "description": f"{data_type.described_in(language)} — نص 🧾",
    }


_CONTEXTS = ("Person", "urn:iso:std:iso:5218", "schema:Person", "#person", "../terms/person", "https://x.example/{id}")


@twin("2.2", source="2.2, table, row 3, Meaning, sentence 1", of="data_type")
def contexts_of_many_forms(service: Service, document: Any, data_type: DataType, *_: object) -> Any:
    """context is a word, a URN, a compact IRI, a relative reference and a URL template by turns."""
    names = [each.type for each in service.types]
    place = names.index(data_type.type) if data_type.type in names else 0
    return document | {"context": _CONTEXTS[place % len(_CONTEXTS)]}


@twin("4.1", source="2.1, table, row 6, Meaning, sentence 1", of="document")
def types_reversed(service: Service, document: Any, request: DataRequest, *_: object) -> Any:
    """dataRequested has another order than the body, and another one in each reading."""
    turned = request.types[::-1] if service.turn("order") % 2 else request.types[1:] + request.types[:1]
    return document | {"dataRequested": list(turned)}


@twin("4.1", source="2.1, table, row 6, Meaning, sentence 1", by=on_request)
def types_sorted_within_the_request(document: Any) -> Any:
    """dataRequested is in alphabetical order."""
    return document | {"dataRequested": sorted(document["dataRequested"])}


@twin("2.3", source=sources.JSON_SCHEMA_INTEGER, of="settings")
def limit_with_a_zero_fraction(service: Service, settings: Any, _call: Call) -> Any:
    """maxNumberOfRequests is written as 3.0, which is an integer in JSON Schema."""
    return settings | {"maxNumberOfRequests": float(service.config.max_requests)}


# ---------------------------------------------------------------------- unknown members


_PLACES = (on_settings, on_data_types, on_request, on_error, on_data_me)


@twin("2", by=lambda change: together(*(place(change) for place in _PLACES)))
def extra_members_null(document: Any) -> Any:
    """Unknown members that are null."""
    return {"deletedAt": None, "owner": None, "status": None} | document


@twin("7", source=sources.PROBLEM_DETAILS, of="error")
def errors_with_details(_service: Service, document: Any, _condition: ErrorCondition, _call: Call) -> Any:
    """Error objects also carry the members of problem details and of a framework."""
    details = {"type": "about:blank", "title": "Error", "status": 499, "detail": None, "instance": "/x"}
    trace = {"code": 1234, "errors": [{"error": 5, "message": []}], "path": ["a", 0], "retryable": False}
    return details | trace | document


@twin("4.1", source="2.1, paragraph 1", of="document")
def success_with_error_members(_service: Service, document: Any, *_: object) -> Any:
    """A data request also carries error and message, which are null."""
    return {"error": None, "message": None, "errors": []} | document


@twin("2.1", source=sources.HAL_LINKS, of="document")
def extras_change_with_the_state(service: Service, document: Any, _request: DataRequest, call: Call) -> Any:
    """A data request has other unknown members when it is read than when it is created."""
    progress = {"progress": service.turn("progress"), "history": ["created", "read"]}
    return document | (progress if call.operation is Action.READ else {"queued": True})


@twin("0", alerts=("0-duplicate-members",), by=leaving_json)
def members_named_twice(body: bytes) -> bytes:
    """Every member appears twice, and the last one counts, as nearly all parsers implement it."""
    if not body.startswith(b"{"):
        return body
    document = json.loads(body)
    return b"{" + b"".join(json.dumps({name: None}).encode()[1:-1] + b"," for name in document) + body[1:]


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
