"""The faults and twins that `serve` can run, in words and as data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import click

from conformance.calibration.faults import FAULTS
from conformance.calibration.likeness import Like
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Fault, Twin, Variant
from conformance.model.clauses import titled
from conformance.model.requirements import catalogue
from conformance.model.text import did_you_mean

_KINDS: Mapping[str, Mapping[str, Variant]] = {"fault": FAULTS, "twin": TWINS}


def called(kind: str, name: str) -> Variant:
    """Return the fault or twin called `name`; raise BadParameter with the closest names when there is none."""
    known = _KINDS[kind]
    if name in known:
        return known[name]
    hint = did_you_mean(name, known, f"'serve --list-{kind}s' lists all names.")
    raise click.BadParameter(f"No {kind} is called {name!r}. {hint}", param_hint=f"--{kind}")


def described(variant: Variant) -> dict[str, Any]:
    """Return a variant as data: a fault with the requirement it violates, a twin with the clause that permits it.

    One like a recorded service has the matters that it copies, and the others.
    """
    row: dict[str, Any] = {"name": variant.name, "summary": " ".join(variant.summary.split())}
    if isinstance(variant, Fault):
        violated = catalogue()[variant.requirement]
        row |= {"requirement": violated.id, "level": violated.level, "statement": violated.statement}
        row |= {"clause": violated.clause, "consequences": list(variant.consequences)}
    elif isinstance(variant, Twin):
        row |= {"clause": variant.clause}
    elif isinstance(variant, Like):
        row |= {"copied": variant.copied, "not_copied": variant.not_copied}
    return row


def in_words(variant: Variant, column: int) -> list[str]:
    """Return a description of a variant in lines, with labels in a column of this width."""
    row = described(variant)
    words = {variant.kind: row["name"], "summary": row["summary"]}
    if isinstance(variant, Fault):
        words["violates"] = f"{row['requirement']} ({row['level']}): {row['statement']}"
        if variant.consequences:
            words["may also violate"] = ", ".join(variant.consequences)
    elif isinstance(variant, Like):
        words["copied"] = ", ".join(variant.copied)
        if variant.not_copied:
            why = "not seen in the run, or a violation, a deviation from a recommendation, or tied to that service"
            words["not copied"] = f"{', '.join(variant.not_copied)}: {why}"
    else:
        words["permitted by"] = f"clause {titled(row['clause'])}"
    return [f"  {label:<{column}} {text}" for label, text in words.items()]


def listing(kind: str, wanted: str, *, as_json: bool) -> str:
    """Return the faults or twins that `wanted` matches; raise BadParameter when there are none."""
    rows = [described(each) for each in _KINDS[kind].values()]
    found = [row for row in rows if _matches(wanted, row)]
    if not found:
        raise click.BadParameter(
            f"No {kind} matches {wanted!r}. 'serve --list-{kind}s' without FILTER lists all.",
            param_hint=f"--list-{kind}s",
        )
    order = list(catalogue().rows)
    found.sort(key=lambda row: order.index(row["requirement"]) if "requirement" in row else _numbers(row["clause"]))
    if as_json:
        return json.dumps(found, indent=2, ensure_ascii=False)
    return "\n".join(_lines(kind, found, len(rows)))


def _lines(kind: str, found: Sequence[dict[str, Any]], total: int) -> Iterator[str]:
    number = f"{total}" if len(found) == total else f"{len(found)} of {total}"
    yield f"{kind.upper()}S ({number}); serve one with --{kind} NAME"
    if kind == "twin":
        yield f"The score counts {total + 1} conforming services: the {total} twins and the reference service."
    for heading, group in groupby(found, _heading):
        members = list(group)
        yield f"\n{heading} ({len(members)})"
        yield from (f"  {row['name']}: {row['summary']}" for row in members)


def _heading(row: dict[str, Any]) -> str:
    return f"{row['requirement']}: {row['statement']}" if "requirement" in row else titled(row["clause"])


def _matches(wanted: str, row: dict[str, Any]) -> bool:
    """Whether a row is of the requirement `wanted`, or contains each of its words."""
    if wanted in catalogue().rows:
        return row.get("requirement") == wanted
    text = f"{row['name']} {row['summary']} {_heading(row)}".casefold()
    return all(word in text for word in wanted.casefold().split())


def _numbers(clause: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", clause)]
