"""The violations of a JSON document: which requirement it violates, at which path, in which words.

The schemas in schemas/ use keywords of their own, which other validators ignore:
  x-requirement   id, or list of ids, violated if the subschema does not hold or the property is missing
  x-required-by   id that each missing property violates as well
  x-recommended   {property: id that its absence violates}; the level of these ids is `should`
  x-should        a recommended subschema, with an x-requirement of its own
  x-identified-by the property that identifies the elements of an array, see `repetitions`
  x-expected      what is expected, in words, where the other keywords do not give good words
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from conformance.model.errors import RequirementViolated
from conformance.model.formats import checker
from conformance.model.requirements import catalogue
from conformance.model.text import in_json
from conformance.schema.documents import STEMS, as_list, load, recommended_beside, requirements_of
from conformance.schema.words import demanded, described, hint, probe_of

if TYPE_CHECKING:
    from jsonschema import ValidationError

MOST_PER_REQUIREMENT = 20
"""Violations listed of one requirement in one document; the last one states how many more there are."""

_ABSENT = object()

Path = tuple[str | int, ...]


def violations(schema: str, instance: object, *, root: str | None = None) -> tuple[RequirementViolated, ...]:
    """Return the violations in `instance`, of every level, at most `MOST_PER_REQUIREMENT` of each requirement.

    `instance` is parsed JSON. `root` is the requirement that another kind of JSON violates. Only data-request needs it,
    because the id depends on the operation (4.1, 4.2).
    """
    rows = [root] if root else as_list(load(schema).get("x-requirement"))
    elements = instance if schema == "data-type-list" and isinstance(instance, list) else None
    listed: list[RequirementViolated] = []
    seen: Counter[str] = Counter()
    for fault in _faults(schema, instance, rows) if elements is None else _faults_of_elements(elements, rows):
        seen[fault.requirement] += 1
        if seen[fault.requirement] <= MOST_PER_REQUIREMENT:
            listed.append(_in_words(fault))
    for requirement, place in {each.requirement: place for place, each in enumerate(listed)}.items():
        if (more := seen[requirement] - MOST_PER_REQUIREMENT) > 0:
            listed[place] = replace(listed[place], message=f"{listed[place].message} (and {more} more like it)")
    return (*listed, *_repetitions(elements or ()))


def applicable(
    schema: str, instance: object, *, root: str | None = None, violated: Collection[str] = ()
) -> frozenset[str]:
    """Return the requirements that `instance` violates or keeps: those on the parts that it has.

    A field that is not what it is required to be, one of `violated`, keeps no recommendation on its form. The other
    arguments are those of `violations`.
    """
    undecided = {id for id, required in recommended_beside(schema).items() if not {*required}.isdisjoint(violated)}
    return _on_parts(schema, instance, root) - undecided


def _on_parts(schema: str, instance: object, root: str | None) -> frozenset[str]:
    document = load(schema)
    rows = frozenset([root] if root else as_list(document.get("x-requirement")))
    if isinstance(instance, list) and "array" in as_list(document["type"]):
        if not any(isinstance(each, dict) for each in instance):
            return rows if schema == "data-type-list" else frozenset()
    elif not isinstance(instance, dict) or document["type"] == "array":
        return rows
    elif schema == "data-request" and instance.get("isCompleted") is not False:
        return rows | requirements_of(schema) - {"3-in-progress-no-completedAt"}
    return rows | requirements_of(schema)


def _repetitions(elements: Sequence[object]) -> Iterator[RequirementViolated]:
    """Yield the elements of a data type list that have the type of an earlier one.

    The fields of 2.2 count. A service may number its rows in a field of its own.
    """
    identified = load("data-type-list")["x-identified-by"]
    name, fields = identified["property"], load("data-type")["properties"]
    seen: dict[str, tuple[int, object]] = {}
    reported = set()
    for index, element in enumerate(elements):
        given = element.get(name) if isinstance(element, dict) else None
        if not isinstance(element, dict) or not isinstance(given, str):
            continue
        content = {field: element[field] for field in fields if field in element}
        first, earlier = seen.setdefault(given, (index, content))
        row = identified["x-should" if content == earlier else "x-requirement"]
        if first == index or row in reported:
            continue
        reported.add(row)
        how = "with equal content" if row == identified["x-should"] else "with different content"
        shown = in_json(given)
        yield RequirementViolated(
            f"Elements {first} and {index} have the same {name}, {shown}, {how}.",
            requirement=row,
            path=f"/{index}/{name}",
            expected=f"each {name} once",
            actual=f"{shown} twice, {how}",
        )


@cache
def _validator(schema: str) -> Any:
    """Return the validator of `schema` with our keywords; jsonschema is imported here because its import is slow."""
    from jsonschema import Draft202012Validator, ValidationError, validators
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    def required(judge: Any, names: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
        if judge.is_type(instance, "object"):
            yield from (ValidationError(name) for name in names if name not in instance)

    def items(judge: Any, subschema: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        # A field is reported once, so the first element of a wrong type is enough.
        if set(subschema) != {"type"} or not judge.is_type(instance, "array"):
            yield from Draft202012Validator.VALIDATORS["items"](judge, subschema, instance, schema)
            return
        wrong = (index for index, element in enumerate(instance) if not judge.is_type(element, subschema["type"]))
        for index in islice(wrong, 1):
            yield from judge.descend(instance[index], subschema, path=index)

    def should(judge: Any, subschema: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
        yield from judge.descend(instance, subschema)

    keywords = {"items": items, "required": required, "x-recommended": required, "x-should": should}
    made = validators.extend(Draft202012Validator, keywords)  # type: ignore[no-untyped-call]  # theirs
    registry: Registry[Any] = Registry().with_resources(
        (f"{stem}.schema.json", DRAFT202012.create_resource(load(stem))) for stem in STEMS
    )
    return made(load(schema), registry=registry, format_checker=checker())


@dataclass(frozen=True)
class _Fault:
    """A violation that is not yet in words: words are made only for the violations that are listed."""

    requirement: str
    path: Path
    schema: str
    error: ValidationError


def _faults_of_elements(elements: list[object], rows: list[str]) -> Iterator[_Fault]:
    """Yield the faults of each element of a data type list.

    The violations of a data type depend only on the names, types, emptiness and patterns of its properties. Of elements
    that agree in these, the later ones only count, with the faults of an earlier one.
    """
    properties = load("data-type")["properties"]
    patterns = {name: node.get("x-should", {}).get("pattern", "") for name, node in properties.items()}
    seen: Counter[tuple[object, ...]] = Counter()
    judged: dict[tuple[object, ...], list[_Fault]] = {}
    for index, element in enumerate(elements):
        shape: tuple[object, ...] = (type(element),)
        if isinstance(element, dict):
            shape = tuple([_kind(element.get(name, _ABSENT), pattern) for name, pattern in patterns.items()])
        seen[shape] += 1
        if seen[shape] <= MOST_PER_REQUIREMENT:
            judged[shape] = [replace(fault, path=(index, *fault.path)) for fault in _faults("data-type", element, rows)]
        yield from judged[shape]


def _kind(value: object, pattern: str) -> object:
    if not isinstance(value, str):
        return type(value)
    return value.strip() != "", re.search(pattern, value) is not None


def _faults(schema: str, instance: object, root_rows: list[str]) -> Iterator[_Fault]:
    """Yield each fault once, however many keywords report it; for another kind of JSON, only that fault."""
    judge = _validator(schema)
    kinds = as_list(load(schema)["type"])
    if not any(judge.is_type(instance, kind) for kind in kinds):
        error = next(error for error in judge.iter_errors(instance) if error.validator == "type" and not error.path)
        yield from (_Fault(row, (), schema, error) for row in root_rows)
        return
    reported: set[tuple[str, Path]] = set()
    for error in judge.iter_errors(instance):
        rows, path = _broken(error, load(schema))
        field = _field(path)
        for row in rows:
            if (row, field) not in reported:
                reported.add((row, field))
                yield _Fault(row, path, schema, error)


def _broken(error: ValidationError, document: dict[str, Any]) -> tuple[list[str], Path]:
    """Return the ids that an error violates, and the path."""
    subschema: dict[str, Any] = error.schema  # type: ignore[assignment]  # no schema of ours is a boolean
    path: Path = tuple(error.absolute_path)
    match error.validator:
        case "x-recommended":
            return [subschema["x-recommended"][error.message]], (*path, error.message)
        case "required":
            owner = subschema.get("properties", {}).get(error.message, subschema)
            return as_list(subschema.get("x-required-by")) + as_list(owner["x-requirement"]), (*path, error.message)
        case "not":
            return as_list(subschema["x-requirement"]), (*path, subschema["not"]["required"][-1])
    if "x-requirement" in subschema:
        return as_list(subschema["x-requirement"]), path
    return as_list(document["properties"][_field(path)[-1]]["x-requirement"]), path


def _field(path: Path) -> Path:
    """Return `path` up to its first property: wrong elements of an array are one fault of the property."""
    ends = (depth for depth, step in enumerate(path, start=1) if isinstance(step, str))
    return path[: next(ends, len(path))]


def _in_words(fault: _Fault) -> RequirementViolated:
    error, path = fault.error, fault.path
    subschema: dict[str, Any] = error.schema  # type: ignore[assignment]  # no schema of ours is a boolean
    where = " of ".join(f"element {step}" if isinstance(step, int) else step for step in reversed(path))
    instance: Any = error.instance
    document = load(fault.schema)
    actual, remedy, optional = described(instance), "", False
    if error.validator in ("required", "x-recommended"):
        known = {**document.get("properties", {}), **subschema.get("properties", {})}
        name, actual = error.message, "absent"
        subschema = known[name]
        if "$ref" in subschema:
            subschema = document["$defs"][subschema["$ref"].rpartition("/")[2]]
        expected = f"{name}, {demanded(subschema)}"
        message = f"{where} is missing{hint(name, instance, known)}."
        usual = catalogue()[fault.requirement].remedy
        remedy = "" if usual.startswith(("Add ", "Name ", "Rename ")) else f"Add {name}. {usual}"
    elif error.validator == "not":
        expected = subschema["x-expected"]
        actual = described(instance[path[-1]])
        message = f"{where}: expected {expected}, received {actual}."
    else:
        expected = demanded(subschema)
        message = f"{where or 'The body'}: expected {expected}, received {actual}."
        # Where nothing requires the property, it may be absent in place of a wrong value.
        outermost = next((step for step in path if isinstance(step, str)), None)
        optional = outermost is not None and outermost not in document.get("required", ())
    pointer = "".join(f"/{step}" for step in path)
    probe = probe_of(subschema, pointer, optional=optional)
    return RequirementViolated(
        message,
        requirement=fault.requirement,
        path=pointer,
        expected=expected,
        actual=actual,
        probe=probe,
        remedy=remedy,
    )
