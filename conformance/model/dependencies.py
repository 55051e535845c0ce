"""The graph of requirements: from which others a failure may follow, and which must hold before one can be tested."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

Graph = Mapping[str, tuple[str, ...]]
"""For each requirement the ids that it depends on directly."""


def graph_of(declared: Mapping[str, Sequence[str]], ids: Collection[str]) -> Graph:
    """Return the graph that `declared` states for `ids`; raise ValueError for an unknown name.

    A key is an id, or a clause for all ids of this clause. The longest key that fits an id decides.
    """
    used: set[str] = set()
    graph: dict[str, tuple[str, ...]] = {}
    for id in ids:
        key = next((each for each in _keys(id) if each in declared), "")
        used.add(key)
        graph[id] = tuple(each for each in declared.get(key, ()) if each != id)
    unknown = [each for each in declared if each not in used]
    unknown += [each for listed in declared.values() for each in listed if each not in ids]
    if unknown:
        raise ValueError(f"the graph of requirements.toml names what is no requirement: {', '.join(unknown)}.")
    return graph


def without_cycle(graph: Graph) -> Graph:
    """Return `graph`; raise ValueError if it has a cycle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise ValueError(f"depends_on of requirements.toml has a cycle: {', '.join(error.args[1])}.") from error
    return graph


def distances(graph: Graph, id: str) -> dict[str, int]:
    """Return what `id` depends on, directly or not, with the number of steps to it, the nearest first."""
    found: dict[str, int] = {}
    layer, steps = graph.get(id, ()), 1
    while layer:
        found |= dict.fromkeys((each for each in layer if each not in found), steps)
        layer = tuple(dict.fromkeys(one for each in layer for one in graph.get(each, ()) if one not in found))
        steps += 1
    return found


def nearest(graph: Graph, id: str, wanted: Collection[str], barriers: Collection[str] = ()) -> tuple[str, ...]:
    """Return those `wanted` on which `id` depends by the fewest steps, none of them through one of the `barriers`."""
    open_ways = {each: () if each in barriers else ids for each, ids in graph.items()}
    ways = distances({**open_ways, id: graph.get(id, ())}, id)
    steps = {each: number for each, number in ways.items() if each in wanted and each != id}
    fewest = min(steps.values(), default=0)
    return tuple(each for each, number in steps.items() if number == fewest)


def _keys(id: str) -> list[str]:
    """Return the keys that fit an id, the longest first: itself, then its clause and the clauses around that."""
    clause = id.partition("-")[0]
    parts = clause.split(".")
    return [id, *(".".join(parts[:number]) for number in range(len(parts), 0, -1))]
