"""Single alterations of a recorded run, as somebody might make them who wants another result."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
Alteration = Callable[[random.Random, Json, Json], None]


def alter(chance: random.Random, kind: str, report: Json, evidence: Json) -> tuple[Json, Json]:
    """Return copies of a report and its evidence with one alteration of a kind, which always changes something.

    Both share with the originals the exchanges that are not altered: there are hundreds.
    """
    log = evidence["log"]
    changed_report = json.loads(json.dumps(report))  # many times faster than deepcopy
    changed_evidence = {"log": {**log, "entries": [*log["entries"]]}}
    while (changed_report, changed_evidence) == (report, evidence):
        KINDS[kind](chance, changed_report, changed_evidence)
    return changed_report, changed_evidence


def _row(chance: random.Random, report: Json) -> Json:
    row: Json = chance.choice(report["requirements"])
    return row


def _verdict(chance: random.Random, report: Json, _: Json) -> None:
    _row(chance, report)["verdict"] = chance.choice(["pass", "fail", "warn", "inconclusive", "not-applicable"])


def _outcome(chance: random.Random, report: Json, _: Json) -> None:
    report["outcome"] = chance.choice(["conforms", "does-not-conform", "inconclusive"])


def _finding(chance: random.Random, report: Json, _: Json) -> None:
    row = chance.choice([row for row in report["requirements"] if row["findings"]])
    name = chance.choice(["message", "expected", "actual", "remedy", "blame", "exchanges"])
    chance.choice(row["findings"])[name] = ["e1"] if name == "exchanges" else "altered"


def _count(chance: random.Random, report: Json, _: Json) -> None:
    report["summary"][chance.choice(["exchanges", "created", "deleted", "left_behind"])] += 1


def _option(chance: random.Random, report: Json, _: Json) -> None:
    report["run"]["options"][chance.choice(["seed", "thorough", "profile"])] = "altered"


def _label(_chance: random.Random, report: Json, _: Json) -> None:
    report["run"]["labels"]["case"] = "altered"


def _moment(chance: random.Random, report: Json, _: Json) -> None:
    report[chance.choice(["started", "finished"])] = f"2026-01-0{chance.randint(1, 9)}T00:00:00.000000Z"


def _entry(chance: random.Random, evidence: Json) -> Json:
    """Return a copy of an exchange with a response, which takes the place of the exchange."""
    entries = evidence["log"]["entries"]
    place = chance.choice([place for place, each in enumerate(entries) if each["response"]["status"]])
    entries[place] = copy.deepcopy(entries[place])
    entry: Json = entries[place]
    return entry


def _body(chance: random.Random, _: Json, evidence: Json) -> None:
    content = _entry(chance, evidence)["response"]["content"]
    text = content.get("text", "")
    place = chance.randint(0, len(text))
    content["text"] = text[:place] + chance.choice('abc0"{') + text[place + 1 :]


def _status(chance: random.Random, _: Json, evidence: Json) -> None:
    _entry(chance, evidence)["response"]["status"] = chance.choice([200, 201, 204, 400, 401, 404, 500])


def _header(chance: random.Random, _: Json, evidence: Json) -> None:
    chance.choice(_entry(chance, evidence)["response"]["headers"])["value"] = "altered"


def _request(chance: random.Random, _: Json, evidence: Json) -> None:
    asked = _entry(chance, evidence)["request"]
    asked["url" if chance.random() < 0.5 else "method"] += "X"


def _time(chance: random.Random, _: Json, evidence: Json) -> None:
    entry = _entry(chance, evidence)
    if chance.random() < 0.5:
        entry["time"] += 1000
    else:
        entry["startedDateTime"] = "2026-01-01T00:00:00.000000Z"


def _removed(chance: random.Random, _: Json, evidence: Json) -> None:
    evidence["log"]["entries"].remove(_entry(chance, evidence))


def _added(chance: random.Random, _: Json, evidence: Json) -> None:
    entries = evidence["log"]["entries"]
    highest = max(each["_ended"] for each in entries)
    entries.append({**copy.deepcopy(_entry(chance, evidence)), "_id": f"e{len(entries) + 900}", "_ended": highest + 1})


def _swapped(chance: random.Random, _: Json, evidence: Json) -> None:
    one, other = _entry(chance, evidence), _entry(chance, evidence)
    one["response"], other["response"] = other["response"], one["response"]


KINDS: dict[str, Alteration] = {
    "verdict": _verdict,
    "outcome": _outcome,
    "finding": _finding,
    "count": _count,
    "option": _option,
    "label": _label,
    "moment of the run": _moment,
    "body": _body,
    "status": _status,
    "header": _header,
    "request": _request,
    "time": _time,
    "exchange removed": _removed,
    "exchange added": _added,
    "exchanges swapped": _swapped,
}
