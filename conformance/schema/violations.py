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
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from conformance.model.errors import RequirementViolated
from conformance.model.formats import checker
from conformance.model.requirements import catalogue
from conformance.model.text import in_json
from conformance.schema.documents import STEMS, as_list, load, recommended_beside, requirements_of
from conformance.schema.words import demanded, described, hint, probe_of

if TYPE_CHECKING:
    from jsonschema import ValidationError

_ABSENT = object()

Path = tuple[str | int, ...]


def violations(schema: str, instance: object, *, root: str | None = None) -> tuple[RequirementViolated, ...]:
    """Return the violations in `instance`, of every level: each requirement once in each field.

    Where several elements of an array violate it in this field, the first is named, and the others are counted.
    `instance` is parsed JSON. `root` is the requirement that another kind of JSON violates. Only data-request needs it,
    because the id depends on the operation (4.1, 4.2).
    """
    rows = [root] if root else as_list(load(schema).get("x-requirement"))
    elements = instance if schema == "data-type-list" and isinstance(instance, list) else None
    faults: defaultdict[tuple[str, Path], dict[Path, ValidationError]] = defaultdict(dict)
    for fault in _faults(schema, instance, rows) if elements is None else _faults_of_elements(elements, rows):
        field = tuple(step for step in fault.path if isinstance(step, str))
        faults[fault.requirement, field].setdefault(fault.path, fault.error)  # several keywords may report a fault
    document = load(schema if elements is None else "data-type")
    listed = (_in_words(requirement, alike, document) for (requirement, _), alike in faults.items())
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
    """Return the validator of `schema` with our keywords; jsonschema is imported here because its import is slow.

    The error on a field that is missing, or that should be, has the path of this field.
    """
    from jsonschema import Draft202012Validator, ValidationError, validators
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    def required(judge: Any, names: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
        if judge.is_type(instance, "object"):
            yield from (ValidationError("", path=[name]) for name in names if name not in instance)

    def absent(judge: Any, subschema: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
        if judge.is_type(instance, "object") and all(name in instance for name in subschema["required"]):
            name = subschema["required"][-1]
            yield ValidationError("", path=[name], instance=instance[name])

    def should(judge: Any, subschema: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
        yield from judge.descend(instance, subschema)

    keywords = {"not": absent, "required": required, "x-recommended": required, "x-should": should}
    made = validators.extend(Draft202012Validator, keywords)  # type: ignore[no-untyped-call]  # theirs
    registry: Registry[Any] = Registry().with_resources(
        (f"{stem}.schema.json", DRAFT202012.create_resource(load(stem))) for stem in STEMS
    )
    return made(load(schema), registry=registry, format_checker=checker())


class _Fault(NamedTuple):
    """A violation that is not yet in words: only the first one in a field is put in words."""

    requirement: str
    path: Path
    error: ValidationError


def _faults_of_elements(elements: list[object], rows: list[str]) -> Iterator[_Fault]:
    """Yield the faults of each element of a data type list.

    The violations of a data type depend only on the names, types, emptiness and patterns of its properties. Elements
    that agree in these have the faults of the first one.
    """
    properties = load("data-type")["properties"]
    patterns = {name: node.get("x-should", {}).get("pattern", "") for name, node in properties.items()}
    judged: dict[tuple[object, ...], list[_Fault]] = {}
    for index, element in enumerate(elements):
        shape: tuple[object, ...] = (type(element),)
        if isinstance(element, dict):
            shape = tuple([_kind(element.get(name, _ABSENT), pattern) for name, pattern in patterns.items()])
        if shape not in judged:
            judged[shape] = [*_faults("data-type", element, rows)]
        yield from (fault._replace(path=(index, *fault.path)) for fault in judged[shape])


def _kind(value: object, pattern: str) -> object:
    if not isinstance(value, str):
        return type(value)
    return value.strip() != "", re.search(pattern, value) is not None


def _faults(schema: str, instance: object, root_rows: list[str]) -> Iterator[_Fault]:
    """Yield what each keyword that does not hold violates; another kind of JSON violates `root_rows`."""
    for error in _validator(schema).iter_errors(instance):
        path = tuple(error.absolute_path)
        of_the_whole = error.validator == "type" and not path
        for row in root_rows if of_the_whole else _requirements_of(error, path, load(schema)):
            yield _Fault(row, path, error)


def _requirements_of(error: ValidationError, path: Path, document: dict[str, Any]) -> list[str]:
    """Return the ids that an error at a path violates."""
    subschema: dict[str, Any] = error.schema  # type: ignore[assignment]  # no schema of ours is a boolean
    if error.validator == "x-recommended":
        return [subschema["x-recommended"][path[-1]]]
    if error.validator == "required":
        owner = subschema.get("properties", {}).get(path[-1], subschema)
        return as_list(subschema.get("x-required-by")) + as_list(owner["x-requirement"])
    # The keyword may stand in a definition that several fields share.
    of_field = next((document["properties"][step] for step in path if isinstance(step, str)), subschema)
    return as_list((subschema if "x-requirement" in subschema else of_field)["x-requirement"])


def _in_words(requirement: str, alike: dict[Path, ValidationError], document: dict[str, Any]) -> RequirementViolated:
    """Return the first of several violations of a requirement in a field, with the number of the others."""
    path, error = next(iter(alike.items()))
    subschema: dict[str, Any] = error.schema  # type: ignore[assignment]  # no schema of ours is a boolean
    where = " of ".join(f"element {step}" if isinstance(step, int) else step for step in reversed(path))
    instance: Any = error.instance
    if is_missing := error.validator in ("required", "x-recommended"):
        known = {**document.get("properties", {}), **subschema.get("properties", {})}
        name = str(path[-1])
        subschema = known[name]
        if "$ref" in subschema:
            subschema = document["$defs"][subschema["$ref"].rpartition("/")[2]]
        expected, actual = f"{name}, {demanded(subschema)}", "absent"
        message = f"{where} is missing{hint(name, instance, known)}."
    else:
        expected, actual = demanded(subschema), described(instance)
        message = f"{where or 'The body'}: expected {expected}, received {actual}."
    if len(alike) > 1:
        message = f"{message} (and {len(alike) - 1} more like it)"
    usual = catalogue()[requirement].remedy
    pointer = "".join(f"/{step}" for step in path)
    # Where nothing requires the property, it may be absent in place of a wrong value.
    outermost = next((step for step in path if isinstance(step, str)), None)
    optional = not is_missing and outermost is not None and outermost not in document.get("required", ())
    return RequirementViolated(
        message,
        requirement=requirement,
        path=pointer,
        expected=expected,
        actual=actual,
        probe=probe_of(subschema, pointer, optional=optional),
        remedy=f"Add {name}. {usual}" if is_missing and not usual.startswith(("Add ", "Name ", "Rename ")) else "",
    )
