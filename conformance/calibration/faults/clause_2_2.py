"""Faults of clause 2.2, the fields of a data type: those that no single sample shows."""

from __future__ import annotations

from typing import Any

from conformance.calibration.operators import on_data_types, one_in_ten, put, without
from conformance.calibration.variant import fault, fault_table
from conformance.reference.call import Call
from conformance.reference.data_types import DataType
from conformance.reference.service import Service

fault_table(
    "2.2-type",
    ("type-absent-in-one-of-ten", "A cache that is being filled.", on_data_types(without("type"), when=one_in_ten)),
    consequences=("2.1-dataRequested-known", "4.1-body-omitted", "4.1-requested-types"),
)
fault_table(
    "2.2-context",
    (
        "context-null-in-one-answer-of-ten",
        "The context comes from a second system that is down now and then.",
        on_data_types(put(context=None), when=one_in_ten),
    ),
)


@fault("2.2-description")
class _DescriptionNullInOtherLanguages(Service):
    """A translation is missing."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        document = super().data_type(data_type, language, call)
        return document if language == self.config.languages[0] else document | {"description": None}
