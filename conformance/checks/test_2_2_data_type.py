"""Clause 2.2: the fields of a data type, as GET /data lists it."""

from __future__ import annotations

import re
from typing import Any, Final

from conformance.checks.marks import Observe, each_requirement, requirement, traces
from conformance.facts.assumptions import document_of
from conformance.model.errors import RequirementViolated, not_applicable
from conformance.model.exchange import Exchange
from conformance.model.text import count, in_json, shorten
from conformance.rules.run import Run
from conformance.scenarios.basic import DataList

_LIKE_A_LINK: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S.*|[/?#.].*|\S*", re.DOTALL)
"""A scheme or prefix, the beginning of a relative reference, or one word, which a relative reference may be."""


@each_requirement(
    "2.2-type",
    "2.2-type-unique",
    "2.2-type-listed-once",
    "2.2-description",
    "2.2-description-present",
    "2.2-context",
    "2.2-context-present",
    "2.2-processingGround",
    "2.2-processingGround-present",
    "2.2-isErasable",
    "2.2-isErasable-present",
    "2.2-isRectifiable",
    "2.2-isRectifiable-present",
    "2.2-not-empty",
    "9-context-replaces-schemaUrl",
    "9-schemaUrl-removed",
)
def test_field_of_a_data_type(run: Run, data_answers: list[Exchange], requirement_id: str) -> None:
    """Every element of the list meets the requirement on the field, in every response."""
    run.assert_all_hold(data_answers, requirement_id)
    values = [each.response.document.value for each in data_answers if each.response is not None]
    # A list whose elements are wrong is a list: its other rows say what is wrong.
    if not any(value if isinstance(value, list) else document_of(value, list)[0] for value in values):
        raise not_applicable("no-data-types", "GET /data lists no data types.", *data_answers[:1])


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
