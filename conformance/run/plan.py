"""What a run is asked to decide, by which options, and what its report says besides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.model.errors import ConfigurationFault
from conformance.model.exchange import Exchange
from conformance.model.findings import Note
from conformance.model.requirements import ALL_SCORED, Scored, all_testable, catalogue
from conformance.model.results import Waiver


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Selection, set, waivers and notes of a run; equal plans of one trace give equal reports."""

    profile: str = "full"
    set: Scored = ALL_SCORED
    select: tuple[str, ...] = ()
    deselect: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    """The ids and clauses whose checks alone run; empty for all."""
    strict: bool = False
    fail_on: tuple[str, ...] = ()
    """The alerts that count as failures: ids, or ALL_ALERTS."""
    waivers: tuple[Waiver, ...] = ()
    notes: tuple[Note, ...] = ()
    """What was known before the run and the report has to say."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Every option that can change a verdict or the traffic, by its name on the command line."""
    labels: Mapping[str, str] = field(default_factory=dict)
    help_base: str = ""
    """The address of the documentation site to which views of the report link; empty for none."""
    explain: Callable[[Sequence[Exchange]], object] = lambda _: None
    """Adds to the exchanges of a run what the code of the service raised, where that is known."""
    leaves: bool = False
    """Whether a request stays at the service for a later run."""
    target_kind: str = "service"
    """"embedded" where the target is the suite's own reference service."""

    @property
    def public(self) -> bool:
        """Whether nothing may be created and no token used."""
        return self.profile == "public"

    @property
    def runs_all_checks(self) -> bool:
        """Whether no check is left out."""
        return not (self.public or self.deselect or self.only)

    def selected(self) -> frozenset[str]:
        """Return the ids to decide; raise UnknownRequirement for a wrong one, ConfigurationFault for none at all."""
        chosen = all_testable() - self.deselected()
        if self.select:
            chosen &= frozenset[str]().union(*map(catalogue().select, self.select))
        if not chosen:
            raise ConfigurationFault(
                "The selection leaves nothing to check. Change --select, --only or --deselect; "
                "'drsi-conformance requirements' lists what can be tested."
            )
        return chosen

    def deselected(self) -> frozenset[str]:
        """Return the ids whose checks do not run, unlike those that are merely not selected."""
        left_out = frozenset[str]().union(*map(catalogue().select, self.deselect))
        if self.only:
            left_out |= all_testable().difference(*map(catalogue().select, self.only))
        return left_out
