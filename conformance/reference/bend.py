"""How a fault or a twin bends the reference service in one place.

Both are subclasses of Service that override the one method they bend; the docstring says which real-life
mistake, or which permitted oddity, it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import Any, TypeVar

from conformance.model.requirements import catalogue
from conformance.model.verdict import Level, Verdict
from conformance.reference.service import Service

Bent = TypeVar("Bent", bound=type[Service])


@dataclass(frozen=True, kw_only=True)
class Bend:
    """A bent service: `service` overrides one decision, `config` is set over the configuration asked for.

    `run` holds options of the run that checks it, by the names of `Target`.
    """

    name: str
    summary: str
    service: type[Service]
    config: Mapping[str, Any] = field(default_factory=dict)
    run: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Fault(Bend):
    """A service that breaks `requirement`; `consequences` are other ids that may be reported because of it.

    `undetectable` is the reason where no client can tell: not that it is hard, but that nothing shows it.
    Raises UnknownRequirement for an id that is not in the catalogue, ValueError for one that cannot be broken.
    """

    requirement: str
    consequences: tuple[str, ...] = ()
    undetectable: str = ""

    @property
    def broken(self) -> tuple[str, ...]:
        """The requirements that may be reported because of it, its own first."""
        return (self.requirement, *self.consequences)

    def __post_init__(self) -> None:
        """Refuse a wrong id at import."""
        for each in self.broken:
            row = catalogue()[each]
            if row.level is Level.OPEN or row.untestable:
                raise ValueError(f"{self.name}: {each} is open or untestable, so no service can break it")


@dataclass(frozen=True, kw_only=True)
class Twin(Bend):
    """A conforming service that looks wrong; `clause` is what allows it.

    `acceptable` maps the id of a requirement to the verdicts other than pass that are right for this service.
    `alerts` names the requirements for which a run raises an alert; it raises no other.
    """

    clause: str
    alerts: tuple[str, ...] = ()
    acceptable: Mapping[str, tuple[Verdict, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a wrong id at import."""
        for each, verdicts in self.acceptable.items():
            if catalogue()[each].level is Level.MUST and Verdict.FAIL in verdicts:
                raise ValueError(f"{self.name}: a conforming service is never failed ({each})")
        for each in self.alerts:
            if not catalogue()[each].alert:
                raise ValueError(f"{self.name}: the catalogue declares no alert for {each}")


FAULTS: dict[str, Fault] = {}
"""Filled by the modules of conformance.reference.faults, which is where to import it from."""
TWINS: dict[str, Twin] = {}
"""Filled by the modules of conformance.reference.twins, which is where to import it from."""


def fault(
    requirement: str,
    *consequences: str,
    name: str = "",
    undetectable: str = "",
    run: Mapping[str, Any] | None = None,
    **config: Any,
) -> Callable[[Bent], Bent]:
    """Register a subclass of Service as the fault that breaks `requirement`; its docstring is the summary."""

    def register(service: Bent) -> Bent:
        add_fault(
            Fault(
                name=name or _kebab(service.__name__),
                summary=cleandoc(service.__doc__ or ""),
                service=service,
                config=config,
                run=run or {},
                requirement=requirement,
                consequences=consequences,
                undetectable=undetectable,
            )
        )
        return service

    return register


def add_fault(fault: Fault) -> None:
    """Register a fault; raise ValueError when its name is taken or its summary is empty."""
    if fault.name in FAULTS or not fault.summary:
        raise ValueError(f"the fault {fault.name} needs a name of its own and a docstring")
    FAULTS[fault.name] = fault


Acceptable = dict[str, tuple[str, ...]]
"""Words of Verdict by id of the requirement."""

_UNDECIDED = ("inconclusive", "not-applicable")
_NEVER_COMPLETES: Acceptable = dict.fromkeys(
    ("2.1-completedAt", "2.1-completedAt-value", "3-deletes-completed", "8-completed-do-not-count"), _UNDECIDED
)
_NEVER_ESTIMATES: Acceptable = {"2.1-expectedCompletion": _UNDECIDED}


def twin(
    clause: str,
    acceptable: Mapping[str, tuple[str, ...]] | None = None,
    *,
    name: str = "",
    alerts: tuple[str, ...] = (),
    run: Mapping[str, Any] | None = None,
    **config: Any,
) -> Callable[[Bent], Bent]:
    """Register a subclass of Service as a twin that `clause` allows; its docstring is the summary.

    What a service gives no occasion for is acceptable without being named: most twins never complete a request.
    """
    silent = _NEVER_ESTIMATES | (_NEVER_COMPLETES if config.get("complete_after") is None else {})

    def register(service: Bent) -> Bent:
        made = Twin(
            name=name or _kebab(service.__name__),
            summary=cleandoc(service.__doc__ or ""),
            service=service,
            config=config,
            run=run or {},
            clause=clause,
            alerts=alerts,
            acceptable={each: tuple(map(Verdict, words)) for each, words in {**silent, **(acceptable or {})}.items()},
        )
        if made.name in TWINS or not made.summary:
            raise ValueError(f"the twin {made.name} needs a name of its own and a docstring")
        TWINS[made.name] = made
        return service

    return register


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name.lstrip("_")).lower()
