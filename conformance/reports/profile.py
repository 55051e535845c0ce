"""The profile of a service: what it chose in every matter that the specification leaves open, as a run saw it.

A choice has the same words in every run, so that two services compare.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

from conformance.model.errors import SUCH_AS
from conformance.model.findings import Finding
from conformance.model.report import Report
from conformance.model.results import RequirementResult
from conformance.model.text import alike
from conformance.model.verdict import Level, Verdict
from conformance.reports.outcome import LEFT_OPEN

_NOT_SEEN: Final = "No answer of the run shows this."

_NO_CHOICE: Final = re.compile(
    rf"{_NOT_SEEN}|The run had no occasion to .*|No request was ever seen in progress, .*", re.DOTALL
)
"""What checks of open matters state beside choices: what the run did not see."""

_NUMBER: Final = "[0-9]{1,3}(?:,[0-9]{3}){0,3}"

_CHOICE: Final = re.compile(
    rf"(?P<words>.+?): (?P<answers>{_NUMBER}) (?:of {_NUMBER} )?answers?{SUCH_AS} .+", re.DOTALL
)
"""What `conformance.model.errors.choice` writes. The quoted body at its end may have the same form."""

_OF_A_RUN: Final = re.compile(
    r"\b[0-9a-fA-F]{8}(?:(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[-0-9a-fA-F]{0,28}…)|\b\d{4}-\d\d-\d\dT[\w:.+-]+"
)
"""An identifier, perhaps shortened, or a moment."""

_LONGEST: Final = 500
"""Characters of words that are compared with known clients: some patterns take a time that grows with the square."""

_MORE: Final = re.compile(r" \(and [\d,]+ more like this\)$")
"""The end of a message of several findings that differ only in identifiers and moments."""


@dataclass(frozen=True, kw_only=True)
class KnownClient:
    """A client or library that a choice breaks, as `known_clients.toml` has it."""

    matter: str
    choice: str
    """A regular expression that the whole words of the choice match."""
    client: str
    effect: str
    source: str
    twin: str = ""
    """The conforming service that shows the choice (`serve --twin`); empty if the reference service does."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What a service chose in a matter."""

    words: str
    answers: int
    """How many answers show it; 0 where they are not counted."""
    exchange: str
    """The id of one of them in evidence.har; empty where none shows it by itself."""
    alert: bool = False
    breaks: tuple[KnownClient, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Matter:
    """An open requirement, with the choices that the run saw; without any, `not_seen` says why."""

    id: str
    question: str
    choices: tuple[Choice, ...]
    not_seen: str = ""

    @property
    def words(self) -> frozenset[str]:
        """The words of the choices."""
        return frozenset(each.words for each in self.choices)


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What the service at an address chose, by a run."""

    base_url: str
    started: str
    suite: str
    matters: tuple[Matter, ...]

    @property
    def moment(self) -> str:
        """When the run began, in UTC, as report.html writes it."""
        return f"{self.started[:10]} {self.started[11:19]} UTC"


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A matter in which two services did not choose alike, with the choices that only one of the runs saw."""

    first: Matter
    second: Matter


def choice_in(message: str) -> tuple[str, int]:
    """Return the words of the choice that a finding states, and how many answers show it; 0 if it counts none.

    A message that counts none is the choice itself; one with a count that cannot be read states none. Identifiers and
    moments that vary are no part of the words.
    """
    message, varies = _MORE.subn("", message)
    if _NO_CHOICE.fullmatch(message):
        return "", 0
    if found := _CHOICE.fullmatch(message):
        return alike(found["words"]) if varies else found["words"], int(found["answers"].replace(",", ""))
    words = _OF_A_RUN.sub("…", message.removesuffix("."))
    return ("" if SUCH_AS in words else words), 0


def profile(report: Report) -> Profile:
    """Return the profile of the service of a run."""
    return Profile(
        base_url=report.target.base_url,
        started=report.started,
        suite=report.suite.version,
        matters=tuple(map(_matter, (row for row in report.requirements if row.level is Level.OPEN))),
    )


def differences(first: Profile, second: Profile) -> Iterator[Difference]:
    """Yield the matters that both runs saw, in which the services did not choose alike."""
    others = {each.id: each for each in second.matters}
    for one in first.matters:
        other = others.get(one.id)
        if other and one.choices and other.choices and one.words != other.words:
            yield Difference(first=_without(one, other.words), second=_without(other, one.words))


def _without(matter: Matter, words: Collection[str]) -> Matter:
    """Return a matter without the choices that have these words."""
    kept = (each for each in matter.choices if each.words not in words)
    return Matter(id=matter.id, question=matter.question, choices=tuple(kept))


@cache
def known_clients() -> tuple[KnownClient, ...]:
    """Return the known clients of the table."""
    text = (files("conformance.model") / "known_clients.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text).get("client", ()), tuple[KnownClient, ...])


def _joined(matter: str, seen: Iterable[Choice]) -> tuple[Choice, ...]:
    """Return the choices in a matter: of the same words one, with the sum of the answers and the first exchange."""
    found: dict[str, Choice] = {}
    for each in seen:
        known = found.get(each.words)
        found[each.words] = replace(known, answers=known.answers + each.answers) if known else each
    return tuple(replace(each, breaks=broken(matter, each.words)) for each in found.values() if each.words)


def broken(matter: str, words: str) -> tuple[KnownClient, ...]:
    """Return the known clients that a choice breaks; none for long words."""
    if len(words) > _LONGEST:
        return ()
    return tuple(each for each in known_clients() if each.matter == matter and re.fullmatch(each.choice, words))


def _matter(row: RequirementResult) -> Matter:
    observed = [each for each in row.findings if each.verdict is Verdict.OBSERVED]
    choices = _joined(row.id, map(_seen, observed))
    others = [each for each in row.findings if each not in observed]
    reasons = [row.reason, *(each.message for each in (*others, *observed)), _NOT_SEEN]
    return Matter(
        id=row.id,
        question=row.statement.removeprefix(LEFT_OPEN),
        choices=choices,
        not_seen="" if choices else next(filter(None, reasons)),
    )


def _seen(finding: Finding[str]) -> Choice:
    words, answers = choice_in(finding.message)
    return Choice(words=words, answers=answers, exchange=next(iter(finding.exchanges), ""), alert=finding.alert)
