"""Faults of clause 9: what is left of the superseded edition."""

from __future__ import annotations

from conformance.calibration.operators import on_data_types, one_in_ten, renamed
from conformance.calibration.variant import fault_table

fault_table(
    "9-context-replaces-schemaUrl",
    (
        "schema-url-in-one-answer-of-ten",
        "One of the nodes runs the edition before context.",
        on_data_types(renamed("context", "schemaUrl"), when=one_in_ten),
    ),
    consequences=("2.2-context-present", "9-schemaUrl-removed"),
)
