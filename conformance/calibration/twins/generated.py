"""Twins with their own treatment of unusual calls: the specification leaves the comparison of strings open."""

from __future__ import annotations

import contextlib
import re
import unicodedata
from abc import ABC, abstractmethod
from uuid import UUID

from conformance.calibration.operators import lenient
from conformance.calibration.sources import (
    FASTAPI_VALIDATION,
    MYSQL_CASE,
    NGINX_BODY_SIZE,
    NODE_HEADERS,
    OWASP_RULES,
    POSTGRESQL_UUID,
    SPRING_CONVERTERS,
    TOMCAT_PATHS,
)
from conformance.calibration.variant import add_twin, twin
from conformance.model.strict_json import parse
from conformance.model.target import Budget
from conformance.reference.call import Action, Call, Reply
from conformance.reference.service import Service

_BLOCKED = b"<html><h1>Blocked</h1></html>"


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
    source=MYSQL_CASE,
)


class _Before(Service, ABC):
    """A component in front of the service answers some calls itself."""

    async def shortcut(self, call: Call) -> Reply | None:
        status = self.blocks(call)
        return Reply(status, _BLOCKED, {"content-type": "text/html"}) if status else None

    @abstractmethod
    def blocks(self, call: Call) -> int:
        """Return the status that refuses a call, or 0."""


@twin("4.1", source=SPRING_CONVERTERS)
class _OtherLabelsRefused(Service):
    """A body without a JSON media type answers 415."""

    async def shortcut(self, call: Call) -> Reply | None:
        if not call.body or call.headers.get("content-type") == "application/json":
            return None
        return Reply.json({"error": "Unsupported Media Type", "message": "Send application/json."}, 415)


@twin("4.1", source=OWASP_RULES)
class _ControlCharactersBlocked(_Before):
    """A firewall answers 403 to bodies with control characters, escaped or not."""

    def blocks(self, call: Call) -> int:
        odd = re.search(rb"[\x00-\x08\x0e-\x1f\x7f]|\\u00[01]", call.body)
        return 403 if odd and call.operation is Action.CREATE else 0


@twin("4.1", source=OWASP_RULES)
class _OtherMediaTypesBlocked(_Before):
    """A firewall answers 403 to media types that its rules do not list, as the OWASP rules do."""

    def blocks(self, call: Call) -> int:
        label = (call.headers.get("content-type") or "application/json").partition(";")[0]
        return 403 if call.operation is Action.CREATE and label != "application/json" else 0


@twin("4.1", source=OWASP_RULES)
class _OtherEncodingsBlocked(_Before):
    """A firewall that reads bodies answers 400 to bytes that are not UTF-8."""

    def blocks(self, call: Call) -> int:
        try:
            call.body.decode()
        except UnicodeDecodeError:
            return 400
        return 0


@twin("8", source=NGINX_BODY_SIZE)
class _LongBodiesRefused(_Before):
    """Bodies of more than two kilobytes answer 413: the specification does not state sizes."""

    def blocks(self, call: Call) -> int:
        return 413 if len(call.body) > 2048 else 0


@twin("4.2", source=TOMCAT_PATHS)
class _OddPathsRefused(_Before):
    """A proxy answers 400 to paths with characters other than letters, digits and hyphens."""

    def blocks(self, call: Call) -> int:
        odd = call.operation in (Action.READ, Action.DELETE) and re.search(r"[^0-9A-Za-z_-]", call.request_id)
        return 400 if odd or len(call.request_id) > 255 else 0


@twin("4", source=NODE_HEADERS)
class _OddHeadersRefused(_Before):
    """Requests for formats, ranges or headers that the service does not support answer 406, 416 or 431."""

    def blocks(self, call: Call) -> int:
        if sum(len(value) for value in call.headers.values()) > 2500:
            return 431
        if "range" in call.headers:
            return 416
        accepted = call.headers.get("accept", "*/*")
        return 0 if "*/*" in accepted or "json" in accepted else 406


@twin("4", run={"budget": Budget(max_created=2_000, thorough=True)}, source=NODE_HEADERS)
class _OddPathsAndHeadersRefused(_OddHeadersRefused, _OddPathsRefused):
    """A gateway refuses odd paths and headers alike, of which a thorough run sends each that the suite knows."""

    def blocks(self, call: Call) -> int:
        return _OddHeadersRefused.blocks(self, call) or _OddPathsRefused.blocks(self, call)


@twin("4.2", source=POSTGRESQL_UUID)
class _IdentifiersFoundInAnyForm(Service):
    """The service compares identifiers as numbers: without hyphens, in braces, as URNs, in capitals."""

    async def perform(self, call: Call) -> Reply:
        with contextlib.suppress(ValueError):
            call.request_id = str(UUID(call.request_id))
        return await super().perform(call)


@twin("4.2", source=FASTAPI_VALIDATION)
class _WordsForIdentifiersAreMalformed(Service):
    """The framework answers 400 with its own message to identifiers that are not UUIDs."""

    async def shortcut(self, call: Call) -> Reply | None:
        on_a_request = call.operation in (Action.READ, Action.DELETE)
        if not on_a_request or self.authenticate(call) is None:
            return None
        with contextlib.suppress(ValueError):
            UUID(call.request_id)
            return None
        return Reply.json({"error": "Bad Request", "message": "requestId must be a UUID"}, 400)


@twin("8", source="8, table, row 1")
class _TwoTypesAtATime(Service):
    """A creation names at most two types: the specification does not state how many."""

    async def create(self, call: Call) -> Reply:
        listed = parse(call.body).value
        if isinstance(listed, list) and len(listed) > 2 and all(isinstance(each, str) for each in listed):
            return Reply.json({"error": "Too many", "message": "Name at most two types at a time."}, 422)
        return await super().create(call)
