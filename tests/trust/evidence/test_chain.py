"""Digests: no alteration of a recorded run leaves all of them intact."""

from __future__ import annotations

import copy
import hashlib
import random
from collections.abc import Callable
from typing import Any

import pytest
from json_parts import another, places
from stored_runs import sealed
from whole_runs import only, run_over, written

from conformance.calibration.faults import FAULTS
from conformance.trust import chain

Json = dict[str, Any]


@pytest.fixture(scope="module")
def recorded() -> tuple[Json, Json]:
    """The report of a run and its evidence, of which a few exchanges are kept: their digests are computed quickly."""
    report, evidence = written(run_over(bend=FAULTS["delete-answers-204"], plan=only("4.3-answers-ok", "4.4")))
    del evidence["log"]["entries"][15:]
    return sealed(report, evidence)


@pytest.mark.parametrize("seed", range(2))
def test_every_alteration_of_a_run_is_found(recorded: tuple[Json, Json], seed: int) -> None:
    chance = random.Random(seed)
    assert list(chain.damage(*recorded)) == []
    for _ in range(20):
        run = copy.deepcopy(recorded)
        holder, name = chance.choice([*places(chance.choice(run))])
        holder[name] = another(holder[name])
        assert list(chain.damage(*run)) != [], name


@pytest.mark.parametrize(
    "alter",
    [
        lambda entries: entries.pop(3),
        lambda entries: entries.append({**entries[3], "_id": "e99", "_ended": 99}),
        lambda entries: entries[3].update(response=entries[4]["response"]),
        lambda entries: entries.insert(3, entries.pop()),
    ],
    ids=["removed", "added", "answered by another", "in another order"],
)
def test_each_exchange_is_in_its_place(recorded: tuple[Json, Json], alter: Callable[[list[Json]], object]) -> None:
    report, evidence = copy.deepcopy(recorded)
    alter(evidence["log"]["entries"])
    assert list(chain.damage(report, evidence)) != []


def test_a_digest_is_that_of_the_whole_text_however_much_of_it_is_written_at_once() -> None:
    value = {"b": [1, {"c": []}, "é"], "a": {"d": None, "": {}}}
    text = '{"a":{"":{},"d":null},"b":[1,{"c":[]},"\\u00e9"]}'
    expected = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    assert [chain.digest(value, levels=levels) for levels in range(4)] == [expected] * 4
