"""The faults and twins that `serve` can run, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import click

from conformance.calibration.faults import FAULTS
from conformance.calibration.likeness import Like
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import Fault, Twin, Variant
from conformance.model.clauses import titled
from conformance.model.requirements import catalogue
from conformance.model.text import did_you_mean

_KINDS: Mapping[str, Mapping[str, Fault | Twin]] = {"fault": FAULTS, "twin": TWINS}


def called(kind: str, name: str) -> Variant:
    """Return the fault or twin called `name`; raise BadParameter with the closest names when there is none."""
    known = _KINDS[kind]
    if name in known:
        return known[name]
    hint = did_you_mean(name, known, f"'serve --list-{kind}s' lists all names.")
    raise click.BadParameter(f"No {kind} is called {name!r}. {hint}", param_hint=f"--{kind}")


def in_words(variant: Variant, column: int) -> list[str]:
    """Return a description of a variant in lines, with labels in a column of this width."""
    words = {variant.kind: variant.name, "summary": _summary(variant)}
    if isinstance(variant, Fault):
        violated = catalogue()[variant.requirement]
        words["violates"] = f"{violated.id} ({violated.level}): {violated.statement}"
        if variant.consequences:
            words["may also violate"] = ", ".join(variant.consequences)
    elif isinstance(variant, Like):
        words["copied"] = ", ".join(variant.copied)
        if variant.not_copied:
            why = "not seen in the run, or a violation, a deviation from a recommendation, or tied to that service"
            words["not copied"] = f"{', '.join(variant.not_copied)}: {why}"
    elif isinstance(variant, Twin):
        words["permitted by"] = f"clause {titled(variant.clause)}"
    return [f"  {label:<{column}} {text}" for label, text in words.items()]


def listing(kind: str, wanted: str) -> str:
    """Return the faults or twins that `wanted` matches; raise BadParameter when there are none."""
    variants = _KINDS[kind].values()
    found = [each for each in variants if _matches(wanted, each)]
    if not found:
        raise click.BadParameter(
            f"No {kind} matches {wanted!r}. 'serve --list-{kind}s' without FILTER lists all.",
            param_hint=f"--list-{kind}s",
        )
    order = list(catalogue().rows)
    found.sort(key=lambda each: order.index(each.requirement) if isinstance(each, Fault) else _numbers(each.clause))
    return "\n".join(_lines(kind, found, len(variants)))


def _lines(kind: str, found: Sequence[Fault | Twin], total: int) -> Iterator[str]:
    number = f"{total}" if len(found) == total else f"{len(found)} of {total}"
    yield f"{kind.upper()}S ({number}); serve one with --{kind} NAME"
    if kind == "twin":
        yield f"The score counts {total + 1} conforming services: the {total} twins and the reference service."
    for heading, group in groupby(found, _heading):
        members = list(group)
        yield f"\n{heading} ({len(members)})"
        yield from (f"  {each.name}: {_summary(each)}" for each in members)


def _summary(variant: Variant) -> str:
    return " ".join(variant.summary.split())


def _heading(variant: Fault | Twin) -> str:
    if isinstance(variant, Fault):
        return f"{variant.requirement}: {catalogue()[variant.requirement].statement}"
    return titled(variant.clause)


def _matches(wanted: str, variant: Fault | Twin) -> bool:
    """Whether a variant is of the requirement `wanted`, or its line or heading contains each of its words."""
    if wanted in catalogue().rows:
        return isinstance(variant, Fault) and variant.requirement == wanted
    text = f"{variant.name} {_summary(variant)} {_heading(variant)}".casefold()
    return all(word in text for word in wanted.casefold().split())


def _numbers(clause: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", clause)]
