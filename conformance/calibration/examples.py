"""The examples of the requirements: each recorded by a run of its checks, none written by hand.

`python -m conformance.calibration.examples` writes the file that ships with the suite; it takes about two minutes. For
a requirement that a service can violate, its checks run against its faults until one is found, and against the
reference service. The exchange that shows the violation is paired with the same call to the reference service.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from conformance.calibration.faults import FAULTS
from conformance.calibration.run_one import REFERENCE_JOB, run_of
from conformance.calibration.variant import REFERENCE, Fault, Variant
from conformance.model.examples import FILE, Example, Shown
from conformance.model.exchange import Exchange
from conformance.model.findings import Finding
from conformance.model.printable import as_json, clip
from conformance.model.requirements import Requirement, catalogue
from conformance.model.verdict import Level, Verdict
from conformance.reports import exchange_text
from conformance.run.documents import Documents
from conformance.run.plan import Plan
from conformance.trace.har import exchanges_of

PUBLISHED: Final = Path(__file__).parent / FILE

_LINES: Final = 40
"""Lines of a message that an example shows."""
_WIDTH: Final = 400
_UNTOLD: Final = ("host", "user-agent", "accept-encoding", "connection", "server")
"""Header fields that say nothing about the requirement, unless the finding names them."""
_TRIED: Final = 4
"""Faults of which one has to give an example whose answers tell something; else the first one is taken."""
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_VARYING: Final = re.compile(
    rf"{_UUID.pattern}|\d{{4}}-\d\d-\d\dT[\d:.]+|\w+, \d\d \w+ \d{{4}} [\d:]+|content-length: \d+"
)


class NoExample(LookupError):
    """No fault of a requirement is found, or the reference service does not pass."""


@dataclass(frozen=True)
class _Recorded:
    """A run of the checks of one requirement: its verdict, what it said, and the exchanges, free of secrets."""

    verdict: Verdict
    findings: Sequence[Finding[str]]
    exchanges: Sequence[Exchange]

    def of(self, verdict: Verdict) -> Finding[str] | None:
        """Return the first finding with `verdict` that an exchange shows."""
        return next((each for each in self.findings if each.verdict is verdict and each.exchanges), None)

    def named(self, exchange_id: str) -> Exchange:
        """Return an exchange by its id."""
        return next(each for each in self.exchanges if each.id == exchange_id)


def example_of(row: Requirement) -> Example | None:
    """Return a new example of a requirement; None for one that no client can test.

    Raise NoExample where the checks find no fault of it, or the reference service does not pass.
    """
    if row.untestable:
        return None
    if row.level is Level.OPEN:
        return _observed(row)
    faults = [each for each in FAULTS.values() if each.requirement == row.id]
    found: list[Example] = []
    for fault in faults:
        found += _violated(row, fault)
        if found and (_tells(found[-1]) or len(found) == _TRIED):
            return next(filter(_tells, found), found[0])
    if found:
        return found[0]
    raise NoExample(f"{row.id}: its checks alone find none of its faults, or the reference service does not pass.")


def _observed(row: Requirement) -> Example:
    """Return what the reference service does in an open matter."""
    run = _recorded(REFERENCE, row)
    finding = run.of(Verdict.OBSERVED)
    if finding is None:
        said = run.findings[0].message if run.findings else f"The verdict is {run.verdict}."
        return Example(message=said, good=_shown(run.exchanges[-1]))
    return Example(message=finding.message, good=_shown(run.named(finding.exchanges[0])))


def _tells(example: Example) -> bool:
    """Tell whether the two answers of an example differ in more than identifiers, moments and lengths."""
    return example.bad is not None and _VARYING.sub("", example.bad.answer) != _VARYING.sub("", example.good.answer)


def _violated(row: Requirement, fault: Fault) -> list[Example]:
    """Return the example that a fault gives; none if its own calls do not show it, or a conforming service has none."""
    bad = _recorded(fault, row)
    finding = bad.of(fault.sought)
    if bad.verdict is not fault.sought or finding is None:
        return []
    pairs: list[Example] = []
    for service in (REFERENCE, replace(REFERENCE, config=fault.config, run=fault.run, given=fault.given)):
        good = _recorded(service, row)
        # What shows the violation best may be a call that a conforming service never gets.
        for shown in map(bad.named, finding.exchanges if good.verdict is Verdict.PASS else ()):
            if same := _same_call(shown, bad.exchanges, good.exchanges):
                pairs.append(
                    Example(
                        message=finding.message,
                        fault=fault.name,
                        steps=tuple(step.text for step in finding.steps),
                        good=_shown(same),
                        bad=_shown(shown),
                    )
                )
    return pairs and [next(filter(_tells, pairs), pairs[0])]


def _recorded(service: Variant, row: Requirement) -> _Recorded:
    documents = Documents(run_of(service, REFERENCE_JOB, Plan(only=(row.id,))))
    result = next(each for each in documents.shown.requirements if each.id == row.id)
    return _Recorded(result.verdict, result.findings, exchanges_of(documents.evidence))


def _same_call(wanted: Exchange, others: Sequence[Exchange], found: Sequence[Exchange]) -> Exchange | None:
    """Return the call of another run that was made for the same purpose, by the closest description that both have."""
    for description in (_exactly, _roughly, _call):
        place = [each.id for each in others if description(each) == description(wanted)].index(wanted.id)
        alike = [each for each in found if description(each) == description(wanted) and each.response]
        if alike:
            return alike[min(place, len(alike) - 1)]
    return None


def _call(exchange: Exchange) -> tuple[Any, ...]:
    return exchange.request.method, _UUID.sub("ID", exchange.path), exchange.request.credential


def _roughly(exchange: Exchange) -> tuple[Any, ...]:
    return *_call(exchange), exchange.check, exchange.intent.request, exchange.intent.body


def _exactly(exchange: Exchange) -> tuple[Any, ...]:
    return *_roughly(exchange), exchange.request.body, exchange.request.headers


def _shown(exchange: Exchange) -> Shown:
    answer = exchange_text.answer(exchange) or exchange_text.trouble(exchange)
    return Shown(question=_brief(exchange_text.question(exchange)), answer=_brief(answer))


def _brief(message: str) -> str:
    """Return a message without the fields that say nothing, and with the end of a long one left out."""
    head, gap, body = message.partition("\n\n")
    kept = [line for line in head.split("\n") if line.partition(":")[0].lower() not in _UNTOLD]
    lines = [clip(line, _WIDTH) for line in ("\n".join(kept) + gap + body).split("\n")]
    left = len(lines) - _LINES
    return "\n".join([*lines[:_LINES], f"[{left} more lines]"] if left > 1 else lines)


def recorded() -> Iterator[tuple[str, Example]]:
    """Yield a new example of each requirement that has one."""
    for row in catalogue().rows.values():
        if (example := example_of(row)) is not None:
            yield row.id, example


def main() -> int:
    """Write the examples of all requirements."""
    PUBLISHED.write_text(as_json({id: asdict(each) for id, each in recorded()}, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
