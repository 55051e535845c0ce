"""Faults of clause 2.2: the fields of a data type."""

from __future__ import annotations

from typing import Any

from conformance.reference.call import Call
from conformance.reference.changes import (
    Change,
    When,
    always,
    declare,
    mapped,
    on_data_types,
    one_in_ten,
    put,
    renamed,
    without,
)
from conformance.reference.data_types import DataType
from conformance.reference.service import Service

_NO_TYPES = ("2.1-dataRequested-known", "4.1-body-omitted", "4.1-requested-types")


def _type(name: str, summary: str, change: Change, *, last_only: bool = False, when: When = always) -> None:
    declare("2.2-type", name, summary, on_data_types(change, last_only=last_only, when=when), *_NO_TYPES)


_type("type-absent", "Only texts for people are published.", without("type"))
_type("type-called-name", "The field has the name it has in the database.", renamed("type", "name"))
_type("type-capitalised", "The serialiser's naming policy is PascalCase.", renamed("type", "Type"))
_type("type-null-in-one-element", "A row without an identifier.", put(type=None), last_only=True)
_type("type-number-in-one-element", "An identifier of digits becomes a number.", put(type=7), last_only=True)
_type("type-as-object", "The identifier is wrapped with its namespace.", mapped("type", lambda value: {"id": value}))
_type("type-absent-in-one-of-ten", "A cache that is being filled.", without("type"), when=one_in_ten)

for _name in ("description", "context", "processingGround", "isErasable", "isRectifiable"):
    _slug = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in _name)
    _present = f"2.2-{_name}-present"
    declare(_present, f"{_slug}-absent", f"{_name} is not implemented.", on_data_types(without(_name)))
    declare(
        _present,
        f"{_slug}-absent-in-one-element",
        f"{_name} is left out where nobody has entered it.",
        on_data_types(without(_name), last_only=True),
    )
    declare(
        f"2.2-{_name}",
        f"{_slug}-null-in-one-element",
        f"{_name} is null where nobody has entered it.",
        on_data_types(put(**{_name: None}), last_only=True),
    )
    declare(
        f"2.2-{_name}",
        f"{_slug}-null-in-one-answer-of-ten",
        f"{_name} comes from a second system that is down now and then.",
        on_data_types(put(**{_name: None}), when=one_in_ten),
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
    declare(_requirement, _fault, _summary, on_data_types(_change))


class _InOneLanguage(Service):
    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        document = super().data_type(data_type, language, call)
        return document if language == self.config.languages[0] else document | {"description": None}


declare("2.2-description", "description-null-in-other-languages", "A translation is missing.", _InOneLanguage)
