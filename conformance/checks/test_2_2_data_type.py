"""Clause 2.2: the fields of a data type, as GET /data lists it."""

from __future__ import annotations

import re
from typing import Any, Final

from conformance.checks.marks import Observe, requirement, traces
from conformance.model.errors import RequirementViolated
from conformance.model.text import count, in_json, shorten
from conformance.scenarios.basic import DataList

_LIKE_A_LINK: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S.*|[/?#.].*|\S*", re.DOTALL)
"""A scheme or prefix, the beginning of a relative reference, or one word, which a relative reference may be."""


@requirement("2.2-processingGround-values")
def test_processing_grounds_take_some_values(usual_types: list[Any], observe: Observe) -> None:
    """Shows the values of processingGround."""
    values = {in_json(item.get("processingGround"), 10_000) for item in usual_types if isinstance(item, dict)}
    shown = shorten(", ".join(sorted(values)), 300) or "none"
    observe(f"processingGround takes {count(len(values), 'value')}: {shown}.")


@requirement("2.2-context-link-like")
@traces("""
    FAIL data_answers: GET /data -> 200 {"context": "name and address"}
    PASS data_answers: GET /data -> 200
""")
def test_contexts_look_like_links(data_lists: list[DataList]) -> None:
    """No context is a text of several words."""
    for exchange, data_types in data_lists:
        for context in (each.get("context") for each in data_types):
            if isinstance(context, str) and not _LIKE_A_LINK.fullmatch(context.strip()):
                raise RequirementViolated(
                    f"A data type has the context {shorten(context, 80)!r}, which is nothing like a link.",
                    expected="a URL, a URN, a compact IRI such as schema:Person, or a relative reference",
                    actual=f"{shorten(context, 80)!r}, several words",
                    exchanges=[exchange],
                )
