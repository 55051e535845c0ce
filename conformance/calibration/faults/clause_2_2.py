"""Faults of clause 2.2: the fields of a data type."""

from __future__ import annotations

from typing import Any

from conformance.calibration.operators import (
    mapped,
    on_data_types,
    one_in_ten,
    put,
    renamed,
    without,
)
from conformance.calibration.variant import fault_table
from conformance.reference.call import Call
from conformance.reference.data_types import DataType
from conformance.reference.service import Service

_NO_TYPES = ("2.1-dataRequested-known", "4.1-body-omitted", "4.1-requested-types")


fault_table(
    "2.2-type",
    ("type-absent", "Only texts for people are published.", on_data_types(without("type"))),
    ("type-called-name", "The field has the name it has in the database.", on_data_types(renamed("type", "name"))),
    ("type-capitalised", "The serialiser's naming policy is PascalCase.", on_data_types(renamed("type", "Type"))),
    ("type-null-in-one-element", "A row without an identifier.", on_data_types(put(type=None), last_only=True)),
    (
        "type-number-in-one-element",
        "An identifier of digits becomes a number.",
        on_data_types(put(type=7), last_only=True),
    ),
    (
        "type-as-object",
        "The identifier is wrapped with its namespace.",
        on_data_types(mapped("type", lambda value: {"id": value})),
    ),
    ("type-absent-in-one-of-ten", "A cache that is being filled.", on_data_types(without("type"), when=one_in_ten)),
    consequences=_NO_TYPES,
)

for _name in ("description", "context", "processingGround", "isErasable", "isRectifiable"):
    _slug = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in _name)
    _present = f"2.2-{_name}-present"
    fault_table(_present, (f"{_slug}-absent", f"{_name} is not implemented.", on_data_types(without(_name))))
    fault_table(
        _present,
        (
            f"{_slug}-absent-in-one-element",
            f"{_name} is left out where nobody has entered it.",
            on_data_types(without(_name), last_only=True),
        ),
    )
    fault_table(
        f"2.2-{_name}",
        (
            f"{_slug}-null-in-one-element",
            f"{_name} is null where nobody has entered it.",
            on_data_types(put(**{_name: None}), last_only=True),
        ),
    )
    fault_table(
        f"2.2-{_name}",
        (
            f"{_slug}-null-in-one-answer-of-ten",
            f"{_name} comes from a second system that is down now and then.",
            on_data_types(put(**{_name: None}), when=one_in_ten),
        ),
    )

for _requirement, _fault, _summary, _change in (
    ("2.2-description", "description-by-language", "All languages at once.", put(description={"en": "Data"})),
    ("2.2-description", "description-as-paragraphs", "An array of paragraphs.", put(description=["Data"])),
    ("2.2-context", "context-as-object", "A whole JSON-LD context.", put(context={"@vocab": "https://schema.org/"})),
    ("2.2-context", "context-as-array", "Several contexts.", put(context=["https://schema.org/Person"])),
    ("2.2-processingGround", "processing-ground-code", "The number of the legal ground.", put(processingGround=6)),
    ("2.2-processingGround", "processing-ground-list", "Several grounds.", put(processingGround=["consent"])),
    ("2.2-isErasable", "is-erasable-text", "The flag is text.", put(isErasable="true")),
    ("2.2-isErasable", "is-erasable-number", "The flag is a tiny integer.", put(isErasable=1)),
    ("2.2-isRectifiable", "is-rectifiable-text", "The flag is a word.", put(isRectifiable="no")),
    ("2.2-isRectifiable", "is-rectifiable-number", "The flag is a tiny integer.", put(isRectifiable=0)),
):
    fault_table(_requirement, (_fault, _summary, on_data_types(_change)))


class _InOneLanguage(Service):
    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        document = super().data_type(data_type, language, call)
        return document if language == self.config.languages[0] else document | {"description": None}


fault_table("2.2-description", ("description-null-in-other-languages", "A translation is missing.", _InOneLanguage))
