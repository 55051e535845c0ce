"""What a witness finds: the verdicts of a recorded run, or a sample of them, beside those of a live service."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from conformance.model.printable import one_line
from conformance.model.verdict import Verdict
from conformance.reports import basis

if TYPE_CHECKING:
    from conformance.model.report import Report
    from conformance.model.results import RequirementResult

AGREES, DIFFERS, UNTESTED = "agrees", "differs", "could not be tested"

_DECIDED: Final = (Verdict.PASS, Verdict.WARN, Verdict.FAIL)
_LENGTH: Final = 300


@dataclass(frozen=True)
class Seed:
    """The seed of a sample: `digest`, and in words what it is the SHA-256 digest of."""

    digest: str
    source: str

    @property
    def number(self) -> int:
        """The seed of the run that asks the live service."""
        return int(self.digest[:8], 16)


def seed_of(report: Report, nonce: str = "") -> Seed:
    """Return the seed: from the witness's own `nonce`, or else from that of the run, or else from the run itself."""
    recorded = report.run.nonce
    digest = report.digests.report if report.digests else ""
    source, text = next(
        (source, text)
        for source, text in (
            (f"the nonce {nonce} of the witness", nonce),
            (f"the nonce {recorded}", recorded),
            ("the digest of the report", digest),
            (f"the start of the recorded run, {report.started}", report.started),
        )
        if text
    )
    return Seed(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), source)


def candidates(report: Report, decidable: Collection[str]) -> list[str]:
    """Return the requirements that the run decided, and that are `decidable` now, in the order of the report."""
    return [row.id for row in report.requirements if row.verdict in _DECIDED and row.id in decidable]


def sample(ids: list[str], number: int, seed: Seed) -> list[str]:
    """Return at most `number` of the `ids`, drawn by the seed, in their order."""
    drawn = random.Random(seed.digest).sample(sorted(ids), min(number, len(ids)))
    return [each for each in ids if each in drawn]


@dataclass(frozen=True)
class Answer:
    """A requirement of the sample with the results of both runs."""

    recorded: RequirementResult
    live: RequirementResult
    sees_less: bool
    """Whether the live run makes fewer calls than the recorded one, which may show a violation that it cannot see."""

    @property
    def id(self) -> str:
        """The id of the requirement."""
        return self.recorded.id

    @property
    def result(self) -> str:
        """AGREES, DIFFERS, or UNTESTED: a live run without a verdict on the answers says nothing about the record."""
        recorded, live = self.recorded.verdict, self.live.verdict
        if live not in _DECIDED or (self.sees_less and recorded != live == Verdict.PASS):
            return UNTESTED
        return AGREES if live == recorded else DIFFERS

    @property
    def said(self) -> str:
        """What the live run says about it."""
        row = self.live
        found = next((each for each in row.findings if each.verdict == row.verdict), None)
        words = " ".join(filter(None, (found.message, found.remedy))) if found else row.reason
        return words or (_SEES_LESS if self.sees_less else "")


_SEES_LESS: Final = "A run without a token makes fewer calls than the recorded run. Give the token, and ask again."


def answers(recorded: Report, live: Report, ids: Collection[str]) -> list[Answer]:
    """Return the requirements `ids`, each with its results in two reports."""
    rows = {row.id: row for row in live.requirements}
    less = live.scope.profile == "public" != recorded.scope.profile
    return [Answer(row, rows[row.id], less) for row in recorded.requirements if row.id in ids]


def lines(found: list[Answer]) -> Iterator[str]:
    """Yield a line for each requirement, and the reason below those that do not agree."""
    width = max((len(each.id) for each in found), default=0)
    yield f"{'Requirement':<{width}}  {'Recorded':<8}  {'Live':<14}  Result"
    for each in found:
        verdicts = f"{each.recorded.verdict:<8}  {each.live.verdict:<14}"
        yield one_line(f"{each.id:<{width}}  {verdicts}  {each.result}", _LENGTH)
        if each.result != AGREES and each.said:
            yield f"  {one_line(each.said, 2 * _LENGTH)}"
            yield f"  {one_line(f'{basis.stated(each.live)} {basis.reason(each.live)}'.strip(), _LENGTH)}"


def details(found: list[Answer], known: int, seed: Seed, live: Report) -> dict[str, Any]:
    """Return the same as data, for a statement."""
    return {
        "requirements": {"known": known, "asked": len(found)},
        **{name: [each.id for each in found if each.result == result] for name, result in _MEMBERS.items()},
        "seed": {"sha256": seed.digest, "source": seed.source},
        "live": {"started": live.started, "finished": live.finished, "seed": live.seed},
    }


_MEMBERS: Final = {"agree": AGREES, "differ": DIFFERS, "untested": UNTESTED}


def conclusion(found: list[Answer], known: int, seed: Seed, live: Report) -> str:
    """Return what the witness may state, in one line; `known` is the number of requirements that it drew from."""
    results = [each.result for each in found]
    sampled, rest = "", ""
    if known > len(found):
        sampled, rest = "sampled ", f" ({known - len(found)} others were not sampled)"
    parts = [f"{results.count(AGREES)} of {len(found)} {sampled}requirements agree{rest}"]
    parts += [f"{number} {word}" for word in (DIFFERS, UNTESTED) if (number := results.count(word))]
    where = f"the live service at {live.target.base_url} at {live.started}"
    return one_line(f"{', '.join(parts)}; seed from {seed.source}; {where}.", 2 * _LENGTH)
