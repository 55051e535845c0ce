"""Twins that answer bodies which no clause describes: malformed, empty or repetitive ones (4.1, 7)."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from conformance.calibration import sources
from conformance.calibration.variant import twin
from conformance.reference.call import Call, Reply
from conformance.reference.service import Service


class _Odd(Service):
    """Answers a body that is no array of strings, or an empty or repetitive array, as `odd` defines."""

    async def create(self, call: Call) -> Reply:
        if not call.body:
            return await super().create(call)
        try:
            wanted = json.loads(call.body)
        except (ValueError, RecursionError):
            return await self.malformed(call)
        if isinstance(wanted, list) and wanted and all(isinstance(each, str) for each in wanted):
            return await super().create(call)
        return await self.odd(wanted, call)

    async def malformed(self, call: Call) -> Reply:
        """Answer a body that is not JSON."""
        return await super().create(call)

    async def odd(self, wanted: Any, call: Call) -> Reply:  # noqa: ARG002 variants override it
        """Answer JSON of another kind, or an empty array."""
        return await super().create(call)

    async def for_types(self, types: tuple[str, ...], call: Call) -> Reply:
        """Create a request nevertheless."""
        return Reply.json(self.document(await self.admit(types, call), call))

    @property
    def every_type(self) -> tuple[str, ...]:
        """The available types."""
        return tuple(each.type for each in self.types)


@twin("4.1", source="4.1, item 2")
class _EmptyArrayMeansAll(_Odd):
    """The service treats an empty array as an omitted body."""

    async def odd(self, wanted: Any, call: Call) -> Reply:
        return await self.for_types(self.every_type, call) if wanted == [] else await super().odd(wanted, call)


@twin("4.1", source="4.1, item 1, sentence 1")
class _EmptyArrayMeansNone(_Odd):
    """An empty array creates a request without types."""

    async def odd(self, wanted: Any, call: Call) -> Reply:
        return await self.for_types((), call) if wanted == [] else await super().odd(wanted, call)


@twin("4.1", source="4.1, item 2")
class _NullMeansAll(_Odd):
    """The service treats null and an empty object as an omitted body."""

    async def odd(self, wanted: Any, call: Call) -> Reply:
        return await self.for_types(self.every_type, call) if wanted in (None, {}) else await super().odd(wanted, call)


@twin("4.1", source=sources.JACKSON_ARRAYS)
class _SingleStringIsTaken(_Odd):
    """The service treats a string or a number as a list of the first type: no table covers such bodies."""

    async def odd(self, wanted: Any, call: Call) -> Reply:
        if isinstance(wanted, str | int):
            return await self.for_types(self.every_type[:1], call)
        return await super().odd(wanted, call)


@twin("4.1", source=sources.FLASK_SILENT)
class _MalformedBodyIgnored(_Odd):
    """The service treats a body that is not JSON as an omitted body."""

    async def malformed(self, call: Call) -> Reply:
        return await self.for_types(self.every_type, call)


@twin("4.1", source="7, paragraph 2")
class _MalformedBodyServerError(_Odd):
    """A body that is not JSON causes a 500 with a page and creates nothing: no table covers such bodies."""

    async def malformed(self, call: Call) -> Reply:  # noqa: ARG002 the same for every call
        return Reply(500, b"<h1>Internal Server Error</h1>", {"content-type": "text/html"})


@twin("4.1", source="7, paragraph 2")
class _OtherJsonServerError(_Odd):
    """The service iterates over a body that is no array of strings, and answers 500: no table covers such bodies."""

    async def odd(self, wanted: Any, call: Call) -> Reply:  # noqa: ARG002 the same for every call
        return Reply(500, b"<h1>Internal Server Error</h1>", {"content-type": "text/html"})


@twin("4.1", source="4.1, item 1, sentence 1")
class _RepeatedTypeKept(Service):
    """An array that names a type twice creates a request that names it twice."""

    def wanted_types(self, call: Call) -> tuple[str, ...]:
        wanted = super().wanted_types(call)
        return tuple(json.loads(call.body)) if call.body else wanted


@twin("4.1", source=sources.JSON_SCHEMA_UNIQUE, at="create")
def repeated_type_refused_by_the_framework(service: Service, call: Call) -> Reply | None:
    """The framework asks for unique elements: an array that names a type twice answers 400 with a code of its own."""
    with contextlib.suppress(ValueError, RecursionError):
        listed = json.loads(call.body)
        if isinstance(listed, list) and service.types_match(listed) and len(set(listed)) < len(listed):
            return Reply.json({"error": "ValidationFailed", "message": "The body has the wrong form."}, 400)
    return None


@twin("7", name="nul-in-a-body-is-malformed", source=sources.POSTGRESQL_NUL)
def nul_is_malformed(_service: Service, call: Call) -> Reply | None:
    """The parser refuses a NUL in a text as malformed: the specification leaves the answer open."""
    if b"\\u0000" not in call.body:
        return None
    return Reply.json({"error": "Bad Request", "message": "The body cannot be read."}, 400)
