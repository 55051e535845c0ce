"""Helpers for twins: services that differ in data only, and verdicts that some services leave open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from conformance.calibration.operators import changing, on_settings, put
from conformance.calibration.variant import Acceptable
from conformance.reference.call import JSON, Action, Call, Reply
from conformance.reference.service import Service
from conformance.reference.store import DataRequest

UNDECIDED: tuple[str, ...] = ("inconclusive", "not-applicable")
LIMIT_NOT_MET: Acceptable = dict.fromkeys(
    (
        "7-limit-reached",
        "7-limit-reached-error",
        "7-limit-reached-message",
        "8-limit-enforced",
        "8-limit-enforced-in-parallel",
        "8-accepts-up-to-limit",
        "8-completed-do-not-count",
        "3-frees-the-limit",
        "3-frees-the-limit-in-parallel",
        "4.1-refused-creates-nothing",
    ),
    UNDECIDED,
)
"""The limit exceeds what a run creates, or requests complete before the run reaches it."""
NOT_IN_PROGRESS: Acceptable = dict.fromkeys(
    ("3-in-progress-no-completedAt", "4.2-answers-200", "4.2-object", "4.2-agrees-with-creation"), UNDECIDED
)
"""The run sees no request in progress."""
NOT_COMPLETED: Acceptable = dict.fromkeys(
    ("2.1-completedAt", "2.1-completedAt-value", "3-deletes-completed"), UNDECIDED
)
"""A request completes before the run looks only if the run is slow."""
HIDDEN: Acceptable = dict.fromkeys(("3-deletes-no-other", "3-removed"), UNDECIDED)
"""A request that is completed can no longer be read."""
ONE_PLACE: Acceptable = dict.fromkeys(
    ("3-deletes-no-other", "4.1-creates-in-parallel", "8-limit-enforced-in-parallel"), UNDECIDED
)
"""Only one request can be held at a time."""
SHORT_OF_THE_LIMIT: Acceptable = dict.fromkeys(
    (
        "3-frees-the-limit",
        "8-accepts-up-to-limit",
        "8-limit-enforced",
        "8-limit-enforced-in-parallel",
        "4.1-refused-creates-nothing",
    ),
    ("inconclusive",),
)
"""Requests that the run did not make may take places."""
NO_LANGUAGE: Acceptable = dict.fromkeys(
    (
        "2.2-type-in-every-language",
        "4.5-supported-languages",
        "7-language-not-supported",
        "7-language-not-supported-error",
        "7-language-not-supported-message",
    ),
    UNDECIDED,
)
"""A client cannot find out how to choose the language."""
ANOTHER_VERSION: Acceptable = {"2.1-requestId-version": ("warn",)}
GROWS_WITH_TIME: Acceptable = ANOTHER_VERSION | {"2.1-requestId-not-time-ordered": ("warn",)}

Document = dict[str, Any]


def settings_with(**values: Any) -> type[Service]:
    """Return the service with other settings."""
    return on_settings(put(**values))


def shown_with(change: Callable[[Document, DataRequest, Call, Service], Document]) -> type[Service]:
    """Return the service that shows a data request as `change` makes it."""
    return changing("document", lambda service, document, request, call: change(document, request, call, service))


def created_at(operation: Action, write: Callable[[datetime, Service], str]) -> type[Service]:
    """Return the service whose answers of one operation show createdAt as `write` makes it."""
    return shown_with(
        lambda document, request, call, service: (
            document | {"createdAt": write(request.created_at, service)} if call.operation is operation else document
        )
    )


def leaving(change: Callable[[Reply, Call], Reply | None]) -> type[Service]:
    """Return the service whose answers `change` modifies; None keeps the answer."""

    return changing("finish", lambda _service, reply, _given, call: change(reply, call) or reply)


def lacking(name: str) -> type[Service]:
    """Return the service whose answers lack a header field; its name in lower case."""

    def change(reply: Reply, _call: Call) -> None:
        reply.headers.pop(name, None)

    return leaving(change)


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

    def changed(reply: Reply, call: Call) -> None:
        if is_json(reply, call):
            reply.body = change(reply.body)

    return leaving(changed)


def coded(name: str, code: Callable[[bytes], bytes]) -> type[Service]:
    """Return the service whose bodies have a coding, for each Accept-Encoding."""

    def change(reply: Reply, _call: Call) -> None:
        if reply.body:
            reply.body = code(reply.body)
            reply.headers["content-encoding"] = name

    return leaving(change)
