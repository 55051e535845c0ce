"""Alterations of recorded runs whose digests were computed again: which of them does a verification find?

One value of the report or of an exchange becomes another, or an exchange is removed, added or gets the answer of
another. What is not found influences no verdict, and is listed by kind. The signature of a bundle covers it as well.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from measure import positive

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from json_parts import another, places  # type: ignore[import-not-found]
from whole_runs import run_over  # type: ignore[import-not-found]

from conformance.calibration.run_one import Job
from conformance.calibration.sample import quick
from conformance.run.documents import Documents
from conformance.run.verify import Unreadable, verify
from conformance.trust import chain

Json = dict[str, Any]


def altered(job: Job, number: int, seed: int) -> tuple[Counter[str], Counter[str]]:
    """Alter the run of a service so often; return how many alterations of each kind were found, and how many not."""
    chance = random.Random(f"{seed}/{job.name}")
    found: Counter[str] = Counter()
    silent: Counter[str] = Counter()
    run = run_over(bend=job.variant)
    documents = Documents(run)
    report, evidence = json.loads(json.dumps([documents.data, documents.evidence]))
    for _ in range(number):
        kind, changed, exchanges = alter(chance, report, evidence)
        exchanges = chain.chained(exchanges)
        try:
            equal = verify(chain.sealed(changed, exchanges), exchanges).is_equal
        except Unreadable:
            equal = False
        (silent if equal else found)[kind] += 1
        if equal and changed["requirements"] != report["requirements"]:
            raise Missed(f"{job.name}: an alteration of a {kind} was missed, although the results differ")
    return found, silent


def alter(chance: random.Random, report: Json, evidence: Json) -> tuple[str, Json, Json]:
    """Return the kind of an alteration, and copies of a report and its evidence with it."""
    report = json.loads(json.dumps(report))  # many times faster than deepcopy
    entries = [*evidence["log"]["entries"]]
    one, other = chance.sample([place for place, each in enumerate(entries) if each["response"]["status"]], 2)
    match kind := chance.choice(("report", "exchange", "exchange", "removed", "added", "swapped")):
        case "report":
            kind = f"report: {_changed(chance, report)}"
        case "exchange":
            entries[one] = copy.deepcopy(entries[one])
            kind = f"exchange: {_changed(chance, entries[one])}"
        case "removed":
            del entries[one]
        case "added":
            highest = max(each["_ended"] for each in entries)
            entries.append({**entries[one], "_id": f"e{len(entries) + 900}", "_ended": highest + 1})
        case "swapped":
            answers = entries[one]["response"], entries[other]["response"]
            entries[one], entries[other] = (
                {**entries[place], "response": answer}
                for place, answer in zip((one, other), reversed(answers), strict=True)
            )
    return kind, report, {"log": {**evidence["log"], "entries": entries}}


def _changed(chance: random.Random, document: Json) -> str:
    """Change one value in a member of a document, and return the name of the member."""
    member = chance.choice([*document])
    holder, name = chance.choice([(document, member), *places(document[member])])
    holder[name] = another(holder[name])
    return member


class Missed(Exception):
    """An alteration that changes a result was not found."""


def main() -> None:
    """Alter, verify and count; end with 1 where an alteration is missed that changes a verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--alterations", type=positive, default=2_000, metavar="NUMBER")
    parser.add_argument("--runs", type=positive, default=20, metavar="NUMBER")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    jobs = random.Random(options.seed).sample(quick(), int(options.runs))
    each = partial(altered, number=int(options.alterations / options.runs), seed=options.seed)
    found: Counter[str] = Counter()
    silent: Counter[str] = Counter()
    with ProcessPoolExecutor() as pool:
        try:
            for of_one in pool.map(each, jobs):
                found += of_one[0]
                silent += of_one[1]
        except Missed as missed:
            sys.exit(str(missed))
    for kind in sorted({*found, *silent}):
        print(f"  {kind:<28} {found[kind]:>5} found, {silent[kind]:>5} without influence on any verdict")
    print(f"{found.total() + silent.total()} alterations: {found.total()} found by recomputation (seed {options.seed})")


if __name__ == "__main__":
    main()
