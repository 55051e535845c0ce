"""Twins with their own treatment of unusual calls: the specification leaves the comparison of strings open."""

from __future__ import annotations

import contextlib
import re
import unicodedata
from uuid import UUID

from conformance.calibration import sources
from conformance.calibration.operators import lenient
from conformance.calibration.variant import add_twin, twin
from conformance.model.strict_json import BOM, parse
from conformance.model.target import Budget
from conformance.reference.call import Action, Call, Reply
from conformance.reference.config import numbered
from conformance.reference.service import Service


def _key(name: str) -> str:
    """Return the form of a type that a collation compares."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    return "".join(each for each in plain if unicodedata.category(each)[0] not in "CM").rstrip()


add_twin(
    "4.1",
    "types-compared-by-the-database",
    "A collation compares types: without case, accents, width, trailing white space and invisible characters.",
    {"4.1-similar-type": ("warn",)},
    lenient(lambda name, known: [next((each for each in known if _key(each) == _key(name)), name)]),
    source=sources.MYSQL_CASE,
)


def _blocked(status: int) -> Reply:
    """Return the answer of a component in front of the service."""
    return Reply(status, b"<html><h1>Blocked</h1></html>", {"content-type": "text/html"})


@twin("4.1", source=sources.SPRING_CONVERTERS)
def other_labels_refused(_service: Service, call: Call) -> Reply | None:
    """A body without a JSON media type answers 415."""
    if not call.body or call.headers.get("content-type") == "application/json":
        return None
    return Reply.json({"error": "Unsupported Media Type", "message": "Send application/json."}, 415)


@twin("4.1", source=sources.OWASP_RULES)
def control_characters_blocked(_service: Service, call: Call) -> Reply | None:
    """A firewall answers 403 to bodies with control characters, escaped or not."""
    odd = re.search(rb"[\x00-\x08\x0e-\x1f\x7f]|\\u00[01]", call.body)
    return _blocked(403) if odd and call.operation is Action.CREATE else None


@twin("4.1", source=sources.OWASP_RULES)
def other_media_types_blocked(_service: Service, call: Call) -> Reply | None:
    """A firewall answers 403 to media types that its rules do not list, as the OWASP rules do."""
    label = (call.headers.get("content-type") or "application/json").partition(";")[0]
    return _blocked(403) if call.operation is Action.CREATE and label != "application/json" else None


@twin("4.1", source=sources.OWASP_RULES)
def other_encodings_blocked(_service: Service, call: Call) -> Reply | None:
    """A firewall that reads bodies answers 400 to bytes that are not UTF-8."""
    try:
        call.body.decode()
    except UnicodeDecodeError:
        return _blocked(400)
    return None


@twin("4.1", source=sources.GO_JSON, data_types=numbered(1))
def byte_order_mark_refused(_service: Service, call: Call) -> Reply | None:
    """A parser that reads no byte order mark answers 400 with its own message; the service lists one type."""
    return Reply.json({"error": "Malformed", "message": "no JSON"}, 400) if call.body.startswith(BOM) else None


@twin("8", source=sources.NGINX_BODY_SIZE)
def long_bodies_refused(_service: Service, call: Call) -> Reply | None:
    """Bodies of more than two kilobytes answer 413: the specification does not state sizes."""
    return _blocked(413) if len(call.body) > 2048 else None


@twin("4.2", source=sources.TOMCAT_PATHS)
def odd_paths_refused(_service: Service, call: Call) -> Reply | None:
    """A proxy answers 400 to paths with characters other than letters, digits and hyphens."""
    odd = call.operation in (Action.READ, Action.DELETE) and re.search(r"[^0-9A-Za-z_-]", call.request_id)
    return _blocked(400) if odd or len(call.request_id) > 255 else None


@twin("4", source=sources.NODE_HEADERS)
def odd_headers_refused(_service: Service, call: Call) -> Reply | None:
    """Requests for formats, ranges or headers that the service does not support answer 406, 416 or 431."""
    if sum(len(value) for value in call.headers.values()) > 2500:
        return _blocked(431)
    if "range" in call.headers:
        return _blocked(416)
    accepted = call.headers.get("accept", "*/*")
    return None if "*/*" in accepted or "json" in accepted else _blocked(406)


@twin("4", run={"budget": Budget(max_created=2_000, thorough=True)}, source=sources.NODE_HEADERS)
def odd_paths_and_headers_refused(service: Service, call: Call) -> Reply | None:
    """A gateway refuses odd paths and headers alike, of which a thorough run sends each that the suite knows."""
    return odd_headers_refused(service, call) or odd_paths_refused(service, call)


@twin("4.2", source=sources.POSTGRESQL_UUID, at="perform")
def identifiers_found_in_any_form(_service: Service, call: Call) -> Reply | None:
    """The service compares identifiers as numbers: without hyphens, in braces, as URNs, in capitals."""
    with contextlib.suppress(ValueError):
        call.request_id = str(UUID(call.request_id))
    return None


@twin("4.2", source=sources.FASTAPI_VALIDATION)
def words_for_identifiers_are_malformed(service: Service, call: Call) -> Reply | None:
    """The framework answers 400 with its own message to identifiers that are not UUIDs."""
    on_a_request = call.operation in (Action.READ, Action.DELETE)
    if not on_a_request or service.authenticate(call) is None:
        return None
    with contextlib.suppress(ValueError):
        UUID(call.request_id)
        return None
    return Reply.json({"error": "Bad Request", "message": "requestId must be a UUID"}, 400)


@twin("8", source="8, table, row 1", at="create")
def two_types_at_a_time(_service: Service, call: Call) -> Reply | None:
    """A creation names at most two types: the specification does not state how many."""
    listed = parse(call.body).value
    if isinstance(listed, list) and len(listed) > 2 and all(isinstance(each, str) for each in listed):
        return Reply.json({"error": "Too many", "message": "Name at most two types at a time."}, 422)
    return None
