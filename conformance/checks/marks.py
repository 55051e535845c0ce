"""The marks of the files in `checks/`: which requirement a check decides, and when it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol, TypeVar

import pytest
from _pytest.mark import ParameterSet

from conformance.model.exchange import Exchange
from conformance.model.requirements import catalogue

_Check = TypeVar("_Check", bound=Callable[..., None])

first: Final = pytest.mark.first
"""Runs before all others: before deletions that do not work, or creations that are refused but kept, have used up the
limit; or because its result tells whether other scenarios can run in parallel."""

last: Final = pytest.mark.last
"""Runs after all others, because it reads the record of the whole run."""

at_the_end: Final = pytest.mark.last(1)
"""Runs after those too: with the identifiers of all other calls, few more have to be created."""

needs: Final = pytest.mark.needs
"""Names results of scenarios without which a check has nothing to judge, and that are none of its arguments."""


class Observe(Protocol):
    """Notes what the target does in a matter that the specification leaves open."""

    def __call__(self, message: str, *exchanges: Exchange, alert: bool = False) -> None:
        """Note `message`, with the exchanges that show it.

        `alert` marks a serious observation. The catalogue declares which requirements may raise one; for any other
        requirement LookupError is raised, which the run reports as a crash of the suite.
        """


class Decide(Protocol):
    """Decides a requirement that a single exchange can decide, by every exchange of the run."""

    def __call__(self, requirement_id: str) -> None:
        """Raise RequirementViolated with the clearest violation, or NotDecided if no answer keeps the requirement."""


def requirement(requirement_id: str) -> pytest.MarkDecorator:
    """Name the requirement that a check decides; an id that the catalogue lacks fails at import."""
    return pytest.mark.requirement(catalogue()[requirement_id].id)


def by_answers(
    requirement_id: str, value: object, scenarios: Iterable[str], *marks: pytest.MarkDecorator
) -> ParameterSet:
    """Return the parameters of the check of a requirement that each answer of the run decides, or shows, by itself.

    `value` is its argument. `scenarios` make calls with such answers.
    """
    read = (f"{each}_or_reason" for each in scenarios)
    own = requirement(requirement_id), pytest.mark.scenarios(*read), *marks
    return pytest.param(value, id=requirement_id, marks=own)


def by_requirement(name: str, cases: Mapping[str, Any]) -> pytest.MarkDecorator:
    """Run a check once for each requirement in `cases`, with its value as argument `name`."""
    return pytest.mark.parametrize(
        name, [pytest.param(value, id=each, marks=requirement(each)) for each, value in cases.items()]
    )


def traces(text: str, *, of: str = "") -> Callable[[_Check], _Check]:
    """Keep the two smallest traces of a check: on one its requirement is violated, on the other it is not.

    `text` has a line for each exchange, in the notation of docs/traces.md. FAIL begins a line of the first trace only,
    PASS one of the second; in an open matter, SAYS begins what the check says of its only trace. They are the unit test
    of the check. `of` is the requirement that they are about, where a check decides several.
    """

    def keep(check: _Check) -> _Check:
        kept = check.__dict__.setdefault("traces", {})
        assert of not in kept, "two @traces of a check are about the same requirement"
        kept[of] = text
        return check

    return keep
