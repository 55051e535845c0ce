"""What the whole zoo has to show besides the score: findings that say what is wrong, and no check without a use."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from conformance.calibration.judgement import Judgement
from conformance.calibration.score import demands
from conformance.calibration.zoo import BAD, REFERENCE, Said, Trial
from conformance.reference.bend import Fault
from conformance.requirements import catalogue

_TABLES_OF_FIELDS: Final = ("2.1", "2.2", "2.3", "2.4")
_TELLING: Final = re.compile(r"\d+|[A-Za-z]{3,}")
_FILLERS: Final = frozenset(
    [
        "and",
        "any",
        "are",
        "answer",
        "answered",
        "body",
        "for",
        "from",
        "has",
        "have",
        "instead",
        "its",
        "not",
        "than",
        "that",
        "the",
        "was",
        "what",
        "where",
        "which",
        "with",
    ]
)
"""Words that would be shared by chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What one check is good for: the faults it caught, and those of them that nothing else shows."""

    check: str
    requirement: str
    catches: tuple[str, ...]
    alone: tuple[str, ...]
    kept: str = ""
    """Why it stays, where no fault would escape without it."""


def uses(judgements: Sequence[Judgement]) -> list[Use]:
    """Return the use of every check of a demand, from the trials of the faults and that of the reference."""
    catches: defaultdict[str, list[str]] = defaultdict(list)
    alone: defaultdict[str, list[str]] = defaultdict(list)
    for trial, fault in _caught(judgements):
        own = [check for check in trial.objected if trial.checks.get(check) == fault.requirement]
        for check in own:
            catches[check].append(fault.name)
        if len(own) == 1 and not trial.shown_elsewhere:
            alone[own[0]].append(fault.name)
    wanted = frozenset(demands())
    reference = next((each.trial for each in judgements if each.trial.job == REFERENCE), None)
    return [
        Use(
            check=check,
            requirement=requirement,
            catches=tuple(catches[check]),
            alone=tuple(alone[check]),
            kept=reasons_to_keep().get(_function(check), ""),
        )
        for check, requirement in (reference.checks if reference else {}).items()
        if requirement in wanted
    ]


def breaches(judgements: Sequence[Judgement]) -> Iterator[str]:
    """Yield, in words, each breach of a law that only the whole zoo can show."""
    every = uses(judgements)
    for use in every:
        if not use.catches:
            yield f"{use.check} catches no fault of {use.requirement}."
        elif not use.alone and not use.kept:
            yield f"Without {use.check} no fault would escape: delete it, or say in kept.toml why it stays."
    # Whether a fault escapes without a check may hang on a race: a reason that is not needed today does no harm.
    for function in reasons_to_keep().keys() - {_function(use.check) for use in every}:
        yield f"kept.toml says why {function} stays, but there is no such check."
    yield from silent_findings(judgements)


def silent_findings(judgements: Iterable[Judgement]) -> Iterator[str]:
    """Yield each finding on a fault's own requirement that does not name the field, status or value concerned."""
    for trial, fault in _caught(judgements):
        for said in trial.said:
            if said.requirement == fault.requirement and said.verdict in BAD and not names_what_is_wrong(said):
                yield f"{fault.name}: the finding on {said.requirement} does not name what is wrong: {said.message}"


def names_what_is_wrong(said: Said) -> bool:
    """Tell whether a message names the field that its requirement is about, or else anything expected or received."""
    field = _field(said.requirement)
    if field:
        return field in said.message
    return bool(_words(said.message) & (_words(said.expected) | _words(said.actual) | _all_fields()))


@cache
def reasons_to_keep() -> Mapping[str, str]:
    """Return, by the name of its function, why each check stays without which no fault would escape."""
    text = (files("conformance.calibration") / "kept.toml").read_text("utf-8")
    groups = tomllib.loads(text).values()
    return {function: group["reason"] for group in groups for function in group["checks"]}


def _function(check: str) -> str:
    return check.partition("[")[0]


def _field(requirement: str) -> str:
    """Return the field that a requirement of the tables is about, otherwise nothing."""
    clause, _, slug = requirement.partition("-")
    return slug.partition("-")[0] if clause in _TABLES_OF_FIELDS else ""


@cache
def _all_fields() -> frozenset[str]:
    return frozenset(_field(requirement).lower() for requirement in catalogue().rows) - {"", "object"}


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _TELLING.findall(text)) - _FILLERS


def _caught(judgements: Iterable[Judgement]) -> Iterator[tuple[Trial, Fault]]:
    for each in judgements:
        bend = each.trial.job.bend
        if each.caught and isinstance(bend, Fault):
            yield each.trial, bend
