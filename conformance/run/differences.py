"""The differences between the report of a recorded run and what its evidence gives again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from conformance.model.error_table import REFUSED_CREDENTIALS
from conformance.model.exchange import EARLIER, Exchange, header
from conformance.model.run_record import Conditions
from conformance.model.verdict import VERDICT_WHEN_BROKEN, Level, Verdict

_OF_ANY_SUITE: Final = ("complete", "outcome", "alerts", "confirmations", "scope")
_OF_THE_RUN: Final = (*_OF_ANY_SUITE, "summary", "identifiers", "waivers")
_OF_THE_CATALOGUE: Final = ("level", "basis", "statement")
_NOT_OF_THE_EVIDENCE: Final = ("seconds", "proofs")
"""Members of a requirement's result that do not follow from the evidence: its durations and its score."""

_NOT_ASKED: Final = "not asked by the build of the run"
_NOT_LISTED: Final = "not in the catalogue of this build"
_UNDECIDED: Final = (Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE, Verdict.NOT_TESTED)

_LONGEST_START: Final = timedelta(minutes=5)
"""Time between the start of a run and its first exchange."""
_LONGEST_END: Final = timedelta(hours=1)
"""Time between the last exchange of a run, after which it is judged, and its end: a status is valid from then on."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A part of the report that the evidence does not give again."""

    what: str
    """In words."""
    recorded: str
    recomputed: str
    requirement: str = ""
    """Empty if it concerns the run."""
    cause: str = "evidence"
    """"evidence" if this build made the run; else what differs: "catalogue", "interpretation" or "suite"."""


def option_differences(report: dict[str, Any], conditions: Conditions, *, same_suite: bool) -> Iterator[Difference]:
    """Yield each option that the report states otherwise than the run was made; another build may know others."""
    scope, target = report["scope"], conditions.target
    made = {
        **{name: scope[name] for name in ("profile", "set", "select", "deselect", "only") if name in scope},
        **{name: report[name] for name in ("strict", "seed")},
        "fail-on": report["fail_on"],
        "thorough": target.budget.thorough,
        "max-created": target.budget.max_created,
        "anonymous": target.anonymous,
        "allow-short-token": target.allow_short_token,
        "concurrency": target.budget.concurrency,
        "app-host": target.app_host or None,
        "await-completion": target.budget.await_completion,
        "language-selector": str(target.language_selector or "") or None,
    }
    options = report["run"]["options"]
    if options.get("max-created", 0) is None:  # the usual number
        made["max-created"] = None
    for name in [each for each in made if options and (same_suite or each in options)]:
        yield from compared(f"the option {name}", options.get(name), made[name])
    if options:
        given = bool(options.get("complete-command"))
        yield from compared("the option complete-command", given, conditions.completes)
        yield from compared("the option reset-command", bool(options.get("reset-command")), target.account_was_reset)
    for name, label in zip(("expired-token", "foreign-token") if options else (), REFUSED_CREDENTIALS, strict=False):
        yield from compared(f"the option {name}", bool(options.get(name)), label in conditions.refused_tokens)
    if options.get("empty-account") and not target.account_is_empty:
        yield from compared("the option empty-account", True, False)


def moment_differences(report: dict[str, Any], exchanges: Sequence[Exchange]) -> Iterator[Difference]:
    """Yield what the report states of the time and the nonce of the run, and its exchanges do not show."""
    started, finished = (datetime.fromisoformat(report[name]) for name in ("started", "finished"))
    if late := [each for each in exchanges if each.check == EARLIER and each.started >= started]:
        yield from compared("started", report["started"], f"{late[0].id} of {EARLIER} began after that")
    exchanges = [each for each in exchanges if each.check != EARLIER]
    first, last = exchanges[0], max(exchanges, key=lambda each: each.started)
    if not timedelta() <= first.started - started < _LONGEST_START:
        yield from compared("started", report["started"], f"the first exchange began {first.started.isoformat()}")
    if not timedelta() <= finished - last.started < timedelta(seconds=last.seconds) + _LONGEST_END:
        yield from compared("finished", report["finished"], f"the last exchange began {last.started.isoformat()}")
    mark = f"(nonce {report['run']['nonce']})" if report["run"]["nonce"] else ""
    lacking = [each.id for each in exchanges if mark not in (header(each.request.headers, "user-agent") or "")]
    if lacking:
        yield from compared("nonce", report["run"]["nonce"], f"not in the User-Agent of {', '.join(lacking[:3])}")


def run_differences(report: dict[str, Any], recomputed: dict[str, Any], *, same_suite: bool) -> Iterator[Difference]:
    """Yield the differences of the run as a whole; another suite may count and word otherwise, and so state why."""
    cause = "evidence" if same_suite else "suite"
    for name in _OF_THE_RUN if same_suite else _OF_ANY_SUITE:
        recorded, again = report.get(name), recomputed[name]
        if name == "scope":  # a report of an older version lacks members of it
            recorded = {**again, **report[name]}
        yield from compared(name, recorded, again, cause=cause)
    listed, known = ([row["id"] for row in each["requirements"]] for each in (report, recomputed))
    if same_suite and listed != known:
        yield from compared("the requirements", listed, known)
    counted = Counter(row["verdict"] for row in report["requirements"] if row.get("scored", True))
    stated = {verdict: number for verdict, number in report["summary"]["verdicts"].items() if number}
    yield from compared("the numbers of verdicts", stated, dict(counted))


def requirement_differences(
    report: dict[str, Any], recomputed: dict[str, Any], *, same_suite: bool
) -> tuple[list[Difference], dict[str, str]]:
    """Return the differences of the results, and why requirements were not compared, by their ids.

    Another build has to give the same verdicts only, and may ask, judge and word otherwise. What it cannot decide, its
    checks read in calls that the build of the run did not make.
    """
    rows, others = ({row["id"]: row for row in each["requirements"]} for each in (report, recomputed))
    found: list[Difference] = []
    not_compared = {} if same_suite else dict.fromkeys(others.keys() - rows.keys(), _NOT_ASKED)
    for id, row in rows.items():
        other = others.get(id)
        if same_suite and other is None:  # and the lists of requirements differ
            found += compared("verdict", row["verdict"], "", id)
        elif same_suite:
            for name in (each for each in row if each not in _NOT_OF_THE_EVIDENCE):
                found += compared(name, row[name], others[id].get(name), id)
        elif other is None:
            not_compared[id] = _NOT_LISTED
        elif other["verdict"] in _UNDECIDED and row["verdict"] != other["verdict"]:
            not_compared[id] = _NOT_ASKED
        else:
            found += compared("verdict", row["verdict"], _at_the_level_of(row, other), id, _cause(row, other))
    return found, not_compared


def _at_the_level_of(row: dict[str, Any], other: dict[str, Any]) -> str:
    """Return the verdict of this build on a requirement, at the level that the catalogue of the record gives it."""
    is_broken = other["verdict"] in (Verdict.FAIL, Verdict.WARN, Verdict.OBSERVED) and row["level"] != other["level"]
    return VERDICT_WHEN_BROKEN[Level(row["level"])] if is_broken else other["verdict"]


def _cause(row: dict[str, Any], other: dict[str, Any]) -> str:
    if any(row.get(name) != other[name] for name in _OF_THE_CATALOGUE):
        return "catalogue"
    return "suite" if row["reading"] == other["reading"] else "interpretation"


def compared(
    what: str, recorded: Any, recomputed: Any, requirement: str = "", cause: str = "evidence"
) -> Iterator[Difference]:
    """Yield the difference of two values, if they differ."""
    if recorded != recomputed:
        yield Difference(
            what=what,
            recorded=_in_words(recorded),
            recomputed=_in_words(recomputed),
            requirement=requirement,
            cause=cause,
        )


def _in_words(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
