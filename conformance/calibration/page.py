"""The calibration as one page without JavaScript or network: a matrix, requirement by fault."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from conformance.calibration.combined import Sight
from conformance.calibration.measure import MEASURES, Measure
from conformance.reports.clauses import TITLES, heading_of
from conformance.reports.text import count, printable

MARKS = {
    "caught": ("Caught", "The requirement that the fault breaks came out as broken, and nothing else did."),
    "misattributed": ("Misattributed", "Something was reported as well that the fault does not break."),
    "excused": ("Undetectable", "No client can tell; the reason is given. Counts as missed."),
    "missed": ("Missed", "The fault went by unnoticed."),
    "accused": ("Accused", "Reported because of a fault that breaks another requirement."),
    "accepted": ("Accepted", "Nothing was held against a service that conforms."),
    "unexpected": ("Doubted", "A service that conforms came to a verdict that it does not declare."),
    "failed": ("Failed", "A service that conforms was failed."),
}
"""Word and meaning of each mark, as shown."""

_ENOUGH = {"must": 2, "should": 1}
"""How many faults have to prove a check, by the level of its requirement."""


@dataclass
class Row:
    """One requirement of the matrix."""

    requirement: dict[str, Any]
    faults: list[dict[str, Any]] = field(default_factory=list)
    accused: list[dict[str, Any]] = field(default_factory=list)
    """Faults of other requirements because of which this one was reported."""
    doubted: list[dict[str, Any]] = field(default_factory=list)
    """Conforming services that came to a verdict here which they do not declare."""
    verdicts: Counter[str] = field(default_factory=Counter)
    """Verdicts of the conforming services."""

    @property
    def thin(self) -> bool:
        """Whether fewer faults prove the check than the level asks for."""
        return len(self.faults) < _ENOUGH[self.requirement["level"]]

    @property
    def hole(self) -> bool:
        """Whether anything in this row has to be mended."""
        return self.thin or bool(self.accused or self.doubted) or any(each["mark"] != "caught" for each in self.faults)


def render(document: dict[str, Any]) -> str:
    """Return the page for the calibration in `document`."""
    rows = _rows(document)
    groups: dict[str, list[Row]] = {}
    for row in rows.values():
        groups.setdefault(heading_of(row.requirement["clause"]), []).append(row)
    page = (
        _environment()
        .get_template("calibration.html")
        .render(
            document=document,
            measures={name: (_measure(document["score"][name]), meaning) for name, meaning in MEASURES.items()},
            marks=MARKS,
            shown_marks=Counter(each["mark"] for each in [*document["faults"], *document["conforming"]]),
            groups=groups,
            tally=tally(document["combinations"]),
            titles=TITLES,
            needless=[each for each in document["checks"] if not each["alone"]],
        )
    )
    return printable(page, keep="\n\t")


def tally(combinations: Sequence[dict[str, Any]]) -> str:
    """Return in words what the combinations came to."""
    sights = Counter(fault["sight"] for each in combinations for fault in each["faults"])
    wrong = sum(len(each["wrong"]) for each in combinations)
    return (
        f"{count(len(combinations), 'combination')}: {count(wrong, 'wrong failure')}; "
        f"of {count(sights.total(), 'fault')} {sights[Sight.FOUND]:,} found, "
        f"{sights[Sight.NAMED]:,} named as hidden, {sights[Sight.MISSED]:,} missed."
    )


def _rows(document: dict[str, Any]) -> dict[str, Row]:
    rows = {each["id"]: Row(each) for each in document["requirements"]}
    for fault in document["faults"]:
        rows[fault["requirement"]].faults.append(fault)
        for requirement in fault["beside"]:
            rows[requirement].accused.append(fault)
    spread: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in document["conforming"]:
        for requirement, verdict in each["verdicts"].items():
            spread[requirement][verdict] += 1
        for requirement in each["beside"]:
            if requirement in rows:
                rows[requirement].doubted.append(each)
    for requirement, row in rows.items():
        row.verdicts = spread[requirement]
    return rows


def _measure(data: dict[str, int] | None) -> Measure | None:
    return Measure(**data) if data is not None and data["of"] else None


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=ChoiceLoader(
            [PackageLoader("conformance.calibration", "templates"), PackageLoader("conformance.reports", "templates")]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count"] = count
    return environment
