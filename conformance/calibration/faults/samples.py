"""Faults of documents: each sample in `fixtures` that violates a requirement is also served by a service.

The ids before `--` in the name of a sample are the requirements that it violates; the fault is declared for the last of
them. The service applies the difference between the sample and the good document to the reference's document.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Set
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from conformance.calibration.faults.common import NO_TYPES
from conformance.calibration.operators import (
    Change,
    on_data_list,
    on_data_me,
    on_data_types,
    on_error,
    on_request,
    on_settings,
)
from conformance.calibration.variant import add_fault, kebab
from conformance.reference.config import DataType
from conformance.reference.service import Service

_FIXTURES: Final = files("conformance.fixtures")
_PLACES: Final[dict[str, Callable[[Change], type[Service]]]] = {
    "settings": on_settings,
    "data-type": on_data_types,
    "data-type-list": on_data_list,
    "data-request": on_request,
    "data-me": on_data_me,
    "error": on_error,
}
"""The building block that changes the documents of each schema."""

_CONSEQUENCES: Final[dict[str, tuple[str, ...]]] = {
    # What a sample shows of a completed request, the service sends of each request, and the other way round.
    "2.1-completedAt": ("3-in-progress-no-completedAt",),
    "3-in-progress-no-completedAt": ("2.1-completedAt-value",),
    "2.1-createdAt": ("2.1-createdAt-value", "4.2-agrees-with-creation"),
    "2.1-date-time-form": ("2.1-createdAt-value", "4.2-agrees-with-creation"),
    "2.1-dataRequested": (*NO_TYPES, "4.2-agrees-with-creation"),
    "2.1-requestId": ("2.1-requestId-version", "2.1-requestId-unique", "4.2-agrees-with-creation"),
    "2.2-type": NO_TYPES,
    "2.3-privacyContactEmail": ("2.3-privacyContactEmail-form",),
    "2.4-error": ("7-*-error",),
    "2.4-message": ("7-*-message",),
    "2.4-object": ("2.4-*", "7-*-error", "7-*-message"),
    "4.1-object": ("4.2-object",),
    "4.5-array": ("2.2-type", *NO_TYPES),
    "9-context-replaces-schemaUrl": ("2.2-context-present", "9-schemaUrl-removed"),
}
"""Consequences of the violation of a requirement."""

NOT_SERVED: Final = frozenset(
    [
        "2.1-createdAt+2.1-dataRequested+2.1-isCompleted+2.1-requestId--envelope.json",
        "2.1-requestId-version--of-seven.json",
    ]
)
"""Samples that no service can send alone: in an envelope, the created object violates 4.1-object, and an identifier of
every request is not unique."""


def _difference(good: Any, sample: Any) -> Change:
    """Return the change that makes a document differ from the reference's as `sample` differs from `good`."""
    if isinstance(good, dict) and isinstance(sample, dict):
        removed = good.keys() - sample.keys()
        put = {name: value for name, value in sample.items() if name not in good or not _same(good[name], value)}
        texts = [name for name, value in put.items() if name in good and value == str(good[name])]
        copies = {name: source for name, value in put.items() for source in _sources(name, value, good, removed)}
        return lambda document: (
            {name: value for name, value in document.items() if name not in removed}
            | put
            # The service's own values, as a string or under another name.
            | {name: str(document[name]) for name in texts if name in document}
            | {name: document[source] for name, source in copies.items() if source in document}
        )
    if isinstance(good, list) and isinstance(sample, list) and len(good) == len(sample):
        changes = [_difference(*pair) for pair in zip(good, sample, strict=True)]
        return lambda listing: (
            [change(each) for change, each in zip(changes, listing, strict=False)] + listing[len(good) :]
        )
    if sample == [good]:
        return lambda document: [document]
    if isinstance(sample, str) and sample.startswith("{"):
        return json.dumps  # the service's own document, written as a string
    return lambda _document: sample


def _sources(name: str, value: Any, good: dict[str, Any], removed: Set[str]) -> list[str]:
    """Return the fields of `good` whose value the sample shows under `name`: renamed ones, and equal texts."""
    equal = [source for source in good if source != name and _same(good[source], value)]
    return [source for source in equal if isinstance(value, str) or source in removed]


def _same(one: Any, other: Any) -> bool:
    """Tell whether two values are the same JSON: 0 and false are not."""
    return json.dumps(one) == json.dumps(other)


def _load(schema: str, name: str) -> Any:
    return json.loads((_FIXTURES / schema / name).read_text("utf-8"))


_TYPES: Final = tuple(
    DataType(each["type"], {"en": each["description"]}) for each in _load("data-type-list", "good/plain.json")
)
"""The available types of a service whose list is a sample: requests for them are possible."""


def _declare(schema: str, sample: Traversable) -> None:
    ids, _, what = sample.name.removesuffix(".json").partition("--")
    *others, own = ids.split("+")
    document = json.loads(sample.read_text("utf-8"))
    completed = isinstance(document, dict) and "completedAt" in document and document.get("isCompleted") is not False
    good = {"data-request": "completed" if completed else "in-progress", "data-me": "object"}.get(schema, "plain")
    consequences = dict.fromkeys([*others, *(id for each in (*others, own) for id in _CONSEQUENCES.get(each, ()))])
    add_fault(
        own,
        kebab(f"{schema}-{own.partition('-')[2]}-{what}"),
        f"Sends what the sample {sample.name} of {schema} shows.",
        _PLACES[schema](_difference(_load(schema, f"good/{good}.json"), document)),
        consequences=tuple(each for each in consequences if each != own),
        **({"complete_after": 0.0} if completed else {"data_types": _TYPES} if schema == "data-type-list" else {}),
    )


for _schema in _PLACES:
    for _level in ("bad", "good"):
        for _sample in sorted((_FIXTURES / _schema / _level).iterdir(), key=lambda each: each.name):
            if "--" in _sample.name and _sample.name not in NOT_SERVED:
                _declare(_schema, _sample)
