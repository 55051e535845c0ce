"""Clause 2.2: the fields of a data type, as GET /data lists it."""

from __future__ import annotations

import re
from typing import Final

from conformance.checks.marks import needs, requirement, traces
from conformance.judge import expect
from conformance.judge.run import Run
from conformance.model.errors import RequirementViolated
from conformance.model.exchange import Operation
from conformance.model.text import shorten

_LIKE_A_LINK: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S.*|[/?#.].*|\S*", re.DOTALL)
"""A scheme or prefix, the beginning of a relative reference, or one word, which a relative reference may be."""


@needs("data_answers_or_reason")
@requirement("2.2-context-link-like")
@traces("""
    FAIL GET /data -> 200 {"context": "name and address"}
    PASS GET /data -> 200
""")
def test_contexts_look_like_links(run: Run) -> None:
    """No context is a text of several words."""
    lists = [(each, each.response.document.value) for each in run.record.answered(Operation.DATA, 200) if each.response]
    expect.a_list_of_data_types(exchange for exchange, _ in lists)
    for exchange, value in lists:
        data_types = value if isinstance(value, list) else []
        for context in (each.get("context") for each in data_types if isinstance(each, dict)):
            if isinstance(context, str) and not _LIKE_A_LINK.fullmatch(context.strip()):
                raise RequirementViolated(
                    f"A data type has the context {shorten(context, 80)!r}, which is nothing like a link.",
                    expected="a URL, a URN, a compact IRI such as schema:Person, or a relative reference",
                    actual=f"{shorten(context, 80)!r}, several words",
                    exchanges=[exchange],
                )
