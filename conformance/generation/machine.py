"""The state machine of two users that hypothesis runs: its rules are the steps of a walk, its invariant the model's.

What the rules do is in `walk.py`: the record of a run holds the steps and not the names of rules.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from conformance.generation.model import KINDS, KnownRequest, SequenceEnded
from conformance.generation.walk import A, B, Step, Walk

if TYPE_CHECKING:
    from conformance.generation.sequences import Search

USERS: Final = st.sampled_from([A, B])
KIND_OF_CREATION: Final = st.sampled_from(list(KINDS))

_is_due = attrgetter("is_due")

_Result = TypeVar("_Result")


def _ends_the_search(method: Callable[..., _Result]) -> Callable[..., _Result]:
    """Let any error end the search: hypothesis would repeat the sequence that raised it."""

    @wraps(method)
    def guarded(self: Requests, *arguments: Any, **named: Any) -> _Result:
        try:
            return method(self, *arguments, **named)
        except (SequenceEnded, HypothesisException):
            raise
        except Exception as error:
            self.search.error = error
            raise SequenceEnded from None

    return guarded


class Requests(RuleBasedStateMachine):
    """The data requests of one or two users.

    Defined once: hypothesis keeps every class of this kind until the process ends.
    """

    existing: Bundle[KnownRequest] = Bundle("existing")
    deleted: Bundle[KnownRequest] = Bundle("deleted")

    def __init__(self, search: Search) -> None:
        super().__init__()
        self.search = search
        self.walk: Walk = search.new_walk()

    @initialize(target=existing, differs=st.booleans(), who=USERS, kind=KIND_OF_CREATION)
    def begin(self, differs: bool, who: str, kind: str) -> Any:
        """A user creates the first request.

        Hypothesis' first example, which takes the simplest choice each time, is left out: it is the same for all seeds.
        """
        assume(differs)
        self._begin()
        return self._made(Step(who, "creates", kind))

    @precondition(lambda self: self.walk.may_create(A) or self.walk.may_create(B))
    @rule(target=existing, who=USERS, kind=KIND_OF_CREATION)
    def create(self, who: str, kind: str) -> Any:
        """A user creates a request, up to one more than the limit."""
        return self._made(Step(who, "creates", kind))

    @precondition(lambda self: any(each.is_due for each in self.walk.model.live))
    @rule(request=existing.filter(_is_due))
    def read(self, request: KnownRequest) -> None:
        """The owner reads a request that may have changed."""
        self._about(request, "reads")

    @precondition(lambda self: len(self.walk.model.users) > 1)
    @rule(request=existing)
    def read_as_another(self, request: KnownRequest) -> None:
        """Another user reads a request."""
        self._about(request, "reads another's")

    @rule(target=deleted, request=consumes(existing))
    def delete(self, request: KnownRequest) -> Any:
        """The owner deletes a request."""
        return self._about(request, "deletes")

    @precondition(lambda self: any(each.is_due for each in self.walk.model.gone))
    @rule(request=deleted.filter(_is_due))
    def read_deleted(self, request: KnownRequest) -> None:
        """The owner reads a deleted request that may be back."""
        self._about(request, "reads deleted")

    @precondition(lambda self: not self.walk.model.in_vain)
    @rule(request=deleted)
    def delete_again(self, request: KnownRequest) -> None:
        """The owner deletes a deleted request."""
        self._about(request, "deletes again")

    @precondition(lambda self: bool(self.walk.model.live) and not self.walk.model.in_vain)
    @rule(who=USERS)
    def delete_unknown(self, who: str) -> None:
        """A user deletes a request that does not exist."""
        self._take(Step(who, "deletes unknown"))

    @invariant()
    @_ends_the_search
    def answers_are_predicted(self) -> None:
        """The answers of the last step are those that the model predicts."""
        self.walk.predictions.check()

    @_ends_the_search
    def _begin(self) -> None:
        self.search.begin(self.walk)

    def _about(self, request: KnownRequest, does: str) -> Any:
        owner = self.walk.letter_of(request.owner)
        other = B if owner == A else A
        return self._made(Step(other if does == "reads another's" else owner, does, request.number))

    def _made(self, step: Step) -> Any:
        made = self._take(step)
        return multiple() if made is None else made

    @_ends_the_search
    def _take(self, step: Step) -> KnownRequest | None:
        return self.walk.take(step)
