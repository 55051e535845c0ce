"""Twins with unknown members: clause 2 lists the members of the objects and forbids no others."""

from __future__ import annotations

import json
from typing import Any

from conformance.calibration.operators import on_data_me, on_data_types, on_error, on_request, on_settings
from conformance.calibration.sources import HAL_LINKS, PROBLEM_DETAILS
from conformance.calibration.twins.common import leaving_json
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Action, Call, ErrorCondition
from conformance.reference.service import Service
from conformance.reference.store import DataRequest


def _nulls_and(document: dict[str, Any]) -> dict[str, Any]:
    return {"deletedAt": None, "owner": None, "status": None} | document


_PLACES = (on_settings, on_data_types, on_request, on_error, on_data_me)
add_twin(
    "2",
    "extra-members-null",
    "Unknown members that are null.",
    service=type("_Nulls", tuple(place(_nulls_and) for place in _PLACES), {}),
)


@twin("7", source=PROBLEM_DETAILS)
class _ErrorsWithDetails(Service):
    """Error objects also carry the members of problem details and of a framework."""

    def error(self, condition: ErrorCondition, call: Call) -> Any:
        details = {"type": "about:blank", "title": "Error", "status": 499, "detail": None, "instance": "/x"}
        trace = {"code": 1234, "errors": [{"error": 5, "message": []}], "path": ["a", 0], "retryable": False}
        return details | trace | super().error(condition, call)


@twin("4.1", source="2.1, paragraph 1")
class _SuccessWithErrorMembers(Service):
    """A data request also carries error and message, which are null."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        return {"error": None, "message": None, "errors": []} | super().document(request, call)


@twin("2.1", source=HAL_LINKS)
class _ExtrasChangeWithTheState(Service):
    """A data request has other unknown members when it is read than when it is created."""

    def document(self, request: DataRequest, call: Call) -> dict[str, Any]:
        progress = {"progress": self.turn("progress"), "history": ["created", "read"]}
        return super().document(request, call) | (progress if call.operation is Action.READ else {"queued": True})


def _twice(body: bytes) -> bytes:
    if not body.startswith(b"{"):
        return body
    document = json.loads(body)
    return b"{" + b"".join(json.dumps({name: None}).encode()[1:-1] + b"," for name in document) + body[1:]


add_twin(
    "0",
    "members-named-twice",
    "Every member appears twice, and the last one counts, as nearly all parsers implement it.",
    service=leaving_json(_twice),
    alerts=("0-duplicate-members",),
)
