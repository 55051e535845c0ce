"""The pages of requirements: who fails each since when."""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby
from operator import attrgetter
from typing import Final

from conformance.fleet.site import names
from conformance.fleet.site.writing import Site
from conformance.fleet.store.rows import FailingRequirement
from conformance.model.requirements import catalogue

_FAILING_SHOWN: Final = 1_000
"""Services on the page of a requirement; the data beside it have all."""


def write_requirements(site: Site) -> Collection[str]:
    """Write the page of each requirement that the catalogue has or a service fails; return their ids."""
    rows = catalogue().rows
    numbers: dict[str, int] = {}
    for id, some in groupby(site.store.failing_requirements(), attrgetter("requirement")):
        failing = list(some)
        numbers[id] = len(failing)
        _requirement(site, id, failing)
    for id in rows.keys() - numbers.keys():
        _requirement(site, id, [])
    listed = {id: (rows.get(id), numbers.get(id, 0)) for id in [*rows, *numbers]}
    site.write("requirements.html", "requirements.html", listed=listed)
    return listed.keys()


def _requirement(site: Site, id: str, failing: list[FailingRequirement]) -> None:
    name = f"requirements/{names.of_requirement(id)}"
    oldest_first = sorted(failing, key=attrgetter("since", "target"))
    site.write(
        f"{name}.html",
        "requirement.html",
        id=id,
        row=catalogue().rows.get(id),
        edition=catalogue().edition.digest,
        failing=oldest_first[:_FAILING_SHOWN],
        number=len(failing),
        data=f"{names.of_requirement(id)}.json",
    )
    site.data(f"{name}.json", oldest_first)
