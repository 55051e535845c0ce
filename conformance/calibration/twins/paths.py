"""Twins with unusual base addresses, and with paths, identifiers and methods of which the specification says little."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from conformance.calibration import sources
from conformance.calibration.operators import on_refusal
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.service import Service

for _name, _text, _prefix in (
    ("with-other-scripts", "The base address has a path in other scripts.", "/café/日本/v1"),
    ("with-blanks", "The base address has a path with spaces and special characters.", "/my api/v1;x=1/(a)!$&'*+,=:@"),
    ("named-like-operations", "The base address ends like an operation.", "/data/me/requests"),
    ("named-like-the-settings", "The base address ends in settings, so that the path contains it twice.", "/settings"),
):
    add_twin("4", f"served-at-a-path-{_name}", _text, path_prefix=_prefix)


add_twin(
    "4",
    "unknown-paths-want-tokens",
    "Paths that the interface does not name answer 401.",
    service=on_refusal(lambda _: Reply.json({"error": "Unauthorized"}, 401), ErrorCondition.NO_PATH),
    source=sources.SPRING_ALL_PATHS,
)
add_twin(
    "4",
    "unknown-paths-serve-pages",
    "Paths that the interface does not name answer 200 with the start page.",
    service=on_refusal(
        lambda _: Reply(200, b"<!doctype html><title>Shop</title>", {"content-type": "text/html"}),
        ErrorCondition.NO_PATH,
    ),
    source=sources.SINGLE_PAGE_APPS,
)


@twin("4.5", source=sources.DJANGO_SLASH)
def data_redirect(_service: Service, call: Call) -> Reply | None:
    """GET /data redirects once, within the origin, to a relative address."""
    if call.operation is not Action.DATA or "moved" in call.query:
        return None
    return Reply(308, b"", {"location": "data?moved=1"})


@twin("4.2", source=sources.DJANGO_SLASH)
def read_redirect_before_the_token(_service: Service, call: Call) -> Reply | None:
    """Reading redirects, within the origin, to a path with a slash at its end, which checks the token."""
    if call.operation is not Action.READ:
        return None
    if not call.request_id.endswith("/"):
        return Reply(307, b"", {"location": f"{quote(call.request_id, safe='')}/"})
    call.request_id = call.request_id.removesuffix("/")
    return None


@twin("5", alerts=("5-existence-shown",), source=sources.GITHUB_NOT_FOUND, of="error")
def not_found_for_others_in_other_words(service: Service, document: Any, condition: ErrorCondition, call: Call) -> Any:
    """Another user's request answers 404 with its own message: the row of the table is about what no request has."""
    theirs = condition is ErrorCondition.NO_REQUEST and service.store.get(call.request_id) is not None
    return {**document, "message": "This is not yours."} if theirs else document
