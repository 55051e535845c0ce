"""Helpers for twins: services that differ in data only, and verdicts that some services leave open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from conformance.calibration.operators import body, changing, on_settings, put
from conformance.calibration.variant import Acceptable, undecided
from conformance.reference.call import JSON, Action, Call, Reply
from conformance.reference.service import Service

NOT_COMPLETED: Final = undecided("2.1-completedAt*", "3-deletes-completed")
"""A request completes before the run looks only if the run is slow."""
ONE_PLACE: Final = undecided("3-deletes-no-other", "4.1-creates-in-parallel", "8-limit-enforced-in-parallel")
"""Only one request can be held at a time."""
SHORT_OF_THE_LIMIT: Final[Acceptable] = dict.fromkeys(
    ("3-frees-the-limit", "8-accepts-up-to-limit", "8-limit-enforced*", "4.1-refused-creates-nothing"),
    ("inconclusive",),
)
"""Requests that the run did not make may take places."""
NO_LANGUAGE: Final = undecided("2.2-type-in-every-language", "4.5-supported-languages", "7-language-not-supported*")
"""A client cannot find out how to choose the language."""
ANOTHER_VERSION: Acceptable = {"2.1-requestId-version": ("warn",)}
GROWS_WITH_TIME: Acceptable = ANOTHER_VERSION | {"2.1-requestId-not-time-ordered": ("warn",)}

Document = dict[str, Any]


def settings_with(**values: Any) -> type[Service]:
    """Return the service with other settings."""
    return on_settings(put(**values))


def created_at(operation: Action, write: Callable[[datetime, Service], str]) -> type[Service]:
    """Return the service whose answers of one operation show createdAt as `write` makes it."""
    return changing(
        "document",
        lambda service, document, request, call: (
            document | {"createdAt": write(request.created_at, service)} if call.operation is operation else document
        ),
    )


def leaving(change: Callable[[Reply, Call], Reply | None]) -> type[Service]:
    """Return the service whose answers `change` modifies; None keeps the answer."""

    return changing("finish", lambda _service, reply, _given, call: change(reply, call) or reply)


def lacking(name: str) -> type[Service]:
    """Return the service whose answers lack a header field; its name in lower case."""
    return leaving(
        lambda reply, _call: replace(reply, headers={each: one for each, one in reply.headers.items() if each != name})
    )


def adding(
    headers: Mapping[str, str], when: Callable[[Reply, Call], bool] = lambda _reply, _call: True
) -> type[Service]:
    """Return the service whose answers carry other headers where `when` is true; names in lower case."""
    return leaving(
        lambda reply, call: Reply(reply.status, reply.body, {**reply.headers, **headers}) if when(reply, call) else None
    )


def is_json(reply: Reply, _call: Call) -> bool:
    """Tell whether the answer is JSON by its label."""
    return reply.headers.get("content-type") == JSON


def leaving_json(change: Callable[[bytes], bytes]) -> type[Service]:
    """Return the service whose JSON bodies `change` modifies."""
    return leaving(lambda reply, call: body(change)(reply) if is_json(reply, call) else None)


def coded(name: str, code: Callable[[bytes], bytes]) -> type[Service]:
    """Return the service whose bodies have a coding, for each Accept-Encoding."""
    return leaving(
        lambda reply, _call: (
            Reply(reply.status, code(reply.body), reply.headers | {"content-encoding": name}) if reply.body else None
        )
    )
