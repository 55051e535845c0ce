"""What a check reads of a run. A check makes no call: scenarios do, and their results are its fixtures."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from conformance.model.errors import NotDecided
from conformance.model.exchange import Exchange, Operation
from conformance.model.identity import Created
from conformance.model.target import Target


class Exchanges(Protocol):
    """The recorded exchanges of a run."""

    @property
    def exchanges(self) -> list[Exchange]:
        """All exchanges, in the order in which they were recorded."""

    def in_order(self) -> list[Exchange]:
        """Return the exchanges in the order of the calls."""

    def answered(self, operation: Operation, *statuses: int) -> list[Exchange]:
        """Return the answered exchanges of one operation with one of `statuses` (any, without statuses)."""


class Run(Protocol):
    """A run so far: its exchanges, its target, and what its answers mean. No member of it makes a call."""

    @property
    def record(self) -> Exchanges:
        """The exchanges."""

    @property
    def target(self) -> Target:
        """The target, with the options of the run."""

    @property
    def users(self) -> Collection[str]:
        """The labels of the users whose tokens the run has."""

    @property
    def clock_was_set(self) -> float:
        """The seconds by which the wall clock of this machine was set during the run; negative if it was set back."""

    @property
    def ever_listed(self) -> frozenset[str] | None:
        """Every identifier of a data type that the service listed so far; None if it listed none."""

    def creations(self) -> list[Exchange]:
        """Return every POST of the run with a 200."""

    def created(self, exchange: Exchange) -> Created:
        """Return the request that a POST created; raise NotDecided with the reason if it created none."""

    def why_not_created(self, exchange: Exchange) -> NotDecided:
        """Return the reason why a POST created no request."""

    def may_be_limit_refusal(self, exchange: Exchange) -> bool:
        """Tell whether the limit may be the reason of a refused creation, also without the error of the table."""

    def was_refused_without_a_token(self, exchange: Exchange) -> bool:
        """Tell whether a call was refused for lack of a token: 401, 403, or a redirect that only a token avoids."""

    def assert_holds(self, exchange: Exchange, requirement_id: str) -> None:
        """Assert that the document of a 200 meets one requirement; raise NotDecided if there is no document."""

    def assert_all_hold(self, exchanges: Sequence[Exchange], requirement_id: str) -> None:
        """Assert that the document of every 200 meets one requirement; raise NotDecided if there is no document."""
