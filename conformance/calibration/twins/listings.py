"""Twins of GET /data with an unusual list or translation that clauses 2.2 and 4.5 allow."""

from __future__ import annotations

from typing import Any

from conformance.calibration import sources
from conformance.calibration.operators import on_data_types, put
from conformance.calibration.variant import add_twin, twin
from conformance.reference.call import Action, Call, ErrorCondition, Reply
from conformance.reference.config import REALISTIC, DataType, numbered
from conformance.reference.service import Service

add_twin(
    "2.2",
    "data-types-described-empty",
    "Description, context and ground are empty strings.",
    {"2.2-not-empty": ("warn",)},
    # With one text only, no difference shows how the language is chosen.
    service=on_data_types(put(description="", context="", processingGround="")),
)


@twin("2.2", source="2.2, table, row 5, Meaning", of="data_type")
def all_combinations_of_flags(service: Service, document: Any, data_type: DataType, *_: object) -> Any:
    """Some data types are erasable and not rectifiable, some the other way round, and each has its own ground."""
    number = [each.type for each in service.types].index(data_type.type)
    flags = {"isErasable": number % 2 == 0, "isRectifiable": number // 2 % 2 == 0}
    return document | flags | {"processingGround": f"GDPR-6-1-{number}"}


@twin("4.5", source="4.5, paragraph 1", of="data")
def list_in_another_order_each_time(service: Service, listing: Any, _call: Call) -> Any:
    """GET /data lists the data types in another order in every answer: the specification states no order."""
    start = service.turn("data") % max(1, len(listing))
    return listing[start:] + listing[:start]


@twin("4.5", {"2.2-type-listed-once": ("warn",)}, source="4.5, paragraph 1", of="data")
def list_repeats_itself(_service: Service, listing: Any, _call: Call) -> Any:
    """The list contains the first data type twice, in the same words."""
    return listing[:1] + listing


@twin("2.2", source=sources.JSON_ORDER)
class _MembersInAnotherOrder(Service):
    """The members of objects have another order in every answer: JSON objects have no order."""

    def data_type(self, data_type: DataType, language: str, call: Call) -> dict[str, Any]:
        return self.turned(super().data_type(data_type, language, call))

    def settings(self, call: Call) -> Any:
        return self.turned(super().settings(call))

    def error(self, condition: ErrorCondition, call: Call) -> Any:
        return self.turned(super().error(condition, call))

    def turned(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return the same object with its members rotated."""
        names = list(document)
        start = self.turn("members") % len(names)
        return {name: document[name] for name in names[start:] + names[:start]}


add_twin(
    "4.5", "sixty-data-types", "Sixty data types, more than one creation of the run names.", data_types=numbered(60)
)


@twin("4.5", data_types=REALISTIC[:2], source="4.5, paragraph 1", at="data")
def more_types_in_the_course_of_the_run(service: Service, _call: Call) -> None:
    """The organisation adds a data type during the run; each list is complete at its moment."""
    if len(service.types) == 2 and service.turn("lists") >= 12:
        service.types = REALISTIC[:3]
        service.type_names = frozenset(each.type for each in service.types)


@twin("7", source="7, paragraph 2", at="perform")
def malformed_languages_refused_otherwise(service: Service, call: Call) -> Reply | None:
    """The service answers 400 with its own message to values that are no language tags, which no table covers."""
    asked = service.language_asked(call)
    if call.operation is Action.DATA and asked and not asked.replace("-", "").isalpha():
        return Reply.json({"error": "MalformedTag", "message": "This is no language tag."}, 400)
    if len(asked) > 100:
        return service.refuse(ErrorCondition.TOO_LARGE, call)
    return None
