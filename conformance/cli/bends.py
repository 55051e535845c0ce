"""The faults and twins by name, as `serve` takes and lists them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from conformance.calibration.faults import FAULTS
from conformance.calibration.twins import TWINS
from conformance.calibration.variant import REFERENCE, Variant
from conformance.cli.failure import Failure


def chosen(fault: str | None, twin: str | None) -> Variant:
    """Return the variant of the service to serve; raise Failure for a name that nothing has, or for two."""
    if fault is not None and twin is not None:
        raise Failure("--fault and --twin say two different things. Give one of them.")
    if fault is not None:
        return _named("fault", fault, FAULTS)
    return REFERENCE if twin is None else _named("twin", twin, TWINS)


def listing() -> Iterator[str]:
    """Yield a line for each fault, with what it breaks, and for each twin, with the clause that allows it."""
    yield f"FAULTS ({len(FAULTS)}), by the requirement that each breaks; serve one with --fault NAME"
    for requirement in dict.fromkeys(fault.requirement for fault in FAULTS.values()):
        yield f"\n{requirement}"
        for fault in FAULTS.values():
            if fault.requirement == requirement:
                yield f"  {fault.name}: {' '.join(fault.summary.split())}"
    yield f"\nTWINS ({len(TWINS)}), each with the clause that allows it; serve one with --twin NAME\n"
    for twin in TWINS.values():
        yield f"  {twin.name} ({twin.clause}): {' '.join(twin.summary.split())}"


def _named(kind: str, name: str, every: Mapping[str, Variant]) -> Variant:
    if name in every:
        return every[name]
    near = difflib.get_close_matches(name, every, n=3)
    hint = f"Did you mean {' or '.join(near)}?" if near else "serve --list-faults lists them all."
    raise Failure(f"No {kind} is called {name!r}. {hint}")
