"""Faults of clause 9: what is left of the superseded edition."""

from __future__ import annotations

from typing import Any

from conformance.calibration.operators import on_data_types, one_in_ten, renamed
from conformance.calibration.variant import fault_table

_REPLACES = "9-context-replaces-schemaUrl"
_REMOVED = "9-schemaUrl-removed"
_ABSENT = ("2.2-context-present", _REMOVED)


def _beside(data_type: dict[str, Any]) -> dict[str, Any]:
    return data_type | {"schemaUrl": data_type["context"]}


_old = renamed("context", "schemaUrl")

fault_table(
    _REPLACES,
    ("schema-url-instead-of-context", "The edition before context.", on_data_types(_old)),
    (
        "schema-url-in-one-element",
        "A data type that was entered before the change keeps the old field.",
        on_data_types(_old, last_only=True),
    ),
    (
        "schema-url-in-one-answer-of-ten",
        "One of the nodes runs the edition before context.",
        on_data_types(_old, when=one_in_ten),
    ),
    consequences=_ABSENT,
)
fault_table(
    _REMOVED,
    ("schema-url-beside-context", "Old clients are served as well.", on_data_types(_beside)),
    (
        "schema-url-beside-context-in-one-element",
        "One data type was moved by hand and kept both fields.",
        on_data_types(_beside, last_only=True),
    ),
)
