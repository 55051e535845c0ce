"""Judges a JSON document against a schema and names the requirement that each fault breaks.

The schemas say more than JSON Schema does; to other validators these keywords are annotations:
  x-requirement   row, or list of rows, that is broken where the subschema does not hold or the property is missing
  x-required-by   row that is broken as well by each missing property
  x-recommended   {property: row that its absence breaks}; matters of level `should`
  x-should        a subschema that ought to hold, with an x-requirement of its own
  x-expected      what is expected, in words, where the keywords do not say it well
"""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from conformance.model.formats import checker, type_checker
from conformance.model.text import shorten
from conformance.schema.documents import STEMS, load

if TYPE_CHECKING:
    from jsonschema import ValidationError

MOST_PER_REQUIREMENT = 20
"""No more violations of one requirement are listed for one document; the last one says how many there are besides."""

_SHOWN = 120
_WRITTEN = 50_000
"""Characters written of a value before it is cut to those shown: enough to recognise a secret that begins there."""
_ABSENT = object()
_KINDS = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number"}
_WORDS = {
    "uuid": "a UUID",
    "date-time": "an RFC 3339 date-time with an offset or Z",
    "iri": "an absolute http or https URL",
    "idn-email": "an e-mail address",
}
_INSTEAD = {
    ("supportedLanaguages", "supportedLanguages"): "the specification spells the field supportedLanaguages, exactly so",
    ("context", "schemaUrl"): "that is what the superseded edition called context",
}

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Violation:
    """One place at which a document breaks a requirement; `path` is a JSON Pointer, that of an absent property too."""

    requirement: str
    path: str
    message: str
    expected: str
    actual: str


def violations(schema: str, instance: object, *, root: str | None = None) -> tuple[Violation, ...]:
    """Return what `instance` breaks, a requirement at most `MOST_PER_REQUIREMENT` times; () where it breaks nothing.

    Levels are not told apart: matters of level `should` are among them. `instance` is parsed JSON, in which numbers
    may be Decimal. `root` is the requirement that another kind of JSON breaks; it has to be given for data-request,
    where it depends on the operation (4.1, 4.2).
    ValueError is raised where it is not, and for a schema that does not exist.
    """
    rows = [root] if root else _rows(load(schema).get("x-requirement"))
    if not rows:
        raise ValueError(f"the schema {schema} does not say which requirement another kind of JSON breaks: give root")
    tally = _Tally()
    if schema == "data-type-list" and isinstance(instance, list):
        _judge_elements(instance, rows, tally)
    else:
        for fault in _faults(schema, instance, rows):
            tally.add(fault)
    return tally.listed()


@cache
def _validator(schema: str) -> Any:
    """Compile `schema` with the keywords of our own; jsonschema is imported here because it takes its time."""
    from jsonschema import Draft202012Validator, ValidationError, validators
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    def required(judge: Any, names: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
        if judge.is_type(instance, "object"):
            yield from (ValidationError(name) for name in names if name not in instance)

    def items(judge: Any, subschema: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        # A field is reported once, so where elements need only be of a kind the first that is not will do.
        if set(subschema) != {"type"} or not judge.is_type(instance, "array"):
            yield from Draft202012Validator.VALIDATORS["items"](judge, subschema, instance, schema)
            return
        wrong = (index for index, element in enumerate(instance) if not judge.is_type(element, subschema["type"]))
        for index in islice(wrong, 1):
            yield from judge.descend(instance[index], subschema, path=index)

    def should(judge: Any, subschema: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
        yield from judge.descend(instance, subschema)

    keywords = {"items": items, "required": required, "x-recommended": required, "x-should": should}
    made = validators.extend(Draft202012Validator, keywords, type_checker=type_checker())  # type: ignore[no-untyped-call]  # theirs
    registry: Registry[Any] = Registry().with_resources(
        (f"{stem}.schema.json", DRAFT202012.create_resource(load(stem))) for stem in STEMS
    )
    return made(load(schema), registry=registry, format_checker=checker())


@dataclass(frozen=True)
class _Fault:
    """One requirement broken at one place; it is put in words only when it is going to be listed."""

    requirement: str
    path: Path
    schema: str
    error: ValidationError


class _Tally:
    """Lists the first violations of each requirement and counts the rest."""

    def __init__(self) -> None:
        self._listed: list[Violation] = []
        self._seen: Counter[str] = Counter()

    def is_full(self, requirement: str) -> bool:
        return self._seen[requirement] >= MOST_PER_REQUIREMENT

    def add(self, fault: _Fault, prefix: Path = ()) -> None:
        if not self.is_full(fault.requirement):
            self._listed.append(_in_words(fault, prefix))
        self.skip(fault.requirement)

    def skip(self, requirement: str) -> None:
        self._seen[requirement] += 1

    def listed(self) -> tuple[Violation, ...]:
        last = {violation.requirement: place for place, violation in enumerate(self._listed)}
        for requirement, place in last.items():
            if (more := self._seen[requirement] - MOST_PER_REQUIREMENT) > 0:
                cut = self._listed[place]
                self._listed[place] = replace(cut, message=f"{cut.message} (and {more} more like it)")
        return tuple(self._listed)


def _judge_elements(elements: list[object], rows: list[str], tally: _Tally) -> None:
    """Judge each element of a data type list.

    What a data type breaks depends on the names and kinds of its properties alone, so of the elements that agree
    in these only the first is judged, and others as long as their faults are still listed.
    """
    names = tuple(load("data-type")["properties"])
    broken: dict[tuple[object, ...], tuple[str, ...]] = {}
    for index, element in enumerate(elements):
        shape: tuple[object, ...] = (type(element),)
        if isinstance(element, dict):
            shape = tuple([type(element.get(name, _ABSENT)) for name in names])
        known = broken.get(shape)
        if known is not None and all(map(tally.is_full, known)):
            for requirement in known:
                tally.skip(requirement)
            continue
        faults = list(_faults("data-type", element, rows))
        broken[shape] = tuple(fault.requirement for fault in faults)
        for fault in faults:
            tally.add(fault, (index,))


def _faults(schema: str, instance: object, root_rows: list[str]) -> Iterator[_Fault]:
    """Yield each fault once, however many keywords complain of it; of another kind of JSON, only that it is one."""
    judge = _validator(schema)
    kinds = _rows(load(schema)["type"])
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
    """Return the rows that an error breaks, and where."""
    subschema: dict[str, Any] = error.schema  # type: ignore[assignment]  # no schema of ours is a boolean
    path: Path = tuple(error.absolute_path)
    match error.validator:
        case "x-recommended":
            return [subschema["x-recommended"][error.message]], (*path, error.message)
        case "required":
            owner = subschema.get("properties", {}).get(error.message, subschema)
            return _rows(subschema.get("x-required-by")) + _rows(owner["x-requirement"]), (*path, error.message)
        case "not":
            return _rows(subschema["x-requirement"]), (*path, subschema["not"]["required"][-1])
    if "x-requirement" in subschema:
        return _rows(subschema["x-requirement"]), path
    return _rows(document["properties"][_field(path)[-1]]["x-requirement"]), path


def _field(path: Path) -> Path:
    """Cut `path` off behind the property it leads into: however many elements of it are wrong, the property is."""
    ends = (depth for depth, step in enumerate(path, start=1) if isinstance(step, str))
    return path[: next(ends, len(path))]


def _rows(value: str | list[str] | None) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def _in_words(fault: _Fault, prefix: Path) -> Violation:
    error, path = fault.error, (*prefix, *fault.path)
    subschema: dict[str, Any] = error.schema  # type: ignore[assignment]  # no schema of ours is a boolean
    where = " of ".join(f"element {step}" if isinstance(step, int) else step for step in reversed(path))
    instance: Any = error.instance
    actual = _described(instance)
    if error.validator in ("required", "x-recommended"):
        known = {**load(fault.schema).get("properties", {}), **subschema.get("properties", {})}
        name, actual = error.message, "absent"
        expected = f"{name}, {_demand(known[name], load(fault.schema))}"
        message = f"{where} is missing{_hint(name, instance, known)}"
    elif error.validator == "not":
        expected = subschema["x-expected"]
        actual = _described(instance[path[-1]])
        message = f"{where} is {actual}; expected is {expected}"
    else:
        expected = _demand(subschema, load(fault.schema))
        word = "recommended" if "x-should" in error.absolute_schema_path else "demanded"
        message = f"{where or 'the document'} is {actual} where {expected} is {word}"
    return Violation(fault.requirement, "".join(f"/{step}" for step in path), message, expected, actual)


def _demand(subschema: dict[str, Any], document: dict[str, Any]) -> str:
    if "$ref" in subschema:
        subschema = document["$defs"][subschema["$ref"].rpartition("/")[2]]
    if "x-expected" in subschema or "format" in subschema:
        return str(subschema.get("x-expected") or _WORDS[subschema["format"]])
    kinds = _rows(subschema.get("type"))
    words = " or ".join(f"an {kind}" if kind[0] in "aio" else f"a {kind}" for kind in kinds) or "any value"
    return f"{words} of {subschema['items']['type']}s" if "type" in subschema.get("items", {}) else words


def _hint(name: str, instance: dict[str, Any], known: dict[str, Any]) -> str:
    """Say which other property looks like the missing one. Few and short names are looked at: a target chose them."""
    for (wanted, present), words in _INSTEAD.items():
        if wanted == name and present in instance:
            return f"; {present} is there, but {words}"
    others = [key for key in islice(instance, 100) if key not in known and len(key) <= 2 * len(name)]
    alike = [key for key in others if _bare(key) == _bare(name)]
    near = next(iter(alike or difflib.get_close_matches(name, others, n=1, cutoff=0.8)), None)
    return f"; {_escaped(near)} is there, but the specification spells the field {name}" if near else ""


def _bare(name: str) -> str:
    return re.sub(r"[\s_-]", "", name.casefold())


def _described(value: object) -> str:
    """Name the kind of `value` and show it as JSON, cut to a length that can be read."""
    shown = ""
    for piece in _pieces(value):
        shown += _escaped(piece)
        if len(shown) > _WRITTEN:
            break
    shown = shorten(shown, _SHOWN)
    return shown if value is None else f"the {_KINDS.get(type(value), 'number')} {shown}"


def _pieces(value: object) -> Iterator[str]:
    """Write `value` as JSON piece by piece, so that a huge one is not written to its end."""
    if isinstance(value, dict):
        yield "{"
        for index, (key, element) in enumerate(value.items()):
            yield f"{', ' if index else ''}{json.dumps(key[:_WRITTEN], ensure_ascii=False)}: "
            yield from _pieces(element)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for index, element in enumerate(value):
            yield ", " if index else ""
            yield from _pieces(element)
        yield "]"
    elif isinstance(value, str):
        yield json.dumps(value[:_WRITTEN], ensure_ascii=False)
    else:
        yield str(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False)


def _escaped(text: str) -> str:
    return (
        text if text.isprintable() else "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in text)
    )
